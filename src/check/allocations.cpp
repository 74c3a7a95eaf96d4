// A map under a lock: those who ask keep what they were told until the version changes.
#include "check/allocations.h"
#include "machine/memory.h"
#include <algorithm>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>

namespace crosslane::check {

namespace {

// Of all that there are, so that one is not taken for another.
uint64_t next_version() {
  static std::atomic<uint64_t> last{1};
  return ++last;
}

constexpr int most_frames = 32;
constexpr size_t most_freed = 4096; // that are remembered

std::vector<void*> host_frames() {
  std::vector<void*> frames(most_frames);
  frames.resize(size_t(std::max(0, backtrace(frames.data(), most_frames))));
  return frames;
}

bool asks_for_others(std::string_view library) {
  constexpr std::string_view all[] = {"libhsa-runtime64", "libamdhip64",  "libomptarget", "libgomp",  "libamdocl64",
                                      "libOpenCL",        "libcrosslane", "libc.so",      "libstdc++"};
  return std::ranges::any_of(all, [&](std::string_view name) { return library.starts_with(name); });
}

// "main (program+0x1234)", or empty.
std::string function_of(const std::vector<void*>& frames) {
  for (void* frame : frames) {
    Dl_info info;
    if (!dladdr(frame, &info) || !info.dli_fname)
      continue;
    const std::string_view path = info.dli_fname, library = path.substr(path.rfind('/') + 1);
    if (asks_for_others(library))
      continue;
    const auto address = reinterpret_cast<uint64_t>(frame) - 1; // of the call, which it is behind
    const std::string place = fmt::format("{}+{:#x}", library, address - reinterpret_cast<uint64_t>(info.dli_fbase));
    return info.dli_sname ? fmt::format("{} ({})", llvm::demangle(info.dli_sname), place) : place;
  }
  return {};
}

} // namespace

std::string allocated_in(const Allocations::Named& allocation) {
  const std::string function = function_of(allocation.frames);
  return function.empty() ? "" : ", allocated in " + function;
}

std::string freed_in(const Allocations::Freed& allocation) {
  const std::string function = function_of(allocation.freed_by);
  return function.empty() ? ", freed" : ", freed in " + function;
}

void Allocations::allocated(const machine::Allocation& a) {
  Named named{{a.address, a.address + a.size}, a.name, traced_ ? host_frames() : std::vector<void*>()};
  const std::lock_guard lock(mutex_);
  by_begin_[a.address] = std::move(named);
  version_ = next_version();
}

void Allocations::freed(const machine::Allocation& a) {
  std::vector<void*> frames = traced_ ? host_frames() : std::vector<void*>();
  const std::lock_guard lock(mutex_);
  if (const auto found = by_begin_.find(a.address); found != by_begin_.end()) {
    freed_.push_front({std::move(found->second), std::move(frames)});
    by_begin_.erase(found);
  }
  if (freed_.size() > most_freed)
    freed_.pop_back();
  version_ = next_version();
}

std::optional<Allocations::Freed> Allocations::find_freed(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto found = std::ranges::find_if(freed_, [&](const Freed& f) { return f.holds(address, 1); });
  return found == freed_.end() ? std::nullopt : std::optional(*found);
}

std::optional<Allocations::Named> Allocations::find(uint64_t address, uint64_t near) const {
  const std::shared_lock lock(mutex_);
  const auto above = by_begin_.upper_bound(address);
  const Named* below = above == by_begin_.begin() ? nullptr : &std::prev(above)->second;
  if (below && (address < below->end || address - below->end < near))
    return *below;
  if (above != by_begin_.end() && above->second.begin - address <= near)
    return above->second;
  return std::nullopt;
}

} // namespace crosslane::check
