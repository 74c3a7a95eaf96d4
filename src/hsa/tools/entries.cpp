// What clients call: for each exported function one jump through the slot that leads to its entry of the API tables.
// Neither needs to know the arguments, hence the assembly. Before there are tables, and for functions that their layout
// lacks, a slot leads to `originals`.
#include "hsa/tools/entries.h"
#include "hsa/functions.h"

namespace crosslane::hsa {

namespace {

// Where calls go by themselves. Constant, so that calls before the first hsa_init, even of static constructors, work.
struct Originals {
#define FUNCTION(table, release, name) decltype(&functions::name) name = &functions::name;
#define ALONE(name) FUNCTION(, , name)
#include "hsa/functions.inc"
};
constexpr Originals originals;

} // namespace

#define FUNCTION(table, release, name)                                                                                 \
  extern "C" [[gnu::visibility("hidden")]] decltype(&functions::name) const* crosslane_slot_##name;                    \
  constinit decltype(&functions::name) const* crosslane_slot_##name = &originals.name;
#define ALONE(name) FUNCTION(, , name)
#include "hsa/functions.inc"

std::span<const Entry> entries() {
#define CODE(function) reinterpret_cast<Code>(function)
  static const Entry all[] = {
#define FUNCTION(table, release, name)                                                                                 \
  {Table::table, Release::release, #name, CODE(&functions::name),                                                      \
   reinterpret_cast<const Code**>(&crosslane_slot_##name)},
#define TABLE_ONLY(table, release, name) {Table::table, Release::release, #name, CODE(&functions::name), nullptr},
#define EVENT(release, name) {Table::tools, Release::release, #name, nullptr, nullptr},
#include "hsa/functions.inc"
  };
  return all;
}

} // namespace crosslane::hsa

#ifndef __x86_64__
#error "the exported functions are written for x86-64"
#endif
// r11 is nobody's: neither an argument nor to be preserved (System V ABI, 3.2.1).
#define JUMP(name, slot)                                                                                               \
  asm(".pushsection .text.hsa_entries,\"ax\",@progbits\n"                                                              \
      ".p2align 4\n"                                                                                                   \
      ".globl " #name "\n"                                                                                             \
      ".type " #name ",@function\n" #name ":\n"                                                                        \
      ".cfi_startproc\n"                                                                                               \
      "endbr64\n"                                                                                                      \
      "movq crosslane_slot_" #slot "(%rip), %r11\n"                                                                    \
      "jmpq *(%r11)\n"                                                                                                 \
      ".cfi_endproc\n"                                                                                                 \
      ".size " #name ", .-" #name "\n"                                                                                 \
      ".popsection\n");
#define FUNCTION(table, release, name) JUMP(name, name)
#define SAME(name, other) JUMP(name, other)
#define ALONE(name) JUMP(name, name)
#include "hsa/functions.inc"
