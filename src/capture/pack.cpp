// Records one behind the other: a header, and the bytes. What is read is believed only if its hash is right.
#include "capture/pack.h"
#include "files/error.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/Compression.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::capture {

namespace {

constexpr char mark[16] = {'c', 'r', 'o', 's', 's', 'l', 'a', 'n', 'e', ' ', 'p', 'a', 'c', 'k', ' ', '1'};
constexpr uint32_t record_mark = 0x6b6c7863; // "cxlk"
constexpr uint32_t most_bytes = 64 << 20;    // of a record: the list of 128 GiB
constexpr int fastest = 1;                   // zstd's level

struct Header {
  uint32_t mark = record_mark;
  uint32_t bytes = 0, stored = 0;
  uint32_t compressed = 0; // 1: with zstd
  Hash hash{};
};
static_assert(sizeof(Header) == 48);

Hash hash_of(std::span<const uint8_t> bytes) { return llvm::BLAKE3::hash(llvm::ArrayRef(bytes.data(), bytes.size())); }

bool is_zero(std::span<const uint8_t> bytes) {
  return bytes.empty() || (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

std::span<const uint8_t> bytes_of(const std::vector<Hash>& hashes) {
  return {reinterpret_cast<const uint8_t*>(hashes.data()), hashes.size() * sizeof(Hash)};
}

// False: see errno.
bool write_at(int file, std::span<const uint8_t> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(file, bytes.data(), bytes.size(), off_t(offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes = bytes.subspan(size_t(n)), offset += uint64_t(n);
  }
  return true;
}

// False: the file ends before.
bool read_at(int file, std::span<uint8_t> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = pread(file, bytes.data(), bytes.size(), off_t(offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes = bytes.subspan(size_t(n)), offset += uint64_t(n);
  }
  return true;
}

class Bytes final : public Source {
public:
  explicit Bytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool read(uint64_t offset, std::span<uint8_t> to) const override {
    std::copy_n(bytes_.begin() + ptrdiff_t(offset), to.size(), to.begin());
    return true;
  }

private:
  std::span<const uint8_t> bytes_;
};

} // namespace

std::string text_of(const Hash& hash) {
  std::string text;
  for (const uint8_t byte : hash)
    text += fmt::format("{:02x}", byte);
  return text;
}

llvm::Expected<std::unique_ptr<PackWriter>> PackWriter::create(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0)
    return fail("{}: {}", path, std::strerror(errno));
  std::unique_ptr<PackWriter> pack(new PackWriter(path, file));
  if (!write_at(file, {reinterpret_cast<const uint8_t*>(mark), sizeof mark}, 0))
    return fail("{}: {}", path, std::strerror(errno));
  pack->size_ = pack->kept_ = sizeof mark;
  return pack;
}

PackWriter::~PackWriter() {
  drop();
  close(file_);
}

llvm::Error PackWriter::keep() {
  if (size_ != kept_ && fdatasync(file_) != 0 && errno != EINVAL && errno != ENOTSUP)
    return fail("{}: {}", path_, std::strerror(errno));
  kept_ = size_;
  unkept_.clear();
  return llvm::Error::success();
}

void PackWriter::drop() {
  for (const Hash& hash : unkept_)
    places_.erase(hash);
  unkept_.clear();
  if (size_ != kept_ && ftruncate(file_, off_t(kept_)) == 0)
    size_ = kept_;
}

llvm::Expected<Hash> PackWriter::put_piece(std::span<const uint8_t> bytes) {
  return is_zero(bytes) ? llvm::Expected<Hash>(all_zeros) : append(bytes);
}

llvm::Expected<Hash> PackWriter::append(std::span<const uint8_t> bytes) {
  const Hash hash = hash_of(bytes);
  if (places_.contains(hash))
    return hash;
  Header header{.bytes = uint32_t(bytes.size()), .stored = uint32_t(bytes.size()), .hash = hash};
  llvm::SmallVector<uint8_t, 0> smaller;
  if (llvm::compression::zstd::isAvailable())
    llvm::compression::zstd::compress(llvm::ArrayRef(bytes.data(), bytes.size()), smaller, fastest);
  if (!smaller.empty() && smaller.size() < bytes.size()) {
    header.stored = uint32_t(smaller.size()), header.compressed = 1;
    bytes = {smaller.data(), smaller.size()};
  }
  if (size_ + sizeof header + bytes.size() > limit_)
    return fail("it would be larger than its limit");
  record_.resize(sizeof header + bytes.size());
  std::memcpy(record_.data(), &header, sizeof header);
  std::memcpy(record_.data() + sizeof header, bytes.data(), bytes.size());
  if (!write_at(file_, record_, size_))
    return fail("{}: {}", path_, std::strerror(errno));
  places_.emplace(hash, size_);
  unkept_.push_back(hash);
  size_ += record_.size();
  return hash;
}

llvm::Expected<Content> PackWriter::put(std::span<const uint8_t> bytes) { return put(Bytes(bytes), bytes.size()); }

llvm::Expected<Content> PackWriter::put(const Source& source, uint64_t bytes) {
  const uint64_t count = (bytes + piece_bytes - 1) / piece_bytes;
  if (count > most_bytes / sizeof(Hash))
    return fail("{} bytes of memory in one piece are more than a capture holds", bytes);
  std::vector<Hash> list;
  std::vector<uint8_t> piece(std::min(bytes, piece_bytes));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t size = size_of_piece(bytes, i);
    if (source.untouched(i * piece_bytes, size))
      continue;
    if (!source.read(i * piece_bytes, {piece.data(), size}))
      break;
    auto hash = put_piece({piece.data(), size});
    if (!hash)
      return hash.takeError();
    if (*hash != all_zeros) {
      list.resize(count);
      list[i] = *hash;
    }
  }
  if (list.empty())
    return Content{bytes, all_zeros};
  auto hash = append(bytes_of(list));
  if (!hash)
    return hash.takeError();
  return Content{bytes, *hash};
}

llvm::Expected<std::unique_ptr<PackReader>> PackReader::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return fail("{}: {}", path, std::strerror(errno));
  return take(file, path);
}

llvm::Expected<std::unique_ptr<PackReader>> PackReader::take(int file, const std::string& name) {
  std::unique_ptr<PackReader> pack(new PackReader(name, file));
  if (auto error = pack->find_records())
    return std::move(error);
  return pack;
}

PackReader::~PackReader() { close(file_); }

// The last one may be cut off, as a process may end at any time. What is missing is found out when it is asked for.
llvm::Error PackReader::find_records() {
  struct stat is;
  if (fstat(file_, &is) != 0 || !S_ISREG(is.st_mode))
    return fail("{}: is no plain file", name_);
  char begin[sizeof mark];
  if (!read_at(file_, {reinterpret_cast<uint8_t*>(begin), sizeof begin}, 0) ||
      std::memcmp(begin, mark, sizeof mark) != 0)
    return fail("{}: does not begin as the pack of a capture does", name_);
  const auto size = uint64_t(is.st_size);
  Header header;
  for (uint64_t at = sizeof mark; at + sizeof header <= size; at += sizeof header + header.stored) {
    if (!read_at(file_, {reinterpret_cast<uint8_t*>(&header), sizeof header}, at) || header.mark != record_mark ||
        header.stored > header.bytes || header.bytes > most_bytes || header.compressed > 1 ||
        header.stored > size - at - sizeof header)
      break;
    places_.emplace(header.hash, Place{at + sizeof header, header.stored, header.bytes, header.compressed == 1});
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint8_t>> PackReader::piece(const Hash& hash, uint64_t bytes) const {
  const auto found = places_.find(hash);
  if (found == places_.end())
    return fail("{}: has no piece {}: the file is damaged, or not all of it", name_, text_of(hash).substr(0, 16));
  const Place& place = found->second;
  const auto damaged = [&] {
    return fail("{}: the piece {} at byte {} is damaged", name_, text_of(hash).substr(0, 16), place.offset);
  };
  if (place.bytes != bytes || (!place.compressed && place.stored != place.bytes))
    return damaged();
  std::vector<uint8_t> stored(place.stored);
  if (!read_at(file_, stored, place.offset))
    return damaged();
  if (place.compressed) {
    if (!llvm::compression::zstd::isAvailable())
      return fail("{}: is compressed with zstd, which this build of LLVM lacks", name_);
    std::vector<uint8_t> whole(bytes);
    size_t got = bytes;
    if (auto error = llvm::compression::zstd::decompress(stored, whole.data(), got)) {
      llvm::consumeError(std::move(error));
      return damaged();
    }
    if (got != bytes)
      return damaged();
    stored = std::move(whole);
  }
  if (hash_of(stored) != hash)
    return damaged();
  return stored;
}

llvm::Expected<std::vector<Hash>> PackReader::pieces(const Content& content) const {
  if (content.zeros())
    return std::vector<Hash>();
  const uint64_t count = content.bytes / piece_bytes + (content.bytes % piece_bytes != 0);
  if (count > most_bytes / sizeof(Hash))
    return fail("{}: {} bytes are more than a capture has in one piece", name_, content.bytes);
  auto list = piece(content.list, count * sizeof(Hash));
  if (!list)
    return list.takeError();
  std::vector<Hash> hashes(count);
  std::memcpy(hashes.data(), list->data(), list->size());
  return hashes;
}

llvm::Error PackReader::read(const Content& content, std::span<uint8_t> zeros) const {
  auto hashes = pieces(content);
  if (!hashes)
    return hashes.takeError();
  for (size_t i = 0; i < hashes->size(); ++i) {
    if ((*hashes)[i] == all_zeros)
      continue;
    auto bytes = piece((*hashes)[i], size_of_piece(content.bytes, i));
    if (!bytes)
      return bytes.takeError();
    std::ranges::copy(*bytes, zeros.begin() + ptrdiff_t(i * piece_bytes));
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint8_t>> PackReader::read(const Content& content, uint64_t most) const {
  if (content.bytes > most)
    return fail("{}: {} bytes, where at most {} make sense", name_, content.bytes, most);
  std::vector<uint8_t> bytes(content.bytes);
  if (auto error = read(content, bytes))
    return std::move(error);
  return bytes;
}

} // namespace crosslane::capture
