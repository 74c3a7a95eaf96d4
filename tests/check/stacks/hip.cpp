// Stands for HIP: hidden functions ask HSA for what its own functions are called for, and once for itself.
#include "tests/check/stacks/stack.h"
#include <mutex>

namespace {

[[gnu::noinline]] void allocate(Stack* stack) {
  hsa_like(stack);
  asm volatile(""); // no jump instead of the call
}

} // namespace

void hipMalloc(Stack* asked, Stack* once) {
  static std::once_flag initialised;
  std::call_once(initialised, [&] {
    allocate(once);
    asm volatile("");
  });
  allocate(asked);
  asm volatile("");
}

[[gnu::noinline]] void hipModuleLoad(Stack* asked) {
  allocate(asked);
  asm volatile("");
}

void hipMallocHost(Stack* asked) {
  hipModuleLoad(asked);
  asm volatile("");
}

void hipStreamCreate(Stack* asked) {
  allocate(asked);
  asm volatile("");
}
