// Owns choosing workgroups at random, and how good an estimate from them is.
//
// Of every launch a fixed number of workgroups is chosen, without repetition: a permutation of the workgroup numbers
// that depends on the seed and the launch, of which the first ones are taken. So the same seed gives the same choice
// everywhere, the number chosen is not left to chance, and nobody needs a list.
#pragma once
#include "events/listener.h"
#include "profile/options.h"
#include "views/per_thread.h"
#include <optional>
#include <unordered_map>

namespace crosslane::profile {

class Choice {
public:
  // Chooses about rate.fraction of `of` workgroups, but two at least, which an error needs.
  Choice(const SampleRate& rate, uint64_t launch, uint64_t of);
  bool chosen(uint64_t workgroup) const { return all_ || place(workgroup) < count_; }
  uint64_t count() const { return count_; }

private:
  uint64_t place(uint64_t workgroup) const; // of the workgroup in the permutation
  uint64_t of_, count_, key_;
  bool all_;
  uint32_t half_bits_ = 1;
};

// Sums over sampled workgroups of what each one executed.
struct SampleSums {
  uint64_t workgroups = 0, of = 0;
  double sum = 0, squares = 0;
  void add(double wave_instructions) {
    ++workgroups, sum += wave_instructions, squares += wave_instructions * wave_instructions;
  }
  SampleSums& operator+=(const SampleSums&);
  // Relative standard error of the estimate sum * of / workgroups of the sum over all, for a choice without repetition:
  // sqrt((1 - n/N) / n) * s / mean, with s^2 = sum (x - mean)^2 / (n - 1). Nothing with fewer than two, or if nothing
  // ran. Source: Cochran, Sampling Techniques, 2.6.
  std::optional<double> error() const;
};

// Counts wave-instructions of each workgroup that it hears of. Attach to one dispatch; read when it has ended.
class WorkgroupCosts final : public events::Listener {
public:
  bool wants_issued() const override { return true; }
  void issued(const events::Issued&) override;
  SampleSums sums() const; // without `of`

private:
  struct Table {
    std::unordered_map<uint64_t, uint64_t> costs; // by number of the workgroup
    uint64_t last = UINT64_MAX;
    uint64_t* cost = nullptr; // of the last one
  };
  views::PerThread<Table> tables_;
};

} // namespace crosslane::profile
