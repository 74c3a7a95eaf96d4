// Whole files into memory.
#include "files/read.h"
#include "files/error.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace crosslane::files {

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr uint64_t endless = uint64_t(1) << 30; // pipes and devices may never end

// `size`: what is expected; 0: nobody knows. What comes after it is read in pieces, each as long as all before: no
// byte is moved twice.
llvm::Expected<std::vector<uint8_t>> read_all(std::FILE* file, const std::string& name, uint64_t size) {
  std::vector<uint8_t> bytes(size + 1);
  const auto read = [&](uint8_t* to, size_t room) { return std::fread(to, 1, room, file); };
  bytes.resize(read(bytes.data(), bytes.size()));
  std::vector<std::pair<std::unique_ptr<uint8_t[]>, size_t>> pieces;
  size_t used = bytes.size();
  for (bool more = used > size; more;) {
    if (used > std::max(size, endless))
      return fail("{}: is longer than {} bytes: write it to a file first", name, std::max(size, endless));
    const size_t room = std::max<size_t>(used, 65536);
    auto piece = std::make_unique_for_overwrite<uint8_t[]>(room);
    const size_t length = read(piece.get(), room);
    pieces.emplace_back(std::move(piece), length);
    used += length, more = length == room;
  }
  if (std::ferror(file))
    return fail("{}: {}", name, std::strerror(errno));
  bytes.reserve(used);
  for (const auto& [piece, length] : pieces)
    bytes.insert(bytes.end(), piece.get(), piece.get() + length);
  return bytes;
}

} // namespace

uint64_t host_memory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

llvm::Expected<std::vector<uint8_t>> read(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fail("{}: is a folder", path);
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return fail("{}: {}", path, std::strerror(errno));
  const auto size = std::filesystem::file_size(path, error); // a pipe has none
  if (!error && size > host_memory())
    return fail("{}: has {} bytes, this machine memory for {}", path, size, host_memory());
  return read_all(file.get(), path, error ? 0 : size);
}

llvm::Expected<std::vector<uint8_t>> read_standard_input() { return read_all(stdin, "<standard input>", 0); }

std::string from_here(const std::string& path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return !error && path.starts_with(here) ? path.substr(here.size()) : path;
}

} // namespace crosslane::files
