// Constant addresses in LDS beyond what the kernel has of it. Constants are followed where v_mov_b32 puts them into a
// VGPR for all lanes that read them.
#pragma once
#include "lint/finding.h"
#include "lint/launches.h"
#include "lint/together.h"
#include <array>

namespace crosslane::lint {

struct KnownConstants {
  static constexpr size_t most = 12;
  struct One {
    uint16_t vgpr = 0;
    uint32_t value = 0;
    bool operator==(const One&) const = default;
  };
  std::array<One, most> all{};
  uint8_t count = 0;
  const One* find(uint16_t vgpr) const {
    for (uint8_t n = 0; n < count; ++n)
      if (all[n].vgpr == vgpr)
        return &all[n];
    return nullptr;
  }
  template <class F> void keep_if(F f) {
    uint8_t kept = 0;
    for (uint8_t n = 0; n < count; ++n)
      if (f(all[n]))
        all[kept++] = all[n];
    count = kept;
  }
};

class LdsSize : public Topic<KnownConstants> {
public:
  LdsSize(const Subject& subject, const Launches& launches, Report& report)
      : subject_(subject), launches_(launches), report_(report), told_(subject.graph.parts.size()) {}
  bool step(State&, const Step&);
  bool join(State& into, const State& from);
  void report(const State&, const Step&);

private:
  const Subject& subject_;
  const Launches& launches_;
  Report& report_;
  std::vector<bool> told_; // of each part, that it has no LDS

  bool may_go_beyond(const State&, const Step&) const;
};

} // namespace crosslane::lint
