// Owns a dispatch's memory where it was: a GPU address is a host address, within a window that is at the same place in
// every process, so whatever pointers the memory holds are right again.
#pragma once
#include "capture/dispatch.h"
#include <memory>
#include <string>
#include <vector>

namespace crosslane::capture {

// A dword that is not what it was.
struct Difference {
  uint64_t address = 0;
  uint32_t is = 0, was = 0;
};

struct Differences {
  std::vector<Difference> first; // a few of each allocation
  struct Of {
    std::string allocation;
    uint64_t bytes = 0;
  };
  std::vector<Of> of;    // bytes that differ, by allocation
  uint64_t compared = 0; // bytes
};

class Placed {
public:
  // The memory as it was before the dispatch. An error if an address cannot be had, or the host lacks the memory. Both
  // must outlive it; nothing else should have taken memory of the window before.
  static llvm::Expected<std::unique_ptr<Placed>> create(const Dispatch&, const PackReader&);
  ~Placed(); // nothing is there any more
  Placed(const Placed&) = delete;

  llvm::Error reset(); // as before the dispatch again
  // The same of what holds the byte at an address; nothing if no kernel can write it. The end of it.
  llvm::Expected<uint64_t> reset_piece(uint64_t address);
  // With what the captured dispatch left; memory that hosts write to meanwhile is left out.
  llvm::Expected<Differences> compare() const;

private:
  Placed(const Dispatch& dispatch, const PackReader& pack) : dispatch_(dispatch), pack_(pack) {}
  llvm::Error place(const Range&);
  llvm::Error fill(size_t range);
  llvm::Error fill_piece(size_t range, size_t piece);

  const Dispatch& dispatch_;
  const PackReader& pack_;
  std::vector<std::vector<Hash>> pieces_; // of each range before the dispatch; empty: zeros
  uint64_t begin_ = 0, end_ = 0;          // of all that is mapped
};

} // namespace crosslane::capture
