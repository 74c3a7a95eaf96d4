// Owns the inside of a CodeObject, shared by the readers in this folder, and the one way they report bad input.
// Not for other layers.
#pragma once
#include "codeobject/code_object.h"
#include <fmt/format.h>
#include <llvm/Object/ELF.h>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace crosslane::codeobject {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

// What the dynamic section says, as far as a loader needs it. Addresses are ELF virtual addresses.
struct Dynamic {
  uint64_t rela = 0, rela_size = 0;
  uint64_t plt_rela = 0, plt_rela_size = 0;
  uint64_t relr = 0, relr_size = 0;
  uint64_t symbols = 0, strings = 0, strings_size = 0;
  uint64_t hash = 0;
};

// A section that only a debugger reads.
struct DebugSection {
  std::string name; // ".debug_line"
  bool compressed = false;
  std::span<const uint8_t> bytes;
};

// A row of the flattened line table. It holds until the next row's address; `file` 0 ends a sequence.
struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0, line = 0, column = 0;
  uint32_t order = 0; // as the table had it
};

// A call that the compiler replaced by the function's code, and the one around it.
struct InlinedCall {
  uint32_t parent = 0;                     // 0: the function itself
  uint32_t file = 0, line = 0, column = 0; // of the call
};

struct Contents {
  std::string name;
  std::vector<uint8_t> bytes;
  uint32_t flags = 0; // e_flags
  int version = 0;
  std::vector<Segment> segments;
  std::vector<Section> sections;
  std::vector<DebugSection> debug_sections;
  std::vector<Symbol> symbols;
  std::vector<Kernel> kernels;
  std::vector<Kernel> empty_kernels;
  std::unordered_map<std::string_view, uint32_t> kernel_index, symbol_index;
  std::vector<std::string> printf_formats;
  std::string metadata_target, comment;
  std::vector<std::span<const uint8_t>> notes; // contents of the PT_NOTE segments
  Dynamic dynamic;
  uint64_t image_begin = 0, image_size = 0, image_alignment = 4096;

  mutable std::once_flag lines_once;
  mutable std::vector<LineRow> lines;
  mutable std::vector<std::string> line_files; // number 0 stays empty
  mutable std::string lines_problem;           // what is damaged; empty: nothing

  mutable std::once_flag calls_once;
  mutable std::vector<InlinedCall> calls;          // number 0 is none
  mutable std::vector<std::string> call_files;     // number 0 stays empty
  mutable std::map<uint64_t, uint32_t> calls_from; // the innermost call from an address on
  mutable std::string calls_problem;

  llvm::StringRef data() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  // Bytes at a virtual address, from the file; empty if not all of them are there.
  std::span<const uint8_t> at(uint64_t address, uint64_t size) const;
  const Segment* segment_of(uint64_t address, uint64_t size) const; // whole range in memory, else null
  const Section* section_of(uint64_t address) const;
};

struct CodeObject::Impl : Contents {};

template <class T> T load_little(const uint8_t* at) {
  return llvm::support::endian::read<T, llvm::endianness::little>(at);
}

// True if [begin, begin+size) lies in [low, low+extent), whatever the numbers.
inline bool inside(uint64_t begin, uint64_t size, uint64_t low, uint64_t extent) {
  return begin >= low && begin - low <= extent && size <= extent - (begin - low);
}

// Steps of read(), in order; each checks what it takes in.
llvm::Error check_header(Contents& contents);                  // header.cpp
llvm::Error read_segments(Contents& contents, const Elf& elf); // segments.cpp
llvm::Error read_isa_note(Contents& contents);                 // version2.cpp, for version 2 alone
llvm::Error read_sections(Contents& contents, const Elf& elf); // symbols.cpp
llvm::Error read_symbols(Contents& contents, const Elf& elf);  // symbols.cpp
llvm::Error read_metadata(Contents& contents);                 // metadata.cpp
llvm::Error read_descriptors(Contents& contents);              // kernel_descriptor.cpp
void read_lines(const Contents& contents);                     // lines.cpp, at the first source_line()
void read_calls(const Contents& contents);                     // lines.cpp, at the first source_frames()

// `visit(name, type, content)` for every note. metadata.cpp
using NoteVisitor = llvm::function_ref<llvm::Error(std::string_view, uint32_t, std::span<const uint8_t>)>;
llvm::Error each_note(const Contents& contents, NoteVisitor visit);

// What the 256 bytes of an amd_kernel_code_t may not ask for. version2.cpp
llvm::Error check_version2(const Contents& contents, std::string_view where, std::span<const uint8_t> bytes);

// Whether a header's claim about decompressed size may be believed before memory is taken for it. lines.cpp
bool plausible_expansion(uint64_t compressed, uint64_t expanded);

// How many bytes the compressed bundle at the start takes. compressed_bundle.cpp
llvm::Expected<uint64_t> compressed_size(std::span<const uint8_t> bytes);

// What the first bytes look like, for messages: "an offload bundle"; empty if unknown.
std::string describe_format(std::span<const uint8_t> bytes);              // header.cpp
llvm::Expected<std::vector<uint8_t>> read_bytes(const std::string& path); // input.cpp

// Text out of the file for a message, cut at `limit`, what could disturb a terminal escaped. input.cpp
std::string printable(std::string_view text, size_t limit);
std::string quoted(std::string_view text); // the same in quotes, short

// "NAME: what is wrong, where, what to do".
llvm::Error bad_input(std::string_view name, std::string_view message);
template <class... Args> llvm::Error fail(std::string_view name, fmt::format_string<Args...> format, Args&&... args) {
  return bad_input(name, fmt::format(format, std::forward<Args>(args)...));
}
// The same around an error of LLVM's.
llvm::Error fail_because(std::string_view name, std::string_view where, llvm::Error cause);

} // namespace crosslane::codeobject
