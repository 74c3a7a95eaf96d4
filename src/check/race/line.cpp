// Cells move up for one more, and down for fewer. Room for them doubles, and stays.
#include "check/race/line.h"

namespace crosslane::check::race {

void Line::divide(uint32_t byte) {
  const uint32_t index = index_of(byte);
  if (!byte_starts_ && byte % 4) {
    byte_starts_ = std::make_unique<ByteStarts>();
    for (uint64_t left = starts_; left; left &= left - 1) {
      const auto start = uint32_t(std::countr_zero(left)) * 4;
      (*byte_starts_)[start / 64] |= uint64_t(1) << start % 64;
    }
  }
  if (byte_starts_)
    (*byte_starts_)[byte / 64] |= uint64_t(1) << byte % 64;
  else
    starts_ |= uint64_t(1) << byte / 4;
  Cell* const old = cells();
  if (count_ == room_) {
    room_ = room_ == 1 ? 4 : room_ * 2;
    auto more = std::make_unique_for_overwrite<Cell[]>(room_);
    std::copy_n(old, index + 1, more.get());
    std::copy(old + index, old + count_, more.get() + index + 1);
    many_ = std::move(more);
  } else {
    std::copy_backward(old + index, old + count_, old + count_ + 1);
  }
  ++count_;
}

void Line::unite(uint32_t first, uint32_t end) {
  const uint32_t index = index_of(first), behind = end == line_bytes ? count_ : index_of(end);
  if (behind - index == 1)
    return;
  if (byte_starts_)
    for (uint32_t byte = first + 1; byte < end; ++byte)
      (*byte_starts_)[byte / 64] &= ~(uint64_t(1) << byte % 64);
  else
    for (uint32_t dword = first / 4 + 1; dword < end / 4; ++dword)
      starts_ &= ~(uint64_t(1) << dword);
  std::copy(cells() + behind, cells() + count_, cells() + index + 1);
  count_ -= behind - index - 1;
  if (count_ == 1)
    starts_ = 1, byte_starts_.reset();
}

} // namespace crosslane::check::race
