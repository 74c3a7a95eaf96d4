// Paths made plain, files read.
#include "profile/sources.h"
#include "findings/text.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <llvm/Support/ConvertUTF.h>
#include <utility>

namespace crosslane::profile {

namespace {

namespace fs = std::filesystem;

// Reports hold whole files: not generated ones of any size, and not more than a browser likes to load.
constexpr uint64_t largest_file = 2 << 20, largest_sum = 32 << 20;

// Latin-1, which every sequence of bytes is, as UTF-8.
std::string from_latin1(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      result += c;
    else
      result += {static_cast<char>(0xc0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3f))};
  }
  return result;
}

std::optional<std::string> text_of(const std::string& path, uint64_t limit) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    return {};
  const uint64_t size = fs::file_size(path, error);
  if (error || size > limit)
    return {};
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes(size);
  // No more than the size: files of /proc and /sys have none, and some never end.
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    return {};
  return as_source_text(bytes);
}

} // namespace

std::optional<std::string> as_source_text(std::span<const uint8_t> bytes) {
  // No text has zeros.
  if (bytes.size() > largest_file || std::ranges::count(bytes, 0))
    return {};
  const std::string text(bytes.begin(), bytes.end());
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data());
  return llvm::isLegalUTF8String(&begin, begin + text.size()) ? text : from_latin1(text);
}

std::string language_of(const std::string& path) {
  static constexpr std::pair<const char*, const char*> endings[] = {
      {".hip", "hip"},      {".cu", "hip"},      {".cl", "opencl"}, {".s", "assembly"}, {".S", "assembly"},
      {".asm", "assembly"}, {".c", "c"},         {".cpp", "c++"},   {".cc", "c++"},     {".cxx", "c++"},
      {".C", "c++"},        {".hpp", "c++"},     {".hh", "c++"},    {".h", "c++"},      {".inc", "c++"},
      {".f90", "fortran"},  {".F90", "fortran"}, {".f", "fortran"}, {".f95", "fortran"}};
  const std::string ending = fs::path(path).extension().string();
  for (const auto& [name, language] : endings)
    if (ending == name)
      return language;
  return "";
}

// The compiler's and the runtime's headers, whose functions are inlined into every kernel.
bool is_toolchain(const std::string& path) {
  const std::string plain = fs::path(path).lexically_normal().string();
  for (const char* folder : {"/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/", "/opt/rocm"})
    if (plain.starts_with(folder))
      return true;
  return plain.find("/lib/clang/") != std::string::npos;
}

int Sources::file(const std::string& path) {
  if (const auto found = known_.find(path); found != known_.end())
    return found->second;
  const fs::path whole = (fs::path(folder_) / path).lexically_normal();
  const fs::path from_here = whole.lexically_relative(folder_);
  const bool below = !folder_.empty() && !from_here.empty() && *from_here.begin() != "..";
  const std::string shown = findings::plain((below ? from_here : whole).string());
  const auto [entry, added] = paths_.try_emplace(shown, static_cast<int>(files_.size()));
  if (added) {
    const auto given = std::ranges::find_if(texts_, [&](const auto& text) {
      return text.first == path || (fs::path(folder_) / text.first).lexically_normal() == whole;
    });
    auto text = given != texts_.end() ? std::optional(given->second)
                                      : text_of(whole.string(), std::min(largest_file, largest_sum - bytes_));
    bytes_ += text ? text->size() : 0;
    files_.push_back({shown, language_of(shown), std::move(text)});
  }
  return known_[path] = entry->second;
}

findings::Place Sources::place(const codeobject::CodeObject& object, uint64_t address) {
  if (asked_.insert(&object).second)
    if (const std::string problem = object.debug_problem(); !problem.empty())
      problems_.push_back(findings::plain(object.name()) + ": " + problem);
  const auto frames = object.source_frames(address);
  if (frames.empty() || frames[0].line == 0) // 0: made by the compiler
    return {};
  auto own = std::find_if(frames.begin(), frames.end(), [](const auto& frame) { return !is_toolchain(frame.file); });
  if (own == frames.end())
    own = frames.begin();
  return place(*own);
}

findings::Place Sources::place(const codeobject::SourceLine& line) {
  if (line.line == 0)
    return {};
  return {file(line.file), line.line, line.column};
}

} // namespace crosslane::profile
