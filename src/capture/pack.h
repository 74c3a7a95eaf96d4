// Owns the pack: contents of memory in one file that only grows, each piece once, named by its hash (BLAKE3), and
// compressed (zstd). A piece is 64 KiB of memory, or less at its end; what a whole range holds is a list of hashes,
// which is kept in the same way. Zeros are named by a hash of zeros and kept nowhere.
// Format: docs/capture-format.md.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <llvm/Support/Error.h>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace crosslane::capture {

using Hash = std::array<uint8_t, 32>;

inline constexpr uint64_t piece_bytes = 64 << 10;
inline constexpr Hash all_zeros{};

std::string text_of(const Hash&); // 64 hexadecimal digits

// What some memory holds.
struct Content {
  uint64_t bytes = 0;
  Hash list = all_zeros; // of the pieces' hashes, one behind the other
  bool zeros() const { return list == all_zeros; }
  bool operator==(const Content&) const = default;
};

struct HashOf {
  size_t operator()(const Hash& hash) const {
    size_t value;
    std::memcpy(&value, hash.data(), sizeof value);
    return value;
  }
};

// Where memory is read that others may take away meanwhile.
class Source {
public:
  // The bytes from `offset` on; false: they are gone, and so is the rest.
  virtual bool read(uint64_t offset, std::span<uint8_t> to) const = 0;
  // Nobody has ever touched them: zeros. May say false of others.
  virtual bool untouched(uint64_t, uint64_t) const { return false; }

protected:
  ~Source() = default;
};

class PackWriter {
public:
  // A new file; an error if there is one.
  static llvm::Expected<std::unique_ptr<PackWriter>> create(const std::string& path);
  ~PackWriter();
  PackWriter(const PackWriter&) = delete;

  llvm::Expected<Content> put(std::span<const uint8_t> bytes);
  llvm::Expected<Content> put(const Source&, uint64_t bytes);
  uint64_t size() const { return size_; }
  // Bytes that it may have; what would make it larger is an error.
  void set_limit(uint64_t limit) { limit_ = limit; }
  // What was put since the last keep() stays, once it is on the disk; or goes.
  llvm::Error keep();
  void drop();

private:
  PackWriter(std::string path, int file) : path_(std::move(path)), file_(file) {}
  llvm::Expected<Hash> put_piece(std::span<const uint8_t> bytes);
  llvm::Expected<Hash> append(std::span<const uint8_t> bytes);

  std::string path_;
  int file_;
  uint64_t size_ = 0, kept_ = 0, limit_ = UINT64_MAX;
  std::unordered_map<Hash, uint64_t, HashOf> places_;
  std::vector<Hash> unkept_;
  std::vector<uint8_t> record_; // to be written
};

class PackReader {
public:
  static llvm::Expected<std::unique_ptr<PackReader>> open(const std::string& path);
  // The file stays open as long as this lives.
  static llvm::Expected<std::unique_ptr<PackReader>> take(int file, const std::string& name);
  ~PackReader();
  PackReader(const PackReader&) = delete;

  // One hash for each piece; all_zeros: it holds nothing else. Empty: all are zeros.
  llvm::Expected<std::vector<Hash>> pieces(const Content&) const;
  // One piece, which must have `bytes` bytes.
  llvm::Expected<std::vector<uint8_t>> piece(const Hash&, uint64_t bytes) const;
  // All of it, into memory that holds zeros.
  llvm::Error read(const Content&, std::span<uint8_t> zeros) const;
  llvm::Expected<std::vector<uint8_t>> read(const Content&, uint64_t most) const;

private:
  PackReader(std::string name, int file) : name_(std::move(name)), file_(file) {}
  llvm::Error find_records();

  struct Place {
    uint64_t offset;
    uint32_t stored, bytes;
    bool compressed;
  };
  std::string name_;
  int file_;
  std::unordered_map<Hash, Place, HashOf> places_;
};

// Of a piece of `bytes` bytes in all, the one with this number.
inline uint64_t size_of_piece(uint64_t bytes, size_t number) {
  return std::min(piece_bytes, bytes - number * piece_bytes);
}

} // namespace crosslane::capture
