// Owns the JIT as a program has it: what CROSSLANE_JIT asks for, which kernels are compiled, and the shared object with
// LLVM in it, which is opened when the first one is.
#pragma once
#include "engine/compiler.h"
#include <string>

namespace crosslane::engine {
struct Unit;
}

namespace crosslane::jit {

struct Compiled;

enum class Policy {
  off,     // the interpreter runs everything
  on,      // kernels that cost much are compiled while they run
  always,  // every kernel is compiled before it runs
  verify,  // ... and some workgroups run both ways, which must come out the same
  unknown, // another word: dispatches are refused
};

// What was chosen, or else CROSSLANE_JIT says; not set: on.
Policy policy();
// For the process, before it is asked for. False: another one is in use already.
bool choose(Policy);
// Of the words of CROSSLANE_JIT.
Policy policy_of(std::string_view word);

// For engine::Options::compiler; null where the policy is off.
engine::CodeCompiler* compiler();

// Of what a compiler answered (jit/request.h) for `unit`, code as waves enter it. Not empty: why that cannot be.
// `counts`: as the request had it.
std::string make_code(engine::CompiledCode&, const engine::Unit&, const Compiled& answer, bool counts = false);

// What the JIT has done in this process so far.
struct Stats {
  uint64_t units = 0, refused = 0;         // compiled; not compiled, and why the last was not
  uint64_t only_loops = 0;                 // of the former, those whose loops alone are
  double seconds = 0;                      // of processor time, that compiling took, in vain too
  uint64_t loaded = 0, kept = 0;           // kernels that the cache had; that it was given
  double loading = 0;                      // seconds that the former took
  std::string cache_folder, cache_trouble; // where it is; why it is not used, or not any more (empty: it is)
  uint64_t verified = 0, differing = 0;    // what the cache had, as compiled again, or not (CROSSLANE_CACHE=verify)
  uint64_t entered = 0, left = 0;          // waves that entered compiled code, and that left it at a guard
  uint64_t ranged = 0;                 // waves that went through compiled code in one go with others (engine::Range)
  uint64_t same = 0, not_compared = 0; // workgroups that were to be run both ways
  std::string why;
};
Stats stats();
std::string text(const Stats&); // for --stats: lines, none if there is nothing to tell

} // namespace crosslane::jit
