// What a debugger is told of compiled code: gdb's "JIT compilation interface". A process has a list of object files in
// memory and a function that does nothing, at which the debugger stops to look at the list. It lives here because gdb
// looks for both by name in every object: this one exports them, whatever was stripped.
// Source: "Debugging with GDB", JIT Interface; the System V ABI for ELF.
#include "jit/gdb.h"
#include <cstring>
#include <elf.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

extern "C" {
enum JitAction : uint32_t { jit_no_action, jit_register, jit_unregister };
struct JitEntry {
  JitEntry *next, *previous;
  const char* file;
  uint64_t bytes;
};
struct JitDescriptor {
  uint32_t version;
  uint32_t action;
  JitEntry *relevant, *first;
};
[[gnu::visibility("default"), gnu::used]] JitDescriptor __jit_debug_descriptor = {1, jit_no_action, nullptr, nullptr};
[[gnu::visibility("default"), gnu::used, gnu::noinline]] void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}
}

namespace crosslane::jit {

namespace {

// An object file without contents: a section where the code is, and a symbol.
std::vector<char> object_of(const std::string& name, const void* code, size_t bytes) {
  enum : uint16_t { text = 1, symbols, strings, names, sections };
  const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
  const std::string string_table = '\0' + name + '\0';
  const Elf64_Sym symbol_table[2] = {
      {}, {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, text, 0, bytes}}; // 0: from where the section is
  const auto address = reinterpret_cast<uint64_t>(code);
  Elf64_Shdr headers[sections] = {};
  headers[text] = {1, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, address, 0, bytes, 0, 0, 64, 0};
  headers[symbols] = {7, SHT_SYMTAB, 0, 0, 0, sizeof symbol_table, strings, 1, 8, sizeof(Elf64_Sym)};
  headers[strings] = {15, SHT_STRTAB, 0, 0, 0, string_table.size(), 0, 0, 1, 0};
  headers[names] = {23, SHT_STRTAB, 0, 0, 0, sizeof section_names, 0, 0, 1, 0};
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB, header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL, header.e_machine = EM_X86_64, header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header, header.e_shentsize = sizeof(Elf64_Shdr), header.e_shnum = sections;
  header.e_shstrndx = names, header.e_shoff = sizeof header;
  std::vector<char> out(sizeof header + sizeof headers);
  const auto add = [&](Elf64_Shdr& of, const void* from) {
    out.resize((out.size() + 7) / 8 * 8);
    of.sh_offset = out.size();
    const auto* p = static_cast<const char*>(from);
    out.insert(out.end(), p, p + of.sh_size);
  };
  headers[text].sh_offset = out.size();
  add(headers[symbols], symbol_table), add(headers[strings], string_table.data()), add(headers[names], section_names);
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, headers, sizeof headers);
  return out;
}

struct Registered {
  JitEntry entry;
  std::vector<char> object;
};

std::mutex& list() {
  static std::mutex& only = *new std::mutex;
  return only;
}

void tell(JitAction action, JitEntry& entry) {
  __jit_debug_descriptor.action = action, __jit_debug_descriptor.relevant = &entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = jit_no_action;
}

} // namespace

} // namespace crosslane::jit

using namespace crosslane::jit;

extern "C" [[gnu::visibility("default")]] void* crosslane_jit_tell_gdb(const char* name, const void* code,
                                                                       size_t bytes) {
  auto* made = new Registered{{}, object_of(name, code, bytes)};
  made->entry = {nullptr, nullptr, made->object.data(), made->object.size()};
  const std::lock_guard lock(list());
  JitDescriptor& all = __jit_debug_descriptor;
  made->entry.next = all.first;
  if (all.first)
    all.first->previous = &made->entry;
  all.first = &made->entry;
  tell(jit_register, made->entry);
  return made;
}

extern "C" [[gnu::visibility("default")]] void crosslane_jit_untell_gdb(void* told) {
  const std::unique_ptr<Registered> gone(static_cast<Registered*>(told));
  const std::lock_guard lock(list());
  JitEntry& entry = gone->entry;
  (entry.previous ? entry.previous->next : __jit_debug_descriptor.first) = entry.next;
  if (entry.next)
    entry.next->previous = entry.previous;
  tell(jit_unregister, entry);
}
