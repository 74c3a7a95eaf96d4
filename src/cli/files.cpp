// Files in one piece, and a folder that goes.
#include "cli/files.h"
#include "cli/error.h"
#include "cli/stale_folders.h"
#include "files/write.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <memory>
#include <unistd.h>

namespace crosslane::cli {

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr uint64_t endless = uint64_t(1) << 30; // pipes and devices may never end

// `size`: what is expected; 0: nobody knows.
llvm::Expected<std::vector<uint8_t>> read_all(std::FILE* file, const std::string& name, uint64_t size) {
  std::vector<uint8_t> bytes;
  bytes.reserve(size + 1);
  size_t used = 0;
  while (true) {
    bytes.resize(std::max<size_t>(used + 65536, bytes.capacity()));
    const size_t got = std::fread(bytes.data() + used, 1, bytes.size() - used, file);
    used += got;
    if (got == 0)
      break;
    if (used > std::max(size, endless))
      return fail("{}: is longer than {} bytes: write it to a file first", name, std::max(size, endless));
  }
  if (std::ferror(file))
    return fail("{}: {}", name, std::strerror(errno));
  bytes.resize(used);
  return bytes;
}

constexpr int deferred_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
volatile std::sig_atomic_t deferred_signal = 0;

void remember(int signal) { deferred_signal = signal; }

} // namespace

uint64_t host_memory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

llvm::Expected<std::vector<uint8_t>> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fail("{}: is a folder", path);
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return fail("{}: {}", path, std::strerror(errno));
  const auto size = std::filesystem::file_size(path, error); // a pipe has none
  if (!error && size > host_memory())
    return fail("{}: has {} bytes, this machine memory for {}", path, size, host_memory());
  return read_all(file.get(), path, error ? 0 : size);
}

llvm::Expected<std::vector<uint8_t>> read_standard_input() { return read_all(stdin, "<standard input>", 0); }

std::string from_here(const std::string& path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return !error && path.starts_with(here) ? path.substr(here.size()) : path;
}

llvm::Expected<TemporaryFolder> TemporaryFolder::create() {
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(true, folder);
  remove_stale_folders(folder.str().str());
  folder.clear();
  if (const auto error = llvm::sys::fs::createUniqueDirectory("crosslane", folder))
    return fail("cannot make a temporary folder (set TMPDIR to a place that can be written): {}", error.message());
  return TemporaryFolder(folder.str().str());
}

llvm::Error TemporaryFolder::write(const std::string& name, std::span<const uint8_t> bytes) const {
  const std::filesystem::path file = path(name);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error = files::create(file.string(), bytes); error)
    return fail("{}: {}", file.string(), error.message());
  return llvm::Error::success();
}

TemporaryFolder::TemporaryFolder(std::string folder) : folder_(std::move(folder)), held_(hold_folder(folder_)) {
  // Handlers, not a blocked mask: a mask would be inherited by the compilers, which should stop at once.
  struct sigaction action = {};
  action.sa_handler = remember;
  for (size_t i = 0; i < std::size(deferred_signals); ++i)
    sigaction(deferred_signals[i], &action, &old_actions_[i]);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : folder_(std::move(other.folder_)), held_(other.held_), old_actions_(other.old_actions_) {
  other.folder_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  if (folder_.empty())
    return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  if (held_ >= 0)
    close(held_);
  for (size_t i = 0; i < std::size(deferred_signals); ++i)
    sigaction(deferred_signals[i], &old_actions_[i], nullptr);
  if (const int signal = deferred_signal) {
    deferred_signal = 0;
    std::raise(signal);
  }
}

} // namespace crosslane::cli
