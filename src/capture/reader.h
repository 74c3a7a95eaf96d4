// Owns reading a capture, anybody's: files are looked at under their own names alone, and what is in them is believed
// only as far as it fits together.
#pragma once
#include "capture/dispatch.h"
#include <string>
#include <vector>

namespace crosslane::capture {

class Reader {
public:
  static llvm::Expected<std::unique_ptr<Reader>> open(const std::string& folder);
  // Of those that there are, in their order.
  const std::vector<uint64_t>& numbers() const { return numbers_; }
  llvm::Expected<Dispatch> dispatch(uint64_t number) const;
  const PackReader& pack() const { return *pack_; }
  const std::string& folder() const { return folder_; }

private:
  explicit Reader(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
  std::vector<uint64_t> numbers_;
  std::unique_ptr<PackReader> pack_;
};

} // namespace crosslane::capture
