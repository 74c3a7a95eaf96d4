// Owns what containers of code objects have in common when they are written: the callback, and the record at the end of
// the file. Not for other layers.
#pragma once
#include "codeobject/write.h"
#include "codeobject/write/elf_file.h"

namespace crosslane::codeobject {

// A bundle, or LLVM's offload binary, at the start of `bytes`: it grows by the new code objects, its table leads there.
// Empty: nothing changed. `length` becomes how long it was.
llvm::Expected<Bytes> rewrite_bundle(std::span<const uint8_t> bytes, ObjectRewriter rewrite, uint64_t& length);
struct OffloadImage {
  uint64_t begin = 0, size = 0; // in the bytes
};
llvm::Expected<Bytes> rewrite_offload_binary(std::span<const uint8_t> bytes, ObjectRewriter rewrite, uint64_t& length,
                                             OffloadImage& before, OffloadImage& after);

// A program of the host, linked. Empty: nothing changed.
llvm::Expected<Bytes> rewrite_host(std::span<const uint8_t> bytes, ObjectRewriter rewrite);

} // namespace crosslane::codeobject
