// Owns bounds to the byte: accesses to global memory that begin or end outside of an allocation, where the host's pages
// let them through, and accesses that leave the allocation whose address the instruction's SGPRs hold for another one.
// What touches no page is a fault (machine/fault.h), with and without this check; so are accesses outside of LDS.
#pragma once
#include "check/allocations.h"
#include "check/told.h"
#include "events/listener.h"

namespace crosslane::check {

// Of one dispatch.
class Memory final : public events::Listener {
public:
  Memory(const Allocations& allocations, Told& told) : allocations_(allocations), told_(told) {}
  bool wants_accesses() const override { return true; }
  bool wants_space(events::Space space) const override {
    return space == events::Space::global || space == events::Space::scalar;
  }
  void access(const events::Access&) override;

private:
  const Allocations& allocations_;
  Told& told_;
  bool within(const events::Access&, const events::Places&) const;
  void judge(const events::Access&, const events::Places&);
  void tell(const events::Access&, uint64_t lanes, int lane, uint64_t address, const Allocations::Named&);
};

} // namespace crosslane::check
