// Owns the thread that calls what hsa_amd_signal_async_handler registered, when the signal's condition holds.
#pragma once
#include "hsa/queue/signal.h"
#include <memory>

namespace crosslane::hsa {

class AsyncHandlers {
public:
  AsyncHandlers();
  ~AsyncHandlers(); // ends the thread; handlers that wait are dropped
  // The handler stays registered as long as it returns true.
  void add(const Condition& condition, hsa_amd_signal_handler handler, void* argument);
  // Calls a function once, soon.
  void call(void (*function)(void*), void* argument);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::hsa
