// The operands and modifiers of one instruction as written, before an operation is asked whether it takes them: a list
// of items. Not for other layers.
#pragma once
#include "isa/op.h"
#include "isa/parse.h"
#include "isa/parse/lexer.h"

namespace crosslane::isa::detail {

// A modifier behind the operands.
enum class Name : uint8_t {
  none, // an operand
  clamp,
  omod,
  op_sel,
  op_sel_hi,
  neg_lo,
  neg_hi,
  cbsz,
  abid,
  blgp,
  dpp_ctrl,
  row_mask,
  bank_mask,
  bound_ctrl,
  dst_sel,
  dst_unused,
  src0_sel,
  src1_sel,
  offset,
  offset0,
  offset1,
  offen,
  idxen,
  addr64,
  glc,
  slc,
  scc,
  tfe,
  lds,
  gds,
  dmask,
  unorm,
  da,
  lwe,
  r128,
  a16,
  d16,
  format,
  done,
  compr,
  vm,
  high,
};

enum class ItemKind : uint8_t { reg, integer, real, word, off, modifier };

struct Item {
  ItemKind kind = ItemKind::integer;
  size_t column = 1;
  std::string text; // as written, for messages

  uint16_t code = 0; // reg: first register
  int dwords = 0;    // reg: 0 for values of any width (apertures, vccz, ...)
  bool neg = false, abs = false, sext = false;

  int64_t value = 0;                   // integer, modifier; of a real the bits of the double
  bool label = false, resolved = true; // integer: an address
  bool late = false;                   // integer: depends on addresses, so never an inline constant
  bool macro = false;                  // integer: written as hwreg(...), sendmsg(...) and the like

  Name name = Name::none; // modifier
};

// What reading operands depends on.
struct Context {
  Target target;
  Op op;
  const Symbols& symbols;
  int64_t address;

  Generation generation() const { return info(target).generation; }
  bool gfx9() const { return generation() >= Generation::gfx9; }
  bool gfx90a() const { return generation() == Generation::gfx90a; }
};

// False with the cursor's error set. Registers that the target lacks are errors here.
bool parse_items(Cursor&, const Context&, std::vector<Item>& items);

bool is_register(const Cursor&, size_t ahead = 0);
bool parse_register(Cursor&, const Context&, Item&);

// An integer expression; label, resolved and late are set as in Item.
bool parse_expression(Cursor&, const Context&, Item&);
bool parse_primary(Cursor&, const Context&, Item&);
// As above, but it must have a value now.
bool parse_number(Cursor&, const Context&, int64_t& value);

// Immediates with a syntax of their own: s_waitcnt, hwreg(...), sendmsg(...), gpr_idx(...).
bool parse_special(Cursor&, const Context&, Type, Item&, bool& found);

// A modifier, if the cursor is at one.
bool parse_modifier(Cursor&, const Context&, Item&, bool& found);

} // namespace crosslane::isa::detail
