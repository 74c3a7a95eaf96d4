// Owns what a kernel's printf() leaves in the printf buffer: room for it, and the text that the records stand for. The
// records are LLVM's, of two kinds: OpenCL's, whose arguments the metadata's `amdhsa.printf` sizes, and HIP's
// (-mprintf-kind=buffered), which say their own size. Source: LLVM AMDGPUPrintfRuntimeBinding, AMDGPUEmitPrintf.
// Nothing here prints.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace crosslane::toolchain {

inline constexpr uint32_t printf_buffer_bytes = 4 << 20;

// Ready for a run.
void prepare_printf_buffer(std::span<uint8_t> buffer);

struct Printed {
  std::string text;
  bool full = false; // more may have been printed than found room
};
// `formats`: the code object's. Empties the buffer. Whatever a kernel wrote into it is read within its bounds.
Printed take_printed(std::span<uint8_t> buffer, std::span<const std::string> formats);

} // namespace crosslane::toolchain
