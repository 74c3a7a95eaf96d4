// A program's ELF header and dynamic section.
#include "cli/run/program.h"
#include "gpu/choice.h"
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::cli {

namespace {

// The folders of a DT_RPATH or DT_RUNPATH of a program in `origin`.
std::vector<std::string> folders(llvm::StringRef list, const std::string& origin) {
  std::vector<std::string> result;
  llvm::SmallVector<llvm::StringRef> parts;
  list.split(parts, ':', -1, false);
  for (const llvm::StringRef part : parts) {
    std::string folder = part.str();
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"})
      for (size_t at = folder.find(token); at != std::string::npos; at = folder.find(token, at + origin.size()))
        folder.replace(at, token.size(), origin);
    result.push_back(std::move(folder));
  }
  return result;
}

// Fills in what the dynamic section says; false if it makes no sense.
bool read_dynamic(const llvm::object::ELF64LEFile& file, Program& program) {
  auto entries = file.dynamicEntries();
  if (!entries) {
    llvm::consumeError(entries.takeError());
    return false;
  }
  llvm::StringRef strings;
  for (const auto& entry : *entries)
    if (entry.getTag() == llvm::ELF::DT_STRTAB) {
      auto at = file.toMappedAddr(entry.getPtr());
      if (!at) {
        llvm::consumeError(at.takeError());
        return false;
      }
      strings = {reinterpret_cast<const char*>(*at), file.getBufSize() - size_t(*at - file.base())};
    }
  const auto string = [&](uint64_t offset) {
    const llvm::StringRef rest = strings.substr(std::min<uint64_t>(offset, strings.size()));
    return rest.substr(0, rest.find('\0'));
  };
  std::error_code ignored;
  const std::string origin = std::filesystem::canonical(program.path, ignored).parent_path();
  for (const auto& entry : *entries)
    switch (entry.getTag()) {
    case llvm::ELF::DT_NEEDED: program.libraries.push_back(string(entry.getVal()).str()); break;
    case llvm::ELF::DT_RPATH: program.rpath = folders(string(entry.getVal()), origin); break;
    case llvm::ELF::DT_RUNPATH: program.runpath = folders(string(entry.getVal()), origin); break;
    default: break;
    }
  if (!program.runpath.empty()) // the loader then ignores the other
    program.rpath.clear();
  return true;
}

// HIP's bundles and OpenMP's images keep code objects as they are.
std::vector<isa::Target> targets_in(std::string_view bytes) {
  using Header = llvm::object::ELF64LE::Ehdr;
  std::vector<isa::Target> targets;
  for (size_t at = bytes.find(llvm::ELF::ElfMagic, 1); at + sizeof(Header) <= bytes.size() && at != bytes.npos;
       at = bytes.find(llvm::ELF::ElfMagic, at + 4)) {
    const auto& header = *reinterpret_cast<const Header*>(bytes.data() + at); // of single bytes
    if (header.e_ident[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 || header.e_machine != llvm::ELF::EM_AMDGPU)
      continue;
    const auto target = isa::target_from_mach(header.e_flags & llvm::ELF::EF_AMDGPU_MACH);
    if (target && std::find(targets.begin(), targets.end(), *target) == targets.end())
      targets.push_back(*target);
  }
  return targets;
}

// Empty if one of the cards can run some of the code, or the names are not known.
std::string lacks_code(const Program& program, std::span<const std::string> cards) {
  std::string names, better, offered;
  for (const std::string& name : cards) {
    auto choice = gpu::choose(name);
    const gpu::Card* card = choice ? choice->card : nullptr;
    if (!choice)
      llvm::consumeError(choice.takeError());
    if (!card || std::find(program.targets.begin(), program.targets.end(), card->target) != program.targets.end())
      return "";
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", card->name, isa::info(card->target).name);
  }
  for (const isa::Target target : program.targets) {
    const std::string_view gfx = isa::info(target).name;
    offered += fmt::format("{}{}", offered.empty() ? "" : ", ", gfx);
    better += fmt::format("{}--gpu {}", better.empty() ? "" : " or ", gpu::find_card(gfx)->name);
  }
  return offered.empty()
             ? ""
             : fmt::format("{} has code for {}, and none for {}: use {}", program.path, offered, names, better);
}

} // namespace

std::string find_program(const std::string& name) {
  std::string path = name;
  if (name.find('/') == std::string::npos) {
    auto found = llvm::sys::findProgramByName(name);
    if (!found)
      return "";
    path = *found;
  }
  std::error_code ignored;
  return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, ignored) ? path : "";
}

Program inspect_program(const std::string& path) {
  Program program;
  program.path = path;
  struct stat status;
  if (stat(path.c_str(), &status) == 0)
    program.privileged = ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
                         ((status.st_mode & S_ISGID) && status.st_gid != getegid());
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer ||
      !(*buffer)->getBuffer().starts_with("\x7f"
                                          "ELF") ||
      (*buffer)->getBufferSize() < 64)
    return program;
  const llvm::StringRef bytes = (*buffer)->getBuffer();
  program.elf = true;
  program.is_64_bit = bytes[llvm::ELF::EI_CLASS] == llvm::ELF::ELFCLASS64 && bytes[18] == llvm::ELF::EM_X86_64;
  if (!program.is_64_bit)
    return program;
  auto file = llvm::object::ELF64LEFile::create(bytes);
  if (!file) {
    llvm::consumeError(file.takeError());
    return program;
  }
  auto headers = file->program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return program;
  }
  for (const auto& header : *headers)
    program.dynamic |= header.p_type == llvm::ELF::PT_INTERP;
  if (program.dynamic)
    program.dynamic = read_dynamic(*file, program);
  program.targets = targets_in(bytes);
  return program;
}

std::vector<std::string> warnings(const Program& program, std::span<const std::string> cards) {
  std::vector<std::string> result;
  if (program.elf && !program.is_64_bit)
    result.push_back(fmt::format("{} is not an x86-64 program: there is no GPU for it", program.path));
  else if (program.elf && !program.dynamic)
    result.push_back(fmt::format("{} is statically linked: it cannot load the emulated GPU", program.path));
  if (program.privileged)
    result.push_back(
        fmt::format("{} runs as another user or group (set-user-ID or set-group-ID): the system then ignores "
                    "where to look for libraries",
                    program.path));
  if (std::string lacking = lacks_code(program, cards); !lacking.empty())
    result.push_back(std::move(lacking));
  return result;
}

} // namespace crosslane::cli
