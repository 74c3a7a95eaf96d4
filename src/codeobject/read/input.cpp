// Owns how bytes come in and how bad ones are reported: one line that says what, where and what to do.
#include "codeobject/read/contents.h"
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace crosslane::codeobject {
namespace {
constexpr size_t file_limit = size_t{1} << 30; // nothing that a toolchain writes comes near
}

std::string printable(std::string_view text, size_t limit) {
  std::string out;
  for (unsigned char c : text.substr(0, limit)) {
    if (c < 0x20 || c >= 0x7f)
      out += fmt::format("\\x{:02x}", c);
    else
      out += static_cast<char>(c);
  }
  return text.size() > limit ? out + "..." : out;
}

std::string quoted(std::string_view text) { return "'" + printable(text, 120) + "'"; }

llvm::Error bad_input(std::string_view name, std::string_view message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), "%s",
                                 fmt::format("{}: {}", name, printable(message, 1000)).c_str());
}

llvm::Error fail_because(std::string_view name, std::string_view where, llvm::Error cause) {
  std::string text = llvm::toString(std::move(cause));
  return fail(name, "{}: {}; the file is damaged or cut short, build or copy it again", where, text);
}

llvm::Expected<std::vector<uint8_t>> read_bytes(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file)
    return fail(path, "cannot open the file: {}", std::strerror(errno));
  std::vector<uint8_t> bytes;
  // By parts, and not by the size that the file claims: pipes have none.
  for (size_t part = size_t{1} << 16;; part = std::min(part * 2, size_t{1} << 24)) {
    size_t before = bytes.size();
    bytes.resize(before + part);
    size_t got = std::fread(bytes.data() + before, 1, part, file.get());
    bytes.resize(before + got);
    if (std::ferror(file.get()))
      return fail(path, "cannot read the file: {}", std::strerror(errno));
    if (bytes.size() > file_limit)
      return fail(path, "the file is larger than 1 GiB; is this a code object?");
    if (got < part)
      return bytes;
  }
}

} // namespace crosslane::codeobject
