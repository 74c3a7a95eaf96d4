// The one writer.
#include "files/write.h"
#include "files/error.h"
#include "files/place.h"
#include "files/redirect.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::files {

namespace {

namespace fs = std::filesystem;

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

int open_file(const std::string& path, int flags) {
  int file;
  do
    file = open(path.c_str(), flags | O_WRONLY | O_CLOEXEC | O_NOCTTY, 0666);
  while (file < 0 && errno == EINTR);
  return file;
}

// False: see errno.
bool write_all(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done > 0) {
      bytes = bytes.subspan(static_cast<size_t>(done));
    } else if (done < 0 && errno == EAGAIN) { // somebody else made this pipe non-blocking
      pollfd ready = {file, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (done == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

// On file systems that know no fsync there is nothing to wait for.
bool flush(int file) { return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP; }

// A new file beside a place.
class Temporary {
public:
  explicit Temporary(const fs::path& place) : place_(place) {
    // Without a name at first: nothing is left of it, however this process ends.
    file_ = open_file(place.parent_path().string(), O_TMPFILE);
    if (file_ >= 0 && access(descriptor_path().c_str(), F_OK) != 0)
      close(std::exchange(file_, -1)); // no /proc: it would never get a name
    for (int i = 0; file_ < 0 && i < tries && choose_name(); ++i)
      if (file_ = open_file(name_, O_CREAT | O_EXCL | O_NOFOLLOW); file_ < 0) {
        name_.clear();
        if (errno != EEXIST)
          return;
      }
  }
  Temporary(const Temporary&) = delete;
  ~Temporary() {
    if (file_ >= 0)
      close(file_);
    if (!name_.empty())
      unlink(name_.c_str());
  }

  int file() const { return file_; } // -1: see errno
  // As the file was that it replaces, as far as the system lets this user: only root gives files away, and who loses
  // the group must not let another one in.
  bool take_mode_of(const Place& old) {
    struct stat own;
    if (fstat(file_, &own) != 0)
      return false;
    uint32_t mode = old.mode & 0777;
    if (own.st_gid != old.group && fchown(file_, uid_t(-1), old.group) != 0)
      mode &= ~070u;
    if (own.st_uid != old.user && fchown(file_, old.user, gid_t(-1)) != 0)
      errno = 0;
    return fchmod(file_, mode) == 0;
  }
  bool take_place() {
    for (int i = 0; name_.empty(); ++i) {
      if (!choose_name())
        return false;
      if (linkat(AT_FDCWD, descriptor_path().c_str(), AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) == 0)
        break;
      name_.clear();
      if (errno != EEXIST || i == tries)
        return false;
    }
    if (rename(name_.c_str(), place_.c_str()) != 0)
      return false;
    name_.clear();
    return true;
  }

private:
  static constexpr int tries = 100;
  std::string descriptor_path() const { return fmt::format("/proc/self/fd/{}", file_); }
  bool choose_name() {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
      return false;
    // A name has 255 bytes.
    name_ = (place_.parent_path() / fmt::format(".{}.{:016x}.new", place_.filename().string().substr(0, 200), number))
                .string();
    return true;
  }

  const fs::path place_;
  std::string name_; // empty: none
  int file_ = -1;
};

llvm::Error because(const std::string& name, int error) {
  return fail("{}: {}", name == standard_output ? "standard output" : name, std::strerror(error));
}

// Only what a plain open() would be allowed to write is replaced.
llvm::Error check(const std::string& name, const Place& place) {
  if (S_ISDIR(place.mode))
    return fail("{}: is a folder", name);
  if (place.descriptor < 0 && place.exists && faccessat(AT_FDCWD, place.path.c_str(), W_OK, AT_EACCESS) != 0)
    return because(name, errno);
  if (place.descriptor >= 0 && (fcntl(place.descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY)
    return because(name, EBADF);
  return llvm::Error::success();
}

llvm::Error no_temporary(const std::string& name, int error) {
  return fail("{}: {}: a file is first written beside its place, and the folder takes no new one", name,
              std::strerror(error));
}

llvm::Error replace(const std::string& name, const Place& place, std::span<const uint8_t> bytes) {
  Temporary temporary(place.path);
  if (temporary.file() < 0)
    return no_temporary(name, errno);
  if (write_all(temporary.file(), bytes) && (!place.exists || temporary.take_mode_of(place)) &&
      flush(temporary.file()) && temporary.take_place())
    return llvm::Error::success();
  return because(name, errno);
}

// A descriptor is kept open; another place is opened with these flags.
llvm::Error write_into(const std::string& name, const Place& place, int flags, std::span<const uint8_t> bytes) {
  if (place.descriptor == STDOUT_FILENO && std::fflush(stdout) != 0)
    return because(name, errno);
  const int file = place.descriptor >= 0 ? place.descriptor : open_file(place.path, flags);
  if (file < 0)
    return because(name, errno);
  const int error = write_all(file, bytes) ? 0 : errno;
  const bool closed = place.descriptor >= 0 || close(file) == 0;
  return error == 0 && closed ? llvm::Error::success() : because(name, error ? error : errno);
}

} // namespace

llvm::Error write(const std::string& name, std::span<const uint8_t> bytes) {
  if (const auto& other = redirected_files())
    return other(name, bytes);
  auto place = place_of(name);
  if (!place)
    return place.takeError();
  if (auto error = check(name, *place))
    return error;
  return place->replaceable() ? replace(name, *place, bytes) : write_into(name, *place, 0, bytes);
}

llvm::Error write(const std::string& name, std::string_view text) { return write(name, bytes_of(text)); }

llvm::Error check_writable(const std::string& name) {
  auto place = place_of(name);
  if (!place)
    return place.takeError();
  if (auto error = check(name, *place))
    return error;
  if (place->replaceable())
    if (const Temporary temporary(place->path); temporary.file() < 0)
      return no_temporary(name, errno);
  return llvm::Error::success();
}

llvm::Error append(const std::string& name, std::string_view text) {
  auto place = place_of(name);
  if (!place)
    return place.takeError();
  if (auto error = check(name, *place))
    return error;
  return write_into(name, *place, O_CREAT | O_APPEND | O_NOFOLLOW, bytes_of(text));
}

std::error_code create(const std::string& path, std::span<const uint8_t> bytes) {
  const int file = open_file(path, O_CREAT | O_EXCL | O_NOFOLLOW);
  if (file < 0)
    return std::error_code(errno, std::generic_category());
  const int error = write_all(file, bytes) ? 0 : errno;
  if (close(file) == 0 && error == 0)
    return {};
  const int why = error ? error : errno;
  unlink(path.c_str());
  return std::error_code(why, std::generic_category());
}

} // namespace crosslane::files
