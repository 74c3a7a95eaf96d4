// Names and places: Debian's packages rocm-device-libs, libamdhip64-dev and libclc-19.
#include "toolchain/device_libraries.h"
#include "files/error.h"
#include <cstdlib>
#include <filesystem>

namespace crosslane::toolchain {

namespace {

constexpr const char* rocm_folder = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
constexpr const char* hip_header = "/usr/include/hip/hip_runtime.h";
// libclc's own name for every AMD GPU; written for the first GCN, which all later ones run.
constexpr const char* libclc_file = "/usr/lib/clc/amdgcn--amdhsa.bc";

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool holds_libraries(const std::string& folder, const std::string& target) {
  const std::string isa = target.substr(0, target.find(':')).substr(3); // "gfx906:xnack-" -> "906"
  for (const std::string& name : {std::string("opencl"), std::string("ocml"), std::string("ockl"),
                                  "oclc_isa_version_" + isa, std::string("oclc_abi_version_500")})
    if (!std::filesystem::exists(folder + "/" + name + ".bc"))
      return false;
  return true;
}

} // namespace

llvm::Expected<DeviceLibraries> find_device_libraries(const std::string& target, bool hip) {
  const std::string chosen = setting("CROSSLANE_DEVICE_LIBS"), libclc = setting("CROSSLANE_LIBCLC");
  if (!chosen.empty() && chosen != "none") {
    if (!holds_libraries(chosen, target))
      return fail("CROSSLANE_DEVICE_LIBS={}: holds no device libraries of ROCm 5 or later for {} ('none': do without)",
                  chosen, target);
    return DeviceLibraries{true, chosen};
  }
  if (chosen.empty() && libclc.empty() && holds_libraries(rocm_folder, target) &&
      (!hip || std::filesystem::exists(hip_header)))
    return DeviceLibraries{true, rocm_folder};
  if (!libclc.empty() || std::filesystem::exists(libclc_file))
    return DeviceLibraries{false, libclc.empty() ? libclc_file : libclc};
  return fail(
      "{} has no device libraries{}, and {} is missing: install Debian's packages rocm-device-libs and "
      "libamdhip64-dev, or libclc-19, or set CROSSLANE_DEVICE_LIBS to that folder or CROSSLANE_LIBCLC to that file",
      rocm_folder, hip ? " beside HIP's headers" : "", libclc_file);
}

} // namespace crosslane::toolchain
