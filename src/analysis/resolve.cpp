// Backward evaluation, half by half: a use asks for the instruction that defines it, in its block and then in the
// blocks before. Ways round a loop that only copy add nothing; those that compute make the value unknown.
#include "analysis/resolve.h"
#include "analysis/written.h"
#include "isa/classify.h"
#include "isa/inline_constant.h"
#include "isa/op.h"
#include "isa/operands.h"
#include <algorithm>
#include <optional>
#include <unordered_map>

namespace crosslane::analysis {

using isa::Op;
using isa::RegisterFile;
namespace code = isa::code;

namespace {

constexpr size_t most_values = 256;  // of a set
constexpr int most_steps = 20000;    // definitions looked at for one question
constexpr size_t most_blocks = 4096; // decoded at a time

struct Line {
  uint64_t pc;
  isa::Instruction instruction;
  isa::Operands operands;
};

// Sets of what a register, or a pair, may hold.
template <class T> struct Set {
  std::vector<T> values;         // sorted, without equal ones
  std::vector<uint16_t> entered; // or what these registers held at a function's entry
  bool unknown = false;
  static Set of(T value) { return {{value}, {}, false}; }
  static Set anything() { return {{}, {}, true}; }
  bool constant() const { return !unknown && entered.empty() && !values.empty(); }
  bool single() const { return constant() && values.size() == 1; }
  void settle() {
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    std::ranges::sort(entered);
    entered.erase(std::ranges::unique(entered).begin(), entered.end());
    if (values.size() > most_values)
      *this = anything();
  }
  void add(const Set& other) {
    values.insert(values.end(), other.values.begin(), other.values.end());
    entered.insert(entered.end(), other.entered.begin(), other.entered.end());
    unknown |= other.unknown;
    settle();
  }
};
using Word = Set<uint32_t>;
using Pair = Set<uint64_t>;

template <class R, class A, class B, class F> Set<R> combine(const Set<A>& a, const Set<B>& b, F f) {
  Set<R> result;
  if (a.values.empty() && !a.unknown && a.entered.empty())
    return result; // not reached
  if (b.values.empty() && !b.unknown && b.entered.empty())
    return result;
  if (!a.constant() || !b.constant() || a.values.size() * b.values.size() > most_values)
    return Set<R>::anything();
  for (const A x : a.values)
    for (const B y : b.values)
      result.values.push_back(f(x, y));
  result.settle();
  return result;
}

// See the assumption in the header.
bool kept_by_calls(RegisterFile file, unsigned n) {
  return file == RegisterFile::scalar ? n >= 30 && n < 102 : n >= 40 && (n - 40) / 8 % 2 == 0;
}

// Where a definition is looked for: before instruction `index` of a block.
struct Point {
  BlockId block;
  uint32_t index;
};

} // namespace

struct Resolver::Impl {
  const Code& input;
  const Graph& graph;
  WrittenRegisters written{input, graph};
  std::unordered_map<BlockId, std::vector<Line>> lines;
  std::set<uint64_t> used;    // pcs of s_getpc_b64 whose addresses jumps and calls use
  std::set<uint64_t> kept;    // ... and those that unknown ones use if a callee keeps more than it must
  std::set<uint64_t> touched; // ... that this question has come to
  bool calls_keep_all = false;
  int steps = 0, computed = 0;
  // What is being asked, at the beginning of a block, and how much was computed between there and the use.
  struct Asked {
    BlockId block;
    unsigned what;
    int computed;
  };
  std::vector<Asked> asked;

  const std::vector<Line>& lines_of(BlockId block) {
    if (const auto found = lines.find(block); found != lines.end())
      return found->second;
    auto& result = lines[block];
    each_instruction(input, graph.blocks[block], [&](uint64_t pc, const isa::Instruction& instruction) {
      result.push_back({pc, instruction, isa::operands(instruction)});
    });
    return result;
  }

  // Goes on in the blocks before, each once: `f(Point)` of each is what a definition in it gives, or nothing if it has
  // none, and so it goes on before that.
  template <class T, class F> Set<T> before(BlockId start, unsigned what, RegisterFile file, unsigned n, F f) {
    Set<T> result;
    for (const Asked& a : asked)
      if (a.block == start && a.what == what)
        return a.computed == computed ? result : Set<T>::anything();
    if (asked.size() > 400)
      return Set<T>::anything();
    asked.push_back({start, what, computed});
    std::vector<BlockId> work{start};
    std::set<BlockId> seen{start};
    while (!work.empty() && !result.unknown) {
      const BlockId block = work.back();
      work.pop_back();
      if (graph.blocks[block].entry) {
        const Function& function = graph.functions[graph.function_at(graph.blocks[block].begin)];
        if (function.kernel || file != RegisterFile::scalar)
          result.unknown = true;
        else
          result.entered.push_back(uint16_t(n)), result.settle();
      }
      for (const BlockId p : graph.predecessors_of(block)) {
        if (spent()) {
          result.unknown = true;
          break;
        }
        bool after_call = false;
        for (const Edge& e : graph.successors(p))
          after_call |= e.to == block && e.kind == EdgeKind::after_call;
        auto index = uint32_t(lines_of(p).size());
        if (after_call && !kept_by_call(p, file, n, sizeof(T) / 4)) {
          result.unknown = true;
          break;
        }
        if (after_call)
          --index; // what the call wrote is the callee's
        if (const auto found = f(Point{p, index}))
          result.add(*found);
        else if (seen.insert(p).second)
          work.push_back(p);
      }
    }
    asked.pop_back();
    return result;
  }

  bool spent() { return ++steps > most_steps; }

  // ---- What calls leave alone: compilers keep values there that they see no callee write.
  bool kept_by_call(BlockId block, RegisterFile file, unsigned n, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      if (!kept_by_call(block, file, n + i))
        return false;
    return true;
  }
  bool kept_by_call(BlockId block, RegisterFile file, unsigned n) {
    if (calls_keep_all || kept_by_calls(file, n))
      return true;
    const Call* call = graph.call_of(block);
    if (!call || call->unknown || !call->count)
      return false;
    const auto link = lines_of(block).back().instruction.dst;
    if (file == RegisterFile::scalar && (n == link || n == link + 1u))
      return false;
    return std::ranges::none_of(graph.callees_of(*call), [&](uint32_t f) { return written.by(f, file, n); });
  }

  template <class F> auto computing(F f) {
    ++computed;
    auto result = f();
    --computed;
    return result;
  }

  // ---- Memory that does not change.
  Word load(uint64_t address) {
    for (const Region& r : input.regions)
      if ((r.kind == RegionKind::constant || r.kind == RegionKind::linkage || r.kind == RegionKind::code) &&
          address >= r.address && address - r.address + 4 <= r.bytes.size()) {
        const auto* b = r.bytes.data() + (address - r.address);
        return Word::of(uint32_t(b[0]) | uint32_t(b[1]) << 8 | uint32_t(b[2]) << 16 | uint32_t(b[3]) << 24);
      }
    return Word::anything();
  }
  Pair load_addresses(const Line& line, Point at) {
    const auto& in = line.instruction;
    Pair base = pair(in.src[0], at);
    Word offset = in.imm_offset ? Word::of(uint32_t(in.imm)) : word(in.src[1], at);
    return combine<uint64_t>(base, offset, [](uint64_t b, uint32_t o) { return (b + o) & ~uint64_t(3); });
  }
  Word loaded(const Line& line, Point at, unsigned dword) {
    const Pair addresses = load_addresses(line, at);
    if (!addresses.constant())
      return addresses.unknown || !addresses.entered.empty() ? Word::anything() : Word{};
    Word result;
    for (const uint64_t a : addresses.values)
      result.add(load(a + uint64_t(dword) * 4));
    return result;
  }
  static bool is_load(const isa::Instruction& in) {
    return in.encoding == isa::Encoding::SMEM && isa::row(in.op).access == isa::Access::load &&
           isa::row(in.op).src[0] == isa::Type::B64 && !isa::is_scalar_scratch(in.op);
  }

  // ---- One register.
  static std::optional<uint64_t> constant(const isa::Instruction& in, int n, isa::Type type = isa::Type::B32) {
    return isa::constant_source(in, in.src[n], type);
  }

  Word source(const Line& line, int n, Point at) {
    if (const auto value = constant(line.instruction, n))
      return Word::of(uint32_t(*value));
    return word(line.instruction.src[n], at);
  }

  Word word(uint16_t reg, Point at) {
    if (reg >= 128)
      return Word::anything();
    if (auto found = word_within(reg, at))
      return *found;
    return before<uint32_t>(at.block, reg, RegisterFile::scalar, reg, [&](Point p) { return word_within(reg, p); });
  }
  std::optional<Word> word_within(uint16_t reg, Point at) {
    const auto& code = lines_of(at.block);
    for (uint32_t i = at.index; i-- > 0;) {
      if (!code[i].operands.writes(RegisterFile::scalar, reg))
        continue;
      if (spent())
        return Word::anything();
      return defined(code[i], {at.block, i}, reg);
    }
    return std::nullopt;
  }

  template <class F> Word binary(const Line& line, Point at, F f) {
    return computing([&] { return combine<uint32_t>(source(line, 0, at), source(line, 1, at), f); });
  }

  // All values that have no other bits than these.
  static Word bits_of(uint32_t mask) {
    if (__builtin_popcount(mask) > 8)
      return Word::anything();
    Word result;
    uint32_t part = 0;
    do {
      result.values.push_back(part);
      part = (part - mask) & mask;
    } while (part);
    return result;
  }

  Word defined(const Line& line, Point at, uint16_t reg) {
    const auto& in = line.instruction;
    const auto half = unsigned(reg - in.dst); // of a pair, or which of many
    if (is_load(in))
      return computing([&] { return loaded(line, at, half); });
    switch (in.op) {
    case Op::s_mov_b32: return source(line, 0, at);
    case Op::s_movk_i32: return Word::of(uint32_t(in.imm));
    case Op::s_mov_b64:
      if (const auto value = constant(in, 0, isa::Type::B64))
        return Word::of(uint32_t(*value >> (32 * half)));
      return word(uint16_t(in.src[0] + half), at);
    case Op::s_getpc_b64: touched.insert(line.pc); return Word::of(uint32_t((line.pc + 4) >> (32 * half)));
    case Op::s_cmov_b32:
    case Op::s_cselect_b32: {
      Word result = source(line, 0, at);
      result.add(in.op == Op::s_cmov_b32 ? word(reg, at) : source(line, 1, at));
      return result;
    }
    case Op::s_add_u32:
    case Op::s_add_i32: return binary(line, at, [](uint32_t a, uint32_t b) { return a + b; });
    case Op::s_sub_u32:
    case Op::s_sub_i32: return binary(line, at, [](uint32_t a, uint32_t b) { return a - b; });
    case Op::s_or_b32: return binary(line, at, [](uint32_t a, uint32_t b) { return a | b; });
    case Op::s_lshl_b32: return binary(line, at, [](uint32_t a, uint32_t b) { return a << (b & 31); });
    case Op::s_lshr_b32: return binary(line, at, [](uint32_t a, uint32_t b) { return a >> (b & 31); });
    case Op::s_ashr_i32:
      return binary(line, at, [](uint32_t a, uint32_t b) { return uint32_t(int32_t(a) >> (b & 31)); });
    case Op::s_mul_i32: return binary(line, at, [](uint32_t a, uint32_t b) { return a * b; });
    case Op::s_lshl1_add_u32: return binary(line, at, [](uint32_t a, uint32_t b) { return (a << 1) + b; });
    case Op::s_lshl2_add_u32: return binary(line, at, [](uint32_t a, uint32_t b) { return (a << 2) + b; });
    case Op::s_lshl3_add_u32: return binary(line, at, [](uint32_t a, uint32_t b) { return (a << 3) + b; });
    case Op::s_lshl4_add_u32: return binary(line, at, [](uint32_t a, uint32_t b) { return (a << 4) + b; });
    case Op::s_and_b32:
      return computing([&] {
        const Word a = source(line, 0, at), b = source(line, 1, at);
        if (a.single() && !b.constant())
          return bits_of(a.values[0]);
        if (b.single() && !a.constant())
          return bits_of(b.values[0]);
        return combine<uint32_t>(a, b, [](uint32_t x, uint32_t y) { return x & y; });
      });
    case Op::s_min_u32:
      return computing([&] {
        const Word a = source(line, 0, at), b = source(line, 1, at);
        const Word* bound = a.single() ? &a : b.single() ? &b : nullptr;
        if (bound && bound->values[0] < most_values && !(a.constant() && b.constant())) {
          Word result;
          for (uint32_t i = 0; i <= bound->values[0]; ++i)
            result.values.push_back(i);
          return result;
        }
        return combine<uint32_t>(a, b, [](uint32_t x, uint32_t y) { return std::min(x, y); });
      });
    case Op::s_bfe_u32:
      return computing([&] {
        const Word a = source(line, 0, at), b = source(line, 1, at);
        if (!b.single())
          return Word::anything();
        const uint32_t shift = b.values[0] & 31, width = b.values[0] >> 16 & 127;
        const uint32_t mask = width >= 32 ? ~0u : (1u << width) - 1;
        return a.constant() ? combine<uint32_t>(a, b, [&](uint32_t x, uint32_t) { return x >> shift & mask; })
                            : bits_of(mask);
      });
    case Op::v_readlane_b32:
      if (const auto lane = constant(in, 1); lane && isa::is_vgpr(in.src[0]))
        return lane_of(unsigned(in.src[0] - code::vgpr0), *lane & 63, at);
      return Word::anything();
    default: return Word::anything();
    }
  }

  // A lane of a VGPR, where SGPRs are spilled to.
  Word lane_of(unsigned vgpr, uint32_t lane, Point at) {
    if (auto found = lane_within(vgpr, lane, at))
      return *found;
    return before<uint32_t>(at.block, 1000 + vgpr * 64 + lane, RegisterFile::vgpr, vgpr,
                            [&](Point p) { return lane_within(vgpr, lane, p); });
  }
  std::optional<Word> lane_within(unsigned vgpr, uint32_t lane, Point at) {
    const auto& code = lines_of(at.block);
    for (uint32_t i = at.index; i-- > 0;) {
      if (!code[i].operands.writes(RegisterFile::vgpr, vgpr))
        continue;
      if (spent())
        return Word::anything();
      const auto& in = code[i].instruction;
      const auto written = in.op == Op::v_writelane_b32 ? constant(in, 1) : std::nullopt;
      if (!written)
        return Word::anything();
      if ((*written & 63) == lane)
        return source(code[i], 0, {at.block, i});
    }
    return std::nullopt;
  }

  // ---- Two registers.
  static Pair joined(const Word& low, const Word& high) {
    Pair result;
    if (low.values.size() > 1 && high.values.size() > 1)
      return Pair::anything(); // which belongs to which?
    for (const uint32_t l : low.values)
      for (const uint32_t h : high.values)
        result.values.push_back(uint64_t(h) << 32 | l);
    if (low.values.empty() != high.values.empty())
      result.unknown = !low.unknown && !high.unknown; // of one half we know a value, of the other nothing: not reached
    for (const uint16_t l : low.entered)
      if (std::ranges::find(high.entered, uint16_t(l + 1)) != high.entered.end())
        result.entered.push_back(l);
    result.unknown |= low.unknown || high.unknown || low.entered.size() != result.entered.size() ||
                      high.entered.size() != result.entered.size();
    result.settle();
    return result;
  }

  // A literal of 0 is where a linker has not put an offset: no assembler writes one for itself.
  static bool is_unlinked(const isa::Instruction& in) {
    return in.literal == 0 && (in.src[0] == code::literal || in.src[1] == code::literal);
  }

  // The operands of an s_add_u32 and the s_addc_u32 behind it, as one of 64 bits.
  Pair wide_source(const std::vector<Line>& code, BlockId block, uint32_t low_at, uint32_t high_at, int n) {
    const uint16_t low = code[low_at].instruction.src[n], high = code[high_at].instruction.src[n];
    if (low < 128 && high == low + 1) {
      bool written = false;
      for (uint32_t i = low_at; i < high_at; ++i)
        written |= code[i].operands.writes(RegisterFile::scalar, high);
      if (!written)
        return pair(low, {block, low_at});
    }
    return joined(source(code[low_at], n, {block, low_at}), source(code[high_at], n, {block, high_at}));
  }

  Pair pair(uint16_t low, Point at) {
    if (low >= 127)
      return Pair::anything();
    if (auto found = pair_within(low, at))
      return *found;
    return before<uint64_t>(at.block, 500u + low, RegisterFile::scalar, low,
                            [&](Point p) { return pair_within(low, p); });
  }
  std::optional<Pair> pair_within(uint16_t low, Point at) {
    const auto& code = lines_of(at.block);
    const auto high = uint16_t(low + 1);
    for (uint32_t i = at.index; i-- > 0;) {
      const Line& line = code[i];
      const bool writes_low = line.operands.writes(RegisterFile::scalar, low),
                 writes_high = line.operands.writes(RegisterFile::scalar, high);
      if (!writes_low && !writes_high)
        continue;
      if (spent())
        return Pair::anything();
      const auto& in = line.instruction;
      const Point here{at.block, i};
      if (writes_low && writes_high && in.dst == low) {
        if (in.op == Op::s_getpc_b64) {
          touched.insert(line.pc);
          return Pair::of(line.pc + 4);
        }
        if (in.op == Op::s_mov_b64 && in.src[0] < 127)
          return pair(in.src[0], here);
        if (in.op == Op::s_cselect_b64 && in.src[0] < 127 && in.src[1] < 127) {
          Pair result = pair(in.src[0], here);
          result.add(pair(in.src[1], here));
          return result;
        }
      }
      if (writes_low && writes_high && is_load(in))
        return computing([&] {
          const Pair addresses = load_addresses(line, here);
          if (!addresses.constant())
            return addresses.unknown || !addresses.entered.empty() ? Pair::anything() : Pair{};
          Pair result;
          for (const uint64_t a : addresses.values)
            result.add(joined(load(a + uint64_t(low - in.dst) * 4), load(a + uint64_t(high - in.dst) * 4)));
          return result;
        });
      if (writes_high && !writes_low && (in.op == Op::s_addc_u32 || in.op == Op::s_subb_u32)) {
        const Op first = in.op == Op::s_addc_u32 ? Op::s_add_u32 : Op::s_sub_u32;
        for (uint32_t k = i; k-- > 0;) {
          if (!code[k].operands.writes(RegisterFile::special, isa::special::scc)) {
            if (code[k].operands.writes(RegisterFile::scalar, low))
              break;
            continue;
          }
          if (code[k].instruction.op != first || code[k].instruction.dst != low || is_unlinked(code[k].instruction))
            break;
          return computing([&] {
            const Pair a = wide_source(code, at.block, k, i, 0), b = wide_source(code, at.block, k, i, 1);
            return combine<uint64_t>(a, b,
                                     [&](uint64_t x, uint64_t y) { return first == Op::s_add_u32 ? x + y : x - y; });
          });
        }
        return Pair::anything();
      }
      return joined(word(low, {at.block, i + 1}), word(high, {at.block, i + 1}));
    }
    return std::nullopt;
  }
};

Resolver::Resolver(const Code& code, const Graph& graph) : impl_(new Impl{code, graph}) {}
Resolver::~Resolver() = default;

Addresses Resolver::pair_at_end(BlockId block, uint16_t low) {
  Impl& i = *impl_;
  if (i.lines.size() > most_blocks)
    i.lines.clear();
  const auto count = uint32_t(i.lines_of(block).size());
  const auto ask = [&](bool calls_keep_all) {
    i.steps = i.computed = 0;
    i.asked.clear(), i.touched.clear();
    i.calls_keep_all = calls_keep_all;
    return count ? i.pair(low, {block, count - 1}) : Pair::anything();
  };
  const Pair pair = ask(false);
  Addresses result;
  for (const uint64_t v : pair.values)
    result.constants.push_back(v & ~uint64_t(3)); // the hardware ignores the two bits
  result.entered = !pair.entered.empty();
  result.unknown = pair.unknown || (pair.values.empty() && pair.entered.empty());
  i.used.insert(i.touched.begin(), i.touched.end());
  if (pair.unknown) {
    ask(true);
    i.kept.insert(i.touched.begin(), i.touched.end());
    i.calls_keep_all = false;
  }
  return result;
}

// Follows what s_getpc_b64 leaves, and what is computed and loaded from it, to the end of the block.
void Resolver::taken_addresses(BlockId block, std::vector<uint64_t>& out) {
  Impl& impl = *impl_;
  if (impl.lines.size() > most_blocks)
    impl.lines.clear();
  const auto& code = impl.lines_of(block);
  std::map<uint16_t, uint64_t> from; // registers that hold half an address -> pc of its s_getpc_b64
  for (uint32_t i = 0; i < code.size(); ++i) {
    const Line& line = code[i];
    const auto& in = line.instruction;
    const auto take = [&](uint16_t half) {
      impl.steps = impl.computed = 0;
      impl.asked.clear();
      for (const int below : {0, 1})
        if (half >= below && from.contains(uint16_t(half - below)) && from.contains(uint16_t(half - below + 1)))
          for (const uint64_t a : impl.pair(uint16_t(half - below), {block, i}).values)
            out.push_back(a);
    };
    const bool follows = in.op == Op::s_add_u32 || in.op == Op::s_addc_u32 || in.op == Op::s_sub_u32 ||
                         in.op == Op::s_subb_u32 || in.op == Op::s_mov_b32 || in.op == Op::s_mov_b64 ||
                         Impl::is_load(in);
    const bool jumps = in.op == Op::s_setpc_b64 || in.op == Op::s_swappc_b64;
    uint64_t origin = in.op == Op::s_getpc_b64 ? line.pc : 0;
    for (const auto& o : line.operands)
      if (o.read && o.file == RegisterFile::scalar)
        for (unsigned r = o.first; r < unsigned(o.first) + o.dwords; ++r)
          if (const auto found = from.find(uint16_t(r)); found != from.end()) {
            if (follows)
              origin = found->second;
            else if (!jumps)
              take(uint16_t(r));
          }
    for (const auto& o : line.operands)
      if (o.written && o.file == RegisterFile::scalar)
        for (unsigned r = o.first; r < unsigned(o.first) + o.dwords; ++r) {
          from.erase(uint16_t(r));
          if (origin)
            from[uint16_t(r)] = origin;
        }
  }
  // What leaves the block goes into the jumps that asked for it, or anywhere.
  impl.steps = impl.computed = 0;
  impl.asked.clear();
  for (const auto& [reg, origin] : from)
    if ((!impl.used.contains(origin) || impl.kept.contains(origin)) && from.contains(uint16_t(reg + 1)))
      for (const uint64_t a : impl.pair(reg, {block, uint32_t(code.size())}).values)
        out.push_back(a);
}

} // namespace crosslane::analysis
