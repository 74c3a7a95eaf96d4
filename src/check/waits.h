// Owns the dynamic twin of lint's waits and wait states: the same checks along the way that each wave really goes. What
// it finds happened; what a static walk has to assume (which way, what a callee left outstanding) is known. And what
// only a run can tell: lanes that are off where others ask for their values (check/lanes.h).
#pragma once
#include "check/lanes.h"
#include "events/listener.h"
#include "lint/follow.h"
#include "lint/lint.h"
#include <array>
#include <mutex>
#include <unordered_map>

namespace crosslane::check {

class Waits final : public events::Listener {
public:
  // The code that runs, at the addresses where it runs; must outlive it. Waves that are elsewhere are not judged.
  explicit Waits(const lint::Subject&);
  ~Waits() override;
  bool wants_issued() const override { return true; }
  bool wants_steps() const override { return true; } // for registers: lanes that are asked for, VGPR indexing
  bool wants_waves() const override { return true; }
  void issued(const events::Issued&) override;
  void step(const events::Step&) override;
  void wave_ended(const events::WaveEnded&) override;

  // When nothing runs: of each rule and instruction one, by address. Notes are not in it, and what lint's options do
  // not ask for.
  lint::Report report(const lint::Options&) const;

private:
  struct Shelf;
  struct OfWave;
  const lint::Subject& subject_;
  std::array<std::unique_ptr<Shelf>, 64> shelves_; // of waves, each with checks of its own: several threads seldom meet
  Shelf& shelf(const machine::Wave* w) const {
    return *shelves_[(reinterpret_cast<uintptr_t>(w) >> 12) % shelves_.size()];
  }
  struct Block;
  const Block& block_of(Shelf&, const events::Block&) const;
  OfWave& wave_of(Shelf&, const machine::Wave*, uint64_t pc) const;
  lint::Finding told_of(const OffLane&, const isa::Instruction&, uint64_t pc) const;
};

} // namespace crosslane::check
