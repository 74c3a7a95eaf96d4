// Which client libraries are loaded decides whether an allocation ends where its pages end.
#include "hsa/info/placement.h"
#include <algorithm>
#include <array>
#include <link.h>
#include <string_view>

namespace crosslane::hsa {

namespace {

// What the files of the libraries that allocate for programs are called, up to their versions.
constexpr std::array<std::string_view, 5> names = {"libamdhip64.so", "libamdocl64.so", "libomptarget.so",
                                                   "libomptarget.rtl.amdgpu.so", "libgomp-plugin-gcn.so"};

bool is_one(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1); // npos + 1: all of it
  return std::ranges::any_of(names, [&](std::string_view name) { return file.starts_with(name); });
}

} // namespace

bool language_runtime_loaded() {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void*) -> int { return info->dlpi_name && is_one(info->dlpi_name); },
             nullptr) != 0;
}

} // namespace crosslane::hsa
