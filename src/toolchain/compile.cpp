// From files to code objects.
#include "toolchain/compile.h"
#include "files/error.h"
#include "files/read.h"
#include "isa/suggest.h"
#include "isa/target.h"
#include "toolchain/clang.h"
#include "toolchain/temporary_folder.h"
#include "toolchain/tools.h"
#include <cstring>
#include <filesystem>

namespace crosslane::toolchain {

namespace {

using codeobject::CodeObject;

enum class Language { code_object, assembly, opencl, hip };

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

} // namespace

llvm::Expected<std::vector<uint8_t>> link_code_object(std::span<const uint8_t> object, bool open) {
  auto lld = find_tool(Tool::lld);
  if (!lld)
    return lld.takeError();
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  const std::string input = folder->path("code.o"), output = folder->path("code.co");
  if (auto error = folder->write("code.o", object))
    return std::move(error);
  // Undefined hidden symbols are errors to the linker whatever it is told, unless it is told to write its result
  // anyway.
  const std::vector<std::string> words = {"-shared", open ? "--noinhibit-exec" : "--no-undefined", input, "-o", output};
  auto result = run_tool(*lld, words, folder->path("log"));
  if (!result)
    return result.takeError();
  if (result->status)
    return fail("{}", result->messages);
  return code_of(*lld, output);
}

namespace {

llvm::Expected<std::unique_ptr<CodeObject>> from_assembly(const std::string& path, std::span<const uint8_t> bytes,
                                                          const CompileOptions& options) {
  const std::string text(bytes.begin(), bytes.end());
  std::string target = options.target.empty() ? target_directive(text) : options.target;
  if (target.empty())
    target = default_target;
  auto object = assemble(text, path, target);
  if (!object)
    return object.takeError();
  auto linked = link_code_object(*object);
  if (!linked)
    return linked.takeError();
  return CodeObject::read(*linked, path);
}

} // namespace

llvm::Expected<isa::Target> known_target(const std::string& name) {
  if (const auto target = isa::parse_target(name))
    return *target;
  std::vector<std::string_view> names;
  for (const auto& target : isa::targets())
    names.push_back(target.name);
  return fail("'{}' is not a target of crosslane{} There are {}", name, isa::did_you_mean(name, names, "."),
              fmt::join(names, ", "));
}

llvm::Expected<std::unique_ptr<CodeObject>> load_code(const std::string& path, const CompileOptions& options) {
  if (!options.target.empty())
    if (auto target = known_target(options.target); !target)
      return target.takeError();
  auto bytes = files::read(path);
  if (!bytes)
    return bytes.takeError();
  const Language language = language_of(path, *bytes);
  if (!options.options.empty() && language != Language::opencl && language != Language::hip)
    return fail("{}: is not compiled by clang, so --clang={} means nothing", path, options.options[0]);
  switch (language) {
  case Language::assembly: return from_assembly(path, *bytes, options);
  case Language::opencl:
  case Language::hip: return from_clang(path, language == Language::hip, options);
  case Language::code_object: break;
  }
  auto object = codeobject::read_for(*bytes, path, options.target);
  if (!object)
    return object;
  const std::string wanted = options.target.substr(0, options.target.find(':'));
  if (!wanted.empty() && (*object)->processor() != wanted)
    return fail("{}: holds code for {}, not {}", path, (*object)->target_id(), options.target);
  return object;
}

} // namespace crosslane::toolchain
