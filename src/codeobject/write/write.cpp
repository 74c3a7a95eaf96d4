// The list of steps of write(), and the notes. The input comes first, byte for byte but for what the journal holds: the
// ELF header, descriptors, values of the dynamic section. Behind it new code, then one segment to read with what
// loaders look at (symbols, notes, program headers), then what nobody loads.
#include "codeobject/write.h"
#include "codeobject/read/contents.h"
#include "codeobject/write/debug_units.h"
#include "codeobject/write/kernels.h"
#include "codeobject/write/metadata.h"
#include "codeobject/write/record.h"
#include "codeobject/write/symbols.h"
#include <algorithm>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;

class Writer {
public:
  Writer(const CodeObject& object, const Additions& additions, ElfFile file)
      : object_(object), additions_(additions), file_(std::move(file)) {}

  llvm::Expected<std::vector<uint8_t>> run() {
    record_.input_size = file_.input_size;
    record_.input_hash = hash_of(file_.bytes);
    file_.patch(0, std::span(reinterpret_cast<const uint8_t*>(&file_.header), sizeof file_.header));
    for (const auto step : {&Writer::add_memory, &Writer::check_moves, &Writer::change_kernels, &Writer::add_symbols,
                            &Writer::write_notes})
      if (llvm::Error error = (this->*step)())
        return error;
    write_debug();
    write_segment();
    if (llvm::Error error = file_.finish())
      return error;
    return check();
  }

private:
  // The judge is the reader: what it does not find would be of no use.
  llvm::Expected<std::vector<uint8_t>> check() {
    auto read = CodeObject::read(file_.bytes, object_.name());
    const auto contradicted = [&](std::string_view what) {
      return fail(object_.name(),
                  "its tables contradict each other, so that what would be written could not be used ({})", what);
    };
    if (!read)
      return contradicted(llvm::toString(read.takeError()));
    for (const NewSymbol& one : additions_.symbols)
      if (const Symbol* const found = (*read)->find_symbol(one.name); !found || found->address != one.address)
        return contradicted(fmt::format("{} would not be found", quoted(one.name)));
    for (const KernelChange& change : additions_.kernels) {
      const auto kernel = std::ranges::find((*read)->kernels(), change.symbol, &Kernel::symbol);
      if (kernel == (*read)->kernels().end() || (change.entry && kernel->entry != change.entry))
        return contradicted(fmt::format("{} would not be found", quoted(change.symbol)));
    }
    return std::move(file_.bytes);
  }

  // New code and data, each a segment and a section.
  llvm::Error add_memory() {
    struct Part {
      std::string_view what, section;
      uint64_t address, size;
      std::span<const uint8_t> bytes;
      uint32_t flags;
    };
    std::vector<Part> parts;
    if (!additions_.code.empty())
      parts.push_back(
          {"code", ".text.crosslane", additions_.code_address, additions_.code.size(), additions_.code, PF_R | PF_X});
    if (additions_.data_size)
      parts.push_back({"data", ".bss.crosslane", additions_.data_address, additions_.data_size, {}, PF_R | PF_W});
    std::ranges::sort(parts, {}, &Part::address);
    for (const Part& part : parts) {
      const uint64_t free = align_up(file_.end_of_memory(), ElfFile::page);
      if (part.address < free || part.address % ElfFile::page || part.address + part.size < part.address)
        return fail(object_.name(), "new {} at 0x{:x}, {} bytes: must be at a multiple of {} from 0x{:x} on", part.what,
                    part.address, part.size, ElfFile::page, free);
      const uint64_t offset = file_.add_load(part.address, part.size, part.bytes, part.flags);
      Elf64_Shdr section{};
      section.sh_type = part.bytes.empty() ? SHT_NOBITS : SHT_PROGBITS;
      section.sh_flags = SHF_ALLOC | (part.flags & PF_X ? SHF_EXECINSTR : SHF_WRITE);
      section.sh_addr = part.address, section.sh_offset = offset, section.sh_size = part.size;
      section.sh_addralign = 256;
      file_.add_section(part.section, section);
    }
    return llvm::Error::success();
  }

  llvm::Error check_moves() {
    for (const MovedCode& one : additions_.moved) {
      const Segment* from = segment_of(one.from, one.size);
      if (!from || !from->executable || !inside(one.to, one.size, additions_.code_address, additions_.code.size()))
        return fail(object_.name(), "moved code from 0x{:x} to 0x{:x}, {} bytes: not from code to new code", one.from,
                    one.to, one.size);
    }
    record_.moved = joined(additions_.moved);
    for (size_t i = 1; i < record_.moved.size(); ++i)
      if (const MovedCode &before = record_.moved[i - 1], &one = record_.moved[i]; one.to - before.to < before.size)
        return fail(object_.name(), "moved code: two runs lead to 0x{:x}", one.to);
    return llvm::Error::success();
  }

  const Segment* segment_of(uint64_t address, uint64_t size) const {
    for (const Segment& segment : object_.segments())
      if (inside(address, size, segment.address, segment.size))
        return &segment;
    return nullptr;
  }

  llvm::Error change_kernels() {
    for (const KernelChange& change : additions_.kernels) {
      const auto kernel = std::ranges::find(object_.kernels(), change.symbol, &Kernel::symbol);
      if (kernel == object_.kernels().end())
        return fail(object_.name(), "there is no kernel whose descriptor is {}", quoted(change.symbol));
      if (std::ranges::find(numbers_, change.symbol, &KernelNumbers::symbol) != numbers_.end())
        return fail(object_.name(), "kernel {}: changes twice", quoted(kernel->name));
      auto numbers = change_descriptor(file_, object_, *kernel, change);
      if (!numbers)
        return numbers.takeError();
      numbers_.push_back(std::move(*numbers));
      if (!change.entry || change.entry == kernel->entry)
        continue;
      symbols_.moved.push_back({kernel->entry, change.entry, change.code_size});
      if (object_.version() == 2) // whose symbol is the descriptor's
        symbols_.local.push_back({kernel->name, change.entry, change.code_size, true});
    }
    return llvm::Error::success();
  }

  llvm::Error add_symbols() {
    for (const NewSymbol& one : additions_.symbols) {
      const bool placed = std::ranges::any_of(file_.segments, [&](const Elf64_Phdr& p) {
        return p.p_type == PT_LOAD && inside(one.address, one.size, p.p_vaddr, p.p_memsz);
      });
      if (one.name.empty() || one.name.find('\0') != std::string::npos || !placed)
        return fail(object_.name(), "new symbol {} at 0x{:x}, {} bytes: without a name, or not in memory",
                    quoted(one.name), one.address, one.size);
      symbols_.global.push_back(one);
    }
    loaded_.address = align_up(file_.end_of_memory(), ElfFile::page);
    if (symbols_.empty())
      return llvm::Error::success();
    auto sections = write_dynamic_symbols(file_, symbols_, loaded_);
    if (!sections)
      return sections.takeError();
    loaded_sections_ = std::move(*sections);
    return write_static_symbols(file_, symbols_);
  }

  void write_debug() {
    if (record_.moved.empty())
      return;
    std::vector<uint64_t> bounds{additions_.code_address, additions_.code_address + additions_.code.size()};
    const auto add_function = [&](uint64_t address, uint64_t size) {
      if (inside(address, size, additions_.code_address, additions_.code.size()))
        bounds.insert(bounds.end(), {address, address + size});
    };
    for (const KernelChange& change : additions_.kernels)
      add_function(change.entry, change.code_size);
    for (const NewSymbol& one : additions_.symbols)
      if (one.code)
        add_function(one.address, one.size);
    std::ranges::sort(bounds);
    write_debug_units(file_, Moves(record_.moved, bounds), [&](Range range) {
      const Segment* const code = segment_of(range.first, range.second - range.first);
      return code && code->executable;
    });
  }

  // All notes, in the order of the file, the metadata with its new numbers; ours behind them. From here on nothing of
  // the input may change, since the note says what did.
  llvm::Error write_notes() {
    struct Piece {
      uint64_t offset, size;
      std::optional<uint32_t> section;
    };
    std::vector<Piece> pieces;
    for (const Elf64_Phdr& p : file_.segments) {
      if (p.p_type != PT_NOTE)
        continue;
      uint64_t at = p.p_offset;
      const uint64_t end = p.p_offset + p.p_filesz;
      while (at < end) { // cut where sections begin and end
        Piece piece{at, end - at, std::nullopt};
        for (uint32_t i = 1; i < file_.sections.size(); ++i) {
          const Elf64_Shdr& s = file_.sections[i];
          if (s.sh_type != SHT_NOTE || !s.sh_size || !inside(s.sh_offset, s.sh_size, at, end - at))
            continue;
          if (s.sh_offset == at)
            piece = {at, s.sh_size, i};
          else if (!piece.section)
            piece.size = std::min(piece.size, s.sh_offset - at);
        }
        pieces.push_back(piece);
        at += piece.size;
      }
    }
    constexpr uint64_t alignment = 4;
    notes_address_ = loaded_.align(alignment);
    notes_begin_ = loaded_.bytes.size();
    for (const Piece& piece : pieces) {
      const size_t begin = loaded_.bytes.size();
      const Bytes notes(file_.bytes.begin() + static_cast<ptrdiff_t>(piece.offset),
                        file_.bytes.begin() + static_cast<ptrdiff_t>(piece.offset + piece.size));
      for (const Note& note : notes_in(notes))
        if (llvm::Error error = write_note(note))
          return error;
      if (piece.section)
        place_section(*piece.section, begin);
    }
    record_.journal = file_.journal;
    record_.note = additions_.note;
    const size_t begin = loaded_.bytes.size();
    append_note(loaded_.bytes, record_name, record_type, encode_record(record_));
    Elf64_Shdr section{};
    section.sh_type = SHT_NOTE, section.sh_flags = SHF_ALLOC, section.sh_addralign = alignment;
    if (const uint32_t own = file_.add_section(".note.crosslane", section))
      place_section(own, begin);
    notes_size_ = loaded_.bytes.size() - notes_begin_;
    return llvm::Error::success();
  }

  llvm::Error write_note(const Note& note) {
    const bool changes = std::ranges::any_of(numbers_, &KernelNumbers::any);
    if (changes && note.name == "AMDGPU" && note.type == NT_AMDGPU_METADATA) {
      auto changed = change_metadata(note.content, numbers_, object_.name());
      if (!changed)
        return changed.takeError();
      append_note(loaded_.bytes, note.name, note.type, *changed);
    } else if (changes && note.name == "AMD" && note.type == NT_AMD_HSA_METADATA) {
      append_note(loaded_.bytes, note.name, note.type, change_version2_metadata(note.content, numbers_));
    } else {
      append_note(loaded_.bytes, note.name, note.type, note.content);
    }
    return llvm::Error::success();
  }

  // From `begin` in the segment up to where it ends now.
  void place_section(uint32_t index, size_t begin) {
    Elf64_Shdr& section = file_.sections[index];
    section.sh_addr = loaded_.address + begin;
    section.sh_offset = begin;
    section.sh_size = loaded_.bytes.size() - begin;
    loaded_sections_.push_back(index);
  }

  // The segment with all that, and with the program headers, for which there is no room where they were.
  void write_segment() {
    auto notes = std::ranges::find(file_.segments, uint32_t{PT_NOTE}, &Elf64_Phdr::p_type);
    if (notes == file_.segments.end()) {
      Elf64_Phdr header{};
      header.p_type = PT_NOTE, header.p_flags = PF_R, header.p_align = 4;
      notes = file_.segments.insert(notes, header);
    }
    file_.segments.erase( // all notes are together now
        std::remove_if(std::next(notes), file_.segments.end(), [](const Elf64_Phdr& p) { return p.p_type == PT_NOTE; }),
        file_.segments.end());
    const uint64_t headers_address = loaded_.align(alignof(Elf64_Phdr));
    const uint64_t headers_begin = loaded_.bytes.size();
    const uint64_t headers_size = (file_.segments.size() + 1) * sizeof(Elf64_Phdr);
    loaded_.bytes.resize(headers_begin + headers_size);
    const uint64_t offset = file_.add_load(loaded_.address, loaded_.bytes.size(), loaded_.bytes, PF_R);
    for (const uint32_t section : loaded_sections_)
      file_.sections[section].sh_offset += offset;
    const auto lead = [&](Elf64_Phdr& p, uint64_t address, uint64_t begin, uint64_t size) {
      p.p_vaddr = p.p_paddr = address;
      p.p_offset = offset + begin;
      p.p_filesz = p.p_memsz = size;
    };
    for (Elf64_Phdr& p : file_.segments)
      if (p.p_type == PT_NOTE)
        lead(p, notes_address_, notes_begin_, notes_size_);
      else if (p.p_type == PT_PHDR)
        lead(p, headers_address, headers_begin, headers_size);
    file_.header.e_phoff = offset + headers_begin;
    std::memcpy(&file_.bytes[offset + headers_begin], file_.segments.data(), headers_size);
  }

  const CodeObject& object_;
  const Additions& additions_;
  ElfFile file_;
  Record record_;
  std::vector<KernelNumbers> numbers_;
  SymbolChanges symbols_;
  Assembled loaded_;                      // the new segment to read
  std::vector<uint32_t> loaded_sections_; // in it; their offsets count from its start until it is placed
  uint64_t notes_address_ = 0, notes_begin_ = 0, notes_size_ = 0;
};

} // namespace

uint64_t free_address(const CodeObject& object) {
  return align_up(object.image_begin() + object.image_size(), ElfFile::page);
}

llvm::Expected<std::vector<uint8_t>> write(const CodeObject& object, const Additions& additions) {
  auto file = ElfFile::read(object.bytes(), object.name());
  if (!file)
    return file.takeError();
  return Writer(object, additions, std::move(*file)).run();
}

} // namespace crosslane::codeobject
