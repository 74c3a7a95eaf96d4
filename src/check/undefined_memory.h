// Owns which memory nothing has been put into since it was there: ranges of it, as they come and go, with what has been
// defined of each. Memory outside of all ranges counts as defined.
#pragma once
#include "check/init/pages.h"
#include "events/listener.h"
#include <map>
#include <memory>
#include <shared_mutex>

namespace crosslane::check {

// Attached with events::MemoryEvents, it forgets what is freed.
class UndefinedMemory final : public events::Listener {
public:
  bool wants_memory() const override { return true; }
  void freed(const machine::Allocation&) override;

  // [begin, end) is new.
  void add(uint64_t begin, uint64_t end);
  // Somebody else than a kernel that is followed writes there, or may write anywhere.
  void define(uint64_t begin, uint64_t end);
  void define_all();
  // `bytes` of memory have been copied: what is undefined in one place is so in the other. They may overlap.
  void copied(uint64_t to, uint64_t from, uint64_t bytes);

  // A range, or, without pages, a gap between two.
  struct Range {
    uint64_t begin = 0, end = 0;
    std::shared_ptr<init::Pages> pages;
    bool holds(uint64_t address) const { return address - begin < end - begin; }
  };
  // That the address is in. Good until this thread asks again.
  const Range& find(uint64_t address) const;

private:
  void copied_piece(uint64_t to, uint64_t from, uint64_t bytes);
  // A bit for each of at most 4 bytes, which may be of several ranges.
  uint32_t undefined_at(uint64_t address, unsigned count) const;
  void set(uint64_t address, unsigned count, uint32_t undefined);
  static std::atomic<uint64_t> last_version;
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Range> ranges_;               // by `begin`
  std::atomic<uint64_t> version_ = ++last_version; // another one whenever ranges change, and of each object
  void changed() { version_.store(++last_version, std::memory_order_release); }
};

} // namespace crosslane::check
