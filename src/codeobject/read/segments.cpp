// Owns the program headers: which bytes go where in memory, the notes, and what the dynamic section points at. A loader
// needs no more than this; section headers are only for people.
#include "codeobject/read/contents.h"
#include <algorithm>
#include <llvm/BinaryFormat/ELF.h>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;

constexpr uint64_t image_limit = uint64_t{4} << 30;     // code reaches data by 32-bit offsets, so no linker writes more
constexpr uint64_t alignment_limit = uint64_t{2} << 20; // beyond a huge page nothing is gained

using ProgramHeader = Elf::Elf_Phdr;

llvm::Error read_load(Contents& contents, const ProgramHeader& header, size_t number) {
  const std::string& name = contents.name;
  uint64_t address = header.p_vaddr, size = header.p_memsz, in_file = header.p_filesz, offset = header.p_offset;
  uint64_t alignment = header.p_align;
  if (!inside(offset, in_file, 0, contents.bytes.size()))
    return fail(
        name,
        "program header {}: segment at file offset 0x{:x}, {} bytes, reaches past the end of the file ({} bytes); "
        "it was cut short, build or copy it again",
        number, offset, in_file, contents.bytes.size());
  if (in_file > size)
    return fail(name,
                "program header {}: segment takes {} bytes of the file but only {} of memory; the file is damaged",
                number, in_file, size);
  if (size > image_limit || address + size < address)
    return fail(name,
                "program header {}: segment at 0x{:x} of {} bytes; code objects larger than 4 GiB are not supported",
                number, address, size);
  if (alignment > alignment_limit || (alignment & (alignment - 1)) != 0)
    return fail(name, "program header {}: alignment {} is no power of two up to 2 MiB; the file is damaged", number,
                alignment);
  if (size == 0)
    return llvm::Error::success();
  contents.image_alignment = std::max(contents.image_alignment, alignment);
  contents.segments.push_back({address, size, (header.p_flags & PF_X) != 0, (header.p_flags & PF_W) != 0,
                               std::span<const uint8_t>(contents.bytes).subspan(offset, in_file), offset});
  return llvm::Error::success();
}

llvm::Error place_image(Contents& contents) {
  std::vector<Segment>& segments = contents.segments;
  if (segments.empty())
    return fail(contents.name,
                "program headers: no PT_LOAD segment, so there is nothing to load; link it with ld.lld-19 -shared");
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.address < b.address; });
  for (size_t i = 1; i < segments.size(); ++i)
    if (segments[i].address - segments[i - 1].address < segments[i - 1].size)
      return fail(contents.name,
                  "program headers: the segments at 0x{:x} ({} bytes) and 0x{:x} overlap; the file is damaged",
                  segments[i - 1].address, segments[i - 1].size, segments[i].address);
  contents.image_begin = segments.front().address & ~(contents.image_alignment - 1);
  contents.image_size = segments.back().address + segments.back().size - contents.image_begin;
  if (contents.image_size > image_limit)
    return fail(contents.name,
                "program headers: the segments span {} bytes, from 0x{:x}; code objects larger than 4 GiB are "
                "not supported",
                contents.image_size, contents.image_begin);
  return llvm::Error::success();
}

llvm::Error read_dynamic(Contents& contents, const ProgramHeader& header) {
  std::span<const uint8_t> table = contents.at(header.p_vaddr, header.p_filesz);
  if (table.empty())
    return fail(contents.name,
                "dynamic section at 0x{:x}, {} bytes: outside of every loaded segment; the file is damaged",
                uint64_t{header.p_vaddr}, uint64_t{header.p_filesz});
  Dynamic& dynamic = contents.dynamic;
  uint64_t rela_entry = sizeof(Elf64_Rela);
  for (; table.size() >= sizeof(Elf64_Dyn); table = table.subspan(sizeof(Elf64_Dyn))) {
    auto tag = load_little<uint64_t>(table.data()), value = load_little<uint64_t>(table.data() + 8);
    switch (tag) {
    case DT_NULL: table = {}; break;
    case DT_RELA: dynamic.rela = value; break;
    case DT_RELASZ: dynamic.rela_size = value; break;
    case DT_RELAENT: rela_entry = value; break;
    case DT_JMPREL: dynamic.plt_rela = value; break;
    case DT_PLTRELSZ: dynamic.plt_rela_size = value; break;
    case DT_RELR: dynamic.relr = value; break;
    case DT_RELRSZ: dynamic.relr_size = value; break;
    case DT_SYMTAB: dynamic.symbols = value; break;
    case DT_STRTAB: dynamic.strings = value; break;
    case DT_STRSZ: dynamic.strings_size = value; break;
    case DT_HASH: dynamic.hash = value; break;
    case DT_REL:
      return fail(contents.name,
                  "dynamic section: DT_REL relocations, which AMDGPU does not use; link it with ld.lld-19 -shared");
    default: break; // the rest concerns a host's dynamic linker
    }
    if (table.empty())
      break;
  }
  if (dynamic.rela_size && rela_entry != sizeof(Elf64_Rela))
    return fail(contents.name, "dynamic section: DT_RELAENT is {}, not {}; the file is damaged", rela_entry,
                sizeof(Elf64_Rela));
  return llvm::Error::success();
}

} // namespace

std::span<const uint8_t> Contents::at(uint64_t address, uint64_t size) const {
  for (const Segment& segment : segments)
    if (inside(address, size, segment.address, segment.bytes.size()))
      return segment.bytes.subspan(address - segment.address, size);
  return {};
}

const Segment* Contents::segment_of(uint64_t address, uint64_t size) const {
  for (const Segment& segment : segments)
    if (inside(address, size, segment.address, segment.size))
      return &segment;
  return nullptr;
}

llvm::Error read_segments(Contents& contents, const Elf& elf) {
  auto headers = elf.program_headers();
  if (!headers)
    return fail_because(contents.name, "program headers", headers.takeError());
  for (size_t i = 0; i < headers->size(); ++i)
    if ((*headers)[i].p_type == PT_LOAD)
      if (llvm::Error error = read_load(contents, (*headers)[i], i))
        return error;
  if (llvm::Error error = place_image(contents))
    return error;
  for (size_t i = 0; i < headers->size(); ++i) {
    const ProgramHeader& header = (*headers)[i];
    if (header.p_type == PT_NOTE) {
      if (!inside(header.p_offset, header.p_filesz, 0, contents.bytes.size()))
        return fail(contents.name,
                    "program header {}: the notes at file offset 0x{:x}, {} bytes, reach past the end of the file "
                    "({} bytes); it was cut short, build or copy it again",
                    i, uint64_t{header.p_offset}, uint64_t{header.p_filesz}, contents.bytes.size());
      contents.notes.push_back(std::span<const uint8_t>(contents.bytes).subspan(header.p_offset, header.p_filesz));
    } else if (header.p_type == PT_DYNAMIC) {
      if (llvm::Error error = read_dynamic(contents, header))
        return error;
    }
  }
  return llvm::Error::success();
}

} // namespace crosslane::codeobject
