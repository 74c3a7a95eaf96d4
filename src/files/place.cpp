// Links followed by hand: what they lead to is replaced beside itself, and the kernel's own care for links ends where a
// name is not simply opened.
#include "files/place.h"
#include "files/error.h"
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::files {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40; // as Linux has it

void fill(Place& place, const struct stat& status) {
  place.exists = true;
  place.regular = S_ISREG(status.st_mode);
  place.device = status.st_dev, place.inode = status.st_ino;
  place.mode = status.st_mode, place.user = status.st_uid, place.group = status.st_gid;
}

// The number of "/proc/self/fd/NUMBER"; -1: it is no such path. /dev/stdout and /dev/fd are links to there.
int descriptor_of(const fs::path& path) {
  std::error_code error;
  const fs::path descriptors = fs::canonical("/proc/self/fd", error);
  if (error || path.parent_path() != descriptors)
    return -1;
  const std::string number = path.filename().string();
  int value = -1;
  const auto [end, wrong] = std::from_chars(number.data(), number.data() + number.size(), value);
  return wrong == std::errc() && end == number.data() + number.size() ? value : -1;
}

// May this link be followed? Else the error says why not.
llvm::Error check_link(const fs::path& link, const struct stat& status) {
  struct stat folder;
  if (stat(link.parent_path().c_str(), &folder) != 0)
    return fail("{}: {}", link.string(), std::strerror(errno));
  if (!(folder.st_mode & S_IWOTH) || status.st_uid == geteuid() || status.st_uid == folder.st_uid)
    return llvm::Error::success();
  return fail(
      "{}: is a link of another user in a folder that everybody may write to, and is not followed: choose another "
      "name",
      link.string());
}

} // namespace

bool Place::same(const Place& other) const {
  if (descriptor >= 0 && descriptor == other.descriptor)
    return true;
  if (exists && other.exists)
    return regular && device == other.device && inode == other.inode;
  return !exists && !other.exists && descriptor < 0 && other.descriptor < 0 && path == other.path;
}

Place place_of(int descriptor) {
  Place place;
  place.descriptor = descriptor;
  struct stat status;
  if (fstat(descriptor, &status) == 0)
    fill(place, status);
  return place;
}

llvm::Expected<Place> place_of(const std::string& name) {
  if (name == standard_output)
    return place_of(STDOUT_FILENO);
  std::error_code error;
  fs::path path = fs::absolute(name, error);
  for (int links = 0; !error; ++links) {
    if (!path.has_filename())
      return fail("{}: is a folder", name);
    const fs::path folder = fs::canonical(path.parent_path(), error);
    if (error)
      break;
    path = folder / path.filename();
    if (const int descriptor = descriptor_of(path); descriptor >= 0)
      return place_of(descriptor);
    Place place;
    struct stat status;
    if (lstat(path.c_str(), &status) != 0) {
      if (errno != ENOENT)
        return fail("{}: {}", name, std::strerror(errno));
      place.path = path.string();
      return place;
    }
    if (!S_ISLNK(status.st_mode)) {
      place.path = path.string();
      fill(place, status);
      return place;
    }
    if (links == most_links)
      return fail("{}: {}", name, std::strerror(ELOOP));
    if (auto wrong = check_link(path, status))
      return std::move(wrong);
    const fs::path target = fs::read_symlink(path, error);
    path = target.is_absolute() ? target : folder / target;
  }
  return fail("{}: {}", name, error.message());
}

} // namespace crosslane::files
