// SMEM: scalar loads, stores and atomics, the clocks, and cache control (nothing to do: host caches are coherent).
// Compiled once per level. Source: Vega ISA manual, chapter 7. The two low bits of base, offsets and address are
// ignored. Uop: a base pair or resource, b offset SGPR (or zero), k0 constant offset, dst/c data.
#include "engine/decode/lowering.h"
#include "engine/memory/atomic.h"
#include "engine/raise.h"
#include "engine/reach.h"
#include "isa/classify.h"
#include "isa/memory_registers.h"
#include <ctime>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace {

using namespace access;
using isa::Access;

template <int Shift> CROSSLANE_INLINE uint8_t* address(const Uop* op, Wave* w) {
  const uint64_t low = 3, offset = op->k0 + ((*at<uint32_t>(w, op->b) & ~low) << Shift);
  return reinterpret_cast<uint8_t*>((pair_at(w, op->a) & ~low) + offset);
}

CROSSLANE_INLINE bool reached(const Wave* w, const uint8_t* p, uint32_t bytes) {
  return reaches(w, reinterpret_cast<uint64_t>(p), bytes);
}
CROSSLANE_NOINLINE void fail(const Uop* op, Wave* w, const uint8_t* p) {
  out_of_reach(op, w, -1, reinterpret_cast<uint64_t>(p));
}

template <int Dwords, int Shift> CROSSLANE_CC void load(const Uop* op, Wave* w) {
  touching(op, w);
  const uint8_t* p = address<Shift>(op, w);
  if (!reached(w, p, Dwords * 4)) [[unlikely]]
    return fail(op, w, p);
  std::memcpy(at<char>(w, op->dst), p, Dwords * 4);
  CROSSLANE_NEXT(op, w);
}

template <int Dwords, int Shift> CROSSLANE_CC void store(const Uop* op, Wave* w) {
  touching(op, w);
  uint8_t* p = address<Shift>(op, w);
  if (!reached(w, p, Dwords * 4)) [[unlikely]]
    return fail(op, w, p);
  std::memcpy(p, at<char>(w, op->c), Dwords * 4);
  CROSSLANE_NEXT(op, w);
}

// Size in bytes of what a scalar access may reach: records of stride bytes, or plain bytes.
CROSSLANE_INLINE uint64_t buffer_size(const uint32_t* resource) {
  const uint32_t stride = resource[1] >> 16 & 0x3fff;
  return uint64_t(resource[2]) * (stride ? stride : 1);
}
CROSSLANE_INLINE uint8_t* buffer_base(const uint32_t* resource) {
  return reinterpret_cast<uint8_t*>((uint64_t(resource[1] & 0xffff) << 32 | resource[0]) & ~uint64_t(3));
}

// Dwords outside of the buffer load as 0 and are not stored.
template <int Dwords> CROSSLANE_CC void buffer_load(const Uop* op, Wave* w) {
  touching(op, w);
  const auto* resource = at<const uint32_t>(w, op->a);
  const uint64_t size = buffer_size(resource);
  const uint8_t* base = buffer_base(resource);
  const uint64_t offset = (op->k0 + *at<uint32_t>(w, op->b)) & ~uint64_t(3);
  uint32_t values[Dwords] = {};
  if (offset + 4 <= size && !reached(w, base + offset, 4)) [[unlikely]]
    return fail(op, w, base + offset);
  for (int i = 0; i < Dwords; ++i)
    if (offset + 4 * i + 4 <= size)
      std::memcpy(values + i, base + offset + 4 * i, 4);
  std::memcpy(at<char>(w, op->dst), values, sizeof values);
  CROSSLANE_NEXT(op, w);
}

template <int Dwords> CROSSLANE_CC void buffer_store(const Uop* op, Wave* w) {
  touching(op, w);
  const auto* resource = at<const uint32_t>(w, op->a);
  const uint64_t size = buffer_size(resource);
  uint8_t* base = buffer_base(resource);
  const uint64_t offset = (op->k0 + *at<uint32_t>(w, op->b)) & ~uint64_t(3);
  const auto* values = at<const uint32_t>(w, op->c);
  if (offset + 4 <= size && !reached(w, base + offset, 4)) [[unlikely]]
    return fail(op, w, base + offset);
  for (int i = 0; i < Dwords; ++i)
    if (offset + 4 * i + 4 <= size)
      std::memcpy(base + offset + 4 * i, values + i, 4);
  CROSSLANE_NEXT(op, w);
}

// Data, and with cmpswap what to compare with behind it, are where the old value goes if aux asks for it (GLC).
template <bool Buffer, Access A, class T> CROSSLANE_CC void atomic(const Uop* op, Wave* w) {
  touching(op, w);
  uint8_t* p;
  if constexpr (Buffer) {
    const auto* resource = at<const uint32_t>(w, op->a);
    const uint64_t offset = (op->k0 + *at<uint32_t>(w, op->b)) & ~uint64_t(3);
    p = buffer_base(resource) + offset;
    if (offset > buffer_size(resource) || buffer_size(resource) - offset < sizeof(T)) {
      if (op->aux)
        std::memset(at<char>(w, op->c), 0, sizeof(T));
      CROSSLANE_NEXT(op, w);
    }
  } else {
    p = address<0>(op, w);
  }
  if (reinterpret_cast<uint64_t>(p) % sizeof(T)) {
    raise(w, op, machine::FaultKind::misaligned_address, -1, reinterpret_cast<uint64_t>(p));
    return;
  }
  if (!reached(w, p, sizeof(T))) [[unlikely]]
    return fail(op, w, p);
  T data, second = T();
  std::memcpy(&data, at<char>(w, op->c), sizeof(T));
  if constexpr (needs_second(A))
    std::memcpy(&second, at<char>(w, op->c) + sizeof(T), sizeof(T));
  const T old = exchange<A>(reinterpret_cast<T*>(p), data, second);
  if (op->aux)
    std::memcpy(at<char>(w, op->c), &old, sizeof(T));
  CROSSLANE_NEXT(op, w);
}

// Both clocks are CLOCK_BOOTTIME, as the system's time stamps: s_memtime in nanoseconds (a shader clock of 1 GHz),
// s_memrealtime at 100 MHz.
template <int NanosecondsPerTick> CROSSLANE_CC void clock(const Uop* op, Wave* w) {
  timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  const uint64_t ticks = (uint64_t(now.tv_sec) * 1000000000 + uint64_t(now.tv_nsec)) / NanosecondsPerTick;
  std::memcpy(at<char>(w, op->dst), &ticks, 8);
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void fence(const Uop* op, Wave* w) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  CROSSLANE_NEXT(op, w);
}

template <int Shift> Handler pick_load(int dwords) {
  switch (dwords) {
  case 1: return load<1, Shift>;
  case 2: return load<2, Shift>;
  case 4: return load<4, Shift>;
  case 8: return load<8, Shift>;
  case 16: return load<16, Shift>;
  default: return nullptr;
  }
}
template <int Shift> Handler pick_store(int dwords) {
  switch (dwords) {
  case 1: return store<1, Shift>;
  case 2: return store<2, Shift>;
  case 4: return store<4, Shift>;
  default: return nullptr;
  }
}
Handler pick_buffer_load(int dwords) {
  switch (dwords) {
  case 1: return buffer_load<1>;
  case 2: return buffer_load<2>;
  case 4: return buffer_load<4>;
  case 8: return buffer_load<8>;
  case 16: return buffer_load<16>;
  default: return nullptr;
  }
}
Handler pick_buffer_store(int dwords) {
  switch (dwords) {
  case 1: return buffer_store<1>;
  case 2: return buffer_store<2>;
  case 4: return buffer_store<4>;
  default: return nullptr;
  }
}

template <bool Buffer> Handler pick_atomic(const isa::Row& row) {
  const auto pick = []<Access A, class T>() -> Handler { return atomic<Buffer, A, T>; };
  return bytes_of(row.memory) == 8 ? pick_integer_atomic<uint64_t, int64_t>(row.access, pick)
                                   : pick_integer_atomic<uint32_t, int32_t>(row.access, pick);
}

Handler pick(const isa::Row& row, isa::Op name, int dwords) {
  const bool buffer = row.src[0] == isa::Type::B128, scratch = isa::is_scalar_scratch(name);
  switch (row.access) {
  case Access::load: return buffer ? pick_buffer_load(dwords) : scratch ? pick_load<6>(dwords) : pick_load<0>(dwords);
  case Access::store:
    return buffer ? pick_buffer_store(dwords) : scratch ? pick_store<6>(dwords) : pick_store<0>(dwords);
  case Access::time: return name == isa::Op::s_memrealtime ? clock<10> : clock<1>;
  case Access::cache:
  case Access::probe: return fence;
  default: return buffer ? pick_atomic<true>(row) : pick_atomic<false>(row);
  }
}

} // namespace

bool lower_smem(Lowering& l) {
  const isa::Instruction& inst = l.inst;
  const Handler handler = pick(l.row, inst.op, isa::dwords(l.row.memory));
  if (!handler)
    return false;
  const uint16_t data = inst.data != isa::code::none ? inst.data : inst.dst;
  const int registers = isa::dwords(isa::smem_data(l.row));
  const bool moves = registers > 0;
  if (moves && (!isa::is_scalar_register(data) || data + registers > 128))
    return false;
  Uop& op = l.emit(UopKind::scalar_memory, handler);
  if (isa::is_scalar_register(inst.src[0]))
    op.a = machine::sgpr_offset(inst.src[0]);
  if (isa::is_scalar_register(inst.src[1]))
    op.b = machine::sgpr_offset(inst.src[1]);
  const bool buffer = l.row.src[0] == isa::Type::B128; // there it is the sum whose low bits do not count
  if (inst.imm_offset)
    op.k0 = uint64_t(int64_t(inst.imm)) & (buffer ? ~uint64_t(0) : ~uint64_t(3));
  if (inst.src[1] == isa::code::literal)
    op.k0 = uint64_t(inst.literal) * 4; // gfx7 counts it in dwords
  op.aux = inst.glc;
  if (moves)
    op.dst = op.c = machine::sgpr_offset(data);
  return true;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
