// Memory in blocks.
#include "launch/device.h"
#include "files/error.h"
#include "gpu/card.h"
#include <algorithm>

namespace crosslane::launch {

namespace {

// What the largest card has that runs this code; a launch is for no particular one.
uint64_t card_memory(isa::Target target) {
  uint64_t largest = 0;
  for (const gpu::Card& card : gpu::cards())
    if (card.target == target)
      largest = std::max(largest, card.vram_bytes);
  return largest;
}

} // namespace

Block::Block(Block&& other) noexcept
    : device_(std::move(other.device_)), address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_), std::swap(size_, other.size_);
  return *this;
}

Block::~Block() {
  if (!device_)
    return;
  device_->memory_.free(reinterpret_cast<void*>(address_));
  device_->allocated_ -= size_;
}

llvm::Expected<Block> Device::allocate(uint64_t size, const std::string& name, std::optional<isa::Target> target) {
  const uint64_t limit = target ? card_memory(*target) : 0, before = allocated_.fetch_add(size);
  const uint64_t left = limit - std::min(limit, before);
  void* address = limit && size > left ? nullptr : memory_.allocate(size, name);
  if (address)
    return Block(shared_from_this(), reinterpret_cast<uint64_t>(address), size);
  allocated_ -= size;
  if (limit && size > left)
    return fail("'{}' needs {} bytes, and a {} has {} left of its {}", name, size, isa::info(*target).name, left,
                limit);
  return fail("no memory for the {} bytes of '{}'", size, name);
}

} // namespace crosslane::launch
