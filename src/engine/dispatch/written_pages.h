// Owns WrittenPages: which pages of the device's window are written to, and what was in them. While it watches, all of
// the window is read-only; the first write to a page faults, and its old content is kept. Only one thread of the
// process watches at a time; others that write to a page that nobody has written yet wait until it has ended. Memory
// that the host's threads write to is not for watching: what they write to a page that is undone would be lost.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crosslane::engine {

class WrittenPages {
public:
  static constexpr size_t page_bytes = 4096;

  using IsHosts = bool (*)(uint64_t address); // Options::is_hosts

  // Watches; waits for others that do.
  explicit WrittenPages(IsHosts);
  ~WrittenPages();
  WrittenPages(const WrittenPages&) = delete;
  bool watches() const { return watches_; } // false: the host does not tell what is mapped, or has no room

  size_t count() const; // pages written so far, in any order; a page stays what number it is
  uint64_t address(size_t n) const;
  const uint8_t* before(size_t n) const; // what was in it
  const uint8_t* now(size_t n) const { return reinterpret_cast<const uint8_t*>(address(n)); }
  bool is_complete() const; // false: a write has become a fault, as there was no room, or the memory is the host's

  std::vector<uint8_t> contents() const; // of all of them, as they are
  void undo();                           // what was in them is there again

private:
  bool watches_ = false;
};

} // namespace crosslane::engine
