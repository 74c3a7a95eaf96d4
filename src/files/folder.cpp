// A folder of its own name while it is written.
#include "files/folder.h"
#include "files/error.h"
#include "files/write.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::files {

namespace fs = std::filesystem;

namespace {

fs::path parent_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// "out/" is "out".
fs::path path_of(const std::string& name) {
  const fs::path path = name;
  return path.has_filename() ? path : path.parent_path();
}

// A new folder in the same one, as everybody may read it: mkdtemp() would leave it to its owner, and to ask for the
// mask is to change it for all threads of a user's program. Empty: errno says why there is none.
std::string make_beside(const fs::path& path) {
  for (unsigned n = 0; n < 1000; ++n) {
    const std::string name =
        (parent_of(path) / fmt::format(".{}.{}.{}", path.filename().string(), getpid(), n)).string();
    if (mkdir(name.c_str(), 0777) == 0)
      return name;
    if (errno != EEXIST)
      break;
  }
  return "";
}

} // namespace

llvm::Error check_new_folder(const std::string& name) {
  const fs::path path = path_of(name);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::is_directory(status)) {
    if (!fs::is_empty(path, error) || error)
      return fail("{}: is there already, and not empty: name a new folder, or remove it", name);
  } else if (fs::exists(status)) {
    return fail("{}: is there already, and no folder: name a new one", name);
  }
  if (access(parent_of(path).c_str(), W_OK) != 0)
    return fail("{}: {}", name, std::strerror(errno));
  return llvm::Error::success();
}

llvm::Error write_folder(const std::string& name, std::span<const std::pair<std::string, std::string>> files) {
  if (auto error = check_new_folder(name))
    return error;
  const fs::path path = path_of(name);
  const std::string beside = make_beside(path);
  if (beside.empty())
    return fail("{}: {}", name, std::strerror(errno));
  std::error_code ignored;
  for (const auto& [file, text] : files) {
    const fs::path at = fs::path(beside) / file;
    fs::create_directories(at.parent_path(), ignored);
    if (auto error = write(at.string(), text)) {
      fs::remove_all(beside, ignored);
      return fail("{}: {}", name, llvm::toString(std::move(error)));
    }
  }
  if (rename(beside.c_str(), path.c_str()) != 0) { // takes the place of an empty folder, of nothing else
    const int reason = errno;
    fs::remove_all(beside, ignored);
    return fail("{}: {}", name, std::strerror(reason));
  }
  return llvm::Error::success();
}

} // namespace crosslane::files
