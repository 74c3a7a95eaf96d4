// What a debugger finds of compiled code (CROSSLANE_JIT_GDB), read as it would: the list in the process, and the object
// files in it.
#include "tests/engine/kernel_fixture.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

// "Debugging with GDB", JIT Interface: Declarations.
struct Entry {
  Entry *next, *previous;
  const char* file;
  uint64_t bytes;
};
struct Descriptor {
  uint32_t version, action;
  Entry *relevant, *first;
};

const Descriptor* descriptor() {
  void* const library = dlopen(CROSSLANE_JIT_LIBRARY, RTLD_NOLOAD | RTLD_LAZY);
  if (!library || !dlsym(library, "__jit_debug_register_code"))
    return nullptr;
  return static_cast<const Descriptor*>(dlsym(library, "__jit_debug_descriptor"));
}

bool is_executable(uint64_t address, uint64_t bytes) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    char permissions[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) == 3 && address >= begin &&
        address + bytes <= end)
      return permissions[2] == 'x';
  }
  return false;
}

// The name and the place of the function that an object file has.
std::string function_of(const Entry& entry, uint64_t& address, uint64_t& bytes) {
  const auto read = [&]<class T>(uint64_t at, T& to) {
    if (at + sizeof to <= entry.bytes)
      std::memcpy(&to, entry.file + at, sizeof to);
  };
  Elf64_Ehdr header = {};
  read(0, header);
  EXPECT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
  EXPECT_EQ(header.e_machine, EM_X86_64);
  const auto section = [&](uint64_t n) {
    Elf64_Shdr s = {};
    read(header.e_shoff + n * header.e_shentsize, s);
    return s;
  };
  for (uint64_t n = 0; n < header.e_shnum; ++n) {
    const Elf64_Shdr s = section(n);
    if (s.sh_type != SHT_SYMTAB)
      continue;
    EXPECT_EQ(s.sh_size, 2 * sizeof(Elf64_Sym));
    Elf64_Sym symbol = {};
    read(s.sh_offset + sizeof symbol, symbol);
    EXPECT_EQ(ELF64_ST_TYPE(symbol.st_info), STT_FUNC);
    address = section(symbol.st_shndx).sh_addr + symbol.st_value, bytes = symbol.st_size;
    return entry.file + section(s.sh_link).sh_offset + symbol.st_name;
  }
  return "";
}

TEST(JitGdb, FindsKernelsByTheirNames) {
  setenv("CROSSLANE_JIT_GDB", "1", 1); // before anything is compiled
  const Descriptor* all = nullptr;
  {
    const Kernel kernel(isa::Target::gfx900, "v_add_f32 v1, v0, v0\n s_endpgm\n");
    EXPECT_NO_FAULT(kernel.run({}, {}));
    EXPECT_NO_FAULT(kernel.run({{128, 1, 1}, {128, 1, 1}}, {})); // other code
    all = descriptor();
    ASSERT_TRUE(all);
    EXPECT_EQ(all->version, 1u);
    EXPECT_EQ(all->action, 0u);
    int found = 0;
    for (const Entry* e = all->first; e; e = e->next, ++found) {
      uint64_t address = 0, bytes = 0;
      EXPECT_EQ(function_of(*e, address, bytes), "k");
      EXPECT_GT(bytes, 0u);
      EXPECT_TRUE(is_executable(address, bytes));
      EXPECT_EQ(e->previous ? e->previous->next : all->first, e);
    }
    EXPECT_EQ(found, 2);
  }
  EXPECT_EQ(all->first, nullptr); // the code is gone
}

} // namespace
} // namespace crosslane::test
