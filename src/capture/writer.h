// Owns writing a capture: a folder of one process, with its dispatches in the order in which they were captured. A
// dispatch is in it whole or not at all, whenever the process ends: its contents come first, and then, in one step, the
// file that names them.
#pragma once
#include "capture/dispatch.h"
#include <string>
#include <unordered_map>

namespace crosslane::capture {

class Writer {
public:
  // A new folder, or an empty one; an error (and `taken`, if it is asked for) if another capture has it. `limit`: bytes
  // that all of its files may have.
  static llvm::Expected<std::unique_ptr<Writer>> create(const std::string& folder, uint64_t limit,
                                                        bool* taken = nullptr);
  const std::string& folder() const { return folder_; }
  uint64_t bytes() const { return pack_->size() + texts_; } // of all files, about

  // What is put goes with the dispatch that is written next, or by drop().
  PackWriter& pack() { return *pack_; }
  // Under its number; one that has been written before is replaced.
  llvm::Error write(const Dispatch&);
  void drop() { pack_->drop(); }

private:
  Writer(std::string folder, uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  std::string folder_;
  uint64_t limit_, texts_ = 0;                  // bytes
  std::unordered_map<uint64_t, uint64_t> text_; // bytes of each dispatch's
  std::unique_ptr<PackWriter> pack_;
};

} // namespace crosslane::capture
