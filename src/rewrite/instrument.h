// Owns instrumenting a code object: copies of its kernels with probes in them, beside the code as it was.
#pragma once
#include "codeobject/code_object.h"
#include "rewrite/plan.h"
#include "rewrite/probes.h"
#include <functional>

namespace crosslane::rewrite {

// How a user's probe in OpenCL C or HIP becomes instructions.
struct ProbeCompiler {
  // The file as LLVM IR.
  std::function<llvm::Expected<std::string>(const std::string& file, isa::Target)> ir;
  // Code of a function of LLVM IR.
  std::function<llvm::Expected<std::vector<uint8_t>>(const std::string& ir, const std::string& symbol, isa::Target,
                                                     const std::string& name)>
      code;
};

struct Options {
  Probes probes;                                         // none: copies that do as the originals
  std::function<bool(const codeobject::Kernel&)> wanted; // null: all kernels
  ProbeCompiler compiler;                                // of UserProbe::source
  uint32_t branch_reach = 0x7fff;                        // dwords; less only to try islands
  uint64_t shuffle = 0; // only to try what moves: code in another order, with s_nop in it; 0: as it was
};

// What became of a kernel.
struct Instrumented {
  std::string kernel;
  std::string refused;                  // why it runs as it was; empty: it is instrumented
  uint64_t sites = 0, counters = 0;     // in the kernel and what it calls
  uint64_t places = 0, left_out = 0;    // of the user's probe: where it stands, and where it lacks what it asks for
  uint64_t instructions = 0, added = 0; // copied, and new ones
  uint64_t calls_to_old = 0;            // calls and jumps through pointers: what they lead to runs uninstrumented
};

// Of the places where lanes may part or a wave decides (isa/divergence.h) in all code of a code object, those with
// probes. None, where probes of divergence are not asked for.
struct BranchShare {
  uint64_t probed = 0, of = 0;
  void operator+=(const BranchShare& other) { probed += other.probed, of += other.of; }
};
// "6 of 6 branches (100.0 %)"
std::string text(const BranchShare&);

struct Result {
  std::vector<uint8_t> bytes;        // the new code object; empty: no kernel of it was instrumented
  std::vector<Instrumented> kernels; // in the order of the code object; those that were wanted
  BranchShare branches;
};

// The error says what of the file cannot be rewritten at all.
llvm::Expected<Result> instrument(const codeobject::CodeObject&, const Options&);

} // namespace crosslane::rewrite
