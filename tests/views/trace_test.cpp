// Recording a wave from hand-made events: registers of a hand-made Wave are changed between its steps.
#include "isa/op.h"
#include "views/trace.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace crosslane::views {
namespace {

using isa::Op;
using isa::Target;

// Waves with AccVGPRs lie in a larger block.
struct FreeWave {
  void operator()(machine::Wave* wave) const { std::free(wave); }
};

struct Sender {
  machine::Workgroup group{};
  std::unique_ptr<machine::Wave, FreeWave> wave;
  isa::Instruction add, load, last;

  explicit Sender(Target target = Target::gfx900, uint32_t x = 0, uint32_t y = 0, uint32_t z = 0, uint16_t id = 0) {
    const bool accvgprs = isa::info(target).generation >= isa::Generation::gfx908;
    const size_t bytes = machine::wave_bytes(accvgprs);
    void* block = std::aligned_alloc(alignof(machine::Wave), bytes);
    std::memset(block, 0, bytes);
    wave.reset(static_cast<machine::Wave*>(block));
    wave->workgroup = &group;
    wave->id = id;
    wave->vgpr_count = 8;
    wave->gpr_alloc = 1 << 8 | 0 << 24; // 2 granules of VGPRs, 1 of SGPRs
    group.id[0] = x, group.id[1] = y, group.id[2] = z;
    add.op = Op::v_add_f32, load.op = Op::ds_read_b32, last.op = Op::s_endpgm;
    add.target = load.target = last.target = target;
  }
  machine::Wave& operator*() const { return *wave; }
  machine::Wave* operator->() const { return wave.get(); }
  void fill(uint32_t vgpr, uint32_t value) const { std::fill_n(wave->vgpr(vgpr), 64, value); }
  void step(WaveRecorder& to, uint64_t pc, const isa::Instruction& i) const { to.step({{pc, &i}, wave.get()}); }
  void access(WaveRecorder& to, uint64_t pc, uint64_t lanes, uint64_t base, bool two = false) const {
    uint64_t address[64], second[64];
    for (uint64_t l = 0; l < 64; ++l)
      address[l] = base + 4 * l, second[l] = base + 1000 + 4 * l;
    to.access({{pc, &load},
               wave.get(),
               events::Space::lds,
               events::AccessKind::load,
               4,
               lanes,
               address,
               two ? second : nullptr});
  }
};

TEST(Trace, WhatEachInstructionChanged) {
  WaveRecorder recorder({0, 0, 0}, 0);
  const Sender wave;
  wave->s[4] = 40, wave->s[102] = 1020, wave->s[108] = 7;
  wave->set_pair(126, 0xff);
  wave->s[124] = ~0u;
  for (uint32_t l = 0; l < 64; ++l)
    wave->v[0][l] = l;
  wave.step(recorder, 0x100, wave.add); // writes one lane of v1 and VCC
  wave->v[1][5] = 0x3f800000;
  wave->set_pair(106, 0x20);
  wave.step(recorder, 0x104, wave.add); // writes s5, SCC
  wave->s[5] = 50, wave->scc = 1;
  wave.step(recorder, 0x108, wave.add); // EXEC, M0
  wave->set_pair(126, 0xf000'0000'0000'0000), wave->s[124] = 3;
  wave.step(recorder, 0x10c, wave.add); // nothing that it had not
  wave->v[1][5] = 0x3f800000;
  wave.step(recorder, 0x100, wave.add); // a loop: v1 becomes 0 again, SCC too
  wave->v[1][5] = 0, wave->scc = 0;
  wave.step(recorder, 0x110, wave.last);

  const WaveTrace trace = recorder.trace();
  EXPECT_TRUE(trace.found);
  EXPECT_TRUE(trace.complete);
  EXPECT_EQ(trace.initial.s, (std::map<uint32_t, uint32_t>{{4, 40}, {102, 1020}, {108, 7}}));
  ASSERT_EQ(trace.initial.v.size(), 1u); // v0; all else is 0
  EXPECT_EQ(trace.initial.v.at(0)[63], 63u);
  EXPECT_EQ(trace.initial.exec, 0xffu);
  EXPECT_EQ(trace.initial.m0, ~0u);
  EXPECT_EQ(trace.initial.vcc, std::nullopt);
  EXPECT_EQ(trace.initial.scc, std::nullopt);

  ASSERT_EQ(trace.instructions.size(), 5u);
  EXPECT_EQ(trace.instructions[3].pc, 0x10cu);
  EXPECT_EQ(trace.instructions[4].instruction.op, Op::s_endpgm);
  ASSERT_EQ(trace.steps.size(), 6u);
  const std::vector<uint32_t> order = {0, 1, 2, 3, 0, 4};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(trace.steps[i].instruction, order[i]);

  const RegisterChanges& first = trace.steps[0].changes;
  ASSERT_EQ(first.v.size(), 1u);
  EXPECT_EQ(first.v.at(1)[5], 0x3f800000u);
  EXPECT_EQ(first.v.at(1)[4], 0u);
  EXPECT_EQ(first.vcc, 0x20u);
  EXPECT_TRUE(first.s.empty()); // VCC is not repeated as s106
  EXPECT_EQ(first.exec, std::nullopt);
  const RegisterChanges& second = trace.steps[1].changes;
  EXPECT_EQ(second.s, (std::map<uint32_t, uint32_t>{{5, 50}}));
  EXPECT_EQ(second.scc, 1u);
  EXPECT_TRUE(second.v.empty());
  EXPECT_EQ(second.vcc, std::nullopt);
  const RegisterChanges& third = trace.steps[2].changes;
  EXPECT_EQ(third.exec, 0xf000'0000'0000'0000u);
  EXPECT_EQ(third.m0, 3u);
  EXPECT_TRUE(third.s.empty());
  EXPECT_TRUE(trace.steps[3].changes.empty());
  EXPECT_EQ(trace.steps[4].changes.v.at(1)[5], 0u);
  EXPECT_EQ(trace.steps[4].changes.scc, 0u);
  EXPECT_TRUE(trace.steps[5].changes.empty());
}

TEST(Trace, EndsWhereTheWaveIsKilled) {
  for (const int kills : {0, 1}) {
    WaveRecorder recorder({0, 0, 0}, 0);
    Sender wave;
    wave.last.op = Op::s_setkill, wave.last.imm = kills;
    wave.step(recorder, 0x100, wave.add);
    wave.step(recorder, 0x104, wave.last);
    EXPECT_EQ(recorder.trace().complete, kills == 1);
  }
}

TEST(Trace, OnlyRegistersThatTheWaveOwns) {
  // 2 granules of 4 VGPRs and one of 16 SGPRs on gfx900.
  WaveRecorder recorder({0, 0, 0}, 0);
  const Sender wave;
  wave.fill(7, 70), wave.fill(8, 80), wave.fill(255, 2550);
  wave.step(recorder, 0x100, wave.add);
  const WaveTrace trace = recorder.trace();
  EXPECT_EQ(trace.vgpr_count, 8u);
  EXPECT_EQ(trace.agpr_count, 0u);
  EXPECT_EQ(trace.sgpr_count, 16u);
  ASSERT_EQ(trace.initial.v.size(), 1u);
  EXPECT_EQ(trace.initial.v.at(7)[0], 70u);
  EXPECT_TRUE(trace.found);
  EXPECT_FALSE(trace.complete);
}

TEST(Trace, AccVgprsCountOnFrom256) {
  // gfx908: a file of their own, as large as the other: 2 granules of 4.
  {
    WaveRecorder recorder({0, 0, 0}, 0);
    const Sender wave(Target::gfx908);
    wave.fill(256 + 7, 1);
    wave.step(recorder, 0x100, wave.add);
    wave.fill(256, 2), wave.fill(1, 3), wave.fill(256 + 8, 4);
    wave.step(recorder, 0x108, wave.last);
    const WaveTrace trace = recorder.trace();
    EXPECT_EQ(trace.vgpr_count, 8u);
    EXPECT_EQ(trace.agpr_count, 8u);
    ASSERT_EQ(trace.initial.v.size(), 1u);
    EXPECT_EQ(trace.initial.v.at(263)[63], 1u);
    ASSERT_EQ(trace.steps[0].changes.v.size(), 2u); // the 8th is no one's
    EXPECT_EQ(trace.steps[0].changes.v.at(256)[0], 2u);
    EXPECT_EQ(trace.steps[0].changes.v.at(1)[0], 3u);
  }
  // gfx90a: one file of 2 granules of 8, cut after 8 VGPRs; then after 12.
  for (const uint32_t vgprs : {8u, 12u}) {
    WaveRecorder recorder({0, 0, 0}, 0);
    const Sender wave(Target::gfx90a);
    wave->vgpr_count = vgprs;
    wave.step(recorder, 0x100, wave.add);
    EXPECT_EQ(recorder.trace().vgpr_count, vgprs);
    EXPECT_EQ(recorder.trace().agpr_count, 16 - vgprs);
  }
  // All 512 registers that gfx90a has for a wave.
  WaveRecorder recorder({0, 0, 0}, 0);
  const Sender wave(Target::gfx90a);
  wave->vgpr_count = 256;
  wave->gpr_alloc = 63 << 8;
  wave.fill(511, 9);
  wave.step(recorder, 0x100, wave.add);
  EXPECT_EQ(recorder.trace().agpr_count, 256u);
  EXPECT_EQ(recorder.trace().initial.v.at(511)[0], 9u);
}

TEST(Trace, AccessesOfTheStepUnderWay) {
  WaveRecorder recorder({0, 0, 0}, 0);
  const Sender wave;
  wave.access(recorder, 0x0fc, 1, 0); // before its first step: of none
  wave.step(recorder, 0x100, wave.load);
  wave.access(recorder, 0x100, 0xf, 64);
  wave.access(recorder, 0x100, 0x8000'0000'0000'0000, 128, true);
  wave.step(recorder, 0x108, wave.add);
  wave.step(recorder, 0x10c, wave.last);
  wave.access(recorder, 0x10c, 1, 0); // after its end
  const WaveTrace trace = recorder.trace();
  ASSERT_EQ(trace.steps.size(), 3u);
  ASSERT_EQ(trace.steps[0].accesses.size(), 2u);
  EXPECT_TRUE(trace.steps[1].accesses.empty());
  EXPECT_TRUE(trace.steps[2].accesses.empty());
  const TracedAccess& one = trace.steps[0].accesses[0];
  EXPECT_EQ(one.space, events::Space::lds);
  EXPECT_EQ(one.kind, events::AccessKind::load);
  EXPECT_EQ(one.bytes, 4u);
  EXPECT_EQ(one.lanes, 0xfu);
  EXPECT_EQ(one.address[3], 76u);
  EXPECT_EQ(one.address[4], 0u); // took no part
  EXPECT_FALSE(one.two_addresses);
  const TracedAccess& two = trace.steps[0].accesses[1];
  EXPECT_EQ(two.address[63], 128u + 252);
  EXPECT_EQ(two.second[63], 1128u + 252);
  EXPECT_EQ(two.second[0], 0u);
  EXPECT_TRUE(two.two_addresses);
}

TEST(Trace, OneWaveOfOneWorkgroup) {
  WaveRecorder recorder({2, 1, 3}, 4);
  const Sender wanted(Target::gfx900, 2, 1, 3, 4);
  const Sender others[] = {Sender(Target::gfx900, 1, 1, 3, 4), Sender(Target::gfx900, 2, 0, 3, 4),
                           Sender(Target::gfx900, 2, 1, 0, 4), Sender(Target::gfx900, 2, 1, 3, 3)};
  EXPECT_TRUE(recorder.wants_workgroup(wanted.group));
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(recorder.wants_workgroup(others[i].group));
  EXPECT_TRUE(recorder.wants_steps());
  EXPECT_TRUE(recorder.wants_accesses());
  for (const Sender& other : others) {
    other.step(recorder, 0x100, other.add);
    other.access(recorder, 0x100, 1, 0);
  }
  EXPECT_FALSE(recorder.trace().found);
  EXPECT_EQ(recorder.trace().workgroup[2], 3u);
  EXPECT_EQ(recorder.trace().wave, 4u);
  wanted.step(recorder, 0x100, wanted.load);
  for (const Sender& other : others) {
    other.step(recorder, 0x200, other.add);
    other.access(recorder, 0x200, 1, 0);
  }
  wanted.step(recorder, 0x104, wanted.last);
  const WaveTrace trace = recorder.trace();
  EXPECT_TRUE(trace.found);
  ASSERT_EQ(trace.steps.size(), 2u);
  EXPECT_EQ(trace.instructions.size(), 2u);
  EXPECT_TRUE(trace.steps[0].accesses.empty());
}

TEST(Trace, TheFirstDispatchThatHasSuchAWave) {
  WaveRecorder recorder({0, 0, 0}, 0);
  const int first = 0, second = 0;
  Sender wave, other;
  wave.group.dispatch = &first;
  other.group.dispatch = &second;
  wave.step(recorder, 0x100, wave.add);
  other.step(recorder, 0x200, other.add); // at the same time
  wave.step(recorder, 0x104, wave.last);
  wave.group.dispatch = &second; // the memory of the wave is used again
  wave.step(recorder, 0x300, wave.add);
  const WaveTrace trace = recorder.trace();
  EXPECT_TRUE(trace.complete);
  ASSERT_EQ(trace.steps.size(), 2u);
  EXPECT_EQ(trace.instructions[1].pc, 0x104u);
}

// Of a wave that faults nobody hears the end.
TEST(Trace, AfterAFaultNothingOfOtherDispatches) {
  WaveRecorder recorder({0, 0, 0}, 0);
  const int first = 0, second = 0;
  Sender wave, other;
  wave.group.dispatch = other.group.dispatch = &first;
  wave.step(recorder, 0x100, wave.load);
  other.step(recorder, 0x200, other.add); // where the dispatch before has been, another wave
  other.access(recorder, 0x200, 1, 0);
  wave.group.dispatch = &second; // where the wave has been, another dispatch
  wave.step(recorder, 0x300, wave.add);
  wave.access(recorder, 0x300, 1, 0);
  const WaveTrace trace = recorder.trace();
  EXPECT_FALSE(trace.complete);
  ASSERT_EQ(trace.steps.size(), 1u);
  EXPECT_TRUE(trace.steps[0].accesses.empty());
}

TEST(Trace, Limit) {
  WaveRecorder recorder({0, 0, 0}, 0, 3);
  const Sender wave;
  for (uint32_t i = 0; i < 10; ++i) {
    wave.step(recorder, 0x100 + 8 * i, i == 9 ? wave.last : wave.add);
    wave.access(recorder, 0x100, 1, 0);
    wave->s[1] = i + 1;
  }
  const WaveTrace trace = recorder.trace();
  EXPECT_TRUE(trace.found);
  EXPECT_FALSE(trace.complete);
  ASSERT_EQ(trace.steps.size(), 3u);
  EXPECT_EQ(trace.instructions.size(), 3u);
  // What the last of them did is there too, and nothing of those after it.
  EXPECT_EQ(trace.steps[2].changes.s, (std::map<uint32_t, uint32_t>{{1, 3}}));
  EXPECT_EQ(trace.steps[2].accesses.size(), 1u);

  // Exactly as many as there are.
  WaveRecorder enough({0, 0, 0}, 0, 2);
  wave.step(enough, 0x100, wave.add);
  wave.step(enough, 0x104, wave.last);
  EXPECT_TRUE(enough.trace().complete);
}

TEST(Trace, ThreadsOfOtherWavesDoNotDisturb) {
  WaveRecorder recorder({0, 0, 0}, 0);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&recorder, t] {
      const Sender wave(Target::gfx900, t);
      for (uint32_t i = 0; i < 1000; ++i) {
        wave->s[0] = t << 16 | (i + 1);
        wave.step(recorder, 0x100, wave.add);
        wave.access(recorder, 0x100, 1, i);
      }
    });
  for (auto& thread : threads)
    thread.join();
  const WaveTrace trace = recorder.trace();
  ASSERT_EQ(trace.steps.size(), 1000u);
  for (uint32_t i = 0; i < 999; ++i) {
    ASSERT_EQ(trace.steps[i].changes.s.at(0), i + 2);
    ASSERT_EQ(trace.steps[i].accesses.size(), 1u);
    ASSERT_EQ(trace.steps[i].accesses[0].address[0], i);
  }
}

// The threads that execute a wave one after the other.
TEST(Trace, AWaveMayMoveToAnotherThread) {
  WaveRecorder recorder({0, 0, 0}, 0);
  const Sender wave;
  for (uint32_t i = 0; i < 10; ++i) {
    std::thread([&] { wave.step(recorder, 0x100 + 4 * i, wave.add); }).join();
    wave->s[2] = i + 1;
  }
  wave.step(recorder, 0x200, wave.last);
  const WaveTrace trace = recorder.trace();
  ASSERT_EQ(trace.steps.size(), 11u);
  EXPECT_EQ(trace.steps[9].changes.s.at(2), 10u);
}

} // namespace
} // namespace crosslane::views
