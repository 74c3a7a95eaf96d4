// Owns asynchronous copies: each waits for its dependencies, is done by a thread of the engine, and completes its
// signal. A copy that waits keeps none behind it from going on.
#pragma once
#include "hsa/queue/signal.h"
#include <functional>
#include <memory>
#include <vector>

namespace crosslane::check {
struct AskedCopy;
}

namespace crosslane::hsa {

class Runtime;

class CopyEngine {
public:
  explicit CopyEngine(Runtime&);
  ~CopyEngine(); // waits for the copy under way, drops those that wait
  // Runs `body` (which touches client memory by the functions below alone) when all dependencies are 0, then completes
  // `completion` (may be null). Small ones without open dependencies run at once; others are counted in `work` (may be
  // null) until they are done.
  void submit(std::vector<Signal*> dependencies, Signal* completion, uint64_t bytes, std::function<void()> body,
              std::atomic<uint32_t>* work = nullptr);
  // memcpy, of much: the threads that have nothing else to do take a part of it. Under the caller's engine::Guard a
  // part of theirs that faults is touched again by the caller.
  void copy_large(uint8_t* to, const uint8_t* from, uint64_t bytes);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Rows of bytes, in slices, and how far each is from the one before it, on both sides.
struct Box {
  uint8_t* to;
  const uint8_t* from;
  uint64_t bytes; // of a row
  uint64_t rows = 1, slices = 1;
  struct Steps {
    uint64_t row = 0, slice = 0;
  } to_steps{}, from_steps{};
};

// Tells the checks of a copy that the calling thread asks `what` for; without signals it is one that it waits for. What
// is to be told once it is done (Statistics::copied); null: nothing.
std::shared_ptr<const check::AskedCopy> check_copy(Runtime&, const Box&, const char* what,
                                                   std::span<Signal* const> dependencies = {},
                                                   const Signal* completion = nullptr);

// Copies between any two addresses that clients may name; aliases of locked memory included. Rows may overlap what they
// are copied to. A wild address is reported as a GPU memory fault of what `what` names, which ends the process.
void copy_box(Runtime&, const Box&, const char* what);
void copy_bytes(Runtime&, void* to, const void* from, uint64_t bytes, const char* what);

} // namespace crosslane::hsa
