// Owns the headers that crosslane gives to clang: the files under toolchain/prelude, which the build turns into text in
// the program.
#pragma once
#include <span>
#include <string_view>

namespace crosslane::toolchain {

struct PreludeFile {
  std::string_view name; // "hip/hip_runtime.h"
  std::string_view text;
};
std::span<const PreludeFile> prelude_files();

} // namespace crosslane::toolchain
