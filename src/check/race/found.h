// Owns the races of one dispatch while it runs. What becomes of them is known at its end: a plain load of what others
// change atomically is part of a compare-and-swap if the wave goes on so, and equal values do not matter where
// different ones are written too.
#pragma once
#include "check/allocations.h"
#include "check/race/agreed.h"
#include "check/race/sites.h"
#include "check/told.h"
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::check::race {

std::string_view verb(Kind), noun(Kind); // "stores to", "store"

class Found {
public:
  Found(Told& told, const Allocations* allocations) : told_(told), allocations_(allocations) {}
  // For the texts. A workgroup of this number may have begun before: false.
  bool began(const machine::Workgroup&);
  void forget_groups();

  // Two accesses of the same place that nothing orders: one that is about to happen, and an earlier one.
  void race(const events::Access&, const Record& me, const Record& other, uint64_t address, uint64_t times,
            bool same_value);
  // Lanes of one instruction.
  void clash(const events::Access&, const Record& me, int lane, int other_lane, uint64_t address);
  // Two waves have stored the same to a place; one of such a place's waves stored what is there now.
  void agree(const Agreed::Place&, uint32_t wave, uint32_t other);
  bool agreed(const Agreed::Place&, uint32_t wave);
  // A wave has loaded what it compares and swaps now.
  void swaps_what_it_loaded(uint32_t load_site);
  // Tells what is left, at the end of the dispatch.
  void tell();

  Sites sites;

  // For what is told of several dispatches.
  Told& told() const { return told_; }
  bool is_swapped(uint64_t load_pc) const { return swapped_.contains(load_pc); }
  std::string place(bool lds, uint64_t address) const;
  std::string who(uint32_t wave, bool lds) const;
  Told::Where where(uint32_t wave, int lane = -1) const;

private:
  struct Party {
    uint32_t wave = nobody;
    Kind kind{};
    uint64_t pc = 0;
    int lane = -1;
  };
  enum class What : uint8_t { race, value, atomic, lanes };
  struct Key {
    What what;
    bool lds;
    uint64_t pc, other; // the greater one first
    auto operator<=>(const Key&) const = default;
  };
  struct Case {
    Party first, second; // at Key::pc, at Key::other
    uint64_t address = 0, times = 0;
    std::string place;
    bool unwaited = false; // LDS: a barrier came between them, and the earlier one had not been waited for
  };
  Told& told_;
  const Allocations* const allocations_;
  std::mutex mutex_;
  std::map<Key, Case> cases_;
  Agreed agreed_;
  std::set<uint64_t> swapped_;               // pcs of loads
  std::vector<std::array<uint32_t, 3>> ids_; // of workgroups, by number
  std::vector<bool> begun_;
  void add(const Key&, Party, Party, uint64_t address, uint64_t times, bool unwaited);
  void tell(const Key&, const Case&);
};

} // namespace crosslane::check::race
