// Whose a file is, its descriptor says, not its name: names may mean something else a moment later.
#include "files/kept_files.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace crosslane::files {

namespace {

constexpr off_t most_of_a_file = 64 << 20;
constexpr size_t name_length = 64;
constexpr const char* total_name = "total"; // bytes of all files, about
constexpr time_t abandoned_after = 3600;    // seconds; whoever wrote that file is gone

std::string error_text(const std::string& path) { return path + ": " + std::strerror(errno); }

bool is_entry(std::string_view name) {
  return name.size() == name_length && name.find_first_not_of("0123456789abcdef") == name.npos;
}
bool is_temporary(std::string_view name) {
  return name.size() > name_length && is_entry(name.substr(0, name_length)) && name[name_length] == '.';
}

// This user's, and nobody else writes it.
bool is_ours(const struct stat& s) { return s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH)); }

bool write_all(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(file, bytes.data(), bytes.size());
    if (done <= 0 && errno != EINTR)
      return false;
    bytes = bytes.subspan(size_t(std::max(done, ssize_t(0))));
  }
  return true;
}

} // namespace

class KeptFiles::Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0)
      close(number_);
  }
  explicit operator bool() const { return number_ >= 0; }
  operator int() const { return number_; }

  // A file in this folder, which is ours.
  Descriptor open(const char* name, int flags, struct stat& status) const {
    Descriptor file(openat(number_, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600));
    if (file && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_ours(status))
      return file;
    return Descriptor(-1);
  }

private:
  int number_;
};

KeptFiles::Descriptor KeptFiles::open_folder(bool make, std::string& why) const {
  const auto open_it = [&] { return Descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)); };
  Descriptor folder = open_it();
  if (!folder && errno == ENOENT && make) {
    mkdir(path_.substr(0, path_.rfind('/')).c_str(), 0700); // ~/.cache, but not the home
    mkdir(path_.c_str(), 0700);
    folder = open_it();
  }
  struct stat status;
  if (!folder || fstat(folder, &status) != 0) {
    if (errno != ENOENT || make)
      why = error_text(path_);
    return Descriptor(-1);
  }
  if (is_ours(status))
    return folder;
  why = path_ + (status.st_uid == geteuid() ? " is open to others for writing" : " is another user's");
  return Descriptor(-1);
}

std::optional<std::vector<uint8_t>> KeptFiles::read(const std::string& name, std::string& why) const {
  const Descriptor folder = open_folder(false, why);
  struct stat status;
  if (!folder)
    return {};
  const Descriptor file = folder.open(name.c_str(), O_RDONLY, status);
  if (!file || status.st_size > most_of_a_file)
    return {};
  std::vector<uint8_t> bytes(static_cast<size_t>(status.st_size));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t done = ::read(file, &bytes[at], bytes.size() - at);
    if (done == 0 || (done < 0 && errno != EINTR))
      return {};
    at += size_t(std::max(done, ssize_t(0)));
  }
  const timespec used[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  futimens(file, used); // or not: then it is older than it could be
  return bytes;
}

std::string KeptFiles::write(const std::string& name, std::span<const uint8_t> bytes) const {
  std::string why;
  if (bytes.size() > std::min(most_bytes_, uint64_t(most_of_a_file)))
    return {};
  const Descriptor folder = open_folder(true, why);
  if (!folder)
    return why;
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
    random = uint64_t(getpid());
  const std::string temporary = name + "." + std::to_string(random);
  struct stat status;
  Descriptor file = folder.open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL, status);
  if (!file)
    return error_text(path_);
  if (!write_all(file, bytes) || renameat(folder, temporary.c_str(), folder, name.c_str()) != 0) {
    why = error_text(path_);
    unlinkat(folder, temporary.c_str(), 0);
    return why;
  }
  account(folder, bytes.size());
  return {};
}

void KeptFiles::remove(const std::string& name) const {
  std::string why;
  if (const Descriptor folder = open_folder(false, why))
    unlinkat(folder, name.c_str(), 0);
}

// A sum in a file, so that the folder need not be looked through each time. It may be wrong, by files that were removed
// or written twice; looking puts it right.
void KeptFiles::account(const Descriptor& folder, uint64_t added) const {
  struct stat status;
  const Descriptor file = folder.open(total_name, O_RDWR | O_CREAT, status);
  if (!file || flock(file, LOCK_EX | LOCK_NB) != 0)
    return; // somebody else is at it
  uint64_t total = 0;
  const bool known = pread(file, &total, sizeof total, 0) == sizeof total;
  if (total += added; !known || total > most_bytes_)
    total = make_room(folder);
  if (pwrite(file, &total, sizeof total, 0) != sizeof total && ftruncate(file, 0) != 0)
    unlinkat(folder, total_name, 0);
}

// If there are too many bytes, a quarter of them goes. What is left.
uint64_t KeptFiles::make_room(const Descriptor& folder) const {
  struct Entry {
    timespec used;
    uint64_t bytes;
    std::string name;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  const time_t now = time(nullptr);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                                                    closedir);
  while (const dirent* e = listing ? readdir(listing.get()) : nullptr) {
    struct stat status;
    if (!(is_entry(e->d_name) || is_temporary(e->d_name)) ||
        fstatat(folder, e->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (is_temporary(e->d_name)) {
      if (status.st_mtim.tv_sec < now - abandoned_after)
        unlinkat(folder, e->d_name, 0);
      continue;
    }
    total += uint64_t(status.st_size);
    entries.push_back({status.st_mtim, uint64_t(status.st_size), e->d_name});
  }
  if (total <= most_bytes_)
    return total;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Entry& e : entries) {
    if (total <= most_bytes_ / 4 * 3)
      break;
    if (unlinkat(folder, e.name.c_str(), 0) == 0)
      total -= e.bytes;
  }
  return total;
}

} // namespace crosslane::files
