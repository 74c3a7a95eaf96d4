// Owns code that is being put together: chunks of copied and new instructions, in the order in which they will lie,
// with branches that name chunks instead of distances. Layout (rewrite/layout.h) gives them addresses.
#pragma once
#include "isa/target.h"
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::rewrite {

using Label = uint32_t; // a chunk of the listing
inline constexpr Label no_label = ~0u;

struct Item {
  enum class Kind : uint8_t {
    copy,    // `size` bytes of the input from `origin` on, one instruction or several
    words,   // an instruction of `size` bytes as it is
    branch,  // words[0] with the distance to `target` in its lower half
    address, // s_getpc_b64, s_add_u32, s_addc_u32: the SGPR pair at `scalar` = the address of `target`, or `value`.
             // SCC is lost
    load,    // gfx9: s_getpc_b64 of the SGPR pair at `scalar`, and the scalar load of words[0..1] from `value` by its
             // distance
  };
  Kind kind{};
  uint8_t scalar = 0;
  uint16_t virtual_fields = 0; // of the instruction: those that number virtual SGPRs (rewrite/virtual_sgprs.h)
  uint32_t size = 0;           // bytes
  uint64_t origin = 0;         // the instruction of the input that it is, or stands for; 0: a probe's
  std::array<uint32_t, 2> words{};
  Label target = no_label;
  uint64_t value = 0; // address in the loaded input, or behind it
};

struct Chunk {
  std::vector<Item> items;
  uint32_t alignment = 4; // bytes, of its first instruction
  Label next = no_label;  // where it falls through to; no_label: its last item goes elsewhere
  bool tied = false;      // `next` has to lie behind it
};

struct Listing {
  isa::Target target{};
  std::vector<Chunk> chunks;
  std::vector<Label> order; // in which they lie

  Label add() {
    chunks.emplace_back();
    return Label(chunks.size() - 1);
  }
};

// Instructions of a probe, one a line, as items; SGPRs may be virtual. The text is ours: what cannot be assembled is a
// mistake of the program.
void append(std::vector<Item>& items, isa::Target target, std::string_view assembly);
Item branch_to(isa::Target target, Label to, std::string_view mnemonic = "s_branch");
Item address_of(uint16_t scalar, Label to);
Item address_of(uint16_t scalar, uint64_t value);
// `assembly`: one s_load_* from the SGPR pair `scalar` and an offset of 0; the pair is lost.
void append_load(std::vector<Item>& items, isa::Target, uint16_t scalar, uint64_t value, std::string_view assembly);
// A Kind::load, however far it is.
std::array<Item, 2> load_from_afar(const Item&);
uint32_t instructions_of(const Item&); // 1 for a run that is copied

} // namespace crosslane::rewrite
