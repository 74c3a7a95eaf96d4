// Owns compiling OpenCL C and HIP: the command line of clang, with the device libraries that are there. Not for users
// of the layer.
#pragma once
#include "toolchain/compile.h"

namespace crosslane::toolchain {

llvm::Expected<std::unique_ptr<codeobject::CodeObject>> from_clang(const std::string& path, bool hip,
                                                                   const CompileOptions& options);
// As text.
llvm::Expected<std::string> ir_of_clang(const std::string& path, bool hip, const CompileOptions& options);

} // namespace crosslane::toolchain
