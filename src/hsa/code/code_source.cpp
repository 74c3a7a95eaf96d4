// URIs of files and of memory, as ROCr spells them.
#include "hsa/code/code_source.h"
#include "hsa/settings.h"
#include <climits>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

std::string path_of(int file) {
  char path[PATH_MAX];
  const ssize_t length = readlink(fmt::format("/proc/self/fd/{}", file).c_str(), path, sizeof path);
  return length > 0 ? std::string(path, size_t(length)) : std::string();
}

// As hsa_ven_amd_loader.h wants it.
std::string uri_encoded(const std::string& path) {
  std::string result;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/_.~-").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", uint8_t(c));
  }
  return result;
}

} // namespace

std::shared_ptr<CodeSource> source_in_memory(const void* bytes, uint64_t size) {
  auto source = std::make_shared<CodeSource>();
  source->memory = {static_cast<const uint8_t*>(bytes), size};
  source->uri = fmt::format("memory://{}#offset=0x{:x}&size={}", getpid(), reinterpret_cast<uint64_t>(bytes), size);
  return source;
}

hsa_status_t source_in_file(int file, uint64_t offset, uint64_t size, std::shared_ptr<CodeSource>& result) {
  struct stat about;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0)
    return HSA_STATUS_ERROR_INVALID_FILE;
  const bool whole = size == whole_file;
  const auto file_size = uint64_t(about.st_size);
  if (whole)
    size = file_size;
  if (offset > file_size || size > file_size - offset)
    return HSA_STATUS_ERROR_INVALID_FILE;
  auto source = std::make_shared<CodeSource>();
  source->owned.resize(size);
  for (uint64_t done = 0; done < size;) {
    const ssize_t got = pread(file, source->owned.data() + done, size - done, off_t(offset + done));
    if (got <= 0)
      return HSA_STATUS_ERROR_INVALID_FILE;
    done += uint64_t(got);
  }
  source->file = file;
  source->path = path_of(file);
  source->uri = "file://" + uri_encoded(source->path);
  if (!whole)
    source->uri += fmt::format("#offset={}&size={}", offset, size);
  result = std::move(source);
  return HSA_STATUS_SUCCESS;
}

} // namespace crosslane::hsa
