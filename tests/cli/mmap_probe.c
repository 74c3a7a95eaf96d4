// A library that counts the mappings of its process, as UCX does: whoever else stands in for mmap must call the next one.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/mman.h>
#include <unistd.h>

int mmap_calls;

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  __atomic_add_fetch(&mmap_calls, 1, __ATOMIC_RELAXED);
  return (void*)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}
