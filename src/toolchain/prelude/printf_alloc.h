// Where a kernel's printf() writes: LLVM's lowering of it calls __printf_alloc for room. ROCm's opencl.bc has the like;
// this is for libclc, compiled when the linker has missed it, so that kernels which print nothing do not carry it.
// Buffer: dword 0 counts the bytes taken, dword 1 is its size, records follow.
#ifdef CROSSLANE_PRINTF
#ifdef __OPENCL_C_VERSION__
#define CROSSLANE_GLOBAL __global
#define CROSSLANE_CONSTANT __constant
#else
#define CROSSLANE_GLOBAL __attribute__((address_space(1)))
#define CROSSLANE_CONSTANT __attribute__((address_space(4)))
extern "C" __device__
#endif
__attribute__((used, noinline, nodebug)) CROSSLANE_GLOBAL char* __printf_alloc(unsigned bytes) {
  // hidden_printf_buffer of code object v5
  CROSSLANE_GLOBAL unsigned* const buffer =
      *(CROSSLANE_GLOBAL unsigned* CROSSLANE_CONSTANT*)((CROSSLANE_CONSTANT char*)__builtin_amdgcn_implicitarg_ptr() +
                                                        72);
  const unsigned taken = __scoped_atomic_fetch_add(buffer, bytes, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return taken + bytes + 8 > buffer[1] ? 0 : (CROSSLANE_GLOBAL char*)buffer + 8 + taken;
}
#endif
