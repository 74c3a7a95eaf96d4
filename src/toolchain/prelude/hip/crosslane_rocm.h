// Included before every .hip file where ROCm's HIP headers are installed: those, and crosslane's extras. nodebug: what
// is inlined of them bears the line of the kernel that calls it.
#ifndef CROSSLANE_HIP_ROCM_H
#define CROSSLANE_HIP_ROCM_H
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#define __assert_fail __crosslane_hides_assert_fail // HIP's own
#define atomicInc __crosslane_hides_atomicInc       // HIP 5's call intrinsics that LLVM 19 has no more
#define atomicDec __crosslane_hides_atomicDec
#include <hip/hip_runtime.h>
#undef atomicDec
#undef atomicInc
#undef __assert_fail
#include "crosslane_extras.h"
#pragma clang attribute pop
#endif
