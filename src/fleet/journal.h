// Owns the journal of a fleet: a file that holds what has been finished, item by item, so that a run that was cut off
// goes on where it was. It only grows; what a crash has left half written at its end is not read. Text but for the
// results:
//
//   crosslane fleet journal 1
//   work 123 d1a2b3c4              bytes of what the work is called, a sum (CRC-32 of the bytes and of "work"), the
//   bytes
//   ...
//   item 17 2048 9f8e7d6c          number and bytes of its result, a sum (of the bytes and of "item 17"), and the bytes
//   ...
#pragma once
#include <cstdint>
#include <llvm/Support/Error.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace crosslane::fleet {

class Journal {
public:
  // A new file, for work of that name (all that decides what its results are). Where one is, it has to be of the same
  // work, and `resume` has to be wanted: nothing is written over.
  static llvm::Expected<std::unique_ptr<Journal>> open(const std::string& file, std::string_view work, bool resume);
  ~Journal();

  // What it had when it was opened.
  std::map<uint64_t, std::string> take_finished() { return std::move(finished_); }
  // On the disk when this returns, within a second.
  llvm::Error add(uint64_t item, std::string_view result);

private:
  Journal(int file, std::string name) : file_(file), name_(std::move(name)) {}
  llvm::Error write(std::string_view text) const;
  llvm::Error read(std::string_view work);
  const int file_;
  const std::string name_;
  double synced_ = 0; // when
  std::map<uint64_t, std::string> finished_;
};

} // namespace crosslane::fleet
