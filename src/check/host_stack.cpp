// Whose a frame is, the name of its library says; of which function, what that library exports.
#include "check/host_stack.h"
#include <algorithm>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>
#include <optional>
#include <string_view>

namespace crosslane::check {

namespace {

constexpr int most_frames = 64;

enum class Owner : uint8_t { crosslane, language, system, program };

struct Known {
  std::string_view library; // what its file's name begins with
  Owner owner;
};
constexpr Known known[] = {
    {"libhsa-runtime64", Owner::crosslane}, {"libcrosslane", Owner::crosslane}, {"libamdhip64", Owner::language},
    {"libamdocl64", Owner::language},       {"libOpenCL", Owner::language},     {"libomptarget", Owner::language},
    {"libgomp", Owner::language},           {"libc.so", Owner::system},         {"libstdc++", Owner::system},
    {"libpthread", Owner::system},          {"ld-linux", Owner::system}};

struct Frame {
  Owner owner{};
  void* address = nullptr;       // behind the call
  std::string library, function; // function: as it is exported; empty: it is not
  uint64_t offset = 0;           // of the call in the library
};

std::optional<Frame> frame_of(void* address) {
  const auto call = reinterpret_cast<uint64_t>(address) - 1;
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(call), &info) || !info.dli_fname)
    return std::nullopt;
  const std::string_view path = info.dli_fname, library = path.substr(path.rfind('/') + 1);
  const auto of = std::ranges::find_if(known, [&](const Known& k) { return library.starts_with(k.library); });
  return Frame{.owner = of == std::end(known) ? Owner::program : of->owner,
               .address = address,
               .library = std::string(library),
               .function = info.dli_sname ? info.dli_sname : "",
               .offset = call - reinterpret_cast<uint64_t>(info.dli_fbase)};
}

// Frames that are known, innermost first.
std::vector<Frame> frames_of(const HostStack& stack) {
  std::vector<Frame> frames;
  for (void* address : stack)
    if (auto frame = frame_of(address))
      frames.push_back(std::move(*frame));
  return frames;
}

auto first_of_program(const std::vector<Frame>& frames) {
  return std::ranges::find(frames, Owner::program, &Frame::owner);
}

} // namespace

HostStack host_stack() {
  HostStack frames(most_frames);
  frames.resize(size_t(std::max(0, backtrace(frames.data(), most_frames))));
  return frames;
}

std::string program_function(const HostStack& stack) {
  const std::vector<Frame> frames = frames_of(stack);
  const auto f = first_of_program(frames);
  if (f == frames.end())
    return {};
  const std::string place = fmt::format("{}+{:#x}", f->library, f->offset);
  return f->function.empty() ? place : fmt::format("{} ({})", llvm::demangle(f->function), place);
}

HostStack program_frames(const HostStack& stack) {
  const std::vector<Frame> frames = frames_of(stack);
  HostStack programs;
  for (auto f = first_of_program(frames); f != frames.end() && f->owner == Owner::program; ++f)
    programs.push_back(f->address);
  return programs;
}

Request request_of(const HostStack& stack) {
  const std::vector<Frame> frames = frames_of(stack);
  const auto program = first_of_program(frames);
  if (program == frames.end())
    return {};
  Request request{.direct = true};
  for (auto f = frames.begin(); f != program; ++f) {
    request.direct &= f->owner == Owner::crosslane;
    if (f->owner != Owner::language)
      continue;
    request.within = f->address;
    if (!f->function.empty())
      request.functions.push_back(f->function);
  }
  return request;
}

std::string asked_by(const HostStack& stack, const char* asked) {
  const std::string function = request_of(stack).function(), in = program_function(stack);
  return (function.empty() ? asked : function) + (in.empty() ? "" : " called in " + in);
}

} // namespace crosslane::check
