// Owns which bytes of a range of memory nothing has defined, four bits a dword. Undefined at first; what is so all
// over, or nowhere, takes no room. Several threads may use it, as they use the memory.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace crosslane::check::init {

class Pages {
public:
  Pages(uint64_t begin, uint64_t end);
  ~Pages();
  Pages(const Pages&) = delete;
  // A bit for each of `count` bytes, of at most 4, from the address on; those outside of the range are defined.
  uint32_t undefined(uint64_t address, unsigned count) const;
  void set(uint64_t address, unsigned count, uint32_t undefined);
  // All of [begin, end), of the range.
  void define(uint64_t begin, uint64_t end);
  // Of [begin, end) of the range. May say no where all is, but soon will not.
  bool are_defined(uint64_t begin, uint64_t end) const;

private:
  static constexpr uint64_t page_dwords = 4096;
  struct Page {
    std::atomic<uint32_t> first{0}; // so many of the first dwords are known to be defined
    std::array<std::atomic<uint8_t>, page_dwords> dwords;
    explicit Page(uint8_t undefined);
  };
  const uint64_t begin_, end_;
  std::vector<std::atomic<Page*>> pages_; // null: all of it is undefined; `defined()`: nothing is

  static Page* defined() { return reinterpret_cast<Page*>(1); }                  // no page
  uint64_t dword_of(uint64_t address) const { return address / 4 - begin_ / 4; } // wraps in front of the range
  uint64_t dwords() const { return dword_of(end_ + 3); }
  uint8_t within(uint64_t dword) const; // its bytes that are of the range
  uint32_t load(uint64_t dword) const;
  // Of a dword, the bits in `touched`.
  void change(uint64_t dword, uint32_t touched, uint32_t undefined);
};

} // namespace crosslane::check::init
