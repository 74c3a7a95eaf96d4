// Owns running one dispatch: grid -> workgroups -> waves over all cores, with the launch state the kernel descriptor
// asks for. Blocking; safe to call from several threads at once.
// Source: HSA platform specification (AQL dispatch packet); LLVM AMDGPUUsage, "Initial Kernel Execution State".
#pragma once
#include "engine/census.h"
#include "engine/places.h"
#include "events/listener.h"
#include "events/pace.h"
#include "isa/target.h"
#include "machine/fault.h"
#include "machine/gds.h"
#include "machine/window.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace crosslane::machine {
class Memory;
class SharedRanges;
} // namespace crosslane::machine

namespace crosslane::engine {

class CodeCompiler; // engine/compiled.h

// hsa_kernel_dispatch_packet_t, bit for bit; what the dispatch_ptr SGPRs point to.
struct AqlPacket {
  uint16_t header = 0, setup = 0;
  uint16_t workgroup_size[3] = {1, 1, 1};
  uint16_t reserved0 = 0;
  uint32_t grid_size[3] = {1, 1, 1}; // work-items
  uint32_t private_segment_size = 0; // bytes per work-item
  uint32_t group_segment_size = 0;   // bytes of LDS, static and dynamic together
  uint64_t kernel_object = 0;        // address of the kernel descriptor in loaded code
  uint64_t kernarg_address = 0;
  uint64_t reserved2 = 0;
  uint64_t completion_signal = 0;
};
static_assert(sizeof(AqlPacket) == 64);

// Loaded code that waves may execute: an image with code in it, for one target.
class Code {
public:
  // [base, base + size) must stay mapped and unchanged for the lifetime. Instructions are decoded on first use.
  Code(isa::Target target, uint64_t base, uint64_t size);
  ~Code();
  isa::Target target() const;
  uint64_t base() const;
  uint64_t size() const;

  struct Impl;
  Impl& impl() const { return *impl_; }

private:
  std::unique_ptr<Impl> impl_;
};

// What a dispatch has done so far, for who watches it from another thread. Workgroups count when they have ended;
// instructions every now and then, exactly in the end (a wave that runs may be a few ahead or behind, and the sum so
// below 0).
struct Progress {
  std::atomic<uint64_t> workgroups{0};
  std::atomic<uint64_t> instructions{0}; // wave-instructions
};

struct Options {
  unsigned threads = 0; // 0: all cores
  events::Listener* listener = nullptr;
  events::Pace* pace = nullptr; // of a dispatch whose listener wants all workgroups; then it runs on one thread
  const machine::Memory* memory = nullptr; // only to describe faulting addresses
  // What a card lets through without a word is a fault: LDS beyond the workgroup's (a card reads 0) and registers
  // beyond the kernel's (a card takes others).
  bool lds_faults = false, register_faults = false;
  machine::Reach reach = machine::everything;    // the global addresses that waves may access,
  const machine::SharedRanges* shared = nullptr; // and more of them, page by page, which takes longer
  bool amd_kernel_code = false; // kernel_object is the address of an amd_kernel_code_t (code object version 2)
  uint64_t packet_address = 0;  // of dispatch_ptr; 0: where the packet is that run() is given
  uint64_t queue_address = 0;   // amd_queue_t for queue_ptr; 0: a built-in one
  uint64_t dispatch_id = 0;
  // Not 0: registers that a launch does not fill in, LDS and scratch of every workgroup begin with a pattern made of
  // this number. 0: with 0, or what an earlier workgroup of the same dispatch left there.
  uint64_t poison = 0;
  machine::Gds* gds =
      nullptr; // global data share and sync resources that outlive the dispatch; null: zeroed ones of its own
  uint64_t preempt_after = 1u << 20;         // instructions before a spinning wave yields at a backward branch
  const std::atomic<bool>* cancel = nullptr; // ends the dispatch (FaultKind::cancelled) soon after it has become true
  // While it is not 0, more urgent dispatches run: the calling thread pauses between workgroups, and the others leave
  // for them.
  const std::atomic<uint32_t>* give_way = nullptr;
  Progress* progress = nullptr;  // is added to
  void (*interrupt)() = nullptr; // called by the thread of a wave that sends MSG_INTERRUPT
  // Whether the host's threads write to this address at any time, as to signals; asked of the first write to a page
  // while compiled code is verified. May be called in a signal handler.
  bool (*is_hosts)(uint64_t address) = nullptr;
  Units units = {}; // of the card, and which of them: how many workgroups it holds at once, and where they are
  // Trap handler: where s_trap goes. The address (TBA) lies in `trap_handler`, code of the same target, at a multiple
  // of 256 bytes; TMA is a multiple of 256 bytes that handlers read. Without one, s_trap is a fault (3: nothing).
  CodeCompiler* compiler = nullptr; // null: the interpreter runs all
  const Code* trap_handler = nullptr;
  uint64_t trap_handler_address = 0, trap_memory_address = 0;
};

struct Stats {
  uint64_t instructions = 0; // wave-instructions
  uint64_t waves = 0, workgroups = 0;
  double seconds = 0;
  // With a listener: processor time of all threads, and about how much of it the event hooks took, listeners included.
  double cpu_seconds = 0, hook_seconds = 0;
};

struct Outcome {
  std::optional<machine::Fault> fault;
  Stats stats;
  Census census; // if the fault is a cancellation or a deadlock
};

// Runs the dispatch to its end or first fault. A grid with a zero dimension does nothing.
Outcome run(const Code& code, const AqlPacket& packet, const std::string& kernel_name, const Options& options = {});

// "v4", "v3" or "v1": the x86-64 level in use. CROSSLANE_LEVEL in the environment lowers it.
const char* host_level();

} // namespace crosslane::engine
