// Owns numbers that went wrong: infinities and NaNs that finite numbers made and that are stored, denormals that became
// 0, and sums, products and shifts of 32 bits that did not fit, where an address is made of them. Each is told of where
// it came about, with the place that it came to.
//
// What is made is not told at once: libraries have infinities on the way to results without them (pow(0, 2) is by
// log2(0)), and hashes leave 32 bits all the time. So values carry marks (check/numerics/marks.h) through what copies
// them and what computes with them; a value is told of when it leaves the wave's registers and scratch, or as an
// address.
#pragma once
#include "check/numerics/floats.h"
#include "check/per_wave.h"
#include "check/told.h"
#include "events/listener.h"
#include <map>

namespace crosslane::check {

// What is the same for all dispatches of one code object.
struct NumericsCode {
  numerics::Code code;
};

// Of one dispatch.
class Numerics final : public events::Listener {
public:
  Numerics(NumericsCode&, bool scratch, Told&);
  ~Numerics() override;
  bool wants_waves() const override { return true; }
  bool wants_issued() const override { return true; }
  bool wants_steps() const override { return true; }
  bool wants_accesses() const override { return scratch_; }
  bool wants_space(events::Space space) const override { return space == events::Space::scratch; }
  void issued(const events::Issued&) override;
  void step(const events::Step&) override;
  void access(const events::Access&) override;
  void wave_ended(const events::WaveEnded&) override;

private:
  struct OfWave {
    numerics::Marks marks;
    std::map<numerics::Mark, std::string> examples; // the numbers that made it, of the first time
  };
  // What the thread is at.
  struct Now {
    uint64_t serial = 0;
    const machine::Wave* wave = nullptr;
    OfWave* of = nullptr;
    const numerics::Block* block = nullptr;
    size_t next = 0; // instruction of it
    uint64_t exec = 0;
    const numerics::Instruction* pending = nullptr; // has a float result that has not been looked at
    numerics::Kept kept;                            // of it
    const numerics::Instruction* stores = nullptr;  // to memory, unless an access to scratch is told of
  };
  static Now& now();
  const numerics::Instruction& instruction_at(Now&, uint64_t pc) const;
  void finish(Now&);
  void judge_result(Now&);
  void reach_memory(Now&, const numerics::Instruction&);
  void judge_address(Now&, const numerics::Instruction&);
  void judge_store(Now&, const numerics::Instruction&);
  template <class Matters> void tell(const Now&, uint64_t at, unsigned slot, uint64_t lanes, Matters);
  void tell(const Now&, const numerics::Mark&, uint64_t at, int lane, uint64_t times);
  void clear(Now&, const numerics::Instruction&);

  const uint64_t serial_;
  NumericsCode& code_;
  const bool scratch_; // waves have some
  Told& told_;
  PerWave<OfWave> waves_;
};

} // namespace crosslane::check
