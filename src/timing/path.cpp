// A walk with a clock. What is under way is remembered by when it is done, one list for each counter.
#include "timing/path.h"
#include "isa/classify.h"
#include "isa/op.h"
#include "isa/wait_counts.h"
#include "timing/fetch.h"
#include <algorithm>

namespace crosslane::timing {

namespace {

using gpu::Parameter;

// Operations that a counter counts. They are told done in order, but for those that come back in any.
class Outstanding {
public:
  void add(double done, bool in_order) {
    if (in_order && !done_.empty() && ordered_)
      done = std::max(done, done_.back());
    ordered_ = in_order && (ordered_ || done_.empty());
    done_.push_back(done);
  }
  // When no more than `count` are left; those that are done by then go.
  double until(size_t count, double now) {
    std::vector<double> sorted = done_;
    std::ranges::sort(sorted);
    const double when = sorted.size() > count ? std::max(now, sorted[sorted.size() - count - 1]) : now;
    std::erase_if(done_, [&](double d) { return d <= when; });
    ordered_ |= done_.empty();
    return when;
  }

private:
  std::vector<double> done_;
  bool ordered_ = true;
};

class Clock {
public:
  Clock(const Walk& walk, bool most) : walk_(walk), most_(most) {}
  PathTime sum; // so far

  void go(const Step& step) {
    const Row& row = *step.row;
    const isa::Instruction& i = row.instruction;
    if (walk_.alone)
      hold(row, step);
    const double start = now();
    if (i.op == isa::Op::s_waitcnt)
      wait(isa::wait_counts(isa::info(i.target).generation, uint32_t(i.imm)));
    else if (i.op == isa::Op::s_barrier && walk_.machine[Parameter::barrier_waits_for_counters] > 0)
      wait({0, 7, 0});
    if (row.cost.resource == Resource::matrix) {
      sum.cycles = std::max(sum.cycles, matrix_free_);
      matrix_free_ = now() + of(row.cost.unit);
    }
    (void)start;
    track(row);
    sum.cycles += step.jumps ? row.cost.taken : of(row.cost.wave);
    if (row.cost.resource == Resource::valu && walk_.alone && walk_.model == Model::card)
      sum.cycles += walk_.machine[Parameter::lone_wave_valu_period] - 4;
    if (walk_.alone)
      delays_.issued(i, now());
  }

private:
  const Walk& walk_;
  bool most_;
  Outstanding vm_, lgkm_, exp_;
  double matrix_free_ = 0, addresses_free_ = 0;
  SchedulingDelays delays_;

  double now() const { return sum.cycles; }
  double of(const Cycles& c) const { return most_ ? c.most : c.least; }

  void hold(const Row& row, const Step& step) {
    double lost = row.fetch + delays_.before(row.instruction, now());
    if (has_fetch_penalties(row.instruction.target)) {
      if (step.jumped_to)
        lost += target_penalty(row.pc);
      if (row.cost.taken > of(row.cost.wave) && !step.jumps)
        lost += not_taken_penalty(row.pc);
    }
    sum.cycles += lost, sum.delays += lost;
  }

  void wait(isa::WaitCounts counts) {
    const auto until = [&](Outstanding& counter, size_t count, double& waited) {
      const double when = counter.until(count, now());
      waited += when - now();
      sum.cycles = when;
    };
    until(vm_, counts.vm, sum.vm);
    until(lgkm_, counts.lgkm, sum.lgkm);
    until(exp_, counts.exp, sum.exp);
  }

  // When what it raises a counter for will be done.
  void track(const Row& row) {
    const Latencies& l = walk_.latencies;
    for (const isa::Raised& raised : isa::waits(row.instruction)) {
      double done = now() + of(row.cost.unit);
      switch (raised.counted) {
      case isa::Counted::vmem:
      case isa::Counted::flat: {
        // Addresses go one instruction after the other. The latency has those of a dword in a row in it.
        const double begin = std::max(now(), addresses_free_);
        if (raised.counter == isa::Counter::vm)
          addresses_free_ = begin + of(row.cost.unit);
        done = begin + l.vmem + std::max(0.0, of(row.cost.unit) - 4);
        break;
      }
      case isa::Counted::lds:
      case isa::Counted::gds: done = now() + l.lds + std::max(0.0, of(row.cost.unit) - 2); break;
      case isa::Counted::smem:
        done = now() + (isa::row(row.instruction.op).access == isa::Access::time ? l.memtime : l.smem);
        break;
      case isa::Counted::message:
      case isa::Counted::export_:
      case isa::Counted::gds_data:
      case isa::Counted::store_data: break;
      }
      Outstanding& counter = raised.counter == isa::Counter::vm     ? vm_
                             : raised.counter == isa::Counter::lgkm ? lgkm_
                                                                    : exp_;
      counter.add(done, isa::in_order(raised.counted));
    }
  }
};

PathTime less(PathTime a, const PathTime& b) {
  a.cycles -= b.cycles, a.vm -= b.vm, a.lgkm -= b.lgkm, a.exp -= b.exp, a.delays -= b.delays;
  return a;
}

} // namespace

PathTime path_time(std::span<const Step> steps, const Walk& walk, bool repeated, bool most) {
  Clock clock(walk, most);
  PathTime before;
  for (int round = 0; round < (repeated ? 3 : 1); ++round) {
    before = clock.sum;
    for (const Step& step : steps)
      clock.go(step);
  }
  return less(clock.sum, before);
}

} // namespace crosslane::timing
