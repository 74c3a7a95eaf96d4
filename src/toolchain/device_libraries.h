// Owns finding what clang links into kernels and includes before them: ROCm's device libraries and HIP headers as
// Debian installs them, or, without those, libclc and the headers under toolchain/prelude (docs/decisions/0019).
#pragma once
#include <llvm/Support/Error.h>
#include <string>

namespace crosslane::toolchain {

struct DeviceLibraries {
  bool rocm = true;
  std::string path; // folder of ROCm's bitcode, or libclc's file
};
// ROCm's, if Debian's folder or that of CROSSLANE_DEVICE_LIBS ("none": no folder) has them for `target`, and for HIP
// its headers are installed; else libclc, that of CROSSLANE_LIBCLC or Debian's. Who names a libclc gets it.
llvm::Expected<DeviceLibraries> find_device_libraries(const std::string& target, bool hip);

} // namespace crosslane::toolchain
