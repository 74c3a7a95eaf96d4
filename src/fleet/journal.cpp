// Reading and adding.
#include "fleet/journal.h"
#include "files/error.h"
#include "files/read.h"
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

namespace crosslane::fleet {

namespace {

constexpr std::string_view head = "crosslane fleet journal 1\n";

uint32_t crc(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

std::string record(std::string_view kind, std::string_view bytes) {
  return fmt::format("{} {} {:08x}\n{}\n", kind, bytes.size(), crc(kind) ^ crc(bytes), bytes);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// One record off the front of `text`; false: it is not whole.
bool take(std::string_view& text, std::string_view& kind, std::string_view& bytes) {
  const size_t line = text.find('\n');
  if (line == std::string_view::npos)
    return false;
  std::string_view words = text.substr(0, line);
  const size_t last = words.rfind(' ');
  const size_t middle = last == std::string_view::npos ? last : words.rfind(' ', last - 1);
  if (middle == std::string_view::npos)
    return false;
  const auto number = [](std::string_view word, int base, uint64_t& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size();
  };
  uint64_t size = 0, sum = 0;
  if (!number(words.substr(middle + 1, last - middle - 1), 10, size) || !number(words.substr(last + 1), 16, sum))
    return false;
  if (text.size() - line - 1 <= size || text[line + 1 + size] != '\n')
    return false;
  kind = words.substr(0, middle), bytes = text.substr(line + 1, size);
  if ((crc(kind) ^ crc(bytes)) != sum)
    return false;
  text.remove_prefix(line + 1 + size + 1);
  return true;
}

} // namespace

llvm::Expected<std::unique_ptr<Journal>> Journal::open(const std::string& file, std::string_view work, bool resume) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail("--journal {}: {}", file, std::strerror(errno));
  std::unique_ptr<Journal> journal(new Journal(descriptor, file));
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return fail("--journal {}: another process writes it", file);
  const off_t size = lseek(descriptor, 0, SEEK_END);
  if (size > 0) {
    if (!resume)
      return fail("--journal {}: is there already; --resume goes on with it, another name begins anew", file);
    if (auto error = journal->read(work))
      return std::move(error);
    return journal;
  }
  if (auto error = journal->write(std::string(head) + record("work", work)))
    return std::move(error);
  return journal;
}

Journal::~Journal() {
  fdatasync(file_);
  close(file_);
}

llvm::Error Journal::read(std::string_view work) {
  auto bytes = files::read(name_);
  if (!bytes)
    return bytes.takeError();
  std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const size_t all = text.size();
  std::string_view kind, content;
  if (!text.starts_with(head))
    return fail("--journal {}: is no journal of a fleet; name another file", name_);
  text.remove_prefix(head.size());
  if (!take(text, kind, content) || kind != "work")
    return fail("--journal {}: has been cut off at its head; remove it", name_);
  if (content != work)
    return fail("--journal {}: is of other work:\n  it has {}\n  this is {}", name_, content, work);
  while (!text.empty() && take(text, kind, content)) {
    uint64_t item = 0;
    if (!kind.starts_with("item ") ||
        std::from_chars(kind.data() + 5, kind.data() + kind.size(), item).ptr != kind.data() + kind.size())
      return fail("--journal {}: has a record that is no item: '{}'", name_, kind);
    finished_.insert_or_assign(item, std::string(content));
  }
  // What a crash left half written goes, so that what follows can be read.
  if (!text.empty() && ftruncate(file_, static_cast<off_t>(all - text.size())) != 0)
    return fail("--journal {}: {}", name_, std::strerror(errno));
  return llvm::Error::success();
}

llvm::Error Journal::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t n = ::write(file_, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail("--journal {}: {}", name_, std::strerror(errno));
    text.remove_prefix(static_cast<size_t>(n));
  }
  return llvm::Error::success();
}

llvm::Error Journal::add(uint64_t item, std::string_view result) {
  if (auto error = write(record(fmt::format("item {}", item), result)))
    return error;
  if (now() - synced_ >= 1) {
    fdatasync(file_);
    synced_ = now();
  }
  return llvm::Error::success();
}

} // namespace crosslane::fleet
