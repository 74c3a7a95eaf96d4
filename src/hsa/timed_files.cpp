// What cannot be written is told once, and the program goes on.
#include "hsa/timed_files.h"
#include "files/folder.h"
#include "files/write.h"
#include "hsa/settings.h"
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace crosslane::hsa {

std::string TimedFiles::place() const { return fmt::format("{}/{}", folder_, getpid()); }

uint64_t TimedFiles::begin() {
  if (!wanted())
    return 0;
  const uint64_t number = ++begun_;
  if (number == most + 1)
    say(fmt::format("--time-files: dispatches behind the first {} leave no files, only times", most));
  return number <= most ? number : 0;
}

void TimedFiles::complain(const std::string& why) {
  if (!failed_.exchange(true))
    say("--time-files: " + why);
}

void TimedFiles::write(const timing::formats::Course& course, const timing::formats::DispatchNumber& number) {
  std::error_code error;
  std::filesystem::create_directories(place(), error); // if not, the next one says why
  const std::string name = fmt::format("{}/dispatch_{}", place(), number.dispatch);
  if (auto failed = files::write_folder(name, timing::formats::folder(course, number)))
    complain(llvm::toString(std::move(failed)));
}

void TimedFiles::write(std::span<const timing::formats::KernelTimes> kernels) const {
  if (!wanted() || kernels.empty())
    return;
  std::error_code error;
  std::filesystem::create_directories(place(), error);
  if (auto failed = files::write(place() + "/kernel_stats.csv", timing::formats::kernel_stats_csv(kernels)))
    say("--time-files: " + llvm::toString(std::move(failed)));
}

} // namespace crosslane::hsa
