// Owns one kernel made ready to run: its arguments in guest memory, its packet filled in.
#pragma once
#include "check/allocations.h"
#include "check/undefined_memory.h"
#include "engine/dispatch.h"
#include "events/memory.h"
#include "findings/profile.h"
#include "launch/captured.h"
#include "launch/kernarg.h"
#include "launch/loaded_code.h"
#include "rewrite/probed.h"
#include "rewrite/tally.h"
#include "toolchain/device_printf.h"
#include "views/locate.h"

namespace crosslane::launch {

class Session {
public:
  ~Session();
  // `kernel`, of the code, and `arguments` must outlive the session. `stack`: bytes of scratch per work-item at least.
  static llvm::Expected<std::unique_ptr<Session>> create(std::shared_ptr<Device>, std::shared_ptr<LoadedCode>,
                                                         const codeobject::Kernel& kernel, const Arguments& arguments,
                                                         const LaunchShape& shape, uint32_t stack);
  // Of a captured dispatch, whose memory is in its place. Of the captured code, or of the same with probes elsewhere.
  // `arguments`: none.
  static std::unique_ptr<Session> create(std::shared_ptr<Device>, std::shared_ptr<LoadedCode>,
                                         const codeobject::Kernel& kernel, const Arguments& arguments,
                                         std::shared_ptr<Captured>);

  // s_trap goes to the global symbol trap_handler of this code. TMA points to a page of zeros.
  llvm::Error set_trap_handler(std::shared_ptr<LoadedCode> handler);
  // Puts the initial contents back into every buffer, and into the variables of the code.
  llvm::Error reset();
  // What a run has where nobody asks for something else.
  engine::Options options() const;
  // The fault, if there is one, comes with source line and symbol.
  engine::Outcome run(engine::Options options);
  // What a card's pages let through goes on from now on.
  void use_card_bounds();
  // What was let through since the last call, a sentence each.
  std::vector<std::string> let_through();
  // What runs since the last call have written around allocations, within what sizes are rounded up to: "past the end
  // of 'out' (200 bytes)".
  std::vector<std::string> overwritten() { return memory().overwritten(true); }
  // What the kernel has printed since this was asked last.
  toolchain::Printed take_printed();
  // What a buffer holds now.
  Buffer contents(int buffer) const;
  // What holds an address, for reports: an argument with the type that it was given.
  std::optional<findings::Buffer> buffer_at(uint64_t address) const;
  const views::Image& image() const { return code_->image(); }
  // What memory there is, from now on.
  const check::Allocations& allocations();
  // Buffers that nothing is put into.
  std::shared_ptr<check::UndefinedMemory> unwritten() const;
  // Memory for a record of each wave; each run starts with all of its bits set.
  llvm::Error place_records(const rewrite::KernelPlan&);
  std::span<const uint8_t> records() const { return records_; }
  // Dispatch after dispatch sees its own number.
  const engine::AqlPacket& packet() const { return *packet_; }

private:
  Session(std::shared_ptr<Device> device, std::shared_ptr<LoadedCode> code, const codeobject::Kernel& kernel,
          const Arguments& arguments)
      : device_(std::move(device)), code_(std::move(code)), kernel_(kernel), arguments_(arguments) {}
  machine::Memory& memory() const { return device_->memory(); }
  llvm::Expected<std::span<uint8_t>> allocate(uint64_t size, const std::string& name);
  void fill_buffers();
  llvm::Error place_printf_buffer();
  void prepare_records();
  llvm::Error place(const LaunchShape& shape, uint32_t stack);

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<LoadedCode> code_;
  const codeobject::Kernel& kernel_;
  const Arguments& arguments_;
  std::vector<Block> blocks_; // all that follows lies in
  check::Allocations allocations_;
  std::optional<events::MemoryEvents> memory_events_; // if somebody asked for allocations_
  std::vector<std::span<uint8_t>> buffers_;           // of arguments_
  std::shared_ptr<LoadedCode> trap_handler_;
  std::span<uint8_t> records_; // empty: none are kept
  uint64_t control_address_ = 0;
  rewrite::Control control_;
  std::span<uint8_t> printf_buffer_; // empty: the kernel prints nothing
  uint64_t trap_address_ = 0, trap_memory_ = 0;
  engine::AqlPacket* packet_ = nullptr; // in a block, where kernels read it
  bool card_bounds_ = false;
  std::shared_ptr<Captured> captured_; // null: it is none
  engine::AqlPacket captured_packet_;  // if it is: what packet_ is
};

} // namespace crosslane::launch
