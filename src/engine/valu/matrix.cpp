// Matrix operations: D = A * B + C on blocks that lie across the lanes of the wave. EXEC does not count. Compiled once
// per level. Source: AMD Instinct MI100 and MI200 ISA manuals, "Matrix fused-multiply-add", and AMD's matrix
// instruction calculator for what lies where. The order of the sums and what becomes of denormals: MMA-Sim (Xie et al.,
// arXiv 2511.10909), which has compared itself with the cards; docs/isa-errata.md.
#include "engine/valu/matrix.h"
#include "engine/matrix.h"
#include "engine/valu/valu.h"
#include "isa/matrix.h"
#include "lanes/math.h"
#include "semantics/packed.h"
#include <algorithm>

#define CROSSLANE_UNROLL _Pragma("clang loop unroll(full)")

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

using isa::Matrix;
using Item = isa::MatrixItem;

// 16-bit items are added up in groups before the sum gets them; the others one after the other.
constexpr int group_of(Matrix x) { return x.item_bytes() == 2 ? std::min(x.items(), 4) : 1; }

// Uop::aux: matrix_constant_sum (engine/matrix.h), and
constexpr uint32_t flush_denormals = 2;
// Uop::k1: CBSZ, ABID and BLGP, a byte each.

// What the host's registers hold.
#ifdef __AVX512F__
constexpr int host_bytes = 64, host_registers = 32;
#elif defined(__AVX2__)
constexpr int host_bytes = 32, host_registers = 16;
#else
constexpr int host_bytes = 16, host_registers = 16;
#endif

template <Matrix X> struct Multiply {
  using Value = std::conditional_t<X.item == Item::f64, double, std::conditional_t<X.is_float(), float, uint32_t>>;
  static constexpr int width = std::min(X.n, host_bytes / int(sizeof(Value))); // of a vector of sums
  using Values = Vec<Value, width>;
  // Item `t` of every lane. Rows of A and columns of B follow each other there, then blocks, then the next items of k.
  using Planes = Value[X.items()][machine::lanes_per_wave];
  static constexpr int lane_of(int outer, int block, int k) { return outer * (block + X.blocks * (k / X.items())); }

  static CROSSLANE_INLINE Vec<Value, row_lanes> item(Words lo, Words hi, int t, bool flush) {
    if constexpr (X.item == Item::f64)
      return join<double>(lo, hi);
    else if constexpr (X.item == Item::f32)
      return lanes::bitcast<float>(lo);
    else if constexpr (X.item == Item::i8) {
      return lanes::bitcast<uint32_t>(lanes::bitcast<int32_t>(lo << Words(uint32_t(24 - 8 * t))) >>
                                      Vec<int32_t, row_lanes>(24));
    } else {
      Words half = t % 2 ? lo >> Words(16) : lo & Words(0xffff);
      const Words exponent = half & Words(X.item == Item::f16 ? 0x7c00 : 0x7f80);
      if (flush)
        half = lanes::select(exponent == Words(0), Words(0), half);
      if constexpr (X.item == Item::bf16)
        return lanes::bitcast<float>(half << Words(16));
      else
        return lanes::convert<float>(lanes::bitcast<_Float16>(lanes::convert<uint16_t>(half)));
    }
  }
  // `from` says which row of lanes is read in place of each: BLGP moves no less.
  static CROSSLANE_INLINE void unpack(const char* registers, const int (&from)[4], bool flush, Planes& planes) {
    for (int t = 0; t < X.items(); ++t)
      for (int r = 0; r < machine::rows_per_wave; ++r) {
        constexpr int per_dword = X.item == Item::i8 ? 4 : X.item == Item::f16 || X.item == Item::bf16 ? 2 : 1;
        const char* p = registers + t / per_dword * machine::vgpr_bytes + from[r] * 64;
        const Words lo = lanes::load<uint32_t, row_lanes>(p);
        Words hi = 0;
        if constexpr (X.item == Item::f64)
          hi = lanes::load<uint32_t, row_lanes>(p + machine::vgpr_bytes);
        lanes::store(planes[t] + r * row_lanes, item(lo, hi, t, flush));
      }
  }

  // Where row i of a block's sums is: offset from the first register. Of 32 bits, four rows are in registers that
  // follow each other, then the lanes go on; of 64, each row is beside the one before.
  static constexpr uint32_t place(int block, int i) {
    constexpr int high = X.item == Item::f64 ? 1 : 4, beside = machine::lanes_per_wave / X.n;
    constexpr int shared = std::max(1, machine::lanes_per_wave * high / (X.m * X.n)); // blocks in one register
    const int number = block / shared * (X.m * X.n / machine::lanes_per_wave) + i / (high * beside) * high + i % high;
    const int lane = block % shared * X.n + i / high % beside * shared * X.n;
    return uint32_t(number) * (X.item == Item::f64 ? 2 : 1) * machine::vgpr_bytes + uint32_t(lane) * 4;
  }
  static CROSSLANE_INLINE Values load_sums(const char* p) {
    if constexpr (X.item == Item::f64) {
      const auto lo = lanes::convert<uint64_t>(lanes::load<uint32_t, width>(p));
      const auto hi = lanes::convert<uint64_t>(lanes::load<uint32_t, width>(p + machine::vgpr_bytes));
      return lanes::bitcast<double>(lo | hi << Vec<uint64_t, width>(32));
    } else
      return lanes::load<Value, width>(p);
  }
  static CROSSLANE_INLINE void store_sums(char* p, Values v) {
    if constexpr (X.item == Item::f64) {
      const auto bits = lanes::bitcast<uint64_t>(v);
      lanes::store<uint32_t, width>(p, lanes::convert<uint32_t>(bits));
      lanes::store<uint32_t, width>(p + machine::vgpr_bytes,
                                    lanes::convert<uint32_t>(bits >> Vec<uint64_t, width>(32)));
    } else
      lanes::store<Value, width>(p, v);
  }

  // Never -0: products are fused with an addition of 0.
  static CROSSLANE_INLINE Values product(Values a, Values b) {
#ifdef __FMA__
    return lanes::fma(a, b, Values(Value(0)));
#else
    return a * b + Values(Value(0));
#endif
  }
  static CROSSLANE_INLINE Values pair(Values a0, Values b0, Values a1, Values b1) {
    if constexpr (X.item == Item::f16)
      return semantics::detail::sum_of_exact(a0, b0, a1, b1);
    else
      return product(a0, b0) + product(a1, b1);
  }
  // Products of one group, on top of a sum.
  static CROSSLANE_INLINE Values plus(Values sum, const Value* const (&a)[4], const Values (&b)[4]) {
    const auto item_a = [&](int k) { return Values(*a[k]); };
    if constexpr (X.item == Item::i8)
      return sum + item_a(0) * b[0];
    else if constexpr (group_of(X) == 1)
      return lanes::fma(item_a(0), b[0], sum);
    else {
      Values group = pair(item_a(0), b[0], item_a(1), b[1]);
      if constexpr (group_of(X) == 4)
        group = group + pair(item_a(2), b[2], item_a(3), b[3]);
      return sum + group;
    }
  }

  // What one operation takes: A and B.
  struct Step {
    const Planes *a, *b;
  };
  // So many rows and vectors of columns at once: registers hold their sums, and the items of a group of B.
  static constexpr int vectors = group_of(X) == 1 || host_registers > 16 ? std::min(X.n / width, 2) : 1;
  static constexpr int tile_rows = std::min(X.m, host_registers / (group_of(X) == 1 ? 2 : 4) / vectors);

  // Rows from i and columns from j on of a block, of all steps: the sums are loaded and stored once.
  static CROSSLANE_INLINE void add_to_tile(char* to, const char* from, const Step* steps, int count, bool flush,
                                           int block, int block_of_a, int i, int j) {
    constexpr int group = group_of(X);
    const uint32_t first = place(block, i) + uint32_t(j) * 4;
    const auto where = [&](int r, int v) { return first + place(0, r) + uint32_t(v * width) * 4; };
    Values sums[tile_rows][vectors];
    CROSSLANE_UNROLL for (int r = 0; r < tile_rows; ++r) CROSSLANE_UNROLL for (int v = 0; v < vectors; ++v) sums[r][v] =
        load_sums(from + where(r, v));
    for (const Step* step = steps; step < steps + count; ++step) {
      const Planes &a = *step->a, &b = *step->b;
      // MXCSR has denormals read as zeros, where they are flushed: now they are, and +0 of either sign. Exact pairs may
      // be -0, which must not meet -0.
      if (group > 1 && (flush || X.item == Item::f16))
        CROSSLANE_UNROLL for (int r = 0; r < tile_rows; ++r) CROSSLANE_UNROLL for (int v = 0; v < vectors; ++v)
            sums[r][v] = sums[r][v] + Values(Value(0));
      const auto add_group = [&](int k) {
        Values items_b[vectors][4];
        CROSSLANE_UNROLL for (int v = 0; v < vectors; ++v) CROSSLANE_UNROLL for (int g = 0; g < group; ++g)
            items_b[v][g] =
                lanes::load<Value, width>(b[(k + g) % X.items()] + lane_of(X.n, block, k + g) + j + v * width);
        CROSSLANE_UNROLL for (int r = 0; r < tile_rows; ++r) {
          const Value* items_a[4];
          CROSSLANE_UNROLL for (int g = 0; g < group; ++g) items_a[g] =
              a[(k + g) % X.items()] + lane_of(X.m, block_of_a, k + g) + i + r;
          CROSSLANE_UNROLL for (int v = 0; v < vectors; ++v) sums[r][v] = plus(sums[r][v], items_a, items_b[v]);
        }
      };
      constexpr int at_once = std::min(X.k, X.item == Item::i8 ? X.items() : 8); // or registers do not do
#pragma clang loop unroll(disable)
      for (int k = 0; k < X.k; k += at_once)
        CROSSLANE_UNROLL for (int n = 0; n < at_once; n += group) add_group(k + n);
    }
    CROSSLANE_UNROLL for (int r = 0; r < tile_rows; ++r) CROSSLANE_UNROLL for (int v = 0; v < vectors; ++v)
        store_sums(to + where(r, v), sums[r][v]);
  }

  // D = A * B + C, and as many more onto the same sums as there are steps. Apart, so that all who want it get the same
  // NaNs.
  [[gnu::noinline]] static void add(char* to, const char* from, const Step* steps, int count, bool flush, uint32_t cbsz,
                                    uint32_t abid) {
    // To the nearest, whatever MODE says; denormals are kept, or not, by the card.
    const uint32_t mode = X.is_float() ? _mm_getcsr() : 0, wanted = flush ? 0x9fc0 : 0x1f80;
    const bool switches = X.is_float() && (mode ^ wanted) & ~0x3fu; // but for what has happened
    if (switches)
      _mm_setcsr(wanted);
    asm volatile("" ::: "memory");
    for (int block = 0; block < X.blocks; ++block) {
      const int block_of_a = int(((uint32_t(block) >> cbsz << cbsz) + abid) % X.blocks);
      for (int j = 0; j < X.n; j += vectors * width)
        for (int i = 0; i < X.m; i += tile_rows)
          add_to_tile(to, from, steps, count, flush, block, block_of_a, i, j);
    }
    asm volatile("" ::: "memory");
    if (switches)
      _mm_setcsr(mode);
  }

  static CROSSLANE_CC void run(const Uop* op, Wave* w) {
    alignas(64) Planes a, b;
    const bool flush = op->aux & flush_denormals, constant = op->aux & matrix_constant_sum;
    const uint32_t cbsz = uint32_t(op->k1) & 0xff, abid = uint32_t(op->k1 >> 8) & 0xff,
                   blgp = uint32_t(op->k1 >> 16) & 0xff;
    int from[4];
    for (int r = 0; r < 4; ++r)
      from[r] = blgp == 0 ? r : blgp == 1 ? r % 2 : blgp == 2 ? 2 + r % 2 : blgp == 3 ? (r + 1) % 4 : int(blgp) - 4;
    unpack(at(w, op->a), {0, 1, 2, 3}, flush, a);
    unpack(at(w, op->b), from, flush, b);
    char *to = at(w, op->dst), *sums = at(w, op->c);
    if (constant) {
      const Values fixed = Values(__builtin_bit_cast(Value, bits_of<Value>(op->k0)));
      for (int block = 0; block < X.blocks; ++block)
        for (int i = 0; i < X.m; ++i)
          for (int j = 0; j < X.n; j += width)
            store_sums(to + place(block, i) + j * 4, fixed);
      sums = to;
    }
    const Step step{&a, &b};
    add(to, sums, &step, 1, flush, cbsz, abid);
    CROSSLANE_NEXT(op, w);
  }

  // See engine/matrix.h.
  static CROSSLANE_CC void run_together(const Uop* op, Wave* w) {
    constexpr bool as_they_are = X.item == Item::f32;
    constexpr int bytes = X.dwords() * int(machine::vgpr_bytes);
    constexpr int most = matrix_operands / X.dwords();
    const auto count = int(op->k0);
    const bool flush = op->aux & flush_denormals;
    const auto* registers = static_cast<const char*>(w->operands);
    alignas(64) Planes unpacked[as_they_are ? 1 : most];
    uint64_t done = 0;
    const auto planes = [&](uint32_t offset) -> const Planes* {
      if constexpr (as_they_are)
        return reinterpret_cast<const Planes*>(registers + offset);
      const uint32_t n = offset / bytes;
      if (!(done >> n & 1)) {
        done |= uint64_t(1) << n;
        unpack(registers + offset, {0, 1, 2, 3}, flush, unpacked[n]);
      }
      return &unpacked[n];
    };
    Step steps[matrix_steps];
    for (int n = 0; n < count; ++n)
      steps[n] = {planes(op[n].a), planes(op[n].b)};
    for (int n = 0, next; n < count; n = next) {
      for (next = n + 1; next < count && op[next].dst == op[n].dst;)
        ++next;
      char* sums = at(w, op[n].dst);
      add(sums, sums, steps + n, next - n, flush, 0, 0);
    }
    CROSSLANE_JUMP(op + count, w);
  }

private:
  template <class V> static CROSSLANE_INLINE auto bits_of(uint64_t k) {
    if constexpr (sizeof(V) == 8)
      return k;
    else
      return uint32_t(k);
  }
};

struct Table {
  Handler handlers[size_t(isa::Op::count)] = {}, together[size_t(isa::Op::count)] = {};
  constexpr Table() {
#define MATRIX(mnemonic, ...)                                                                                          \
  handlers[size_t(isa::Op::mnemonic)] = Multiply<isa::matrix(isa::Op::mnemonic)>::run;                                 \
  together[size_t(isa::Op::mnemonic)] = Multiply<isa::matrix(isa::Op::mnemonic)>::run_together;
#include "isa/rows/matrix.inc"
#undef MATRIX
  }
};
constexpr Table table;

} // namespace

bool lower_matrix(Lowering& l) {
  const isa::Instruction& inst = l.inst;
  const Handler handler = table.handlers[size_t(inst.op)];
  if (!handler || !is_vector(inst.src[0]) || !is_vector(inst.src[1]) || !is_vector(inst.dst))
    return false;
  const bool constant = !is_vector(inst.src[2]), wide = l.row.src[0] == Type::F64;
  // gfx90a flushes denormals of 16-bit items, and of the sums that they are added to.
  const bool narrow = group_of(isa::matrix(inst.op)) > 1;
  const bool flush = narrow && isa::info(inst.target).generation >= isa::Generation::gfx90a;
  Uop& op = l.emit(UopKind::matrix, handler);
  op.a = vgpr(inst.src[0]), op.b = vgpr(inst.src[1]), op.dst = vgpr(inst.dst);
  if (constant)
    op.k0 = scalar_operand(inst, inst.src[2], wide ? Type::F64 : Type::B32).k;
  else
    op.c = vgpr(inst.src[2]);
  op.k1 = uint64_t(inst.cbsz) | uint64_t(inst.abid) << 8 | uint64_t(inst.blgp) << 16;
  op.aux = (constant ? matrix_constant_sum : 0) | (flush ? flush_denormals : 0);
  return true;
}

Handler matrix_together(isa::Op op) { return table.together[size_t(op)]; }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
