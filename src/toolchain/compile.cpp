// From files to code objects.
#include "toolchain/compile.h"
#include "files/error.h"
#include "files/read.h"
#include "isa/suggest.h"
#include "isa/target.h"
#include "toolchain/clang.h"
#include "toolchain/language.h"
#include "toolchain/temporary_folder.h"
#include "toolchain/tools.h"
#include <filesystem>

namespace crosslane::toolchain {

using codeobject::CodeObject;

llvm::Expected<std::vector<uint8_t>> link_code_object(std::span<const uint8_t> object, bool open) {
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  const std::string output = folder->path("code.co");
  if (auto error = folder->write("code.o", object))
    return std::move(error);
  auto wrong = link_object(folder->path("code.o"), output, folder->path("log"), open);
  if (!wrong)
    return wrong.takeError();
  if (!wrong->empty())
    return fail("{}", *wrong);
  return files::read(output);
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

// Of what clang has nothing to do with.
llvm::Expected<std::unique_ptr<CodeObject>> from_bytes(std::span<const uint8_t> bytes, const std::string& name,
                                                       const CompileOptions& options) {
  if (!options.options.empty())
    return fail("{}: is not compiled by clang, so --clang={} means nothing", name, options.options[0]);
  if (language_of(name, bytes) == Language::assembly)
    return from_assembly(name, bytes, options);
  auto object = codeobject::read_for(bytes, name, options.target);
  if (!object)
    return object;
  const std::string wanted = options.target.substr(0, options.target.find(':'));
  if (!wanted.empty() && (*object)->processor() != wanted)
    return fail("{}: holds code for {}, not {}", name, (*object)->target_id(), options.target);
  return object;
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
  if (const Language language = language_of(path, *bytes); is_for_clang(language))
    return from_clang(path, language == Language::hip, options);
  return from_bytes(*bytes, path, options);
}

llvm::Expected<std::unique_ptr<CodeObject>> load_code(std::span<const uint8_t> bytes, const std::string& name,
                                                      const CompileOptions& options) {
  if (!options.target.empty())
    if (auto target = known_target(options.target); !target)
      return target.takeError();
  const Language language = language_of(name, bytes);
  if (!is_for_clang(language))
    return from_bytes(bytes, name, options);
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  const std::string file = std::filesystem::path(name).filename();
  if (auto error = folder->write(file, bytes))
    return std::move(error);
  // The folder is ours, and gone when anybody reads its name.
  CompileOptions named = options;
  named.options.push_back("-fdebug-prefix-map=" + folder->path("") + "=");
  auto object = from_clang(folder->path(file), language == Language::hip, named);
  if (object)
    return CodeObject::read((*object)->bytes(), name);
  std::string message = llvm::toString(object.takeError());
  for (size_t at; (at = message.find(folder->path(""))) != std::string::npos;)
    message.erase(at, folder->path("").size());
  return fail("{}", message);
}

} // namespace crosslane::toolchain
