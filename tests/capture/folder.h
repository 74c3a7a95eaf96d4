// Owns a folder for a test, and a dispatch whose parts fit together.
#pragma once
#include "capture/dispatch.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace crosslane::capture {

class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "crosslane-capture-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

inline std::vector<uint8_t> random_bytes(size_t count, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes)
    byte = uint8_t(random());
  return bytes;
}

inline Dispatch small_dispatch(uint64_t address = 0x680000100000) {
  Dispatch d;
  d.number = 3, d.launch = 1, d.kernel = "add", d.target = "gfx900", d.card = "vega10";
  d.packet.workgroup_size[0] = 64, d.packet.grid_size[0] = 1000;
  d.packet.kernel_object = address + 64, d.packet.kernarg_address = address + 0x2000;
  d.code = {"code object", {100, {}}, address, 4096};
  d.memory = {{address, 0x1000, true, {0x1000, {}}, {}}, {address + 0x2000, 0x21000, true, {0x21000, {}}, {}}};
  d.allocations = {{{address, 0x1000, "code"}, false}, {{address + 0x2000, 0x21000, "numbers"}, false}};
  return d;
}

template <class T> std::string error_of(llvm::Expected<T> result) {
  return result ? "none" : llvm::toString(result.takeError());
}
inline std::string error_of(llvm::Error error) { return error ? llvm::toString(std::move(error)) : "none"; }

} // namespace crosslane::capture
