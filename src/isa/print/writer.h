// Builds "mnemonic a, b, c mod mod"; shared by the printers of the encodings. Not for other layers.
#pragma once
#include "isa/print/operand.h"
#include "isa/shape.h"

namespace crosslane::isa::detail {

class Writer {
public:
  explicit Writer(const Instruction& i) : inst(i), row_(row(i.op)) {}

  const Instruction& inst;
  const Row& row_;
  std::string text;

  void next() {
    text += first_ ? " " : ", ";
    first_ = false;
  }
  void reg(uint16_t c, int dwords) {
    next();
    append_register(text, inst, c, dwords);
  }
  void source(uint16_t c, Type t, RegisterKind = RegisterKind::any);
  void modified_source(int index, Type, RegisterKind); // with neg, abs or sext
  // A scalar register or tuple in a field where LLVM expects `register_class`.
  void tuple(uint16_t c, int dwords, std::string_view register_class);
  void scalar_dst(uint16_t c, int dwords);
  void word(std::string_view w) {
    next();
    text += w;
  }
  void flag(bool on, std::string_view name) {
    if (on) {
      text += ' ';
      text += name;
    }
  }
  void offset(int v) {
    if (v != 0) {
      text += " offset:";
      append_decimal(text, v);
    }
  }
  void clamp_and_omod();

private:
  void value(uint16_t c, Type t, RegisterKind);
  void expected(std::string_view register_class);

  bool first_ = true;
};

void print_interpolation(Writer&);
void print_mimg(Writer&);
void print_exp(Writer&);

} // namespace crosslane::isa::detail
