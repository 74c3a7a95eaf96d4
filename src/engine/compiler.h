// Owns what dispatches and a compiler have to do with each other: CompiledKernel, a kernel that is compiled, or may be
// while it runs, and CodeCompiler, who does it (jit/jit.h).
#pragma once
#include "codeobject/kernel_descriptor.h"
#include "engine/compiled.h"
#include "engine/coverage.h"
#include "engine/registers.h"
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace crosslane::engine {

class Code;

// What a dispatch asks a compiler for. All of it is the same for all workgroups of the dispatch.
struct CompileQuery {
  uint64_t entry;      // address of the first instruction
  uint8_t decode_mode; // DecodeMode::bits
  uint32_t mode;       // the MODE register
  bool split_modes;
  RegisterLimits limits;
  std::array<uint16_t, 3> workgroup_size;
  uint8_t workitem_ids;           // how many ids there are: in v0, v1, v2,
  bool packed_ids;                // or all of them in v0, 10 bits each
  int32_t arguments;              // SGPR pair that points to the kernel's arguments; -1: none
  std::array<int8_t, 3> group_id; // SGPRs; -1: none
  bool private_segment;           // there is one
  bool alike;                     // waves start with the same SGPRs but for these
  bool counts = false;            // it shall count (engine/counts.h)

  friend auto operator<=>(const CompileQuery&, const CompileQuery&) = default;
};

// What a dispatch of that packet would ask for. `error`: why there can be none.
CompileQuery compile_query(const Code&, const AqlPacket&, const codeobject::KernelDescriptor&, uint64_t entry,
                           const Options&, std::string& error);

// What dispatches that ask the same share. Thread-safe.
class CompiledKernel : public std::enable_shared_from_this<CompiledKernel> {
public:
  // What waves enter; null: the interpreter runs it, as yet or for ever.
  const CompiledCode* code() const { return code_.load(std::memory_order_acquire); }

  // `bytes`: what a compiler is about to make code of. What changes before the code is published is not entered.
  void expect(CodeBytes bytes);
  void publish(std::shared_ptr<CompiledCode>);
  // The interpreter shall find out from now on what is executed, as long as there is no code to enter; until it is
  // enough. What was found before counts, too.
  void cover(size_t dwords);
  void covered() { covers_.store(false, std::memory_order_release); }
  std::shared_ptr<Coverage> coverage() const; // what was found; null: nobody looked
  bool covers() const { return covers_.load(std::memory_order_acquire); }
  // The code left out too much: it is not entered any more. So often it has been so.
  size_t withdraw();

  // s_icache_inv was met. True: what it was made from is not in memory any more, and no wave enters it again.
  bool forget_if_changed(uint64_t base);

  // What the interpreter has spent on it, and at what sum the compiler wants to hear of it (CodeCompiler::hot()). In
  // ticks of the time stamp counter.
  static constexpr uint64_t never = ~uint64_t(0);
  std::atomic<uint64_t> interpreted{0}, hot_at{never};
  std::atomic<double> cost{0}; // of compiling it, in seconds, if the compiler has found out

  std::atomic<uint32_t> tried{0}; // its first workgroups that were run both ways, and from then on its launches

  std::string name; // for who profiles the host; the compiler's

private:
  std::atomic<const CompiledCode*> code_{nullptr};
  mutable std::mutex mutex_;
  std::shared_ptr<Coverage> coverage_;
  std::atomic<bool> covers_{false};
  bool changed_ = false;
  CodeBytes bytes_;
  std::shared_ptr<CompiledCode> made_;
  std::vector<std::shared_ptr<CompiledCode>> withdrawn_; // waves may be in them
};

// The one of a Code for a query, which is made if need be, with that `hot_at`. The Code has it as long as it lives.
CompiledKernel& compiled_kernel(const Code&, const CompileQuery&, uint64_t hot_at);
// s_icache_inv: what was made from bytes that memory has no longer is not found any more.
void forget_changed(const Code&);

// Of a workgroup that was to be run both ways; not_compared: also of a dispatch none of whose can be.
enum class Verdict { same, differs, not_compared };

class CodeCompiler {
public:
  // Why no dispatch can be run at all, as when it was asked for what it does not know; empty: all is well.
  virtual std::string refusal() { return {}; }
  // Lives as long as the Code. `name`: the kernel's.
  virtual CompiledKernel& find(const Code&, const CompileQuery&, const std::string& name) = 0;
  // The kernel has cost the interpreter as much as was asked for; `left`: ticks that the dispatch at hand will still
  // take on all threads, if it goes on as it began.
  virtual void hot(const Code&, const CompileQuery&, uint64_t left) = 0;

  // Whether some workgroups shall be run both ways; and how that came out.
  virtual bool verifies() { return false; }
  virtual void tell(Verdict) {}

protected:
  ~CodeCompiler() = default;
};

} // namespace crosslane::engine
