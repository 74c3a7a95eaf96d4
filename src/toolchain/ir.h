// Owns functions that are put together as LLVM IR: what OpenCL C or HIP is before somebody adds to it, and the machine
// code of one function of the result.
#pragma once
#include "toolchain/compile.h"

namespace crosslane::toolchain {

// Of a file in OpenCL C or HIP, with what of the device libraries it calls, as text; parameters have their names.
llvm::Expected<std::string> compile_to_ir(const std::string& path, const CompileOptions&);
// `symbol` of IR as text: a shader that gives something back (amdgpu_cs), so that what follows it runs behind it.
// `name`: what messages call it. The error says what it needs besides its own instructions, if anything.
llvm::Expected<std::vector<uint8_t>> compile_function(const std::string& ir, const std::string& symbol,
                                                      const std::string& target, const std::string& name);

} // namespace crosslane::toolchain
