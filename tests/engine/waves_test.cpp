// Waves and workgroups as listeners hear of them: where they begin, wait, meet at barriers and end, event by event.
#include "events/several.h"
#include "isa/op.h"
#include "tests/engine/kernel_fixture.h"
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace crosslane {
namespace {

using test::Kernel;

const char* name_of(events::End end) {
  switch (end) {
  case events::End::finished: return "finished";
  case events::End::faulted: return "faulted";
  case events::End::abandoned: return "abandoned";
  }
  return "";
}

// All that happens, a line each; code addresses from the kernel's entry on.
class Log : public events::Listener {
public:
  explicit Log(const Kernel& kernel) : entry_(kernel.entry()) {}
  bool wants_waves() const override { return waves; }
  bool wants_barriers() const override { return barriers; }
  bool wants_waits() const override { return waits; }
  bool wants_accesses() const override { return accesses; }
  bool wants_workgroup(const machine::Workgroup& group) const override { return group.number != unwanted; }

  void began(const events::Began& e) override {
    std::string line = "group " + std::to_string(e.group->number) + " begins:";
    for (const machine::Wave* w : e.waves) {
      EXPECT_EQ(w->workgroup, e.group);
      EXPECT_EQ(w->exec(), w->launched);
      line += " " + std::to_string(w->id) + "(" + std::to_string(__builtin_popcountll(w->exec())) + ")";
    }
    EXPECT_EQ(e.waves.size(), e.group->wave_count);
    add(line);
  }
  void wave_ended(const events::WaveEnded& e) override {
    add(name(*e.wave) + " " + name_of(e.end) + " after " + std::to_string(e.instructions));
    const std::lock_guard lock(mutex_);
    instructions += e.instructions;
  }
  void group_ended(const events::GroupEnded& e) override {
    add("group " + std::to_string(e.group->number) + " " + name_of(e.end));
  }
  void arrived(const events::Arrived& e) override { add(name(*e.wave) + " arrives" + at(e.site)); }
  void released(const events::Released& e) override {
    std::string line = "group " + std::to_string(e.group->number) + " goes on:";
    for (const machine::Wave* w : e.waves)
      line += " " + std::to_string(w->id);
    add(line);
  }
  void wait(const events::Wait& e) override {
    if (e.sleeps) {
      EXPECT_EQ(e.site.instruction->op, isa::Op::s_sleep);
      add(name(*e.wave) + " sleeps " + std::to_string(e.site.instruction->imm) + at(e.site));
      if (cancel)
        *cancel = true;
      return;
    }
    EXPECT_EQ(e.site.instruction->op, isa::Op::s_waitcnt);
    add(name(*e.wave) + " waits vm " + std::to_string(e.counts.vm) + " exp " + std::to_string(e.counts.exp) + " lgkm " +
        std::to_string(e.counts.lgkm) + at(e.site));
  }
  void access(const events::Access& e) override { add(name(*e.wave) + " accesses" + at(e.site)); }

  bool waves = true, barriers = true, waits = true, accesses = false;
  uint64_t unwanted = UINT64_MAX;      // workgroup
  std::atomic<bool>* cancel = nullptr; // becomes true when a wave sleeps
  std::vector<std::string> lines;
  uint64_t instructions = 0; // of waves that ended

private:
  static std::string name(const machine::Wave& w) {
    return std::to_string(w.workgroup->number) + "." + std::to_string(w.id);
  }
  std::string at(const events::Site& site) const { return " at " + std::to_string(site.pc - entry_); }
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines.push_back(std::move(line));
  }
  const uint64_t entry_;
  std::mutex mutex_;
};

using Lines = std::vector<std::string>;

engine::Outcome run(const Kernel& kernel, const test::Shape& shape, Log& log, unsigned threads = 1) {
  engine::Options options;
  options.listener = &log;
  options.threads = threads;
  options.cancel = log.cancel;
  return kernel.run(shape, {}, options, 256);
}

// s6 = number of the wave in its workgroup.
const char* const wave_number = "v_readfirstlane_b32 s6, v0\n s_lshr_b32 s6, s6, 6\n"; // 8 bytes

TEST(Waves, BeginWaitMeetAndEnd) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_mov_b32 m0, -1
  v_lshlrev_b32_e32 v1, 2, v0
  v_and_b32_e32 v1, 0xfc, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_sleep 2
  s_waitcnt vmcnt(3) expcnt(2)
  s_endpgm
)");
    Log log(kernel);
    log.accesses = true;
    EXPECT_NO_FAULT(run(kernel, {{128, 1, 1}, {96, 1, 1}}, log)); // of 96 and of 32
    const std::string vm = isa::info(target).generation >= isa::Generation::gfx9 ? "63" : "15";
    EXPECT_EQ(log.lines, (Lines{
                             "group 0 begins: 0(64) 1(32)",
                             "0.0 accesses at 16",
                             "0.0 waits vm " + vm + " exp 7 lgkm 0 at 24",
                             "0.0 arrives at 28",
                             "0.1 accesses at 16",
                             "0.1 waits vm " + vm + " exp 7 lgkm 0 at 24",
                             "0.1 arrives at 28",
                             "group 0 goes on: 0 1",
                             "0.0 sleeps 2 at 32",
                             "0.1 sleeps 2 at 32",
                             "group 1 begins: 0(32)",
                             "1.0 accesses at 16",
                             "1.0 waits vm " + vm + " exp 7 lgkm 0 at 24",
                             "1.0 arrives at 28",
                             "group 1 goes on: 0",
                             "1.0 sleeps 2 at 32",
                             "0.0 waits vm 3 exp 2 lgkm 15 at 36",
                             "0.0 finished after 9",
                             "0.1 waits vm 3 exp 2 lgkm 15 at 36",
                             "0.1 finished after 9",
                             "group 0 finished",
                             "1.0 waits vm 3 exp 2 lgkm 15 at 36",
                             "1.0 finished after 9",
                             "group 1 finished",
                         }));
  }
}

// Nobody waits for a wave that has ended; those that wait may do so at different barriers.
TEST(Waves, BarriersCountWhoIsLeft) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, std::string(wave_number) + R"(
  s_cmp_eq_u32 s6, 1
  s_cbranch_scc1 early
  s_cmp_eq_u32 s6, 2
  s_cbranch_scc1 other
  s_barrier
  s_endpgm
other:
  s_barrier
early:
  s_endpgm
)");
    Log log(kernel);
    EXPECT_NO_FAULT(run(kernel, {{192, 1, 1}, {192, 1, 1}}, log));
    EXPECT_EQ(log.lines, (Lines{
                             "group 0 begins: 0(64) 1(64) 2(64)",
                             "0.0 arrives at 24",
                             "0.1 finished after 5",
                             "0.2 arrives at 32",
                             "group 0 goes on: 0 2",
                             "0.0 finished after 8",
                             "0.2 finished after 8",
                             "group 0 finished",
                         }));
  }
}

TEST(Waves, FaultsEndAll) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, std::string(wave_number) + R"(
  s_cmp_eq_u32 s6, 1
  s_cbranch_scc1 bad
  s_barrier
  s_endpgm
bad:
  s_sleep 1
  s_trap 2
  s_endpgm
)");
    Log log(kernel);
    const auto outcome = run(kernel, {{384, 1, 1}, {128, 1, 1}}, log);
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, machine::FaultKind::trap);
    // While the waves of one workgroup sleep and wait, others begin; the fault of the first ends them where they are.
    EXPECT_EQ(log.lines, (Lines{
                             "group 0 begins: 0(64) 1(64)",
                             "0.0 arrives at 16",
                             "0.1 sleeps 1 at 24",
                             "group 1 begins: 0(64) 1(64)",
                             "1.0 arrives at 16",
                             "1.1 sleeps 1 at 24",
                             "group 2 begins: 0(64) 1(64)",
                             "2.0 arrives at 16",
                             "2.1 sleeps 1 at 24",
                             "0.0 abandoned after 5",
                             "0.1 faulted after 5",
                             "group 0 faulted",
                             "1.0 abandoned after 5",
                             "1.1 abandoned after 5",
                             "group 1 abandoned",
                             "2.0 abandoned after 5",
                             "2.1 abandoned after 5",
                             "group 2 abandoned",
                         }));
  }
}

// The thread leaves the handlers by a jump.
TEST(Waves, MemoryFaultsEndAll) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v3, 0
  flat_load_dword v1, v[2:3]
  s_endpgm
)");
    Log log(kernel);
    const auto outcome = run(kernel, {{128, 1, 1}, {128, 1, 1}}, log);
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, machine::FaultKind::unmapped_address);
    EXPECT_EQ(log.lines, (Lines{
                             "group 0 begins: 0(64) 1(64)",
                             "0.0 faulted after 2",
                             "0.1 abandoned after 0",
                             "group 0 faulted",
                         }));
  }
}

// Behind the sleep lies code that has been decoded before: what counts instructions there has its own way.
TEST(Waves, CancellationEndsAll) {
  const Kernel kernel(isa::Target::gfx900, R"(
  s_cbranch_scc0 first
  s_branch second
first:
  s_sleep 1
second:
  s_branch first
)");
  Log log(kernel);
  std::atomic<bool> cancel = false;
  log.cancel = &cancel;
  const auto outcome = run(kernel, {{64, 1, 1}, {64, 1, 1}}, log);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, machine::FaultKind::cancelled);
  EXPECT_EQ(log.lines, (Lines{
                           "group 0 begins: 0(64)",
                           "0.0 sleeps 1 at 8",
                           "0.0 abandoned after 2",
                           "group 0 abandoned",
                       }));
}

const char* const all_of_it = R"(
  s_mov_b32 s6, 3
again:
  s_barrier
  s_waitcnt vmcnt(0)
  s_sleep 1
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 again
  s_endpgm
)";

TEST(Waves, TellOnlyWhatIsWanted) {
  const Kernel kernel(isa::Target::gfx900, all_of_it);
  const test::Shape shape = {{256, 1, 1}, {128, 1, 1}};
  for (int wanted = 0; wanted < 8; ++wanted) {
    Log log(kernel);
    log.waves = wanted & 1, log.barriers = wanted & 2, log.waits = wanted & 4;
    EXPECT_NO_FAULT(run(kernel, shape, log));
    const auto count = [&](const char* word) {
      return std::ranges::count_if(log.lines, [&](const auto& l) { return l.find(word) != std::string::npos; });
    };
    EXPECT_EQ(count("begins"), log.waves ? 2 : 0);
    EXPECT_EQ(count("finished"), log.waves ? 2 + 4 : 0);
    EXPECT_EQ(count("arrives"), log.barriers ? 4 * 3 : 0);
    EXPECT_EQ(count("goes on"), log.barriers ? 2 * 3 : 0);
    EXPECT_EQ(count("waits"), log.waits ? 4 * 3 : 0);
    EXPECT_EQ(count("sleeps"), log.waits ? 4 * 3 : 0);
  }
  Log log(kernel);
  log.unwanted = 1;
  EXPECT_NO_FAULT(run(kernel, shape, log));
  for (const std::string& line : log.lines)
    EXPECT_FALSE(line.starts_with("1.") || line.starts_with("group 1")) << line;
  EXPECT_EQ(log.lines.size(), 1u + 2 * 3 + 3 + 2 * 3 * 2 + 2 + 1);
}

// Whatever thread runs a workgroup: its own events are in order, and nothing about the run changes.
TEST(Waves, EachWorkgroupIsInOrderOnAllThreads) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, all_of_it);
    const test::Shape shape = {{128 * 40, 1, 1}, {128, 1, 1}};
    Log one(kernel), all(kernel);
    EXPECT_NO_FAULT(run(kernel, {{128, 1, 1}, {128, 1, 1}}, one));
    const auto outcome = run(kernel, shape, all, 0);
    EXPECT_NO_FAULT(outcome);
    std::map<std::string, Lines> groups; // by number, with the number cut off
    for (std::string line : all.lines) {
      const bool of_group = line.starts_with("group ");
      const size_t begin = of_group ? 6 : 0, end = line.find_first_of(". ", begin);
      const std::string number = line.substr(begin, end - begin);
      groups[number].push_back(line.replace(begin, end - begin, "0"));
    }
    EXPECT_EQ(groups.size(), 40u);
    for (const auto& [number, lines] : groups)
      EXPECT_EQ(lines, one.lines) << number;
    EXPECT_EQ(all.instructions, outcome.stats.instructions);
    EXPECT_EQ(all.instructions, kernel.run(shape, {}, {}, 256).stats.instructions);
  }
}

TEST(Waves, SeveralHearTheSame) {
  const Kernel kernel(isa::Target::gfx900, all_of_it);
  Log alone(kernel), first(kernel), second(kernel);
  EXPECT_NO_FAULT(run(kernel, {{256, 1, 1}, {128, 1, 1}}, alone));
  events::Several several;
  several.add(first);
  several.add(second);
  engine::Options options;
  options.listener = &several;
  options.threads = 1;
  EXPECT_NO_FAULT(kernel.run({{256, 1, 1}, {128, 1, 1}}, {}, options, 256));
  EXPECT_EQ(first.lines, alone.lines);
  EXPECT_EQ(second.lines, alone.lines);
}

} // namespace
} // namespace crosslane
