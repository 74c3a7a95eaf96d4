// Owns instrumenting a code object: copies of its kernels with probes in them, beside the code as it was.
#pragma once
#include "codeobject/code_object.h"
#include "rewrite/plan.h"
#include "rewrite/user_text.h"
#include <functional>

namespace crosslane::rewrite {

struct Probes {
  bool divergence = false; // executions, agreements and divergences of each site (isa/divergence.h), of each wave
  bool blocks = false;     // executions of each basic block, of each wave
  bool lanes = false;  // work-items of each run of instructions under one EXEC, summed over executions, of each wave
  bool time = false;   // cycles of each wave, and in each loop
  bool memory = false; // addresses of each access, lane by lane, as far as there is room
  std::optional<UserProbe> user;
  bool document_lds = false, document_global = false; // as divergence, as Wu did it (rewrite/document_probes.h); alone
  bool poison = false;                                // what nobody reads is overwritten (rewrite/poison_probes.h)
  bool any() const {
    return divergence || blocks || lanes || time || memory || user || document_lds || document_global || poison;
  }
  bool operator==(const Probes&) const = default;
};

// "divergence,blocks"; none is "none". `option`: what messages call it.
llvm::Expected<Probes> parse_probes(std::string_view list, std::string_view option);

struct Options {
  Probes probes;                                         // none: copies that do as the originals
  std::function<bool(const codeobject::Kernel&)> wanted; // null: all kernels
  uint32_t branch_reach = 0x7fff;                        // dwords; less only to try islands
  uint32_t trace_bytes = 64 << 10;                       // of each wave's record, if memory is traced
  uint64_t shuffle = 0; // only to try what moves: code in another order, with s_nop in it; 0: as it was
};

// What became of a kernel.
struct Instrumented {
  std::string kernel;
  std::string refused;                  // why it runs as it was; empty: it is instrumented
  uint64_t sites = 0, counters = 0;     // in the kernel and what it calls
  uint64_t instructions = 0, added = 0; // copied, and new ones
  uint64_t calls_to_old = 0;            // calls and jumps through pointers: what they lead to runs uninstrumented
};

struct Result {
  std::vector<uint8_t> bytes;        // the new code object; empty: no kernel of it was instrumented
  std::vector<Instrumented> kernels; // in the order of the code object; those that were wanted
};

// The error says what of the file cannot be rewritten at all.
llvm::Expected<Result> instrument(const codeobject::CodeObject&, const Options&);

} // namespace crosslane::rewrite
