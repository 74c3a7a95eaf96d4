// Stands for the HSA runtime: keeps who called it.
#include "tests/check/stacks/stack.h"
#include <algorithm>
#include <execinfo.h>

void hsa_like(Stack* stack) {
  // Without what is further in: AddressSanitizer has a backtrace of its own, in the program.
  void* frames[64];
  void** const end = frames + backtrace(frames, 64);
  void** const caller = std::find(frames, end, __builtin_return_address(0));
  stack->count = int(std::copy(caller, end, stack->frames) - stack->frames);
}
