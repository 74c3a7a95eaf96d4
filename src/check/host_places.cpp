// Debug information is read when there is something to tell alone; of files that are stripped, nothing.
#include "check/host_places.h"
#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ELFObjectFile.h>

namespace crosslane::check {

struct HostPlaces::File {
  llvm::object::OwningBinary<llvm::object::ObjectFile> binary;
  std::unique_ptr<llvm::DWARFContext> lines; // null: there is none

  explicit File(const std::string& path) {
    auto opened = llvm::object::ObjectFile::createObjectFile(path);
    if (!opened) {
      llvm::consumeError(opened.takeError());
      return;
    }
    binary = std::move(*opened);
    const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    lines = llvm::DWARFContext::create(*binary.getBinary(), llvm::DWARFContext::ProcessDebugRelocations::Ignore,
                                       nullptr, "", ignore, ignore);
  }

  // The innermost first; empty: nothing is known.
  std::vector<llvm::DILineInfo> frames(uint64_t address) {
    using Specifier = llvm::DILineInfoSpecifier;
    std::vector<llvm::DILineInfo> all;
    if (!lines)
      return all;
    const auto found = lines->getInliningInfoForAddress(
        {address, llvm::object::SectionedAddress::UndefSection},
        Specifier(Specifier::FileLineInfoKind::AbsoluteFilePath, llvm::DINameKind::LinkageName));
    for (uint32_t n = 0; n < found.getNumberOfFrames(); ++n)
      if (found.getFrame(n).Line && found.getFrame(n).FileName != llvm::DILineInfo::BadString)
        all.push_back(found.getFrame(n));
    return all;
  }
};

HostPlaces::HostPlaces() = default;
HostPlaces::~HostPlaces() = default;

HostPlaces::File& HostPlaces::file(const std::string& path) {
  auto& found = files_[path];
  if (!found)
    found = std::make_unique<File>(path);
  return *found;
}

namespace {

std::string text_of(const llvm::DILineInfo& at) { return fmt::format("{}:{}:{}", at.FileName, at.Line, at.Column); }

// "hipError_t hipMalloc<float>(float**, unsigned long)" is hipMalloc.
bool is_named(const std::string& linkage, std::string_view name) {
  const std::string text = llvm::demangle(linkage);
  const std::string_view before = std::string_view(text).substr(0, text.find_first_of("<("));
  return !name.empty() && before.substr(before.find_last_of(" :") + 1) == name;
}

} // namespace

lint::Place HostPlaces::place(void* frame, std::string_view called) {
  const auto call = reinterpret_cast<uint64_t>(frame) - 1; // which the address is behind
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(call), &info) || !info.dli_fname)
    return {.file = "host"};
  const std::string path = info.dli_fname;
  const uint64_t offset = call - reinterpret_cast<uint64_t>(info.dli_fbase);
  lint::Place p{.file = path.substr(path.rfind('/') + 1), .offset = offset};
  if (info.dli_sname)
    p.function = llvm::demangle(info.dli_sname), p.offset = call - reinterpret_cast<uint64_t>(info.dli_saddr);
  // The program's own name may be relative to where it was started.
  auto frames = file(path.starts_with('/') ? path : "/proc/self/exe").frames(offset);
  while (frames.size() > 1 && is_named(frames.front().FunctionName, called))
    frames.erase(frames.begin());
  if (frames.empty())
    return p;
  if (p.function.empty() && frames.back().StartAddress && frames.back().FunctionName != llvm::DILineInfo::BadString)
    p.function = llvm::demangle(frames.back().FunctionName), p.offset = offset - *frames.back().StartAddress;
  p.source = text_of(frames.front());
  for (size_t n = 1; n < frames.size(); ++n)
    p.inlined_by.push_back(text_of(frames[n]));
  return p;
}

lint::PlacedFinding HostPlaces::finding(lint::Rule rule, const HostStack& frames, std::string_view called,
                                        std::string message) {
  std::vector<lint::Place> places;
  for (void* frame : frames)
    places.push_back(place(frame, places.empty() ? called : ""));
  if (places.size() > 1 && is_named(places.front().function, called)) // not inlined
    places.erase(places.begin());
  if (places.empty())
    places.push_back({.file = "host"});
  lint::PlacedFinding f{.rule = rule,
                        .severity = lint::text_of(rule).severity,
                        .place = std::move(places.front()),
                        .message = std::move(message)};
  places.erase(places.begin());
  f.callers = std::move(places);
  return f;
}

} // namespace crosslane::check
