// What a debugger (ROCgdb) looks for to learn which code is loaded. Version 0: this runtime tells it nothing.
#include <link.h>

extern "C" {
extern r_debug _amdgpu_r_debug;
r_debug _amdgpu_r_debug{};
}
