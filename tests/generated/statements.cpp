// The statements of a kernel: a function for each kind.
#include "tests/generated/generator.h"

namespace crosslane::generated {

using enum Base;

namespace {

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

} // namespace

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

} // namespace crosslane::generated
