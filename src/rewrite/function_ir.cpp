// The signature is read from the line that defines the function; types are those that are passed in registers.
#include "rewrite/function_ir.h"
#include "files/error.h"
#include <algorithm>
#include <charconv>
#include <fmt/ranges.h>
#include <optional>

namespace crosslane::rewrite {

namespace {

constexpr uint32_t most_counters = 16, most_argument_dwords = 16;

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// Pieces between commas that no bracket encloses.
std::vector<std::string_view> pieces(std::string_view text) {
  std::vector<std::string_view> all;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' || c == '<' || c == '[' || c == '{';
    depth -= c == ')' || c == '>' || c == ']' || c == '}';
    if (c != ',' || (depth && i < text.size()))
      continue;
    if (const auto piece = trimmed(text.substr(begin, i - begin)); !piece.empty())
      all.push_back(piece);
    begin = i + 1;
  }
  return all;
}

// What stands behind the last type's beginning: attributes of results come before their type.
std::string_view last_type(std::string_view text) {
  text = trimmed(text);
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    const char c = text[i];
    depth += c == ')' || c == '>' || c == ']' || c == '}';
    depth -= c == '(' || c == '<' || c == '[' || c == '{';
    if (c == ' ' && depth == 0)
      return text.substr(i + 1);
  }
  return text;
}

struct Signature {
  std::string symbol, result;
  std::vector<std::string_view> parameters;
};

// The function called probe, as C or C++ names it.
llvm::Expected<Signature> find_probe(std::string_view ir, const std::string& name) {
  std::optional<Signature> found;
  for (size_t begin = 0; begin < ir.size();) {
    const size_t end = std::min(ir.find('\n', begin), ir.size());
    const std::string_view line = ir.substr(begin, end - begin);
    begin = end + 1;
    const size_t at = line.find('@'), open = line.find('(', at);
    if (!line.starts_with("define ") || at == line.npos || open == line.npos)
      continue;
    const std::string_view symbol = line.substr(at + 1, open - at - 1);
    if (symbol != "probe" && !symbol.starts_with("_Z5probe"))
      continue;
    if (found)
      return fail("{}: has two functions that are called probe", name);
    size_t close = open, depth = 0;
    do {
      depth += line[close] == '(';
      depth -= line[close] == ')';
    } while (depth && ++close < line.size());
    found = Signature{std::string(symbol), std::string(last_type(line.substr(0, at))),
                      pieces(line.substr(open + 1, close - open - 1))};
    if (line.substr(0, at).find("amdgpu_kernel") != line.npos)
      return fail("{}: probe is a kernel; write a function", name);
  }
  if (!found)
    return fail("{}: has no function that is called probe", name);
  return std::move(*found);
}

// `%name = type { ... }`
std::string_view body_of(std::string_view ir, std::string_view type) {
  const std::string line = fmt::format("\n{} = type ", type);
  const size_t at = ir.find(line);
  if (at == ir.npos)
    return "";
  const size_t begin = at + line.size();
  return ir.substr(begin, ir.find('\n', begin) - begin);
}

// Ways to each 32-bit integer in a result: indices, the last one of a vector's item in brackets. False: there is
// something else.
bool find_integers(std::string_view ir, std::string_view type, const std::vector<uint32_t>& way,
                   std::vector<std::vector<uint32_t>>& all, std::vector<bool>& of_vector) {
  if (all.size() > most_counters)
    return false;
  if (type == "i32") {
    all.push_back(way), of_vector.push_back(false);
    return true;
  }
  const auto below = [&](uint32_t n) {
    std::vector<uint32_t> more = way;
    more.push_back(n);
    return more;
  };
  const bool vector = type.starts_with("<") && !type.starts_with("<{");
  if (vector || type.starts_with("[")) { // "<2 x i32>"
    const size_t x = type.find(" x ");
    uint32_t n = 0;
    if (x == type.npos || std::from_chars(type.data() + 1, type.data() + x, n).ec != std::errc() || n > most_counters)
      return false;
    const std::string_view item = type.substr(x + 3, type.size() - x - 4);
    for (uint32_t i = 0; i < n; ++i) {
      if (vector && item != "i32")
        return false;
      if (!find_integers(ir, item, below(i), all, of_vector))
        return false;
      if (vector)
        of_vector.back() = true;
    }
    return true;
  }
  const std::string_view body = type.starts_with("%") ? body_of(ir, type) : type;
  if (!body.starts_with("{") || way.size() > 8)
    return false;
  uint32_t n = 0;
  for (const std::string_view item : pieces(body.substr(1, body.rfind('}') - 1)))
    if (!find_integers(ir, item, below(n++), all, of_vector))
      return false;
  return true;
}

std::optional<uint16_t> register_number(std::string_view name, char file, uint16_t count) {
  uint16_t n = 0;
  if (name.size() < 2 || name[0] != file || (name[1] == '0' && name.size() > 2))
    return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), n);
  return error == std::errc() && end == name.data() + name.size() && n < count ? std::optional(n) : std::nullopt;
}

constexpr std::pair<std::string_view, isa::Role> roles[] = {
    {"dst", isa::Role::dst},    {"sdst", isa::Role::sdst},      {"src0", isa::Role::src0},
    {"src1", isa::Role::src1},  {"src2", isa::Role::src2},      {"vaddr", isa::Role::addr},
    {"saddr", isa::Role::base}, {"soffset", isa::Role::offset}, {"srsrc", isa::Role::resource},
    {"vdata", isa::Role::data}, {"vdata1", isa::Role::data1}};

using Kind = ProbeParameter::Kind;

struct Fixed {
  std::string_view name;
  Kind kind;
  uint16_t number, dwords;
};
constexpr Fixed fixed[] = {{"exec", Kind::exec, 0, 2},     {"vcc", Kind::vcc, 0, 2},
                           {"scc", Kind::scc, 0, 1},       {"m0", Kind::m0, 0, 1},
                           {"pc", Kind::pc, 0, 2},         {"place", Kind::place, 0, 1},
                           {"group_x", Kind::group, 0, 1}, {"group_y", Kind::group, 1, 1},
                           {"group_z", Kind::group, 2, 1}, {"address", Kind::address, 0, 2}};

// By its name; its type has `dwords`. The error is without the file's name.
llvm::Expected<ProbeParameter> parameter(std::string_view name, uint16_t dwords) {
  ProbeParameter p{.name = std::string(name), .dwords = dwords};
  for (const Fixed& f : fixed)
    if (f.name == name) {
      if (f.dwords != dwords)
        return fail("{} has {} bits, and its type {}", name, f.dwords * 32, dwords * 32);
      p.kind = f.kind, p.number = f.number;
      return p;
    }
  if (const auto role = role_of(name))
    p.kind = Kind::operand, p.role = *role;
  else if (const auto s = register_number(name, 's', 102))
    p.kind = Kind::sgpr, p.number = *s;
  else if (const auto v = register_number(name, 'v', 256))
    p.kind = Kind::vgpr, p.number = *v;
  else
    return fail("'{}' is no name of what a probe can ask for: exec, vcc, scc, m0, pc, place, group_x to group_z, "
                "address, registers as s8 and v3, operands: dst, sdst, src0 to src2, vaddr, saddr, soffset, srsrc, "
                "vdata, vdata1",
                name);
  return p;
}

bool is_of_the_wave(Kind kind) { return kind != Kind::vgpr && kind != Kind::operand && kind != Kind::address; }

// A parameter's type, as IR has it, from dwords; empty: none that is passed in registers.
struct Passed {
  uint16_t dwords = 0;
  std::string_view cast; // from an integer
  std::string type;
};
Passed passed(std::string_view piece) {
  for (const auto& [type, dwords, cast] : {std::tuple<std::string_view, uint16_t, std::string_view>{"i32", 1, ""},
                                           {"i64", 2, ""},
                                           {"float", 1, "bitcast"},
                                           {"double", 2, "bitcast"},
                                           {"ptr addrspace(1)", 2, "inttoptr"},
                                           {"ptr addrspace(4)", 2, "inttoptr"},
                                           {"ptr", 2, "inttoptr"}})
    if (piece.starts_with(type) && piece.size() > type.size() && piece[type.size()] == ' ' &&
        !piece.substr(type.size()).starts_with(" addrspace("))
      return {dwords, cast, std::string(type)};
  return {};
}

// Functions that nobody calls are dropped, and not compiled.
std::string internal(std::string_view ir) {
  std::string out;
  for (size_t begin = 0; begin < ir.size();) {
    const size_t end = std::min(ir.find('\n', begin), ir.size());
    std::string line(ir.substr(begin, end - begin));
    begin = end + 1;
    if (line.starts_with("define ") && !line.starts_with("define available_externally ")) {
      for (const std::string_view word : {"internal ", "private ", "hidden ", "protected ", "dso_local ",
                                          "linkonce_odr ", "weak_odr ", "linkonce ", "weak "})
        if (const size_t at = line.find(word); at < line.find('@'))
          line.erase(at, word.size());
      line.insert(7, "internal ");
    }
    out += line + '\n';
  }
  return out;
}

class Wrapper {
public:
  // The value of 1 or 2 dwords, arguments named `names`.
  std::string value(const Passed& to, std::span<const std::string> names) {
    if (to.dwords == 1)
      return cast(to, names[0], "i32");
    return cast(to, wide(names[0], names[1]), "i64");
  }
  std::string wide(const std::string& low, const std::string& high) {
    const std::string l = fresh(), h = fresh(), s = fresh(), both = fresh();
    text += fmt::format("  {} = zext i32 {} to i64\n  {} = zext i32 {} to i64\n  {} = shl i64 {}, 32\n"
                        "  {} = or i64 {}, {}\n",
                        l, low, h, high, s, h, both, l, s);
    return both;
  }
  std::string cast(const Passed& to, const std::string& value, std::string_view from) {
    if (to.cast.empty())
      return value;
    const std::string out = fresh();
    text += fmt::format("  {} = {} {} {} to {}\n", out, to.cast, from, value, to.type);
    return out;
  }
  std::string fresh() { return fmt::format("%t{}", next_++); }
  std::string text;

private:
  uint32_t next_ = 0;
};

} // namespace

std::optional<isa::Role> role_of(std::string_view name) {
  const auto* const found = std::ranges::find(roles, name, &std::pair<std::string_view, isa::Role>::first);
  return found == std::end(roles) ? std::nullopt : std::optional(found->second);
}

llvm::Expected<FunctionIr> wrap_probe(const std::string& ir, const std::string& name) {
  auto signature = find_probe(ir, name);
  if (!signature)
    return signature.takeError();
  FunctionIr out;
  std::vector<std::vector<uint32_t>> ways;
  std::vector<bool> of_vector;
  if (!find_integers(ir, signature->result, {}, ways, of_vector) || ways.empty() || ways.size() > most_counters)
    return fail("{}: probe returns what is added to the counters of its place: one uint, or up to {} as a vector or a "
                "struct, not '{}'",
                name, most_counters, signature->result);
  out.counters = uint32_t(ways.size());
  Wrapper wrapper;
  std::vector<std::string> scalars, vectors, given;
  for (const std::string_view piece : signature->parameters) {
    const size_t percent = piece.rfind('%');
    const std::string_view called = percent == piece.npos ? "" : piece.substr(percent + 1);
    const Passed type = passed(piece);
    if (!type.dwords || called.empty())
      return fail("{}: parameter '{}' of probe: types are of 32 and 64 bits, and pointers to global memory", name,
                  piece);
    auto p = parameter(called, type.dwords);
    if (!p)
      return fail("{}: parameter {} of probe: {}", name, called, llvm::toString(p.takeError()));
    p->sgpr = uint16_t(scalars.size()), p->vgpr = uint16_t(vectors.size());
    const auto take = [](std::vector<std::string>& from, char file) {
      from.push_back(fmt::format("%{}{}", file, from.size()));
      return from.back();
    };
    std::vector<std::string> names;
    if (p->kind == Kind::address) { // base + offset + what each lane adds
      const std::string base = take(scalars, 's'), high = take(scalars, 's'), offset = take(scalars, 's');
      const std::string low = take(vectors, 'v'), more = take(vectors, 'v');
      const std::string b = wrapper.wide(base, high), v = wrapper.wide(low, more), o = wrapper.fresh();
      wrapper.text += fmt::format("  {} = sext i32 {} to i64\n", o, offset);
      const std::string sum = wrapper.fresh(), address = wrapper.fresh();
      wrapper.text += fmt::format("  {} = add i64 {}, {}\n  {} = add i64 {}, {}\n", sum, b, o, address, sum, v);
      given.push_back(fmt::format("{} {}", type.type, wrapper.cast(type, address, "i64")));
    } else {
      for (uint16_t i = 0; i < type.dwords; ++i)
        names.push_back(is_of_the_wave(p->kind) ? take(scalars, 's') : take(vectors, 'v'));
      given.push_back(fmt::format("{} {}", type.type, wrapper.value(type, names)));
    }
    out.parameters.push_back(std::move(*p));
  }
  if (scalars.size() > most_argument_dwords || vectors.size() > most_argument_dwords)
    return fail("{}: probe has more than {} dwords of parameters", name, most_argument_dwords);
  // The wave's sums are the first active lane's results.
  std::string results = "{ ", last = "poison";
  for (uint32_t i = 0; i < out.counters; ++i)
    results += i ? ", i32" : "i32";
  results += " }";
  std::string text = fmt::format("  %result = call {} @{}({}) alwaysinline\n", signature->result, signature->symbol,
                                 fmt::join(given, ", "));
  for (uint32_t i = 0; i < out.counters; ++i) {
    std::vector<uint32_t> way = ways[i];
    std::string value = "%result", type = signature->result;
    if (of_vector[i]) {
      const uint32_t item = way.back();
      way.pop_back();
      if (!way.empty())
        return fail("{}: probe returns a vector in a struct; return either", name);
      const std::string out_of = wrapper.fresh();
      text += fmt::format("  {} = extractelement {} {}, i32 {}\n", out_of, type, value, item);
      value = out_of;
    } else if (!way.empty()) {
      const std::string out_of = wrapper.fresh();
      text += fmt::format("  {} = extractvalue {} {}, {}\n", out_of, type, value, fmt::join(way, ", "));
      value = out_of;
    }
    const std::string first = wrapper.fresh(), with = wrapper.fresh();
    text += fmt::format("  {} = call i32 @llvm.amdgcn.readfirstlane(i32 {})\n  {} = insertvalue {} {}, i32 {}, {}\n",
                        first, value, with, results, last, first, i);
    last = with;
  }
  std::vector<std::string> arguments;
  for (const std::string& s : scalars)
    arguments.push_back("i32 inreg " + s);
  for (const std::string& v : vectors)
    arguments.push_back("i32 " + v);
  out.text = internal(ir) +
             fmt::format("\ndefine amdgpu_cs {} @{}({}) \"amdgpu-num-sgpr\"=\"48\" \"amdgpu-num-vgpr\"=\"64\" {{\n"
                         "{}{}  ret {} {}\n}}\n",
                         results, wrapper_symbol, fmt::join(arguments, ", "), wrapper.text, text, results, last);
  return out;
}

} // namespace crosslane::rewrite
