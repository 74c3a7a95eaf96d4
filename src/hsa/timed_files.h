// Owns the files of `crosslane run --time-files`: a folder for each process, named by its number, and in it one for
// each of its first dispatches with what `crosslane launch --time-files` writes, and times of all kernels.
#pragma once
#include "timing/formats/csv.h"
#include "timing/formats/folder.h"
#include <atomic>
#include <string>

namespace crosslane::hsa {

class TimedFiles {
public:
  static constexpr uint64_t most = 100; // dispatches that leave files: each is replayed whole

  explicit TimedFiles(std::string folder) : folder_(std::move(folder)) {}
  bool wanted() const { return !folder_.empty(); }
  // The number of a dispatch that is about to begin, from 1; 0: it leaves no files.
  uint64_t begin();
  void write(const timing::formats::Course&, const timing::formats::DispatchNumber&);
  // kernel_stats.csv, of all dispatches so far.
  void write(std::span<const timing::formats::KernelTimes>) const;

private:
  std::string place() const; // of this process
  void complain(const std::string& why);

  std::string folder_;
  std::atomic<uint64_t> begun_ = 0;
  std::atomic<bool> failed_ = false;
};

} // namespace crosslane::hsa
