// Owns asynchronous copies: each waits for its dependencies, is done by a thread of the engine, and completes its signal. A
// copy that waits keeps none behind it from going on.
#pragma once
#include "hsa/signal.h"
#include <functional>
#include <memory>
#include <vector>

namespace crosslane::hsa {

class Runtime;

class CopyEngine {
public:
  explicit CopyEngine(Runtime&);
  ~CopyEngine(); // waits for the copy under way, drops those that wait
  // Runs `body` (which touches client memory, so it may fault: that is reported as a GPU memory fault, `what` names it) when all
  // dependencies are 0, then completes `completion` (may be null). Small ones without open dependencies run at once; others are
  // counted in `work` (may be null) until they are done.
  void submit(std::vector<Signal*> dependencies, Signal* completion, uint64_t bytes, const char* what, std::function<void()> body,
              std::atomic<uint32_t>* work = nullptr);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// memcpy between any two addresses that clients may name; aliases of locked memory included. A wild address is reported as a GPU
// memory fault, which ends the process.
void copy_bytes(Runtime&, void* to, const void* from, uint64_t bytes, const char* what);

} // namespace crosslane::hsa
