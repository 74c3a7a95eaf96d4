// From seed to tree; long because each kind of statement is a function over one generator state.
// A value is uniform when all lanes of the workgroup agree on it: only such values decide about barriers and where
// lanes look at each other, and they are what the scalar unit computes.
#include "tests/generated/generate.h"
#include "tests/generated/operations.h"
#include "tests/kernels/workload.h"
#include <fmt/format.h>

namespace crosslane::generated {

namespace {

using enum Base;

struct Variable {
  std::string name;
  Type type;
  bool uniform = false, writable = true;
};

class Generator {
public:
  Generator(uint64_t seed, const std::string& name) : random_(seed * 0x9e3779b97f4a7c15 + 0x1234567) {
    kernel_.name = name;
    kernel_.input_seed = random_.next();
  }
  Kernel run();
  Kernel operations(uint64_t index);

private:
  struct Flow {
    bool uniform = true; // all lanes of the workgroup are here together
    // ... and may meet. Not in an `if`: PoCL 3.1 runs what comes before it twice for the first work-item.
    bool barriers = true;
    bool loop = false; // break and continue are possible
    bool in_function = false;
    int depth = 0;
  };

  uint32_t below(uint32_t n) { return random_.below(n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  template <size_t N> const char* one_of_texts(const char* const (&list)[N]) { return list[below(N)]; }

  Type any_type(bool uniform);
  Expression leaf(Type, bool uniform);
  Expression constant(Type);
  Expression expression(Type, int depth, bool uniform = false);
  Expression index(uint32_t power_of_two) {
    return {{u32, 1}, fmt::format("($0 & {})", power_of_two - 1), {expression({u32, 1}, 1)}};
  }
  Expression condition(bool uniform) { return expression({i32, 1}, 2, uniform); }
  std::string load(Type, const std::string& where);

  void shape();
  void variables(std::vector<Declaration>& out, int count, bool in_function);
  void function();
  void arrays();
  Block block(Flow, int statements);
  Statement statement(Flow);
  Statement assignment(Flow);
  Statement branch(Flow);
  Statement loop(Flow);
  Statement choice(Flow);
  Statement through_lds(Flow);
  Statement histogram(Flow);
  Statement lanes(Flow);
  Statement atomic(Flow);
  Statement array_access(Flow);
  Statement generic_pointer(Flow);
  Statement group_collective(Flow);
  void results(bool early);
  static Statement store(size_t slot, Expression value);
  const Variable* pick(Type, bool uniform, bool writable);
  const Variable* pick_target(Flow);

  workload::Random random_;
  Kernel kernel_;
  std::vector<Variable> variables_;
  struct Array {
    std::string name;
    Type type;
    uint32_t size;
  };
  std::vector<Array> private_, local_;
  struct Callable {
    std::string call;
    Type result;
    std::vector<Type> parameters;
  };
  std::vector<Callable> functions_;
  int names_ = 0;
  bool in_function_ = false;
};

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

// ---- statements

Block Generator::block(Flow flow, int statements) {
  Block b;
  for (int i = 0; i < statements; ++i)
    b.push_back(statement(flow));
  return b;
}

const Variable* Generator::pick_target(Flow flow) {
  std::vector<const Variable*> fitting;
  for (const auto& v : variables_)
    if (v.writable && (!v.uniform || flow.uniform))
      fitting.push_back(&v);
  return fitting.empty() ? nullptr : fitting[below(uint32_t(fitting.size()))];
}

Statement Generator::statement(Flow flow) {
  const bool nested = flow.depth < 3;
  switch (below(24)) {
  case 0:
  case 1:
  case 2:
    if (nested)
      return branch(flow);
    break;
  case 3:
  case 4:
    if (nested)
      return loop(flow);
    break;
  case 5:
    if (nested)
      return choice(flow);
    break;
  case 6:
  case 7:
    if (flow.barriers)
      return through_lds(flow);
    break;
  case 8:
    if (flow.barriers)
      return one_in(2) ? histogram(flow) : group_collective(flow);
    break;
  case 9:
  case 10:
  case 11:
    if (flow.barriers)
      return lanes(flow);
    break;
  case 12:
    if (!flow.in_function)
      return atomic(flow);
    break;
  case 13:
  case 14:
    if (!flow.in_function)
      return array_access(flow);
    break;
  case 15:
    if (!flow.in_function)
      return generic_pointer(flow);
    break;
  case 16:
    if (flow.loop)
      return {one_in(2) ? "if ($0) break;" : "if ($0) continue;", {condition(false)}, {}};
    break;
  default: break;
  }
  return assignment(flow);
}

Statement Generator::assignment(Flow flow) {
  const Variable* v = pick_target(flow);
  if (!v)
    return {";", {}, {}};
  return {v->name + " = $0;", {expression(v->type, 2 + int(below(3)), v->uniform)}, {}};
}

Statement Generator::branch(Flow flow) {
  const bool uniform = one_in(4) && !flow.in_function;
  Flow inside = flow;
  inside.uniform = flow.uniform && uniform;
  inside.barriers = false;
  ++inside.depth;
  Statement s{"if ($0) @0", {condition(uniform)}, {}};
  s.blocks.push_back(block(inside, 1 + int(below(3))));
  if (one_in(2)) {
    s.text += " else @1";
    s.blocks.push_back(block(inside, 1 + int(below(3))));
  }
  return s;
}

// Counted loops keep the workgroup together; the others end lane by lane.
Statement Generator::loop(Flow flow) {
  const std::string i = fmt::format("i{}", names_++);
  const bool together = flow.uniform && one_in(2), by_scalar = together && one_in(2);
  Flow inside = flow;
  inside.uniform = together;
  inside.barriers = together && flow.barriers && flow.depth == 0;
  inside.loop = !together;
  ++inside.depth;
  Statement s;
  if (together && !by_scalar)
    s = {fmt::format("for (uint {0} = 0; {0} < {1}; ++{0}) @0", i, 2 + below(6)), {}, {}};
  else
    s = {fmt::format("for (uint {0} = 0; {0} < $0; ++{0}) @0", i),
         {{{u32, 1}, fmt::format("($0 & {})", by_scalar ? 7 : 15), {expression({u32, 1}, 2, by_scalar)}}},
         {}};
  variables_.push_back({i, {u32, 1}, together, false});
  s.blocks.push_back(block(inside, 1 + int(below(4))));
  variables_.pop_back();
  return s;
}

Statement Generator::choice(Flow flow) {
  const bool uniform = one_in(4) && !flow.in_function;
  Flow inside = flow;
  inside.uniform = inside.barriers = false;
  inside.loop = false; // break would leave the switch
  ++inside.depth;
  Statement s{"switch ($0 & 7) {", {expression({u32, 1}, 2, uniform)}, {}};
  const uint32_t cases = 2 + below(4);
  for (uint32_t i = 0; i < cases; ++i) {
    s.text += fmt::format(" case {}: @{}{}", i, i, one_in(4) ? "" : " break;");
    s.blocks.push_back(block(inside, 1 + int(below(2))));
  }
  s.text += fmt::format(" default: @{} }}", cases);
  s.blocks.push_back(block(inside, 1));
  return s;
}

// All that matters of a value, as an uint.
std::string folded(Type t, const std::string& value) {
  const auto one = [&](const std::string& element) {
    switch (t.base) {
    case f32: return "bits_f32(" + element + ")";
    case f64: return "(uint)(bits_f64(" + element + ") >> 29)";
    case i64:
    case u64: return "(uint)(" + element + " >> 13)";
    default: return "(uint)" + element;
    }
  };
  if (t.width == 1)
    return one(value);
  std::string all;
  for (int i = 0; i < t.width; ++i)
    all += (i ? " + 3 * " : "") + one("(" + value + ")." + "xyzw"[i]);
  return "(" + all + ")";
}

// Everybody writes an element or two and reads others'.
Statement Generator::through_lds(Flow flow) {
  const auto& a = local_[below(uint32_t(local_.size()))];
  const Variable* v = pick(one_in(2) ? a.type : Type{u32, 1}, false, true);
  if (!v || v->uniform)
    v = pick({u32, 1}, false, true);
  if (!v || v->uniform)
    return assignment(flow);
  // Not WG - 1 - lid, which LLVM 19 forgets to scale (a read at -lid, offset WG - 1).
  static constexpr const char* reads[] = {"(lid + 1) % WG",     "(lid ^ 1) % WG", "(lid ^ 6) % WG",
                                          "(lid * 7 + 5) % WG", "$1 % WG",        "$1 % WG"};
  const std::string from = reads[below(std::size(reads))], first = fmt::format("{}[{}]", a.name, from),
                    second = fmt::format("{}[{} + WG]", a.name, from);
  const bool two = one_in(2), adjacent = one_in(3); // what a pair of addresses in one instruction is for
  std::string write = a.name + "[lid] = $0;", value = v->type == a.type ? first : folded(a.type, first);
  if (two && adjacent)
    write = fmt::format("{0}[2 * lid] = $0; {0}[2 * lid + 1] = $2;", a.name);
  else if (two)
    write += fmt::format(" {}[lid + WG] = $2;", a.name);
  if (two && v->type == Type{u32, 1})
    value = (adjacent ? folded(a.type, fmt::format("{0}[2 * ({1})]", a.name, from)) + " ^ " +
                            folded(a.type, fmt::format("{0}[2 * ({1}) + 1]", a.name, from))
                      : folded(a.type, first) + " ^ " + folded(a.type, second));
  return {fmt::format("barrier(CLK_LOCAL_MEM_FENCE); {} barrier(CLK_LOCAL_MEM_FENCE); {} = {};", write, v->name, value),
          {expression(a.type, 2), expression({u32, 1}, 1), expression(a.type, 1)},
          {}};
}

Statement Generator::histogram(Flow) {
  static constexpr const char* operations[] = {"atomic_add", "atomic_xor", "atomic_or", "atomic_max",
                                               "atomic_min", "atomic_sub", "atomic_and"};
  const Variable* v = pick({u32, 1}, false, true);
  const std::string out = v && !v->uniform ? v->name + " = counts[$2 & 63];" : ";";
  return {fmt::format("barrier(CLK_LOCAL_MEM_FENCE); for (uint k = lid; k < 64; k += WG) counts[k] = k * 3; "
                      "barrier(CLK_LOCAL_MEM_FENCE); {}(&counts[$0 & 63], $1); barrier(CLK_LOCAL_MEM_FENCE); {}",
                      one_of_texts(operations), out),
          {expression({u32, 1}, 2), expression({u32, 1}, 2), expression({u32, 1}, 1)},
          {}};
}

// Rows of 16, as a transposition or a running sum would use them.
Statement Generator::group_collective(Flow flow) {
  const Variable* v = pick({u32, 1}, false, true);
  if (!v || v->uniform)
    return assignment(flow);
  static constexpr const char* calls[] = {"l_sum()", "l_scan()", "l_min()", "l_scan_max()", "l_any()", "l_all()"};
  return {fmt::format("LANES({}, 1, $0, {})", v->name, one_of_texts(calls)), {expression({u32, 1}, 2)}, {}};
}

Statement Generator::lanes(Flow flow) {
  const Variable* v = pick({u32, 1}, false, true);
  if (!v || v->uniform)
    return assignment(flow);
  const std::string active = one_in(2) ? "1" : "$1";
  Expression value = expression({u32, 1}, 2), takes = expression({i32, 1}, 2);
  std::string call;
  switch (below(9)) {
  case 0:
    call = "l_bpermute(" + std::string(one_in(2) ? "lid ^ 21" : one_in(2) ? "lid * 5 + 3" : "63 - lid") + ")";
    break;
  case 1:
    return {fmt::format("LANES_PUSH({}, {}, $0, {})", v->name, active, one_in(2) ? "lid * 3 + 1" : "$2"),
            {value, takes, expression({u32, 1}, 1)},
            {}};
  case 2: call = fmt::format("l_swizzle({})", one_in(2) ? 0x8000 | below(256) : below(0x8000)); break;
  case 3: call = one_in(2) ? "l_ballot()" : "(l_ballot() >> 27)"; break;
  case 4: call = "l_first()"; break;
  case 5: call = "l_below()"; break;
  case 6: {
    const uint32_t block = kernel_.shape.block_size(), last = block % 64 ? block % 64 : 64,
                   lanes = block < 64 ? block : last;
    return {
        fmt::format("LANES({}, 1, $0, l_read($1 % {}))", v->name, lanes), {value, expression({u32, 1}, 1, true)}, {}};
  }
  default: {
    static constexpr uint32_t whole[] = {0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
    const uint32_t kind = below(6);
    const uint32_t control = kind < 2   ? below(256)
                             : kind < 5 ? 0x100 + 16 * (kind - 2) + 1 + below(15)
                                        : whole[below(8)];
    if (one_in(2)) { // as a reduction would: the move becomes part of the operation
      static constexpr const char* combined[] = {"{0} + {1}",     "{0} ^ {1}",     "{0} - {1}", "{1} - {0}",
                                                 "max({0}, {1})", "min({0}, {1})", "{0} & {1}", "{0} | {1}"};
      const std::string moved = fmt::format("l_dpp(0, {:#x}, 15, 15, 1)", control);
      return {fmt::format("LANES({}, {}, $0, {})", v->name, active,
                          fmt::format(fmt::runtime(combined[below(std::size(combined))]), v->name, moved)),
              {value, takes},
              {}};
    }
    const uint32_t rows = one_in(2) ? 15 : below(16), banks = one_in(2) ? 15 : below(16);
    const bool bound = one_in(2);
    return {fmt::format("LANES({}, {}, $0, $3 l_dpp($2, {:#x}, {}, {}, {}))", v->name, active, control, rows, banks,
                        bound ? "1" : "0"),
            {value, takes, one_in(2) ? expression({u32, 1}, 1) : Expression{{u32, 1}, one_in(2) ? "0u" : v->name, {}},
             Expression{{u32, 1},
                        one_in(2)   ? ""
                        : one_in(2) ? v->name + " +"
                                    : v->name + " ^",
                        {}}},
            {}};
  }
  }
  return {fmt::format("LANES({}, {}, $0, (uint){})", v->name, active, call), {value, takes}, {}};
}

// Either nobody looks at the old value, or nobody else touches the place.
Statement Generator::atomic(Flow flow) {
  static constexpr const char* names[] = {"add", "sub", "xor", "or", "and", "max", "min"};
  const std::string op = one_of_texts(names);
  const bool wide = one_in(3);
  const Type t = wide ? Type{u64, 1} : Type{u32, 1};
  const std::string prefix = wide ? "atom_" : "atomic_", suffix = wide ? "64" : "";
  if (one_in(2)) {
    static constexpr const char* counters[] = {"0", "8", "16", "24", "32", "40", "48"}; // one kind of operation each
    size_t kind = 0;
    while (op != names[kind])
      ++kind;
    return {fmt::format("{}{}(&shared{}[{} + ($1 & 7)], $0);", prefix, op, suffix, counters[kind == 1 ? 0 : kind]),
            {expression(t, 2), expression({u32, 1}, 1)},
            {}};
  }
  const Variable* v = pick(t, false, true);
  if (!v || v->uniform)
    return assignment(flow);
  const std::string place = "own" + suffix + "[gid]";
  if (one_in(4))
    return {
        fmt::format("{} = {}cmpxchg(&{}, $0, $1);", v->name, prefix, place), {expression(t, 1), expression(t, 2)}, {}};
  if (one_in(4))
    return {fmt::format("{} = {}xchg(&{}, $0);", v->name, prefix, place), {expression(t, 2)}, {}};
  if (one_in(6))
    return {fmt::format("{} = {}{}(&{});", v->name, prefix, one_in(2) ? "inc" : "dec", place), {}, {}};
  if (!wide && one_in(3))
    return {fmt::format("{} = atomic_{}(&mine[lid], $0);", v->name, op), {expression(t, 2)}, {}};
  return {fmt::format("{} = {}{}(&{}, $0);", v->name, prefix, op, place), {expression(t, 2)}, {}};
}

Statement Generator::array_access(Flow flow) {
  if (private_.empty())
    return assignment(flow);
  const auto& a = private_[below(uint32_t(private_.size()))];
  const Variable* v = pick(a.type, false, true);
  if (v && !v->uniform && one_in(2))
    return {fmt::format("{} = {}[$0];", v->name, a.name), {index(a.size)}, {}};
  return {fmt::format("{}[$0] = $1;", a.name), {index(a.size), expression(a.type, 2)}, {}};
}

// A pointer that lanes aim at LDS, scratch or global memory.
Statement Generator::generic_pointer(Flow flow) {
  const Variable* v = pick({u32, 1}, false, true);
  if (!v || v->uniform)
    return assignment(flow);
  static constexpr const char* accesses[] = {"{0} = *q; *q = $1;", "*q = *q + $1; {0} = *q;",
                                             "{0} = GENERIC_ATOMIC_ADD(q, $1);", "{0} = GENERIC_ATOMIC_MAX(q, $1);",
                                             "{0} = GENERIC_ATOMIC_XCHG(q, $1);"};
  static constexpr const char* places[] = {"&mine[lid]", "&pair[$2 & 3]", "&own[gid]"};
  const uint32_t first = below(3);
  return {fmt::format("{{ uint* q = $0 ? GENERIC(uint, {}) : GENERIC(uint, {}); ", places[first],
                      places[(first + 1 + below(2)) % 3]) +
              fmt::format(fmt::runtime(accesses[below(std::size(accesses))]), v->name) + " }",
          {condition(false), expression({u32, 1}, 2), expression({u32, 1}, 1)},
          {}};
}

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

} // namespace

Kernel operations_kernel(uint64_t index, const std::string& name) { return Generator(index, name).operations(index); }
uint64_t operation_kernels() { return (all_operations().size() + operations_each - 1) / operations_each; }

Kernel generate(uint64_t seed, const std::string& name) { return Generator(seed, name).run(); }

} // namespace crosslane::generated
