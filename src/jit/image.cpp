// Pages of their own for each image: none is ever writable and executable.
#include "jit/image.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace crosslane::jit {

std::shared_ptr<void> in_memory(std::span<const uint8_t> image, std::string& error) {
  const size_t bytes = image.size();
  void* const to = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (to != MAP_FAILED) {
    const std::shared_ptr<void> memory(to, [bytes](void* p) { munmap(p, bytes); });
    std::memcpy(to, image.data(), bytes);
    if (mprotect(to, bytes, PROT_READ | PROT_EXEC) == 0)
      return memory;
  }
  error = std::string("the system gives no memory for code: ") + std::strerror(errno);
  return nullptr;
}

} // namespace crosslane::jit
