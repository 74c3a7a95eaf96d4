// Owns the metadata as it changes: numbers of a kernel replaced in the note's text, every other byte as it was. Not for
// other layers.
#pragma once
#include "codeobject/write/kernels.h"

namespace crosslane::codeobject {

// MessagePack (version 3 and later). `file`: for messages.
llvm::Expected<Bytes> change_metadata(std::span<const uint8_t> document, std::span<const KernelNumbers> kernels,
                                      std::string_view file);
// YAML (version 2), as LLVM wrote it: a key a line. Keys that are not there stay away: the runtime reads the
// amd_kernel_code_t.
Bytes change_version2_metadata(std::span<const uint8_t> document, std::span<const KernelNumbers> kernels);

} // namespace crosslane::codeobject
