// Owns getting machine code from whatever file the user has: code objects as they are, assembly through LLVM's
// assembler in this process, OpenCL C and HIP through clang. Compilers' own messages are the error text.
#pragma once
#include "codeobject/code_object.h"
#include "isa/target.h"
#include <llvm/Support/Error.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace crosslane::toolchain {

struct CompileOptions {
  std::string target;               // "gfx900", "gfx906:xnack-"; empty: the file's own, or gfx900
  std::vector<std::string> options; // for clang, after ours: "-O0", "-DN=16"
};
inline constexpr const char* default_target = "gfx900";
// The target that a user names; the error names others.
llvm::Expected<isa::Target> known_target(const std::string& name);

// `path`: .co .hsaco .so .o .bundle, or anything that is an ELF or an offload bundle; .s .S .asm; .cl; .hip .cpp .cu
llvm::Expected<std::unique_ptr<codeobject::CodeObject>> load_code(const std::string& path, const CompileOptions&);
// The same of what such a file would hold; `name` says what it is, and stands for it in messages and line tables.
llvm::Expected<std::unique_ptr<codeobject::CodeObject>> load_code(std::span<const uint8_t> bytes,
                                                                  const std::string& name, const CompileOptions&);

// Relocatable object file of assembly text, line table included. `name` is the file as messages and the line table call
// it. `positions`: with what toolchain/positions.h reads.
llvm::Expected<std::vector<uint8_t>> assemble(const std::string& text, const std::string& name,
                                              const std::string& target, bool positions = false);
// What the linker makes of a relocatable object file: a code object. `open`: symbols may be missing.
llvm::Expected<std::vector<uint8_t>> link_code_object(std::span<const uint8_t> object, bool open = false);
// "gfx900" out of `.amdgcn_target "amdgcn-amd-amdhsa--gfx900"`; empty if the text has no such line.
std::string target_directive(const std::string& text);

} // namespace crosslane::toolchain
