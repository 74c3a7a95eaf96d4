// Magic numbers, then extensions.
#include "toolchain/language.h"
#include "codeobject/code_object.h"
#include <filesystem>

namespace crosslane::toolchain {

Language language_of(const std::string& path, std::span<const uint8_t> bytes) {
  static constexpr std::string_view elf("\x7f"
                                        "ELF",
                                        4),
      bundle("__CLANG_OFFLOAD_BUNDLE__");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(elf) || text.starts_with(bundle) || codeobject::is_compressed_bundle(bytes))
    return Language::code_object;
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".s" || extension == ".S" || extension == ".asm")
    return Language::assembly;
  if (extension == ".cl" || extension == ".ocl")
    return Language::opencl;
  if (extension == ".hip" || extension == ".cpp" || extension == ".cc" || extension == ".cxx" || extension == ".cu")
    return Language::hip;
  return Language::code_object;
}

} // namespace crosslane::toolchain
