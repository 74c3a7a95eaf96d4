// A folder that goes.
#include "toolchain/temporary_folder.h"
#include "files/error.h"
#include "files/write.h"
#include "toolchain/stale_folders.h"
#include <csignal>
#include <filesystem>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <unistd.h>

namespace crosslane::toolchain {

namespace {

constexpr int deferred_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
volatile std::sig_atomic_t deferred_signal = 0;

void remember(int signal) { deferred_signal = signal; }

} // namespace

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

} // namespace crosslane::toolchain
