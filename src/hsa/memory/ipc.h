// Owns memory that several processes see: allocations and signals. Each is a file in memory, which the other process
// opens under /proc by what the handle says.
#pragma once
#include <cstdint>

namespace crosslane::hsa {

struct Record; // heap_tables.h
class Runtime;

// What the files of allocations are called.
inline constexpr const char* memory_file = "crosslane-memory";

// Makes the pages of an allocation those of a file, record.file, whose first byte is that of its first page. False: the
// host has no memory left. The heap is locked.
bool share(Runtime&, Record&);

// A zeroed page that hsa_amd_ipc_signal_create can name: for a signal, of `size` bytes. Null when there is none.
void* allocate_shared(uint64_t size);
// Of allocate_shared and of hsa_amd_ipc_signal_attach. False: it is neither's.
bool free_shared(void* address);

} // namespace crosslane::hsa
