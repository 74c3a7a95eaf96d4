// One file after the other, so that only one is in memory at a time.
#include "cli/lint/inputs.h"
#include "codeobject/archive.h"
#include "files/error.h"
#include "files/read.h"
#include "toolchain/positions.h"
#include <algorithm>
#include <filesystem>

namespace crosslane::cli {

namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const uint8_t>;

constexpr const char* standard_input = "<standard input>";

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool is_elf(Bytes bytes) {
  return bytes.size() >= 20 && text_of(bytes).starts_with("\x7f"
                                                          "ELF");
}
bool is_amdgpu(Bytes bytes) { return is_elf(bytes) && bytes[18] == 224 && bytes[19] == 0; }
// An ELF that ends before its section headers do.
bool is_cut_short(Bytes bytes) {
  if (!is_elf(bytes) || bytes.size() < 64)
    return true;
  const auto number = [&](size_t at, size_t size) {
    uint64_t value = 0;
    for (size_t n = size; n-- > 0;)
      value = value << 8 | bytes[at + n];
    return value;
  };
  return bytes[4] == 2 && number(40, 8) + number(58, 2) * number(60, 2) > bytes.size();
}
bool is_bitcode(Bytes bytes) { return text_of(bytes).starts_with("BC\xc0\xde"); }
bool is_relocatable(Bytes bytes) { return is_amdgpu(bytes) && bytes[16] == 1 && bytes[17] == 0; }

bool has_extension(const std::string& name, std::initializer_list<std::string_view> extensions) {
  const std::string own = fs::path(name).extension();
  return std::ranges::find(extensions, own) != extensions.end();
}
bool is_assembly(const std::string& name) { return has_extension(name, {".s", ".S", ".asm"}); }

// Of a text in a folder, which may as well be for the host.
bool looks_like_ours(std::string_view text) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{".amdgcn_target", ".amdhsa_", ".hsa_code_object",
                                                                     "s_endpgm", "s_setpc_b64"},
                             [&](std::string_view word) { return text.find(word) != text.npos; });
}

// What a file says itself; empty: nothing, or several.
std::string target_of(const std::string& path, Bytes bytes) {
  if (is_assembly(path))
    return toolchain::target_directive(std::string(text_of(bytes)));
  if (!is_amdgpu(bytes) || bytes.size() < 52)
    return {};
  const auto target = isa::target_from_mach(bytes[48]); // the low byte of e_flags
  return target ? std::string(isa::info(*target).name) : std::string();
}

bool known(const std::string& target) { return isa::parse_target(target).has_value(); }

// Does the entry of a library answer to what was asked for?
bool wanted(const std::string& target, const std::string& asked) {
  return asked.empty() || target.empty() || target == asked || target.substr(0, target.find(':')) == asked ||
         (target.find(':') == target.npos && asked.substr(0, asked.find(':')) == target);
}

class Reader {
public:
  Reader(const LintInputs& inputs, InputVisitor& visitor) : inputs_(inputs), visit_(visitor) {}

  void name(const std::string& name) {
    std::error_code ignored;
    if (name == "-")
      return bytes(standard_input, files::read_standard_input(), true);
    if (fs::is_directory(name, ignored))
      return folder(name);
    file(name);
  }

private:
  const LintInputs& inputs_;
  InputVisitor& visit_;

  void complain(llvm::Error error) { visit_.error(llvm::toString(std::move(error))); }

  void folder(const std::string& name) {
    std::vector<std::string> found;
    std::error_code error;
    const auto locked = [&](const std::string& path) {
      std::error_code why;
      if (fs::directory_iterator at(path, why); why)
        visit_.error(fmt::format("{}: cannot be listed: {}", path, why.message()));
    };
    locked(name);
    for (fs::recursive_directory_iterator at(name, fs::directory_options::skip_permission_denied, error), end;
         !error && at != end; at.increment(error)) {
      std::error_code ignored;
      if (at->is_regular_file(ignored))
        found.push_back(at->path());
      else if (at->is_directory(ignored) && !at->is_symlink(ignored))
        locked(at->path());
    }
    if (error)
      visit_.error(fmt::format("{}: cannot be listed: {}", name, error.message()));
    std::ranges::sort(found);
    for (const std::string& path : found) {
      auto contents = files::read(path);
      if (!contents) {
        complain(contents.takeError());
        continue;
      }
      const Bytes all(*contents);
      if (!wanted(target_of(path, all), inputs_.compile.target))
        ++visit_.skipped; // who names a target and a folder wants what is for it
      else if (is_assembly(path) ? looks_like_ours(text_of(all))
                                 : is_amdgpu(all) || holds_bundles(all) || has_ours(path, all))
        bytes(path, std::move(contents), false);
      else
        ++visit_.skipped;
    }
  }

  void file(const std::string& name) {
    if (!has_extension(name, {".cl", ".ocl", ".hip", ".cpp", ".cc", ".cxx", ".cu"}))
      return bytes(name, files::read(name), false);
    ++visit_.files;
    auto object = toolchain::load_code(name, inputs_.compile);
    if (!object)
      return complain(object.takeError());
    LintUnit unit{std::move(*object), {.file = name}};
    visit_.unit(unit);
  }

  static bool holds_bundles(Bytes all) { return !codeobject::bundles_of(all).empty(); }

  // A static library of a folder, with anything of ours in it.
  static bool has_ours(const std::string& name, Bytes all) {
    if (!codeobject::is_archive(all))
      return false;
    auto members = codeobject::list_archive(all, name);
    if (!members)
      return llvm::consumeError(members.takeError()), false;
    return std::ranges::any_of(*members, [](const auto& m) { return is_amdgpu(m.bytes) || holds_bundles(m.bytes); });
  }

  // Of static libraries the members with GPU code.
  void archive(const std::string& name, Bytes all) {
    auto members = codeobject::list_archive(all, name);
    if (!members)
      return complain(members.takeError());
    bool any = false;
    for (const auto& member : *members) {
      const std::string shown = fmt::format("{}({})", name, member.name);
      if (holds_bundles(member.bytes))
        any = true, bundles(shown, member.bytes);
      else if (is_amdgpu(member.bytes))
        any = true, object(shown, member.bytes);
    }
    if (!any)
      visit_.error(fmt::format("{}: none of its {} members holds code for AMD GPUs", name, members->size()));
  }

  void bytes(const std::string& name, llvm::Expected<std::vector<uint8_t>> contents, bool standard) {
    ++visit_.files;
    if (!contents)
      return complain(contents.takeError());
    const Bytes all(*contents);
    if (codeobject::is_archive(all))
      return archive(name, all);
    if (holds_bundles(all))
      return bundles(name, all);
    if (is_elf(all))
      return object(name, all);
    if (is_assembly(name) || standard)
      return text(name, std::string(text_of(all)));
    visit_.error(
        fmt::format("{}: holds no GPU code: what can be read is assembly (.s), code objects (.co .hsaco .o), static "
                    "libraries, offload "
                    "bundles, programs and libraries by HIP, OpenMP or OpenACC, .cl, .hip, and folders of them",
                    name));
  }

  void text(const std::string& name, const std::string& text) {
    auto unit = unit_of_text(text, name, inputs_.compile.target);
    if (!unit)
      return complain(unit.takeError());
    visit_.unit(*unit);
  }

  void object(const std::string& name, Bytes all) {
    if (!is_amdgpu(all) && is_cut_short(all))
      return visit_.error(
          fmt::format("{}: ends before its section headers; it was cut short, build or copy it again", name));
    if (!is_amdgpu(all))
      return visit_.error(fmt::format("{}: is for the host and holds no code for AMD GPUs (.hip_fatbin, "
                                      ".llvm.offloading, or code objects in its data)",
                                      name));
    std::vector<uint8_t> linked;
    if (is_relocatable(all)) {
      auto result = toolchain::link_code_object(all, true);
      if (!result)
        return visit_.error(fmt::format("{}: cannot be linked: {}", name, llvm::toString(result.takeError())));
      linked = std::move(*result), all = linked;
    }
    auto read = codeobject::CodeObject::read(all, name);
    if (!read)
      return complain(read.takeError());
    if (!known((*read)->processor()))
      return visit_.error(
          fmt::format("{}: is for {}, whose instructions crosslane does not know", name, (*read)->processor()));
    if (!wanted((*read)->target_id(), inputs_.compile.target))
      return visit_.error(
          fmt::format("{}: holds code for {}, not {}", name, (*read)->target_id(), inputs_.compile.target));
    LintUnit unit{std::move(*read), {.file = name}};
    visit_.unit(unit);
  }

  void bundles(const std::string& name, Bytes all) {
    std::vector<uint8_t> expanded;
    if (const Bytes container = codeobject::bundles_of(all); codeobject::is_compressed_bundle(container)) {
      auto plain = codeobject::decompress_bundle(container);
      if (!plain)
        return visit_.error(fmt::format("{}: {}", name, llvm::toString(plain.takeError())));
      expanded = std::move(*plain), all = expanded;
    }
    auto entries = codeobject::list_bundle(all);
    if (!entries)
      return visit_.error(fmt::format("{}: {}", name, llvm::toString(entries.takeError())));
    if (visit_.entry)
      for (const auto& entry : *entries)
        visit_.entry(name, entry);
    bool any = false;
    for (const auto& entry : *entries) {
      if (entry.target.empty() || entry.bytes.empty() || !wanted(entry.target, inputs_.compile.target))
        continue;
      any = true;
      const std::string shown = fmt::format("{}:{}", name, entry.target);
      if (!known(entry.target)) {
        visit_.gap(shown, entry.target, "crosslane does not know the instructions of " + entry.target);
        continue;
      }
      if (is_bitcode(entry.bytes)) {
        visit_.gap(shown, entry.target, "this is LLVM's bitcode, which the linker compiles: lint what it makes");
        continue;
      }
      Bytes code = entry.bytes;
      std::vector<uint8_t> linked;
      if (is_relocatable(code)) {
        auto result = toolchain::link_code_object(code, true);
        if (!result) {
          visit_.error(fmt::format("{}: cannot be linked: {}", shown, llvm::toString(result.takeError())));
          continue;
        }
        linked = std::move(*result), code = linked;
      }
      auto read = codeobject::CodeObject::read(code, shown);
      if (!read) {
        complain(read.takeError());
        continue;
      }
      LintUnit unit{std::move(*read), {.file = shown}};
      visit_.unit(unit);
    }
    if (!any)
      visit_.error(fmt::format("{}: holds no code object for {}", name,
                               inputs_.compile.target.empty() ? "an AMD GPU" : inputs_.compile.target));
  }
};

} // namespace

llvm::Expected<LintUnit> unit_of_text(const std::string& text, const std::string& name, const std::string& target) {
  std::string id = target.empty() ? toolchain::target_directive(text) : target;
  if (id.empty())
    id = toolchain::default_target;
  if (auto known = toolchain::known_target(id); !known)
    return fail("{}: {}", name, llvm::toString(known.takeError()));
  auto object = toolchain::assemble(text, name, id, true);
  if (!object)
    return object.takeError();
  auto linked = toolchain::link_code_object(*object, true);
  if (!linked)
    return linked.takeError();
  auto code = codeobject::CodeObject::read(*linked, name);
  if (!code)
    return code.takeError();
  LintUnit unit{std::move(*code), {.file = name, .assembly = true}};
  auto positions = std::make_shared<toolchain::Positions>(toolchain::Positions::read(*linked));
  unit.origin.texts.try_emplace(name, text);
  for (const std::string& included : positions->files) {
    if (included == name)
      continue;
    if (auto contents = files::read(included))
      unit.origin.texts.try_emplace(included, std::string(contents->begin(), contents->end()));
    else
      llvm::consumeError(contents.takeError()); // it is shown without its lines
  }
  unit.origin.position = [positions](uint64_t address) -> std::optional<codeobject::SourceLine> {
    const auto at = positions->find(address);
    if (!at || at->file >= positions->files.size())
      return std::nullopt;
    return codeobject::SourceLine{positions->files[at->file], at->line, at->column};
  };
  return unit;
}

void each_unit(const LintInputs& inputs, InputVisitor& visitor) {
  Reader reader(inputs, visitor);
  for (const std::string& name : inputs.names)
    reader.name(name);
}

} // namespace crosslane::cli
