// Trees to text.
#include "tests/generated/program.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace crosslane::generated {

namespace {

struct BaseFacts {
  const char* name;
  unsigned bytes;
  Base as_unsigned, as_signed;
};
constexpr BaseFacts facts[] = {
    {"char", 1, Base::u8, Base::i8},     {"uchar", 1, Base::u8, Base::i8},   {"short", 2, Base::u16, Base::i16},
    {"ushort", 2, Base::u16, Base::i16}, {"int", 4, Base::u32, Base::i32},   {"uint", 4, Base::u32, Base::i32},
    {"long", 8, Base::u64, Base::i64},   {"ulong", 8, Base::u64, Base::i64}, {"float", 4, Base::u32, Base::i32},
    {"double", 8, Base::u64, Base::i64}, {"hp", 2, Base::u16, Base::i16},
};
const BaseFacts& of(Base b) { return facts[size_t(b)]; }

void indent_to(std::string& out, int depth) { out.append(size_t(depth) * 2, ' '); }

void print_block(std::string& out, const Block& block, int depth);

void expand(std::string& out, const std::string& text, const std::vector<Expression>& arguments,
            const std::vector<Block>* blocks, int depth) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]));
    if (text[i] == '$' && digit) {
      const auto& a = arguments.at(size_t(text[++i] - '0'));
      expand(out, a.text, a.arguments, nullptr, depth);
    } else if (text[i] == '@' && digit && blocks) {
      out += "{\n";
      print_block(out, blocks->at(size_t(text[++i] - '0')), depth + 1);
      indent_to(out, depth);
      out += "}";
    } else {
      out += text[i];
    }
  }
}

void print_block(std::string& out, const Block& block, int depth) {
  for (const auto& s : block) {
    indent_to(out, depth);
    expand(out, s.text, s.arguments, &s.blocks, depth);
    out += "\n";
  }
}

void collect_names(const std::string& text, std::set<std::string>& names) {
  for (size_t i = 0; i < text.size();) {
    if (!std::isalpha(static_cast<unsigned char>(text[i])) && text[i] != '_') {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    names.insert(text.substr(i, end - i));
    i = end;
  }
}

// The declarations that `names` need, in order; adds what they in turn use.
std::string used(const std::vector<Declaration>& declarations, std::set<std::string>& names) {
  std::vector<std::string> lines;
  for (auto d = declarations.rbegin(); d != declarations.rend(); ++d)
    if (names.contains(d->name)) {
      collect_names(d->text, names);
      lines.push_back("  " + d->text + "\n");
    }
  std::string out;
  for (auto l = lines.rbegin(); l != lines.rend(); ++l)
    out += *l;
  return out;
}

std::string three(const std::array<uint32_t, 3>& v) {
  return std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]);
}

} // namespace

bool is_float(Base b) { return b >= Base::f32; }
bool is_signed(Base b) { return is_float(b) || of(b).as_signed == b; }
Base as_unsigned(Base b) { return of(b).as_unsigned; }
Base as_signed(Base b) { return of(b).as_signed; }
unsigned bytes_of(Base b) { return of(b).bytes; }
std::string name_of(Type t) { return of(t.base).name + (t.width > 1 ? std::to_string(int(t.width)) : ""); }

std::string zero_of(Type t) {
  if (t.base == Base::f16)
    return t.width == 1 ? "h_of_bits(0)" : "h2_make(h_of_bits(0), h_of_bits(0))";
  return "(" + name_of(t) + ")(0)";
}
std::string one_of(Type t) {
  if (t.base == Base::f16)
    return t.width == 1 ? "h_of_bits(0x3c00)" : "h2_make(h_of_bits(0x3c00), h_of_bits(0x3c00))";
  return "(" + name_of(t) + ")(1)";
}

uint64_t slot_offset(const Kernel& k, size_t slot) {
  uint64_t offset = 0;
  for (size_t i = 0; i < slot; ++i) {
    const Type t = k.slots[i].type;
    offset += (uint64_t(bytes_of(t.base)) * t.width * k.shape.items() + 63) / 64 * 64;
  }
  return offset;
}

std::string print(const Expression& e) {
  std::string out;
  expand(out, e.text, e.arguments, nullptr, 0);
  return out;
}

std::string print(const Kernel& k) {
  if (!k.verbatim.empty())
    return k.verbatim;
  std::string body;
  print_block(body, k.body, 1);
  std::set<std::string> names;
  collect_names(body, names);
  std::vector<Declaration> declarations = k.declarations;
  for (size_t i = 0; i < k.slots.size(); ++i) {
    const Type stored = k.slots[i].type.base == Base::f16 ? Type{Base::u16, k.slots[i].type.width} : k.slots[i].type;
    const std::string name = "out" + std::to_string(i),
                      type = name_of(stored.width == 3 ? Type{stored.base, 1} : stored);
    declarations.push_back({name, "__global " + type + "* " + name + " = (__global " + type + "*)(out + " +
                                      std::to_string(slot_offset(k, i)) + ");"});
  }
  std::string head = used(declarations, names), functions;
  for (auto f = k.functions.rbegin(); f != k.functions.rend(); ++f) { // one may call those before it
    if (!names.contains(f->name))
      continue;
    std::string text;
    print_block(text, f->body, 1);
    text += "  return " + print(f->result) + ";\n";
    std::set<std::string> inside;
    collect_names(text, inside);
    names.insert(inside.begin(), inside.end());
    const std::string declared = used(f->declarations, inside);
    collect_names(declared, names);
    functions = "NOINLINE static " + f->head + " {\n" + declared + text + "}\n" + functions;
  }
  std::string out = "#undef WG\n#define WG " + std::to_string(k.shape.block_size()) + "\n" + functions;
  if (k.shape.fixed)
    out += "__attribute__((reqd_work_group_size(" + three(k.shape.block) + ")))\n";
  out += "__kernel void " + k.name +
         "(__global const uchar* restrict in, __global uchar* restrict out, __global uint* restrict own,\n"
         "    __global ulong* restrict own64, __global uint* restrict shared, __global ulong* restrict shared64,\n"
         "    __constant uint* table, uint su, int si, ulong sl, float sf) {\n";
  if (names.contains("LANES") || names.contains("LANES_PUSH")) {
    out += "  LANES_STORAGE\n";
    names.insert("lid");
  }
  if (names.contains("lid"))
    out += "  const uint lid = (uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + "
           "get_local_id(0));\n";
  if (names.contains("gid"))
    out += "  const uint gid = (uint)(((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + "
           "get_global_id(1) - "
           "get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0));\n";
  return out + head + body + "}\n";
}

std::string print(const std::vector<Kernel>& kernels) {
  std::string out = "#include \"portable.h\"\n";
  if (kernels.size() == 1 && !kernels[0].verbatim.empty())
    out.clear(); // is in the text
  for (const auto& k : kernels)
    out += "\n" + print(k);
  return out;
}

} // namespace crosslane::generated
