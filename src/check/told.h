// Owns what checks have told while kernels run: of each rule and place one finding, with how often it came. Which of
// many it is does not depend on threads: that of the first workgroup, in the order of launch.
#pragma once
#include "lint/finding.h"
#include "machine/wave.h"
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace crosslane::check {

class Told {
public:
  // What a finding says of one occurrence.
  struct Said {
    std::string message;
    std::vector<lint::Note> notes = {}; // the other access, or where the value came from
    uint64_t address = 0;               // of the data; 0: none
    std::vector<uint64_t> callers = {}; // as lint::Finding has them
  };

  // `other`: the place beside `pc` that makes it another finding (the second access of a race); 0: none. `lane`: -1 if
  // it is the wave's. `say` is asked for the text only if it is the one to be kept; no other call of Told from within.
  void add(lint::Rule, uint64_t pc, uint64_t other, const machine::Wave&, int lane, uint64_t times,
           const std::function<Said()>& say);

  // The same of a wave that may have ended.
  struct Where {
    uint64_t number = 0; // of the workgroup, in the order of launch
    std::array<uint32_t, 3> workgroup{};
    uint32_t wave = 0;
    int lane = -1;
  };
  void add(lint::Rule, uint64_t pc, uint64_t other, const Where&, uint64_t times, const std::function<Said()>& say);

  // By address, then rule. When nothing runs.
  lint::Report report() const;

private:
  struct Key {
    lint::Rule rule;
    uint64_t pc, other;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    uint64_t group = UINT64_MAX; // number, of the one that is kept
    uint32_t wave = 0;
    lint::Finding finding;
  };
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

} // namespace crosslane::check
