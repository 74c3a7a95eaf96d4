// Owns memory that launches have, and share if they are of one program: as much as a card has.
#pragma once
#include "isa/target.h"
#include "machine/memory.h"
#include <atomic>
#include <llvm/Support/Error.h>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace crosslane::launch {

class Device;

// Bytes of a device, zeroed at first, which go back with this. The device stays while there are any.
class Block {
public:
  Block() = default;
  Block(std::shared_ptr<Device> device, uint64_t address, uint64_t size)
      : device_(std::move(device)), address_(address), size_(size) {}
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  ~Block();

  uint64_t address() const { return address_; }
  std::span<uint8_t> bytes() const { return {reinterpret_cast<uint8_t*>(address_), size_}; }

private:
  std::shared_ptr<Device> device_;
  uint64_t address_ = 0, size_ = 0;
};

// Every function may be called from several threads.
class Device : public std::enable_shared_from_this<Device> {
public:
  static std::shared_ptr<Device> create() { return std::shared_ptr<Device>(new Device); }

  // The error says how much there is: what the largest card has that runs code of the target; without one, what the
  // host has.
  llvm::Expected<Block> allocate(uint64_t size, const std::string& name, std::optional<isa::Target> target);
  machine::Memory& memory() { return memory_; }

private:
  friend class Block;
  Device() = default;
  machine::Memory memory_;
  std::atomic<uint64_t> allocated_{0}; // bytes
};

} // namespace crosslane::launch
