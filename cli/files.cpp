// Files in one piece, and the temporary folder of the compilers.
#include "cli/files.h"
#include "cli/error.h"
#include "profile/redirect.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <memory>

namespace crosslane::cli {

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr int deferred_signals[] = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t deferred_signal = 0;

void remember(int signal) { deferred_signal = signal; }

} // namespace

llvm::Expected<std::vector<uint8_t>> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fail("{}: is a folder", path);
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return fail("{}: {}", path, std::strerror(errno));
  std::vector<uint8_t> bytes;
  const auto size = std::filesystem::file_size(path, error); // a pipe has none
  if (!error)
    bytes.reserve(size + 1);
  size_t used = 0;
  while (true) {
    bytes.resize(std::max<size_t>(used + 65536, bytes.capacity()));
    const size_t got = std::fread(bytes.data() + used, 1, bytes.size() - used, file.get());
    used += got;
    if (got == 0)
      break;
  }
  if (std::ferror(file.get()))
    return fail("{}: {}", path, std::strerror(errno));
  bytes.resize(used);
  return bytes;
}

llvm::Error write_file(const std::string& path, std::span<const uint8_t> bytes) {
  if (const auto& other = profile::redirected_files())
    return other(path, bytes);
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  if (!file)
    return fail("{}: {}", path, std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  if (!written || std::fclose(file.release()) != 0)
    return fail("{}: {}", path, std::strerror(errno));
  return llvm::Error::success();
}

llvm::Error write_file(const std::string& path, const std::string& text) {
  return write_file(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

std::string from_here(const std::string& path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return !error && path.starts_with(here) ? path.substr(here.size()) : path;
}

llvm::Expected<TemporaryFolder> TemporaryFolder::create() {
  llvm::SmallString<128> folder;
  if (const auto error = llvm::sys::fs::createUniqueDirectory("crosslane", folder))
    return fail("cannot make a temporary folder (set TMPDIR to a place that can be written): {}", error.message());
  return TemporaryFolder(folder.str().str());
}

TemporaryFolder::TemporaryFolder(std::string folder) : folder_(std::move(folder)) {
  // Handlers, not a blocked mask: a mask would be inherited by the compilers, which should stop at once.
  struct sigaction action = {};
  action.sa_handler = remember;
  for (size_t i = 0; i < std::size(deferred_signals); ++i)
    sigaction(deferred_signals[i], &action, &old_actions_[i]);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : folder_(std::move(other.folder_)), old_actions_(other.old_actions_) {
  other.folder_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  if (folder_.empty())
    return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  for (size_t i = 0; i < std::size(deferred_signals); ++i)
    sigaction(deferred_signals[i], &old_actions_[i], nullptr);
  if (const int signal = deferred_signal) {
    deferred_signal = 0;
    std::raise(signal);
  }
}

} // namespace crosslane::cli
