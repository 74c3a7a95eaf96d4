// The bytes of the library, taken in by the assembler: one file for each level.
#include "jit/bodies/bodies.h"

// clang-format off
#define FILE_OF(level, path)                                                    \
  asm(".section .rodata.crosslane_bodies,\"a\",@progbits\n"                     \
      ".p2align 4\n"                                                            \
      ".hidden crosslane_bodies_" #level ", crosslane_bodies_" #level "_end\n"  \
      ".globl crosslane_bodies_" #level ", crosslane_bodies_" #level "_end\n"   \
      "crosslane_bodies_" #level ":\n"                                          \
      ".incbin \"" path "\"\n"                                                  \
      "crosslane_bodies_" #level "_end:\n"                                      \
      ".previous\n");                                                           \
  extern "C" [[gnu::visibility("hidden")]] const uint8_t crosslane_bodies_##level[], crosslane_bodies_##level##_end[];
FILE_OF(v3, CROSSLANE_BODIES_v3)
FILE_OF(v4, CROSSLANE_BODIES_v4)
#undef FILE_OF
// clang-format on

namespace crosslane::jit {

std::span<const uint8_t> bodies(std::string_view level) {
  if (level == "v4")
    return {crosslane_bodies_v4, crosslane_bodies_v4_end};
  if (level == "v3")
    return {crosslane_bodies_v3, crosslane_bodies_v3_end};
  return {};
}

} // namespace crosslane::jit
