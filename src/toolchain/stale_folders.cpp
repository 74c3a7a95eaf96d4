// Source: flock(2): a lock belongs to the open file, so that children share it, and it ends with the last of them,
// however they end.
#include "toolchain/stale_folders.h"
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::toolchain {

namespace {

constexpr const char* mark = "/.crosslane-in-use";

} // namespace

int hold_folder(const std::string& folder) {
  // Others see the mark when it is locked already.
  const std::string name = folder + mark, unlocked = name + ".new";
  const int file = open(unlocked.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (file >= 0 && (flock(file, LOCK_EX | LOCK_NB) != 0 || std::rename(unlocked.c_str(), name.c_str()) != 0)) {
    close(file);
    return -1;
  }
  return file;
}

void remove_stale_folders(const std::string& parent) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with("crosslane-"))
      continue;
    struct stat status;
    if (lstat(entry.path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
      continue;
    const int file = open((entry.path().string() + mark).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
      continue;
    if (std::error_code ignored; flock(file, LOCK_EX | LOCK_NB) == 0)
      std::filesystem::remove_all(entry.path(), ignored);
    close(file);
  }
}

} // namespace crosslane::toolchain
