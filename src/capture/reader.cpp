// Texts first, and memory when it is asked for.
#include "capture/reader.h"
#include "capture/names.h"
#include "files/error.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::capture {

namespace {

constexpr uint64_t most_text = 32 << 20;

// A plain file, by no link.
llvm::Expected<std::string> read_text(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return fail("{}: {}", path, std::strerror(errno));
  struct stat is;
  std::string text;
  llvm::Error error = llvm::Error::success();
  if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode) || uint64_t(is.st_size) > most_text) {
    error = llvm::joinErrors(std::move(error), fail("{}: is no plain file, or too large for what it is", path));
  } else {
    text.resize(size_t(is.st_size));
    size_t got = 0;
    while (got < text.size()) {
      const ssize_t n = read(file, &text[got], text.size() - got);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      got += size_t(n);
    }
    text.resize(got);
  }
  close(file);
  if (error)
    return std::move(error);
  return text;
}

// Of "000012.json".
std::optional<uint64_t> number_of(const std::string& name) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || std::string(dispatches_name) + "/" + name != file_of(number))
    return std::nullopt;
  return number;
}

} // namespace

llvm::Expected<std::unique_ptr<Reader>> Reader::open(const std::string& folder) {
  std::unique_ptr<Reader> reader(new Reader(folder));
  auto about = read_text(folder + "/" + about_name);
  if (!about)
    return fail("{}: is no capture ({})", folder, llvm::toString(about.takeError()));
  const auto json = nlohmann::json::parse(*about, nullptr, /*allow_exceptions=*/false);
  const auto version = json.is_object() ? json.find("crosslane capture") : json.end();
  if (!json.is_object() || version == json.end() || !version->is_number_unsigned())
    return fail("{}/{}: does not say that it is a capture of crosslane", folder, about_name);
  if (*version != 1)
    return fail("{}: is a capture of format {}; this crosslane reads format 1", folder, version->get<uint64_t>());
  auto pack = PackReader::open(folder + "/" + pack_name);
  if (!pack)
    return pack.takeError();
  reader->pack_ = std::move(*pack);
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder + "/" + dispatches_name, error), end; !error && at != end;
       at.increment(error))
    if (const auto number = number_of(at->path().filename().string()))
      reader->numbers_.push_back(*number);
  if (error)
    return fail("{}/{}: {}", folder, dispatches_name, error.message());
  std::ranges::sort(reader->numbers_);
  return reader;
}

llvm::Expected<Dispatch> Reader::dispatch(uint64_t number) const {
  if (!std::ranges::binary_search(numbers_, number))
    return fail("{}: has no dispatch {}; 'crosslane replay {} --list' tells which it has", folder_, number, folder_);
  const std::string path = folder_ + "/" + file_of(number);
  auto text = read_text(path);
  if (!text)
    return text.takeError();
  auto dispatch = parse_dispatch(*text, path);
  if (dispatch && dispatch->number != number)
    return fail("{}: says that it is dispatch {}", path, dispatch->number);
  return dispatch;
}

} // namespace crosslane::capture
