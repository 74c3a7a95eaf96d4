// Picks the encoder of the encoding, checks its answer by decoding it, and finds the reason where the two disagree.
#include "isa/encode.h"
#include "isa/decode.h"
#include "isa/encode/output.h"

namespace crosslane::isa {
namespace {
using detail::Output;

void write(Output& o) {
  if (o.inst.form == Form::vop3 && o.row.encoding != Encoding::VOP3P)
    return detail::encode_vop3(o);
  switch (o.row.encoding) {
  case Encoding::SOP1:
  case Encoding::SOP2:
  case Encoding::SOPK:
  case Encoding::SOPC:
  case Encoding::SOPP: return detail::encode_scalar(o);
  case Encoding::SMEM: return detail::encode_smem(o);
  case Encoding::VOP1:
  case Encoding::VOP2:
  case Encoding::VOPC: return detail::encode_vop32(o);
  case Encoding::VOP3: // gfx6 and gfx7: the VOP2 form
    return detail::encode_vop32(o);
  case Encoding::VOP3P: return detail::encode_vop3p(o);
  case Encoding::VINTRP: return detail::encode_vintrp(o);
  case Encoding::DS: return detail::encode_ds(o);
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH: return detail::encode_flat(o);
  case Encoding::MUBUF: return detail::encode_mubuf(o);
  case Encoding::MTBUF: return detail::encode_mtbuf(o);
  case Encoding::MIMG: return detail::encode_mimg(o);
  case Encoding::EXP: return detail::encode_exp(o);
  }
}

// Writes and reads back; false if it does not read as this operation and form.
bool round_trip(const Instruction& i, Encoded& out, Instruction& back) {
  const Generation g = info(i.target).generation;
  const Row& r = row(i.op);
  Output o{i, r, shape(i.op, g), g, unsigned(r.opcodes.of(g))};
  write(o);
  out.words = {o.word[0], o.word[1]};
  out.size = static_cast<uint8_t>(4 * o.words);
  return decode(i.target, out.bytes(), back) == out.size && back.op == i.op && back.form == i.form;
}

Encoded refused(EncodeError error, Part part = Part::none) {
  Encoded e;
  e.error = error;
  e.part = part;
  return e;
}

// The first part that differs.
Part difference(const Instruction& a, const Instruction& b) {
#define CROSSLANE_PART(name, member, words)                                                                            \
  if (a.member != b.member)                                                                                            \
    return Part::name;
#include "isa/parts.inc"
#undef CROSSLANE_PART
  return Part::none;
}

template <class T> void put(T& member, uint16_t value) { member = static_cast<T>(value); }

// Whether the encoding of this operation has something of the kind at all: some small value comes back.
bool takes(const Instruction& i, Part p) {
  const auto comes_back = [&](auto change, auto same) {
    for (const uint16_t probe : {1, 4, int(code::vgpr0)}) {
      Instruction other = i, back;
      change(other, probe);
      Encoded e;
      if (round_trip(other, e, back) && same(other, back))
        return true;
    }
    return false;
  };
  switch (p) {
#define CROSSLANE_PART(name, member, words)                                                                            \
  case Part::name:                                                                                                     \
    return comes_back([](Instruction& o, uint16_t probe) { put(o.member, probe); },                                    \
                      [](const Instruction& a, const Instruction& b) {                                                 \
                        return a.member == b.member && a.member != Instruction{}.member;                               \
                      });
#include "isa/parts.inc"
#undef CROSSLANE_PART
  case Part::none: break;
  }
  return false;
}

// The bytes are no instruction at all. The part is to blame without which they would be one.
Encoded blame(const Instruction& i) {
  const Instruction fresh;
  const auto try_one = [&](auto change) {
    Instruction other = i, back;
    change(other);
    Encoded e;
    return round_trip(other, e, back);
  };
#define CROSSLANE_PART(name, member, words)                                                                            \
  if (try_one([&](Instruction& o) { o.member = fresh.member; }))                                                       \
    return refused(EncodeError::value, Part::name);                                                                    \
  if constexpr (Part::name <= Part::srsrc)                                                                             \
    for (const uint16_t harmless : {code::sgpr0, code::vgpr0})                                                         \
      if (try_one([&](Instruction& o) { put(o.member, harmless); }))                                                   \
        return refused(EncodeError::value, Part::name);
#include "isa/parts.inc"
#undef CROSSLANE_PART
  return refused(EncodeError::combination);
}

std::string_view words(Part p) {
  constexpr std::string_view names[] = {
      "",
#define CROSSLANE_PART(name, member, words) words,
#include "isa/parts.inc"
#undef CROSSLANE_PART
  };
  return names[size_t(p)];
}

std::string_view form_name(Form f) {
  constexpr std::string_view names[] = {"32-bit", "VOP3", "DPP", "SDWA"};
  return names[size_t(f) % std::size(names)];
}

} // namespace

Encoded encode(const Instruction& i) {
  if (i.op >= Op::count || i.target >= Target::count || row(i.op).opcodes.of(info(i.target).generation) == absent)
    return refused(EncodeError::operation);
  if (!has_form(i.op, i.form, i.target))
    return refused(EncodeError::form);
  Encoded out;
  Instruction back;
  if (!round_trip(i, out, back))
    return blame(i);
  Instruction expected = i;
  expected.size = back.size;
  expected.reserved = back.reserved;
  expected.encoding = back.encoding;
  if (back == expected) {
    out.reserved = back.reserved;
    return out;
  }
  const Part p = difference(i, back);
  return refused(takes(i, p) ? EncodeError::value : EncodeError::superfluous, p);
}

std::string describe(const Encoded& e, const Instruction& i) {
  if (e.error == EncodeError::none)
    return {};
  const bool known = i.op < Op::count && i.target < Target::count;
  if (!known)
    return "not an operation of any target";
  const std::string name(mnemonic(i.op, i.target)), target(info(i.target).name);
  const Encoding encoding = row(i.op).encoding;
  const bool forms = encoding == Encoding::VOP1 || encoding == Encoding::VOP2 || encoding == Encoding::VOPC;
  const std::string in_form = forms ? " in its " + std::string(form_name(i.form)) + " form" : "";
  const std::string part(words(e.part));
  switch (e.error) {
  case EncodeError::operation: return target + " has no " + name;
  case EncodeError::form: return name + " has no " + std::string(form_name(i.form)) + " form on " + target;
  case EncodeError::superfluous: return name + " does not take " + part + in_form + " on " + target;
  case EncodeError::combination:
    return "the operands and modifiers of " + name + " cannot be encoded together" + in_form + " on " + target;
  default: return name + " cannot have this value as " + part + in_form + " on " + target;
  }
}

} // namespace crosslane::isa
