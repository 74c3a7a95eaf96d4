// From seed to tree: the frame of a kernel, and its values.
#include "tests/generated/generate.h"
#include "tests/generated/generator.h"
#include "tests/generated/operations.h"

namespace crosslane::generated {

using enum Base;

// ---- values

Type Generator::any_type(bool uniform) {
  static constexpr Type scalars[] = {{u32, 1}, {u32, 1}, {i32, 1}, {i32, 1}, {u32, 1}, {f32, 1},
                                     {f32, 1}, {f32, 1}, {u64, 1}, {i64, 1}, {u16, 1}, {i16, 1},
                                     {u8, 1},  {i8, 1},  {f64, 1}, {f64, 1}, {f16, 1}, {f16, 2}};
  static constexpr Type for_uniform[] = {{u32, 1}, {u32, 1}, {i32, 1}, {i32, 1}, {u64, 1}, {i64, 1}, {f32, 1}};
  if (uniform)
    return for_uniform[below(std::size(for_uniform))];
  if (!one_in(4))
    return scalars[below(std::size(scalars))];
  static constexpr Base bases[] = {u32, i32, f32, u32, f32, u16, i16, u8, i8, u64, i64, f64};
  const Base b = bases[below(std::size(bases))];
  static constexpr uint8_t widths[] = {2, 2, 4, 4, 3};
  return {b, widths[below(bytes_of(b) == 8 ? 2 : 5)]};
}

Expression Generator::constant(Type t) {
  if (t.width > 1 && t.base == f16) {
    auto a = constant({f16, 1});
    auto b = constant({f16, 1});
    return {t, "h2_make(" + a.text + ", " + b.text + ")", {}};
  }
  if (t.width > 1) {
    std::string text = "(" + name_of(t) + ")(";
    const bool splat = one_in(2);
    for (int i = 0; i < (splat ? 1 : t.width); ++i)
      text += (i ? ", " : "") + constant({t.base, 1}).text;
    return {t, text + ")", {}};
  }
  static constexpr uint64_t edges[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       8,
                                       15,
                                       16,
                                       31,
                                       32,
                                       63,
                                       64,
                                       65,
                                       100,
                                       127,
                                       128,
                                       255,
                                       256,
                                       1000,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x10000,
                                       0xffffff,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x100000000,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0xffffffffffffffff,
                                       0xfffffffffffffffe,
                                       0xfffffffffffffff0,
                                       0xffffffffffffffc0,
                                       0x5555555555555555};
  static constexpr const char* floats[] = {"7.0", "1.0", "0.5",  "2.0", "4.0",     "-1.0", "-0.5",     "-2.0", "-4.0",
                                           "3.0", "0.1", "10.0", "1e6", "0x1p-20", "-3.0", "INFINITY", "1.5"};
  if (t.base == f32 || t.base == f64) {
    const std::string f = floats[below(std::size(floats))];
    return {t, "((" + name_of(t) + ")" + f + (f == "INFINITY" ? "" : t.base == f32 ? "f" : "") + ")", {}};
  }
  if (t.base == f16) {
    static constexpr unsigned bits[] = {0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0x4000,
                                        0x7c00, 0x0001, 0x03ff, 0x7bff, 0x4248, 0x2e66};
    return {t, fmt::format("h_of_bits({:#x})", bits[below(std::size(bits))]), {}};
  }
  uint64_t v = one_in(4) ? random_.next() >> below(64) : edges[below(std::size(edges))];
  if (bytes_of(t.base) < 8)
    v &= (uint64_t(1) << (8 * bytes_of(t.base))) - 1;
  return {t, fmt::format("(({}){:#x}{})", name_of(t), v, t.base == u64 || t.base == i64 ? "ul" : "u"), {}};
}

// Element `where` (any uint) of the input taken as an array of `t`.
std::string Generator::load(Type t, const std::string& where) {
  const unsigned size = bytes_of(t.base) * t.width;
  unsigned mask = input_bytes / 2 / (t.width == 3 ? bytes_of(t.base) * 4 : size) - 1;
  // Multiples of a dword: LLVM 19 rewrites p + 4 * i as (p + i) + 3 * i where p + i is at hand for a byte, and gives
  // both parts to a scalar load, which ignores the low two bits of each.
  if (size < 4)
    mask &= ~3u;
  if (t.base == f16)
    return fmt::format("h{}_of_bits(((__global const ushort{}*)in)[{} & {}])", t.width == 1 ? "" : "2",
                       t.width == 1 ? "" : "2", where, mask);
  if (t.width == 3 || (t.width > 1 && one_in(3))) // only aligned to an element
    return fmt::format("vload{}({} & {}, (__global const {}*)in + {})", int(t.width), where, mask, name_of({t.base, 1}),
                       below(4));
  return fmt::format("((__global const {}*)in)[({} & {}) + {}]", name_of(t), where, mask, below(size < 4 ? 4 : 2));
}

const Variable* Generator::pick(Type t, bool uniform, bool writable) {
  std::vector<const Variable*> fitting;
  for (const auto& v : variables_)
    if (v.type == t && (v.uniform || !uniform) && (v.writable || !writable))
      fitting.push_back(&v);
  return fitting.empty() ? nullptr : fitting[below(uint32_t(fitting.size()))];
}

Expression Generator::leaf(Type t, bool uniform) {
  if (!one_in(4))
    if (const auto* v = pick(t, uniform, false))
      return {t, v->name, {}};
  if (uniform && !in_function_) {
    static constexpr const char* words[] = {"su",
                                            "(uint)get_group_id(0)",
                                            "(uint)get_num_groups(0)",
                                            "(uint)get_local_size(0)",
                                            "(uint)get_group_id(1)",
                                            "table[5]",
                                            "table[(uint)get_group_id(0) & 63]",
                                            "table[su & 63]",
                                            "(uint)get_global_size(0)",
                                            "table[33]",
                                            "(uint)get_global_offset(0)"};
    if (t == Type{u32, 1} && one_in(2))
      return {t, words[below(std::size(words))], {}};
    if (t == Type{i32, 1} && one_in(2))
      return {t, one_in(2) ? "si" : "(int)table[9]", {}};
    if (t == Type{u64, 1} && one_in(2))
      return {t, "sl", {}};
    if (t == Type{f32, 1})
      return {t, one_in(2) ? "sf" : "(float)(table[7] & 0xffff)", {}};
  }
  if (uniform || one_in(3))
    return constant(t);
  if (in_function_)
    return {t, load(t, "a0"), {}};
  if (!private_.empty() && one_in(4)) {
    const auto& a = private_[below(uint32_t(private_.size()))];
    if (a.type == t)
      return {t,
              fmt::format("{}[$0]", a.name),
              {{{u32, 1}, fmt::format("($0 & {})", a.size - 1), {leaf({u32, 1}, false)}}}};
  }
  if (t == Type{u32, 1} && one_in(2)) {
    static constexpr const char* ids[] = {"gid",
                                          "lid",
                                          "(uint)get_local_id(0)",
                                          "(uint)get_global_id(1)",
                                          "(uint)get_local_id(2)",
                                          "(lid & 63)",
                                          "(uint)get_global_id(0)"};
    return {t, ids[below(std::size(ids))], {}};
  }
  static constexpr const char* places[] = {"gid",       "(gid * 3 + 1)", "lid",
                                           "(gid ^ 5)", "(gid * 17)",    "(uint)get_local_id(0)"};
  if (one_in(3))
    if (const auto* v = pick({u32, 1}, false, false))
      return {t, load(t, v->name), {}};
  return {t, load(t, places[below(std::size(places))]), {}};
}

Expression Generator::expression(Type t, int depth, bool uniform) {
  if (depth <= 0 || one_in(8))
    return leaf(t, uniform);
  if (!in_function_ && !uniform && !functions_.empty() && one_in(24))
    for (const auto& f : functions_)
      if (f.result == t) {
        Expression call{t, f.call, {}};
        for (Type p : f.parameters)
          call.arguments.push_back(expression(p, depth - 1));
        return call;
      }
  const auto operations = operations_for(t);
  uint32_t total = 0;
  for (const auto& o : operations)
    total += o.weight;
  uint32_t at = below(total);
  const Operation* chosen = operations.data();
  while (at >= chosen->weight)
    at -= (chosen++)->weight;
  if (chosen->of_loads && uniform)
    return leaf(t, uniform);
  Expression e{t, chosen->text, {}};
  for (Type a : chosen->arguments)
    if (chosen->of_loads)
      e.arguments.push_back({a, load(a, in_function_ ? "a0" : "(gid + " + std::to_string(below(99)) + ")"), {}});
    else
      e.arguments.push_back(expression(a, depth - 1, uniform));
  return e;
}

// ---- frame

void Generator::shape() {
  Shape& s = kernel_.shape;
  s.dimensions = one_in(2) ? 1 : 2 + int(below(2));
  static constexpr uint32_t lines[] = {64, 64, 128, 256, 37, 100, 1, 65, 192, 63, 17, 250};
  static constexpr std::array<uint32_t, 3> planes[] = {{8, 8, 1},  {16, 4, 1},  {7, 5, 1}, {32, 3, 1},
                                                       {3, 50, 1}, {16, 16, 1}, {1, 64, 1}};
  static constexpr std::array<uint32_t, 3> boxes[] = {{4, 4, 4},  {3, 5, 7}, {8, 4, 2}, {2, 2, 33},
                                                      {1, 1, 64}, {5, 5, 5}, {16, 2, 8}};
  if (s.dimensions == 1)
    s.block = {lines[below(std::size(lines))], 1, 1};
  else
    s.block = s.dimensions == 2 ? planes[below(std::size(planes))] : boxes[below(std::size(boxes))];
  for (int d = 0; d < s.dimensions; ++d)
    s.groups[size_t(d)] = 1 + below(s.dimensions == 1 ? 4 : 2);
  if (one_in(6))
    for (int d = 0; d < s.dimensions; ++d)
      s.offset[size_t(d)] = below(1000);
  s.fixed = one_in(3);
}

void Generator::variables(std::vector<Declaration>& out, int count, bool in_function) {
  for (int i = 0; i < count; ++i) {
    const bool uniform = !in_function && one_in(4);
    const Type t = any_type(uniform);
    const Expression start = expression(t, 1, uniform);
    const std::string name = fmt::format("v{}", names_++);
    out.push_back({name, fmt::format("{} {} = {};", name_of(t), name, print(start))});
    variables_.push_back({name, t, uniform, true});
  }
}

// Values, or a pointer through which a second result leaves.
void Generator::function() {
  Function f;
  f.name = fmt::format("{}_fn{}", kernel_.name, kernel_.functions.size());
  const Type result = any_type(false);
  Callable c{f.name + "(", result, {}};
  f.head = fmt::format("{} {}(uint a0", name_of(result), f.name);
  auto outside = std::move(variables_);
  variables_ = {{"a0", {u32, 1}, false, true}};
  c.parameters.push_back({u32, 1});
  c.call += "$0";
  for (uint32_t i = 1, n = 1 + below(4); i <= n; ++i) {
    const Type t = any_type(false);
    f.head += fmt::format(", {} a{}", name_of(t), i);
    variables_.push_back({fmt::format("a{}", i), t, false, true});
    c.parameters.push_back(t);
    c.call += fmt::format(", ${}", i);
  }
  f.head += ", __global const uchar* restrict in)";
  c.call += ", in)";
  in_function_ = true;
  variables(f.declarations, 2 + int(below(3)), true);
  f.body = block({false, false, false, true, 1}, 2 + int(below(4)));
  f.result = expression(result, 2);
  in_function_ = false;
  variables_ = std::move(outside);
  kernel_.functions.push_back(std::move(f));
  functions_.push_back(std::move(c));
}

void Generator::arrays() {
  const auto any_scalar = [&] {
    Type t = any_type(false);
    if (t.base == f16)
      t = {f32, 1};
    return t.width == 3 ? Type{t.base, 4} : t;
  };
  for (uint32_t i = 0, n = below(3); i < n; ++i) {
    Array a{fmt::format("p{}", i), any_scalar(), 4u << below(3)};
    kernel_.declarations.push_back(
        {a.name, fmt::format("{0} {1}[{2}]; for (uint k = 0; k < {2}; ++k) {1}[k] = {3};", name_of(a.type), a.name,
                             a.size, load(a.type, "(gid * 5 + k)"))});
    private_.push_back(a);
  }
  static constexpr Type narrow[] = {{u8, 1}, {i8, 1}, {u16, 1}, {i16, 1}, {u32, 4}, {u64, 1}, {u32, 1}, {f32, 4}};
  for (uint32_t i = 0, n = 1 + below(2); i < n; ++i) {
    Array a{fmt::format("s{}", i), one_in(2) ? narrow[below(std::size(narrow))] : any_scalar(), 1};
    kernel_.declarations.push_back({a.name, fmt::format("__local {} {}[2 * WG];", name_of(a.type), a.name)});
    local_.push_back(a);
  }
  kernel_.declarations.push_back({"mine", "__local uint mine[WG]; mine[lid] = gid * 7 + 3;"});
  kernel_.declarations.push_back({"counts", "__local uint counts[64];"});
  kernel_.declarations.push_back(
      {"pair", fmt::format("uint pair[4]; for (uint k = 0; k < 4; ++k) pair[k] = gid + k;")});
}

// ---- the whole

Statement Generator::store(size_t slot, Expression value) {
  const Type t = value.type;
  std::string text = fmt::format("out{}[gid] = $0;", slot);
  if (t.base == f16 && t.width == 1)
    text = fmt::format("out{}[gid] = bits_f16($0);", slot);
  else if (t.base == f16)
    text = fmt::format("{{ hp2 r = $0; out{}[gid] = (ushort2)(bits_f16(h2_x(r)), bits_f16(h2_y(r))); }}", slot);
  else if (t.width == 3)
    text = fmt::format("vstore3($0, gid, out{});", slot);
  return {std::move(text), {std::move(value)}, {}};
}

// Every variable leaves through a slot of its own; an early return through the first few.
void Generator::results(bool early) {
  if (early) {
    Block leave;
    for (size_t i = 0; i < variables_.size() && leave.size() < 3; i += 2) {
      leave.push_back(store(i, {variables_[i].type, variables_[i].name, {}}));
    }
    leave.push_back({"return;", {}, {}});
    kernel_.body.push_back({"if ($0) @0", {condition(false)}, {leave}});
    return;
  }
  for (size_t i = 0; i < variables_.size(); ++i) {
    kernel_.slots.push_back({variables_[i].type});
    kernel_.body.push_back(store(i, {variables_[i].type, variables_[i].name, {}}));
  }
}

Kernel Generator::run() {
  shape();
  for (uint32_t n = below(3); n; --n)
    function();
  arrays();
  // u32 in any case: much is only for it
  kernel_.declarations.push_back({"v0", "uint v0 = ((__global const uint*)in)[gid & 2047];"});
  kernel_.declarations.push_back({"v1", "uint v1 = gid * 2654435761u;"});
  variables_.push_back({"v0", {u32, 1}, false, true});
  variables_.push_back({"v1", {u32, 1}, false, true});
  names_ = 100; // clear of the functions'
  variables(kernel_.declarations, 5 + int(below(6)), false);
  const int statements = 4 + int(below(9));
  kernel_.body = block({}, statements);
  if (one_in(4)) {
    results(true);
    Flow apart;
    apart.uniform = apart.barriers = false;
    for (auto& s : block(apart, 2 + int(below(4))))
      kernel_.body.push_back(std::move(s));
  }
  results(false);
  return std::move(kernel_);
}

constexpr uint64_t operations_each = 24;

Kernel Generator::operations(uint64_t index) {
  kernel_.shape.block = {64, 1, 1};
  kernel_.shape.groups = {4, 1, 1};
  const auto all = all_operations();
  for (uint64_t i = index * operations_each; i < std::min<uint64_t>((index + 1) * operations_each, all.size()); ++i) {
    Expression e{all[i]->result, all[i]->text, {}};
    for (Type t : all[i]->arguments)
      e.arguments.push_back({t, load(t, fmt::format("(gid * {} + {})", 1 + 2 * below(20), below(500))), {}});
    kernel_.body.push_back(store(kernel_.slots.size(), std::move(e)));
    kernel_.slots.push_back({all[i]->result});
  }
  return std::move(kernel_);
}

Kernel operations_kernel(uint64_t index, const std::string& name) { return Generator(index, name).operations(index); }
uint64_t operation_kernels() { return (all_operations().size() + operations_each - 1) / operations_each; }

Kernel generate(uint64_t seed, const std::string& name) { return Generator(seed, name).run(); }

} // namespace crosslane::generated
