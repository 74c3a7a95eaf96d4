// Owns the debug sections of a code object as bytes to read: decompressed, the first of each name, bounded by what the
// file can plausibly hold. Shared by the readers of lines and of inlined calls; not for other layers.
#pragma once
#include "codeobject/read/contents.h"
#include <llvm/ADT/StringMap.h>
#include <llvm/Support/DataExtractor.h>
#include <llvm/Support/MemoryBuffer.h>

namespace crosslane::codeobject {

class DebugSections {
public:
  // `names`: without the dot, those that the reader wants.
  DebugSections(const Contents& contents, std::initializer_list<llvm::StringRef> names);
  llvm::StringRef get(llvm::StringRef name) const; // empty if it is not there
  const llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>>& buffers() const { return buffers_; }
  const std::string& problem() const { return problem_; } // of a section that cannot be had; empty: none

private:
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> buffers_;
  std::string problem_;
};

// A place in a section. Reading past the end makes it false, and whatever is read then is 0.
class Reader {
public:
  Reader(llvm::StringRef section, uint64_t offset)
      : data_(section, /*IsLittleEndian=*/true, /*AddressSize=*/8), at_(std::min<uint64_t>(offset, section.size())),
        there_(offset <= section.size()) {}
  Reader(const Reader&) = delete;
  ~Reader() { llvm::consumeError(at_.takeError()); }

  explicit operator bool() { return there_ && at_; }
  uint64_t offset() const { return at_.tell(); }
  bool ended() const { return at_.tell() >= data_.size(); }
  uint64_t number(uint64_t bytes) { // any width up to 8
    uint64_t value = 0;
    for (uint64_t i = 0; i < bytes; i += step(bytes - i))
      value |= fixed(step(bytes - i)) << (8 * i);
    return value;
  }
  uint64_t uleb() { return data_.getULEB128(at_); }
  int64_t sleb() { return data_.getSLEB128(at_); }
  llvm::StringRef text() { return data_.getCStrRef(at_); }
  void skip(uint64_t bytes) {
    if (bytes)
      data_.skip(at_, bytes);
  }

private:
  static uint64_t step(uint64_t left) { return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }
  uint64_t fixed(uint64_t bytes) {
    switch (bytes) {
    case 1: return data_.getU8(at_);
    case 2: return data_.getU16(at_);
    case 4: return data_.getU32(at_);
    default: return data_.getU64(at_);
    }
  }
  llvm::DataExtractor data_;
  llvm::DataExtractor::Cursor at_;
  bool there_;
};

} // namespace crosslane::codeobject
