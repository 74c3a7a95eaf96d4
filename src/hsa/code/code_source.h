// Owns where code objects come from: memory of the client or a file, and the URI that tells tools so.
#pragma once
#include "hsa/code/loader.h"

namespace crosslane::hsa {

inline constexpr uint64_t whole_file = UINT64_MAX;

// The bytes stay the client's.
std::shared_ptr<CodeSource> source_in_memory(const void* bytes, uint64_t size);
// A copy of `size` bytes of the file. HSA_STATUS_ERROR_INVALID_FILE if it cannot be read or ends before.
hsa_status_t source_in_file(int file, uint64_t offset, uint64_t size, std::shared_ptr<CodeSource>& source);

} // namespace crosslane::hsa
