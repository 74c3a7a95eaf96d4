// Fills an Instruction from items, one operand of the operation after the other, and remembers how far it came: of
// several encodings that do not fit, the one that came furthest has the best message. Not for other layers.
#pragma once
#include "isa/parse/operand.h"
#include "isa/shape.h"
#include <span>

namespace crosslane::isa::detail {

// What a source may be besides a plain register or inline constant.
enum Take : unsigned {
  plain = 0,
  literals = 1,
  signs = 2,             // neg and abs
  extension = 4,         // sext
  folded_signs = 8,      // neg and abs of a constant, which become part of it
  meaningless_sext = 16, // sext of a constant, which changes nothing
};

class Match {
public:
  Match(const Context& c, std::span<const Item> items, size_t end_column, Instruction& out)
      : context(c), row_(row(c.op)), shape_(shape(c.op, c.generation())), out(out), items_(items),
        end_column_(end_column) {}

  const Context& context;
  const Row& row_;
  const Shape& shape_;
  Instruction& out;

  void begin(Form, int size);

  // Destination and memory operands: one register or tuple of the file.
  bool vgpr(int dwords, uint16_t& field, std::string_view what);
  bool agpr(int dwords, uint16_t& field, std::string_view what);
  bool data(int dwords, uint16_t& field, std::string_view what); // AGPRs too, where memory instructions take them
  bool sgpr(int dwords, uint16_t& field, std::string_view what);
  bool sgpr_xm0_xexec(int dwords, uint16_t& field, std::string_view what); // neither M0 nor EXEC
  bool vcc(std::string_view what);                                         // the word vcc
  bool off(uint16_t& field);                                               // the word off, if it is there

  // A source: register, inline constant or literal; sets neg, abs and sext of source `k` where `takes` has them.
  bool source(int k, Type, RegisterKind, unsigned takes);
  bool scalar_source(uint16_t& field, Type, unsigned takes); // in any field
  bool number(int64_t low, int64_t high, int64_t& value, std::string_view what);
  bool literal32(Type, std::string_view what); // K of v_madmk, the value of s_setreg_imm32: always a literal
  bool branch_target();

  // Modifiers, in their fixed order.
  bool has(Name n) const { return at_ < items_.size() && items_[at_].name == n; }
  std::optional<int64_t> take(Name);
  bool flag(Name); // false if absent or "no..."
  bool end();      // nothing is left
  // What is still to come, where the operands depend on it.
  bool ends_with(Name n) const { return !items_.empty() && items_.back().name == n && items_.back().value != 0; }
  bool flag_is_given(Name) const;
  int operand_count() const;
  int item_dwords(size_t k) const { return k < items_.size() ? items_[k].dwords : 0; }

  const Item* item() const { return at_ < items_.size() ? &items_[at_] : nullptr; }
  void skip() { ++at_; }
  bool fail(std::string message); // at the current item
  // The operands fit, but not together: no other encoding shall be tried.
  bool reject(size_t item, std::string message);
  bool rejected() const { return reach_ == SIZE_MAX; }

  // Rules that span operands; `implicit_vcc`: it reads VCC besides.
  bool constant_bus(int sources, bool implicit_vcc);
  bool even_vgprs(); // gfx90a

  size_t reach() const { return reach_; }
  size_t error_column() const { return error_column_; }
  const std::string& message() const { return message_; }

private:
  size_t column(size_t item) const { return item < items_.size() ? items_[item].column : end_column_; }
  void note_tuple(const Item&);
  bool width(const Item&, int dwords, std::string_view what);
  bool constant(const Item&, Type, unsigned takes, uint16_t& field);
  bool use_literal(uint32_t value);

  std::span<const Item> items_;
  size_t end_column_, at_ = 0, reach_ = 0, error_column_ = 1;
  size_t source_item_[3] = {};
  int source_dwords_[3] = {};
  static constexpr size_t none = SIZE_MAX;
  size_t odd_tuple_ = none; // the first VGPR tuple that starts at an odd register
  bool literal_used_ = false;
  std::string message_;
};

// "v_add_f32" with the form's suffix.
std::string full_name(const Match&);

// One per group of encodings: false with the failure in the Match.
bool match_scalar(Match&);
bool match_smem(Match&);
bool match_vop(Match&, Form);
bool match_interpolation(Match&, Form);
bool match_ds(Match&);
bool match_flat(Match&);
bool match_buffer(Match&);
bool match_mimg(Match&);
bool match_exp(Match&);

} // namespace crosslane::isa::detail
