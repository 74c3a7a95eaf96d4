// Owns what is remembered of one access, as small as it gets, and the ids that it is made of. A wave is known by its
// workgroup's number in the order of launch and its own in the workgroup; an instruction by a number of Sites.
#pragma once
#include "events/listener.h"
#include "isa/access.h"
#include "isa/op.h"
#include <cstdint>

namespace crosslane::check::race {

inline constexpr uint32_t waves_per_group = 16; // 1024 work-items
inline constexpr uint64_t max_groups = uint64_t(1) << 28;
inline constexpr uint32_t nobody = UINT32_MAX;

constexpr uint32_t wave_index(uint64_t group, uint32_t wave) { return uint32_t(group) * waves_per_group + wave; }
constexpr uint32_t group_of(uint32_t wave) { return wave / waves_per_group; }

enum class Kind : uint8_t {
  load,
  store,
  seen,   // a load past the first cache (GLC): what LLVM makes of atomic and of volatile loads
  atomic, // reads and writes at once
};

struct Record {
  uint32_t wave = nobody; // wave_index()
  uint32_t count = 0;     // its place among the wave's counted memory instructions, from 1 on
  uint32_t interval : 26; // barriers that its workgroup had passed
  uint32_t lag : 6;       // how many before it were not known to be done
  uint32_t site : 24;     // Sites
  uint32_t is_known : 1;  // of a store: what it has written is in the shadow
  uint32_t is_atomic : 1; // of a cell's writer: something has looked at the place as atomics do
  uint32_t kind : 2;
  Record() : interval(0), lag(0), site(0), is_known(0), is_atomic(0), kind(0) {}
};
static_assert(sizeof(Record) == 16);

inline Kind kind_of(const events::Access& e) {
  if (e.kind == events::AccessKind::atomic)
    return Kind::atomic;
  if (e.kind == events::AccessKind::store)
    return Kind::store;
  return e.site.instruction->glc && e.space != events::Space::lds ? Kind::seen : Kind::load;
}
inline bool compares_and_swaps(const events::Access& e) {
  return isa::is_compare_and_swap(isa::row(e.site.instruction->op).access);
}

} // namespace crosslane::check::race
