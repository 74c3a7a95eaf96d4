// Owns symbol tables as they change: symbols that move, new ones, and the hash tables of the dynamic ones. Not for
// other layers.
#pragma once
#include "codeobject/write.h"
#include "codeobject/write/elf_file.h"

namespace crosslane::codeobject {

struct SymbolChanges {
  std::vector<NewSymbol> global; // moved if the name is there
  std::vector<NewSymbol> local;  // new ones, in .symtab alone
  // Of kernels that start elsewhere now: whatever names the function at `from` moves.
  struct Moved {
    uint64_t from = 0, to = 0, size = 0;
  };
  std::vector<Moved> moved;
  bool empty() const { return global.empty() && local.empty() && moved.empty(); }
};

// A segment that is put together before its place in the file is final: it starts at `address`.
struct Assembled {
  uint64_t address = 0;
  Bytes bytes;
  // Where the next part stands.
  uint64_t align(uint64_t alignment) {
    bytes.resize(align_up(bytes.size(), alignment));
    return address + bytes.size();
  }
};

// New tables for the dynamic linker in `into`; the dynamic section and the section headers lead there (their file
// offsets are still relative to `into`: add its own). Their sections are returned.
llvm::Expected<std::vector<uint32_t>> write_dynamic_symbols(ElfFile& file, const SymbolChanges& changes,
                                                            Assembled& into);
// .symtab and what counts its entries, if there is one.
llvm::Error write_static_symbols(ElfFile& file, const SymbolChanges& changes);

} // namespace crosslane::codeobject
