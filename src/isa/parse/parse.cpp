// Finds the operations of a mnemonic, reads the operands once, and tries the encodings in LLVM's order: 32 bits,
// VOP3, SDWA, DPP.
#include "isa/parse.h"
#include "isa/parse/match.h"
#include "isa/suggest.h"
#include <algorithm>

namespace crosslane::isa {
namespace {
using namespace detail;

struct Entry {
  std::string_view name;
  Op op;
};

// All operations by name, sorted, built once per generation on first use.
const std::vector<Entry>& names(Target target) {
  static const auto all = [] {
    std::array<std::vector<Entry>, generation_count> tables;
    for (const TargetInfo& t : targets()) {
      std::vector<Entry>& table = tables[size_t(t.generation)];
      if (!table.empty())
        continue;
      for (size_t i = 0; i < size_t(Op::count); ++i)
        if (row(Op(i)).opcodes.of(t.generation) != absent)
          table.push_back({mnemonic(Op(i), t.target), Op(i)});
      std::sort(table.begin(), table.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    }
    return tables;
  }();
  return all[size_t(info(target).generation)];
}

std::span<const Entry> find(Target target, std::string_view name) {
  const std::vector<Entry>& table = names(target);
  const auto [first, last] = std::equal_range(table.begin(), table.end(), Entry{name, Op{}},
                                              [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return {first, last};
}

std::string unknown(Target target, std::string_view name) {
  const std::string here(info(target).name);
  for (const TargetInfo& t : targets())
    if (!find(t.target, name).empty())
      return quoted(name) + " is not an instruction of " + here + "; " + std::string(t.name) + " has it";
  std::vector<std::string_view> known;
  for (const Entry& e : names(target))
    known.push_back(e.name);
  return quoted(name) + " is not an instruction" + did_you_mean(name, known);
}

struct Suffix {
  std::string_view text;
  Form form;
};
constexpr Suffix suffixes[] = {{"_e32", Form::base}, {"_e64", Form::vop3}, {"_dpp", Form::dpp}, {"_sdwa", Form::sdwa}};

std::string_view form_name(Form f) {
  for (const Suffix& s : suffixes)
    if (s.form == f)
      return s.text.substr(1);
  return "";
}

// The forms that the operation has on the target, in the order in which they are tried.
std::vector<Form> forms(const Context& c) {
  const Row& r = row(c.op);
  const Shape& s = shape(c.op, c.generation());
  std::vector<Form> result;
  switch (r.encoding) {
  case Encoding::VOP1:
  case Encoding::VOP2:
  case Encoding::VOPC:
    result.push_back(Form::base);
    if (s.vop3)
      result.push_back(Form::vop3);
    if (c.gfx9() ? s.sdwa_gfx9 : c.generation() == Generation::gfx8 && s.sdwa_gfx8)
      result.push_back(Form::sdwa);
    if (c.gfx90a() ? s.dpp64 : c.generation() >= Generation::gfx8 && s.dpp)
      result.push_back(Form::dpp);
    break;
  case Encoding::VOP3:
  case Encoding::VOP3P:
    if (s.vop2)
      result.push_back(Form::base);
    if (s.vop3)
      result.push_back(Form::vop3);
    break;
  case Encoding::VINTRP:
    result.push_back(Form::base);
    if (c.generation() >= Generation::gfx8)
      result.push_back(Form::vop3);
    break;
  default: result.push_back(Form::base); break;
  }
  return result;
}

bool match(Match& m, Form form) {
  switch (m.row_.encoding) {
  case Encoding::SOP1:
  case Encoding::SOP2:
  case Encoding::SOPK:
  case Encoding::SOPC:
  case Encoding::SOPP: return match_scalar(m);
  case Encoding::SMEM: return match_smem(m);
  case Encoding::VOP1:
  case Encoding::VOP2:
  case Encoding::VOPC:
  case Encoding::VOP3P: return match_vop(m, form);
  case Encoding::VOP3: return m.row_.src[1] == Type::Attr ? match_interpolation(m, form) : match_vop(m, form);
  case Encoding::VINTRP: return match_interpolation(m, form);
  case Encoding::DS: return match_ds(m);
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH: return match_flat(m);
  case Encoding::MUBUF:
  case Encoding::MTBUF: return match_buffer(m);
  case Encoding::MIMG: return match_mimg(m);
  case Encoding::EXP: return match_exp(m);
  }
  return false;
}

// What went wrong furthest to the right.
struct Best {
  size_t reach = 0, column = 1;
  std::string message;

  void consider(size_t new_reach, size_t new_column, std::string_view text) {
    if (!message.empty() && new_reach < reach)
      return;
    reach = new_reach;
    column = new_column;
    message = text;
  }
};

// Whether a reader of the message would think of this form: modifiers give DPP and SDWA away.
bool comes_to_mind(Form f, std::span<const Item> items) {
  const auto any = [&](Name first, Name last) {
    return std::any_of(items.begin(), items.end(), [&](const Item& i) { return i.name >= first && i.name <= last; });
  };
  if (any(Name::dpp_ctrl, Name::bound_ctrl))
    return f == Form::dpp;
  if (any(Name::dst_sel, Name::src1_sel))
    return f == Form::sdwa;
  return f == Form::base || f == Form::vop3;
}

// True if one of the forms fits.
bool try_forms(const Context& c, std::span<const Form> all, std::string_view statement, size_t operands,
               Instruction& out, Best& best) {
  Cursor in(statement.substr(operands));
  std::vector<Item> items;
  if (!parse_items(in, c, items)) {
    best.consider(items.size(), operands + in.error_column(), in.message());
    return false;
  }
  for (Item& i : items)
    i.column += operands;
  for (const Form f : all) {
    out = Instruction{};
    Match m(c, items, operands + in.column(), out);
    if (match(m, f))
      return true;
    if (all.size() == 1 || m.rejected() || comes_to_mind(f, items) || best.message.empty())
      best.consider(m.reach(), m.error_column(), m.message());
    if (m.rejected())
      return false;
  }
  return false;
}

std::string lower(std::string_view s) {
  std::string r(s);
  for (char& c : r)
    c = c >= 'A' && c <= 'Z' ? char(c + 32) : c;
  return r;
}

} // namespace

Parsed parse(Target target, std::string_view statement, const Symbols& symbols, int64_t address) {
  Parsed result;
  const auto fail = [&](size_t column, std::string message) {
    result.error = {column, std::move(message)};
    return result;
  };
  Cursor first(statement);
  const Token& mnemonic_token = first.peek();
  if (mnemonic_token.kind == TokenKind::wrong)
    return fail(mnemonic_token.column, std::string(mnemonic_token.text));
  if (mnemonic_token.kind != TokenKind::name)
    return fail(mnemonic_token.column, "expected an instruction before " + described(mnemonic_token));
  const std::string whole = lower(mnemonic_token.text);
  const size_t operands = mnemonic_token.column - 1 + whole.size();

  std::string_view name = whole;
  std::optional<Form> forced;
  for (const Suffix& s : suffixes)
    if (name.ends_with(s.text)) {
      forced = s.form;
      name.remove_suffix(s.text.size());
      break;
    }
  const std::span<const Entry> ops = find(target, name);
  if (ops.empty())
    return fail(mnemonic_token.column, unknown(target, name));

  Best best;
  for (const Entry& e : ops) {
    const Context context{target, e.op, symbols, address};
    std::vector<Form> all = forms(context);
    if (forced) { // LLVM counts v_readlane and v_writelane as 32-bit ones
      const bool lane = row(e.op).encoding == Encoding::VOP3 && context.generation() >= Generation::gfx8 &&
                        shape(e.op).kind[1] == RegisterKind::scalar;
      std::erase_if(all, [&](Form f) { return (lane && f == Form::vop3 ? Form::base : f) != *forced; });
    }
    if (all.empty()) {
      best.consider(0, mnemonic_token.column,
                    std::string(name) + " has no form " + std::string(form_name(*forced)) + " on " +
                        std::string(info(target).name));
      continue;
    }
    if (try_forms(context, all, statement, operands, result.instruction, best))
      return result;
  }
  return fail(best.column, best.message);
}

bool evaluate(std::string_view expression, const Symbols& symbols, int64_t& value, ParseError& error) {
  const Context context{Target{}, Op{}, symbols, 0};
  Cursor in(expression);
  if (parse_number(in, context, value) &&
      (in.at_end() || in.fail(in.column(), described(in.peek()) + " follows the expression")))
    return true;
  error = {in.error_column(), in.message()};
  return false;
}

Parsed parse(Target target, std::string_view statement) {
  static const Symbols none;
  return parse(target, statement, none, 0);
}

} // namespace crosslane::isa
