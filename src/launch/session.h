// Owns one kernel made ready to run: its code loaded, its arguments in guest memory, its packet filled in.
#pragma once
#include "check/allocations.h"
#include "check/unwritten.h"
#include "engine/dispatch.h"
#include "events/memory.h"
#include "findings/profile.h"
#include "launch/kernarg.h"
#include "machine/memory.h"
#include "rewrite/probed.h"
#include "rewrite/tally.h"
#include "toolchain/device_printf.h"
#include "views/locate.h"

namespace crosslane::launch {

class Session {
public:
  ~Session();
  // `object`, `kernel` and `arguments` must outlive the session. `stack`: bytes of scratch per work-item at least.
  static llvm::Expected<std::unique_ptr<Session>> create(const codeobject::CodeObject& object,
                                                         const codeobject::Kernel& kernel, const Arguments& arguments,
                                                         const LaunchShape& shape, uint32_t stack);

  // s_trap goes to the global symbol trap_handler of this code, which must outlive the session. TMA points to a page of
  // zeros.
  llvm::Error set_trap_handler(const codeobject::CodeObject& handler);
  // Puts the initial contents back into every buffer, and the image's variables into memory.
  llvm::Error reset();
  // The fault, if there is one, comes with source line and symbol.
  engine::Outcome run(engine::Options options);
  // What a card's pages let through goes on from now on.
  void use_card_bounds();
  // What was let through since the last call, a sentence each.
  std::vector<std::string> let_through();
  // What runs since the last call have written around allocations, within what sizes are rounded up to: "past the end
  // of 'out' (200 bytes)".
  std::vector<std::string> overwritten() { return memory_.overwritten(true); }
  // What the kernel has printed since this was asked last.
  toolchain::Printed take_printed();
  // What a buffer holds now.
  Buffer contents(int buffer) const;
  // What holds an address, for reports: an argument with the type that it was given.
  std::optional<findings::Buffer> buffer_at(uint64_t address) const;
  const views::Image& image() const { return image_; }
  // What memory there is, from now on.
  const check::Allocations& allocations();
  // Buffers that nothing is put into.
  std::vector<check::Unwritten> unwritten() const;
  // Memory for a record of each wave; each run starts with all of its bits set.
  llvm::Error place_records(const rewrite::KernelPlan&);
  std::span<const uint8_t> records() const { return records_; }
  // Dispatch after dispatch sees its own number.
  const engine::AqlPacket& packet() const { return *packet_; }

private:
  Session(const codeobject::CodeObject& object, const codeobject::Kernel& kernel, const Arguments& arguments)
      : object_(object), kernel_(kernel), arguments_(arguments) {}
  llvm::Error load(isa::Target target);
  // Zeroed, and no more than a card has; the error says how much that is.
  llvm::Expected<uint64_t> allocate(uint64_t size, const std::string& name);
  void fill_buffers();
  llvm::Expected<uint64_t> load_image(const codeobject::CodeObject& object);
  llvm::Error place_printf_buffer();
  void prepare_records();
  llvm::Error place(const LaunchShape& shape, uint32_t stack);

  const codeobject::CodeObject& object_;
  const codeobject::Kernel& kernel_;
  const Arguments& arguments_;
  machine::Memory memory_;
  check::Allocations allocations_;
  std::optional<events::MemoryEvents> memory_events_; // if somebody asked for allocations_
  uint64_t allocated_ = 0;                            // bytes
  views::Image image_;
  std::vector<uint64_t> buffers_; // addresses
  std::unique_ptr<engine::Code> code_, trap_handler_;
  std::span<uint8_t> records_; // empty: none are kept
  uint64_t control_address_ = 0;
  rewrite::Control control_;
  std::span<uint8_t> printf_buffer_; // empty: the kernel prints nothing
  uint64_t trap_address_ = 0, trap_memory_ = 0;
  engine::AqlPacket* packet_ = nullptr; // in memory_, where kernels read it
  bool writable_image_ = false, card_bounds_ = false;
};

} // namespace crosslane::launch
