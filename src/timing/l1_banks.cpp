// Lines that a bank is asked for are few: they are compared with each other.
#include "timing/l1_banks.h"
#include <algorithm>
#include <array>

namespace crosslane::timing {

namespace {

constexpr uint32_t line_bytes = 64, dwords = line_bytes / 4, tag_banks = 4, lanes_a_clock = 4;

// Lines that banks of one kind are asked for in a clock.
template <uint32_t banks> class Asked {
public:
  void add(uint32_t bank, uint64_t line) {
    const auto end = lines_[bank].begin() + counts_[bank];
    if (std::find(lines_[bank].begin(), end, line) == end)
      lines_[bank][counts_[bank]++] = line;
  }
  uint32_t most() const { return *std::ranges::max_element(counts_); }

private:
  std::array<uint32_t, banks> counts_{};
  // Those of a lane, at most two and a bank's share of them, from each lane.
  std::array<std::array<uint64_t, 2 * lanes_a_clock>, banks> lines_{};
};

} // namespace

uint32_t l1_bank_clocks(const uint64_t* address, uint16_t lanes, uint32_t bytes) {
  const bool narrow = bytes <= 4;
  uint32_t clocks = 0;
  for (uint32_t turn = 0; turn < 16 / lanes_a_clock; ++turn) {
    Asked<dwords> data;
    Asked<tag_banks> tags;
    for (uint32_t i = 0; i < lanes_a_clock; ++i) {
      const uint32_t lane = narrow ? turn + 4 * i : 4 * turn + i;
      if (!(lanes >> lane & 1))
        continue;
      for (uint64_t at = address[lane] / 4; at <= (address[lane] + std::min(bytes, line_bytes) - 1) / 4; ++at) {
        data.add(uint32_t(at % dwords), at / dwords);
        tags.add(uint32_t(at / dwords % tag_banks), at / dwords);
      }
    }
    clocks += std::max(data.most(), tags.most());
  }
  return clocks;
}

} // namespace crosslane::timing
