// Matrix operations: D = A * B + C on blocks that lie across the lanes of the wave. EXEC does not count. Compiled once
// per level. Source: AMD Instinct MI100 and MI200 ISA manuals, "Matrix fused-multiply-add", and AMD's matrix
// instruction calculator for what lies where. The order of the sums and what becomes of denormals: MMA-Sim (Xie et al.,
// arXiv 2511.10909), which has compared itself with the cards; docs/isa-errata.md.
#include "engine/valu/matrix.h"
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

constexpr uint32_t constant_sum = 1, flush_denormals = 2; // Uop::aux
// Uop::k1: CBSZ, ABID and BLGP, a byte each.

template <Matrix X> struct Multiply {
  using Value = std::conditional_t<X.item == Item::f64, double, std::conditional_t<X.is_float(), float, uint32_t>>;
  static constexpr int width = X.n < row_lanes ? X.n : row_lanes; // of a vector of sums
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
  static CROSSLANE_INLINE void unpack(Wave* w, uint32_t registers, const int (&from)[4], bool flush, Planes& planes) {
    for (int t = 0; t < X.items(); ++t)
      for (int r = 0; r < machine::rows_per_wave; ++r) {
        constexpr int per_dword = X.item == Item::i8 ? 4 : X.item == Item::f16 || X.item == Item::bf16 ? 2 : 1;
        const char* p = at(w, registers) + t / per_dword * machine::vgpr_bytes + from[r] * 64;
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
  // A's items of a row are broadcast, B's are of all its columns here.
  template <class ItemOfA> static CROSSLANE_INLINE Values sum_up(Values sum, bool flush, ItemOfA a, const Values* b) {
    if constexpr (group_of(X) == 1) {
      CROSSLANE_UNROLL for (int k = 0; k < X.k; ++k) {
        if constexpr (X.item == Item::i8)
          sum = sum + a(k) * b[k];
        else
          sum = lanes::fma(a(k), b[k], sum);
      }
    } else {
      // MXCSR has denormals read as zeros, where they are flushed: now they are, and +0 of either sign. Exact pairs may
      // be -0, which must not meet -0.
      if (flush || X.item == Item::f16)
        sum = sum + Values(0.0f);
      CROSSLANE_UNROLL for (int k = 0; k < X.k; k += group_of(X)) {
        Values group = pair(a(k), b[k], a(k + 1), b[k + 1]);
        if constexpr (group_of(X) == 4)
          group = group + pair(a(k + 2), b[k + 2], a(k + 3), b[k + 3]);
        sum = sum + group;
      }
    }
    return sum;
  }

  // Vectors of columns that are worked on at once: with each, an item of A is loaded once less.
  static constexpr int vectors = X.n / width * X.k <= 8 ? X.n / width : 1;

  static CROSSLANE_CC void run(const Uop* op, Wave* w) {
    alignas(64) Planes a, b;
    const bool flush = op->aux & flush_denormals, constant = op->aux & constant_sum;
    const uint32_t cbsz = uint32_t(op->k1) & 0xff, abid = uint32_t(op->k1 >> 8) & 0xff,
                   blgp = uint32_t(op->k1 >> 16) & 0xff;
    int from[4];
    for (int r = 0; r < 4; ++r)
      from[r] = blgp == 0 ? r : blgp == 1 ? r % 2 : blgp == 2 ? 2 + r % 2 : blgp == 3 ? (r + 1) % 4 : int(blgp) - 4;
    unpack(w, op->a, {0, 1, 2, 3}, flush, a);
    unpack(w, op->b, from, flush, b);
    char *to = at(w, op->dst), *sums = at(w, op->c);
    if (constant) {
      const Values fixed = Values(__builtin_bit_cast(Value, bits_of<Value>(op->k0)));
      for (int block = 0; block < X.blocks; ++block)
        for (int i = 0; i < X.m; ++i)
          for (int j = 0; j < X.n; j += width)
            store_sums(to + place(block, i) + j * 4, fixed);
      sums = to;
    }

    // To the nearest, whatever MODE says; denormals are kept, or not, by the card.
    const uint32_t mode = X.is_float() ? _mm_getcsr() : 0, wanted = flush ? 0x9fc0 : 0x1f80;
    const bool switches = X.is_float() && (mode ^ wanted) & ~0x3fu; // but for what has happened
    if (switches)
      _mm_setcsr(wanted);
    asm volatile("" ::: "memory");
    for (int block = 0; block < X.blocks; ++block) {
      const int source = int(((uint32_t(block) >> cbsz << cbsz) + abid) % X.blocks); // of A
      for (int j = 0; j < X.n; j += vectors * width) {
        Values items_b[vectors][X.k];
        CROSSLANE_UNROLL for (int v = 0; v < vectors; ++v) CROSSLANE_UNROLL for (int k = 0; k < X.k; ++k)
            items_b[v][k] = lanes::load<Value, width>(b[k % X.items()] + lane_of(X.n, block, k) + j + v * width);
        for (int i = 0; i < X.m; i += 4) {
          CROSSLANE_UNROLL for (int r = 0; r < 4; ++r) {
            const uint32_t where = place(block, i) + place(0, r) + uint32_t(j) * 4;
            const auto item_a = [&](int k) { return Values(a[k % X.items()][lane_of(X.m, source, k) + i + r]); };
            CROSSLANE_UNROLL for (int v = 0; v < vectors; ++v) {
              const uint32_t at = where + uint32_t(v * width) * 4;
              store_sums(to + at, sum_up(load_sums(sums + at), flush, item_a, items_b[v]));
            }
          }
        }
      }
    }
    asm volatile("" ::: "memory");
    if (switches)
      _mm_setcsr(mode);
    CROSSLANE_NEXT(op, w);
  }

private:
  template <class V> static CROSSLANE_INLINE auto bits_of(uint64_t k) {
    if constexpr (sizeof(V) == 8)
      return k;
    else
      return uint32_t(k);
  }
};

template <Matrix X> constexpr Handler handler_of() {
  if constexpr (X.item == Item::none)
    return nullptr;
  else
    return Multiply<X>::run;
}

struct Table {
  Handler handlers[size_t(isa::Op::count)] = {};
  constexpr Table() {
#define MATRIX(mnemonic, ...) handlers[size_t(isa::Op::mnemonic)] = handler_of<isa::matrix(isa::Op::mnemonic)>();
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
  op.aux = (constant ? constant_sum : 0) | (flush ? flush_denormals : 0);
  return true;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
