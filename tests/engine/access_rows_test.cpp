// Every instruction that accesses memory tells of it, and tells the truth. What it really reads and writes is found out
// without its addresses: by looking at what changes in memory, and at what changes in registers and memory when some
// bytes of memory are other ones. So of each row, on each generation and in each form that executes:
//   what changes lies in what is told as stored, and of plain stores is all of it;
//   other bytes than those told have no influence on anything;
//   each told byte of each told lane has one on what that lane gets, and on no other lane.
#include "engine/executes.h"
#include "engine/memory/access_event.h"
#include "isa/instances.h"
#include "isa/op.h"
#include "isa/pattern.h"
#include "machine/shared_ranges.h"
#include "tests/engine/image_fixture.h"
#include <algorithm>
#include <set>

using namespace crosslane;
using namespace crosslane::test;
using events::AccessKind;
using events::Space;
using isa::Encoding;
using isa::Target;

namespace {

// What executes and tells nothing, and why. Everything else of these encodings has an event.
constexpr struct {
  const char *operations, *form, *reason;
} untold[] = {
    {"*", "gds", "GDS is no memory of a space that listeners know"},
    {"ds_gws_*", "*", "waits and counters, no memory"},
    {"ds_ordered_count", "*", "GDS"},
    {"ds_nop", "*", "nothing"},
    {"ds_swizzle_b32", "*", "between lanes"},
    {"ds_permute_b32", "*", "between lanes"},
    {"ds_bpermute_b32", "*", "between lanes"},
    {"buffer_wb*", "*", "caches"},
    {"buffer_invl2", "*", "caches"},
    {"s_dcache_*", "*", "caches"},
    {"s_atc_probe*", "*", "translations"},
    {"s_mem*time", "*", "clocks"},
    {"image_get_resinfo", "*", "reads the resource, which is in registers"},
};
bool is_untold(const isa::Instruction& inst, std::set<int>* used = nullptr) {
  for (int i = 0; i < int(std::size(untold)); ++i)
    if (isa::matches(untold[i].operations, isa::row(inst.op).mnemonic) &&
        isa::matches(untold[i].form, isa::form_name(inst))) {
      if (used)
        used->insert(i);
      return true;
    }
  return false;
}

bool is_memory(Encoding e) { return e >= Encoding::DS && e <= Encoding::MIMG ? true : e == Encoding::SMEM; }

// A byte of memory, LDS or scratch, which lie one behind the other.
using Byte = size_t;
constexpr size_t memory_bytes = 8192, all_bytes = memory_bytes + test_lds_bytes + 64 * test_scratch_bytes;
using Bytes = std::set<Byte>;
using Image = std::vector<uint8_t>;

struct Told {
  Space space;
  AccessKind kind;
  uint64_t lanes = 0;
  std::vector<Bytes> of = std::vector<Bytes>(64); // a lane
  uint32_t bytes = 0;
  Bytes all() const {
    Bytes b;
    for (const Bytes& lane : of)
      b.insert(lane.begin(), lane.end());
    return b;
  }
};

constexpr uint64_t some_lanes = 0x8000'0f00'00a5'0013;

class Bench {
public:
  Bench() : memory_(memory_bytes) {}

  // As the instruction would find it: with addresses that lead somewhere, apart for each lane.
  struct Prepared {
    TestWave w;
    isa::Instruction inst;
  };
  std::unique_ptr<Prepared> prepare(isa::Instruction inst, const Image& content) {
    auto p = std::make_unique<Prepared>();
    TestWave& w = p->w;
    write(w, content);
    w.set_exec(some_lanes);
    const isa::Row& row = isa::row(inst.op);
    const uint64_t base = reinterpret_cast<uint64_t>(memory_.begin()) + 1024;
    constexpr int addr = 20, scalar = 16;
    const auto every_lane = [&](auto f) {
      for (int lane = 0; lane < 64; ++lane)
        f(lane);
    };
    const auto pair = [&](int reg, uint64_t v) { w.s(reg) = uint32_t(v), w.s(reg + 1) = uint32_t(v >> 32); };
    const bool has_address = isa::is_vgpr(inst.addr);
    if (has_address)
      inst.addr = isa::code::vgpr0 + addr;
    if (isa::is_vgpr(inst.dst) && inst.dst != inst.data)
      inst.dst = isa::code::vgpr0 + 40;
    w.s(isa::code::m0) = ~0u;
    switch (row.encoding) {
    case Encoding::FLAT:
    case Encoding::GLOBAL:
      if (isa::is_scalar_register(inst.saddr)) {
        inst.saddr = scalar, pair(scalar, base);
        every_lane([&](int lane) { w.v(addr, lane) = uint32_t(32 * lane); });
      } else {
        every_lane([&](int lane) { w.set_address(addr, lane, base + uint64_t(32 * lane)); });
      }
      break;
    case Encoding::SCRATCH:
      if (isa::is_scalar_register(inst.saddr))
        inst.saddr = scalar, w.s(scalar) = 36;
      every_lane([&](int lane) { w.v(addr, lane) = uint32_t(lane % 8 * 16); });
      break;
    case Encoding::MUBUF:
    case Encoding::MTBUF:
      inst.srsrc = srd, inst.saddr = scalar;
      pair(srd, base);
      w.s(srd + 2) = 4096, w.s(srd + 3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 7 << 12 | 4 << 15; // one float
      w.s(scalar) = 64;
      if (!has_address)
        inst.addr = isa::code::vgpr0 + addr, inst.offen = true;
      every_lane([&](int lane) { w.set_address(addr, lane, uint64_t(32 * lane)); });
      break;
    case Encoding::DS:
      inst.imm = 1, inst.offset1 = 3;
      if (row.src[0] == isa::Type::None && row.dst == isa::Type::None)
        inst.imm = 4; // the data is 4 dwords further on
      else if (inst.offset1 && !two_addresses(row))
        inst.imm = 8, inst.offset1 = 0;
      if (!has_address)
        w.s(isa::code::m0) = 256;
      // With 64 items between two addresses, lanes are 2 items apart and so do not meet.
      every_lane([&](int lane) {
        w.v(addr, lane) = uint32_t(row.mnemonic.find("st64_") == row.mnemonic.npos ? 32 * lane
                                   : row.mnemonic.ends_with("64")                  ? 16 * lane
                                                                                   : 8 * lane);
      });
      break;
    case Encoding::SMEM:
      inst.src[0] = srd, pair(srd, base);
      if (row.src[0] == isa::Type::B128)
        w.s(srd + 2) = 4096;
      break;
    case Encoding::MIMG: {
      inst.srsrc = srd;
      if (row.access == isa::Access::atomic_fcmpswap)
        inst.dmask = 3; // data, and what to compare with
      const bool sampler = row.src[1] != isa::Type::None;
      Tsharp{.base = base,
             .type = sampler ? 9u : 8u,
             .dfmt = 4,
             .nfmt = sampler ? 7u : 4u,
             .width = 64,
             .height = 16,
             .pitch = 64}
          .put(w, inst.target);
      if (sampler)
        inst.saddr = samp, Ssharp{.mag = 1, .min = 1, .compare = 1, .unnormalized = true}.put(w);
      // Whatever register has which coordinate: a quarter past a texel's middle, in both directions; of offsets,
      // nothing.
      every_lane([&](int lane) {
        for (int r = 0; r < 14; ++r)
          w.v(addr + r, lane) = sampler ? bits(float(lane % 15) + 0.75f) : r ? 0 : uint32_t(lane);
      });
      break;
    }
    default: break;
    }
    if (inst.lds || row.access == isa::Access::store_from_lds)
      w.s(isa::code::m0) = 512;
    p->inst = inst;
    return p;
  }

  // What is told of each lane.
  std::vector<Told> tell(const Prepared& p) {
    struct Ear : events::Listener {
      const Bench* bench;
      const Wave* wave;
      std::vector<Told> told;
      void access(const events::Access& a) override {
        Told t{a.space, a.kind};
        t.bytes = a.bytes;
        const auto add = [&](uint64_t lanes, const uint64_t* address) {
          t.lanes |= lanes;
          for (; lanes; lanes &= lanes - 1)
            for (uint32_t b = 0; b < a.bytes; ++b) {
              const auto lane = size_t(std::countr_zero(lanes));
              const uint64_t at = address[lane];
              const uint64_t moved =
                  a.space == Space::scratch ? at / 4 * 4 + (at % 4 + b) / 4 * 256 + (at % 4 + b) % 4 : at + b;
              t.of[lane].insert(bench->byte(*wave, a.space, moved));
            }
        };
        add(a.lanes, a.address);
        if (a.second)
          add(a.lanes, a.second);
        for (const events::Places& more : a.more)
          add(more.lanes, more.address);
        told.push_back(std::move(t));
      }
    } ear;
    auto& wave = const_cast<TestWave&>(p.w);
    ear.bench = this, ear.wave = &*wave;
    engine::tell_accesses(ear, &p.inst, 0, *wave);
    return ear.told;
  }

  struct Outcome {
    std::vector<uint32_t> vector, scalar;
    Image after;
  };
  // What is left of memory when none of it is within reach, and the workgroup has no LDS.
  std::pair<machine::FaultKind, Image> run_without_reach(const isa::Instruction& inst, const Image& content) {
    auto p = prepare(inst, content);
    p->w->reach = machine::window;
    p->w->workgroup->lds_bytes = 0, p->w->workgroup->lds_faults = true;
    p->w.run(*host_levels().back(), p->inst);
    return {p->w.fault().kind, read(p->w)};
  }
  // `shared`: what the device reaches besides its window, which has none of the memory here; null: everything is within
  // reach.
  Outcome run(const isa::Instruction& inst, const Image& content, const machine::SharedRanges* shared = nullptr) {
    auto p = prepare(inst, content);
    if (shared)
      p->w->reach = machine::window, p->w->shared = shared;
    EXPECT_TRUE(p->w.run(*host_levels().back(), p->inst));
    EXPECT_EQ(p->w.fault().kind, machine::FaultKind::none) << p->w.fault().detail;
    return {p->w.registers(), {p->w->s, p->w->s + 100}, read(p->w)};
  }

  uint64_t address() const { return reinterpret_cast<uint64_t>(memory_.begin()); }

private:
  static bool two_addresses(const isa::Row& row) {
    return row.mnemonic.find("2_") != row.mnemonic.npos || row.mnemonic.find("2st64") != row.mnemonic.npos;
  }
  Byte byte(const Wave& w, Space space, uint64_t at) const {
    const Byte b = space == Space::lds ? memory_bytes + at
                   : space == Space::scratch
                       ? memory_bytes + test_lds_bytes + (at - reinterpret_cast<uint64_t>(w.scratch))
                       : at - reinterpret_cast<uint64_t>(memory_.begin());
    EXPECT_LT(b, all_bytes);
    return b;
  }
  void write(TestWave& w, const Image& content) {
    std::memcpy(memory_.begin(), content.data(), memory_bytes);
    std::memcpy(w.lds(), content.data() + memory_bytes, test_lds_bytes);
    std::memcpy(w->scratch, content.data() + memory_bytes + test_lds_bytes, 64 * test_scratch_bytes);
  }
  Image read(TestWave& w) {
    Image image(all_bytes);
    std::memcpy(image.data(), memory_.begin(), memory_bytes);
    std::memcpy(image.data() + memory_bytes, w.lds(), test_lds_bytes);
    std::memcpy(image.data() + memory_bytes + test_lds_bytes, w->scratch, 64 * test_scratch_bytes);
    return image;
  }
  Guarded memory_;
};

Image inverted(Image image, const Bytes& bytes) {
  for (const Byte b : bytes)
    image[b] = uint8_t(~image[b]);
  return image;
}
Bytes changed(const Image& a, const Image& b) {
  Bytes bytes;
  for (Byte i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      bytes.insert(i);
  return bytes;
}
Bytes both(const Bytes& a, const Bytes& b) {
  Bytes all = a;
  all.insert(b.begin(), b.end());
  return all;
}
bool contains(const Bytes& all, const Bytes& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// Integers of noise, or floats between 1000 and 2000, for what converts and compares.
Image noise(bool floats) {
  Image image(all_bytes);
  std::mt19937 random(5);
  for (size_t i = 0; i < all_bytes; i += 4) {
    const uint32_t value = floats ? bits(1000 + float(random() % 1000)) : uint32_t(random());
    std::memcpy(image.data() + i, &value, 4);
  }
  return image;
}

void check(Bench& bench, const isa::Instruction& inst) {
  const isa::Row& row = isa::row(inst.op);
  const bool sampler = row.encoding == Encoding::MIMG && row.src[1] != isa::Type::None;
  const bool converts = sampler || row.encoding == Encoding::MTBUF || row.mnemonic.find("format") != row.mnemonic.npos;
  const Image content = noise(converts);
  const auto told = bench.tell(*bench.prepare(inst, content));
  ASSERT_FALSE(told.empty());
  const bool counter = row.access == isa::Access::append || row.access == isa::Access::consume;
  const uint64_t lanes = row.encoding == Encoding::SMEM ? 1 : counter ? some_lanes & -some_lanes : some_lanes;
  Bytes reads, writes;
  for (const Told& t : told) {
    EXPECT_EQ(t.lanes, lanes);
    if (t.kind != AccessKind::store)
      reads = both(reads, t.all());
    if (t.kind != AccessKind::load)
      writes = both(writes, t.all());
  }
  const auto plain = bench.run(inst, content);
  const bool stores = told.back().kind == AccessKind::store,
             operand_in_lds = told.size() == 2 && told[0].space == told[1].space;

  // What is written.
  const Bytes once = changed(content, plain.after);
  EXPECT_TRUE(contains(writes, once));
  if (stores) {
    const Image other = inverted(content, writes);
    EXPECT_EQ(both(once, changed(other, bench.run(inst, other).after)), writes);
  }

  // Nothing else is read.
  Image other = inverted(content, stores ? both(reads, writes) : reads);
  for (uint8_t& b : other)
    b = uint8_t(~b);
  const auto alike = bench.run(inst, other);
  EXPECT_EQ(alike.vector, plain.vector);
  EXPECT_EQ(alike.scalar, plain.scalar);
  for (const Byte b : writes)
    EXPECT_EQ(alike.after[b], plain.after[b]);

  // All that is told is read, by those that it is told of. An atomic need not show what it read, but where it returns
  // it.
  const Told* read = nullptr;
  for (const Told& t : told)
    if (t.kind != AccessKind::store)
      read = &t;
  const bool shows = read && !operand_in_lds &&
                     (read->kind == AccessKind::load || isa::form_name(inst) == "return" ||
                      (row.encoding == Encoding::DS && inst.dst != isa::code::none));
  if (!shows)
    return;
  const Told* sink = &told.back() != read && stores ? &told.back() : nullptr;
  const auto gets_another = [&](const Bench::Outcome& o, size_t lane) {
    if (row.encoding == Encoding::SMEM)
      return o.scalar != plain.scalar;
    if (sink)
      return std::ranges::any_of(sink->of[lane], [&](Byte b) { return o.after[b] != plain.after[b]; });
    for (size_t r = 0; r < test_vgprs; ++r)
      if (o.vector[r * 64 + lane] != plain.vector[r * 64 + lane])
        return true;
    return false;
  };
  uint32_t position = 0; // of a byte in what the first lane reads
  const auto first_lane = size_t(std::countr_zero(lanes));
  for (const Byte b : read->of[first_lane]) {
    if (converts && !sampler)
      break; // of a component some bits may not count
    Bytes those;
    for (uint64_t left = lanes; left; left &= left - 1) {
      const Bytes& of = read->of[size_t(std::countr_zero(left))];
      if (position < of.size())
        those.insert(*std::next(of.begin(), position));
    }
    ASSERT_TRUE(those.contains(b));
    ++position;
    if (sampler && position % 4)
      continue; // texels, by their sign
    const auto o = bench.run(inst, inverted(content, those));
    for (uint64_t left = lanes; left; left &= left - 1)
      EXPECT_TRUE(gets_another(o, size_t(std::countr_zero(left)))) << "byte " << position - 1;
  }
  for (uint64_t left = lanes; left; left &= left - 1) {
    const auto lane = size_t(std::countr_zero(left));
    const auto o = bench.run(inst, inverted(content, read->of[lane]));
    EXPECT_TRUE(gets_another(o, lane)) << "lane " << lane;
    for (size_t other = 0; other < 64; ++other) {
      const bool shares = std::ranges::any_of(read->of[other], [&](Byte b) { return read->of[lane].contains(b); });
      if (other != lane && !shares && !counter && row.encoding != Encoding::SMEM)
        EXPECT_FALSE(gets_another(o, other)) << lane << " and " << other;
    }
  }
}

class AccessOfEveryRow : public testing::TestWithParam<Target> {};

} // namespace

TEST_P(AccessOfEveryRow, IsToldAsItIs) {
  Bench bench;
  int checked = 0;
  for (size_t o = 0; o < isa::rows().size(); ++o)
    for (const isa::Instruction& inst : isa::instances(isa::Op(o), GetParam())) {
      const isa::Row& row = isa::row(inst.op);
      SCOPED_TRACE(std::string(row.mnemonic) + " (" + std::string(isa::form_name(inst)) + ")");
      const bool tells = is_memory(row.encoding) && !is_untold(inst);
      if (!engine::executes(inst))
        continue;
      EXPECT_EQ(engine::tells_accesses(inst), tells);
      if (!tells)
        continue;
      check(bench, inst);
      ++checked;
      if (testing::Test::HasFailure())
        return;
    }
  EXPECT_GT(checked, 250);
}

// What lies outside of the window of device memory, or beyond the LDS of the workgroup, is neither read nor written:
// every form of every row faults instead.
TEST_P(AccessOfEveryRow, LeavesAloneWhatIsOutOfReach) {
  Bench bench;
  ASSERT_FALSE(machine::window.contains(bench.address()));
  const Image content = noise(true);
  for (size_t o = 0; o < isa::rows().size(); ++o)
    for (const isa::Instruction& inst : isa::instances(isa::Op(o), GetParam())) {
      const isa::Row& row = isa::row(inst.op);
      if (!is_memory(row.encoding) || is_untold(inst) || !engine::executes(inst))
        continue;
      SCOPED_TRACE(std::string(row.mnemonic) + " (" + std::string(isa::form_name(inst)) + ")");
      const auto told = bench.tell(*bench.prepare(inst, content));
      const bool scratch = std::ranges::all_of(told, [](const Told& t) { return t.space == Space::scratch; });
      const auto [fault, after] = bench.run_without_reach(inst, content);
      if (scratch)
        continue;
      EXPECT_TRUE(fault == machine::FaultKind::unmapped_address || fault == machine::FaultKind::lds_out_of_range);
      EXPECT_EQ(changed(content, after), Bytes());
      if (testing::Test::HasFailure())
        return;
    }
}

// Memory that is shared with the device is as good as its own.
TEST_P(AccessOfEveryRow, ReachesWhatIsShared) {
  Bench bench;
  machine::SharedRanges shared;
  shared.set({{bench.address(), bench.address() + memory_bytes}});
  for (size_t o = 0; o < isa::rows().size(); ++o)
    for (const isa::Instruction& inst : isa::instances(isa::Op(o), GetParam())) {
      const isa::Row& row = isa::row(inst.op);
      if (!is_memory(row.encoding) || is_untold(inst) || !engine::executes(inst))
        continue;
      SCOPED_TRACE(std::string(row.mnemonic) + " (" + std::string(isa::form_name(inst)) + ")");
      const Image content = noise(row.encoding == Encoding::MIMG || row.encoding == Encoding::MTBUF ||
                                  row.mnemonic.find("format") != row.mnemonic.npos);
      const auto all = bench.run(inst, content), some = bench.run(inst, content, &shared);
      EXPECT_EQ(some.after, all.after);
      EXPECT_EQ(some.vector, all.vector);
      EXPECT_EQ(some.scalar, all.scalar);
      if (testing::Test::HasFailure())
        return;
    }
}

// One of each generation.
INSTANTIATE_TEST_SUITE_P(Generations, AccessOfEveryRow,
                         testing::Values(Target::gfx600, Target::gfx701, Target::gfx803, Target::gfx900, Target::gfx904,
                                         Target::gfx906, Target::gfx908, Target::gfx90a),
                         [](const auto& info) { return std::string(isa::info(info.param).name); });

TEST(AccessOfNoRow, IsListedWithoutNeed) {
  std::set<int> used;
  for (size_t t = 0; t < size_t(Target::count); ++t)
    for (size_t o = 0; o < isa::rows().size(); ++o)
      for (const isa::Instruction& inst : isa::instances(isa::Op(o), Target(t)))
        if (is_memory(isa::row(inst.op).encoding))
          is_untold(inst, &used);
  for (int i = 0; i < int(std::size(untold)); ++i)
    EXPECT_TRUE(used.contains(i)) << untold[i].operations << ", " << untold[i].reason;
}
