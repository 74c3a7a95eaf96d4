// Owns memory that several processes see: allocations and signals. Each is a file in memory, which the other process
// opens under /proc by what the handle says.
#pragma once
#include <cstdint>

namespace crosslane::hsa {

// A zeroed page that hsa_amd_ipc_signal_create can name: for a signal, of `size` bytes. Null when there is none.
void* allocate_shared(uint64_t size);
// Of allocate_shared and of hsa_amd_ipc_signal_attach. False: it is neither's.
bool free_shared(void* address);

} // namespace crosslane::hsa
