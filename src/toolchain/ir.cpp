// By clang, for no operating system: AMD's HSA has no shaders, and those of Mesa begin with values of their own.
#include "toolchain/ir.h"
#include "files/error.h"
#include "files/read.h"
#include "toolchain/clang.h"
#include "toolchain/language.h"
#include "toolchain/temporary_folder.h"
#include "toolchain/tools.h"
#include <llvm/Object/ELFObjectFile.h>

namespace crosslane::toolchain {

namespace {

using ObjectFile = llvm::object::ELF64LEObjectFile;

// Data and functions elsewhere that code in a section refers to; empty: none.
llvm::Expected<std::string> referred(const ObjectFile& object, const llvm::object::SectionRef& section) {
  for (const llvm::object::SectionRef& relocations : object.sections()) {
    auto of = relocations.getRelocatedSection();
    if (!of)
      return of.takeError();
    if (*of == object.section_end() || **of != section || relocations.relocations().empty())
      continue;
    auto name = relocations.relocation_begin()->getSymbol()->getName();
    if (!name)
      return name.takeError();
    return name->empty() ? std::string("data") : name->str();
  }
  return std::string();
}

llvm::Expected<std::vector<uint8_t>> code_of_symbol(std::span<const uint8_t> bytes, const std::string& symbol,
                                                    const std::string& name) {
  const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto object = ObjectFile::create(llvm::MemoryBufferRef(text, name));
  if (!object)
    return object.takeError();
  for (const llvm::object::ELFSymbolRef& s : object->symbols()) {
    auto named = s.getName();
    if (!named)
      return named.takeError();
    if (*named != symbol)
      continue;
    auto section = s.getSection();
    if (!section)
      return section.takeError();
    auto contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    auto at = s.getValue();
    if (!at)
      return at.takeError();
    auto other = referred(*object, **section);
    if (!other)
      return other.takeError();
    if (!other->empty())
      return fail("{}: its code refers to {}, and has to stand alone", name, *other);
    const llvm::StringRef code = contents->substr(*at, s.getSize());
    return std::vector<uint8_t>(code.bytes_begin(), code.bytes_end());
  }
  return fail("{}: clang gave no code of {}", name, symbol);
}

} // namespace

llvm::Expected<std::string> compile_to_ir(const std::string& path, const CompileOptions& options) {
  auto bytes = files::read(path);
  if (!bytes)
    return bytes.takeError();
  const Language language = language_of(path, *bytes);
  if (!is_for_clang(language))
    return fail("{}: is neither OpenCL C (.cl) nor HIP (.hip)", path);
  return ir_of_clang(path, language == Language::hip, options);
}

llvm::Expected<std::vector<uint8_t>> compile_function(const std::string& ir, const std::string& symbol,
                                                      const std::string& target, const std::string& name) {
  auto clang = find_tool(Tool::clang);
  if (!clang)
    return clang.takeError();
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  if (auto error = folder->write("probe.ll", {reinterpret_cast<const uint8_t*>(ir.data()), ir.size()}))
    return std::move(error);
  const std::string output = folder->path("probe.o"), processor = target.substr(0, target.find(':'));
  auto result =
      run_tool(*clang,
               {"-x", "ir", "--target=amdgcn--", "-ffunction-sections", "-mcpu=" + processor, "-nogpulib", "-O2", "-c",
                "-Wno-override-module", "-fno-color-diagnostics", folder->path("probe.ll"), "-o", output},
               folder->path("log"));
  if (!result)
    return result.takeError();
  if (result->status)
    return fail("{}: {}", name, result->messages);
  auto bytes = code_of(*clang, output);
  if (!bytes)
    return bytes.takeError();
  return code_of_symbol(*bytes, symbol, name);
}

} // namespace crosslane::toolchain
