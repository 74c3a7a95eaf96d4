// Owns bounds to the byte: accesses to global memory that begin or end outside of an allocation, where the host's pages
// let them through, accesses that leave the allocation whose address the instruction's SGPRs hold for another one,
// stores to what kernels may only read, those to LDS beyond what the dispatch asked for, which a card rounds up, and
// addresses that hardware rounds down (check/misaligned.h). What touches no page, or LDS beyond the
// rounding, is a fault (machine/fault.h), with and without this check.
#pragma once
#include "check/allocations.h"
#include "check/told.h"
#include "check/variables.h"
#include "events/listener.h"

namespace crosslane::check {

// Of one dispatch.
class Memory final : public events::Listener {
public:
  // lds_bytes: that the dispatch asked for. scratch: it is judged too. No allocations: global memory is not.
  Memory(const Allocations* allocations, const Variables& variables, uint32_t lds_bytes, bool scratch, Told& told)
      : allocations_(allocations), variables_(variables), lds_bytes_(lds_bytes), scratch_(scratch), told_(told) {}
  bool wants_accesses() const override { return true; }
  bool wants_space(events::Space space) const override { return scratch_ || space != events::Space::scratch; }
  void access(const events::Access&) override;

private:
  const Allocations* const allocations_;
  const Variables& variables_;
  const uint32_t lds_bytes_;
  const bool scratch_;
  Told& told_;
  std::optional<Allocations::Named> find(uint64_t address, uint64_t near) const;
  bool within(const events::Access&, const events::Places&) const;
  void judge(const events::Access&, const events::Places&);
  void judge_alignment(const events::Access&);
  void judge_lds(const events::Access&, const uint64_t* address);
  void tell_read_only(const events::Access&, uint64_t lanes, const uint64_t* addresses);
  void tell_freed(const events::Access&, uint64_t lanes, const uint64_t* addresses);
  void tell(const events::Access&, uint64_t lanes, int lane, uint64_t address, const Allocations::Named&);
};

} // namespace crosslane::check
