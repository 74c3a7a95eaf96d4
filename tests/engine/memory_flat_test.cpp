// FLAT, GLOBAL and SCRATCH loads and stores against a model that goes byte by byte, lane by lane.
#include "tests/engine/memory_fixture.h"

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

constexpr int address = 2, data = 8, sbase = 20;

// How an instruction names an address: text after the data operand, and what puts an address into the registers.
struct Form {
  std::string prefix, before, after;
  Target target;
  bool saddr;
  int64_t imm;
  bool overlap = false; // the destination starts at the address register
};
const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {"global_", "v[2:3]", "off", Target::gfx900, false, 0},
      {"global_", "v[2:3]", "off offset:-16", Target::gfx900, false, -16},
      {"global_", "v[2:3]", "off", Target::gfx900, false, 0, true},
      {"global_", "v2", "s[20:21] offset:24", Target::gfx906, true, 24},
      {"global_", "v2", "s[20:21] offset:-4096", Target::gfx900, true, -4096},
      {"global_", "v2", "s[20:21]", Target::gfx900, true, 0, true},
      {"flat_", "v[2:3]", "", Target::gfx701, false, 0},
      {"flat_", "v[2:3]", "", Target::gfx803, false, 0},
      {"flat_", "v[2:3]", "offset:40", Target::gfx900, false, 40},
      {"flat_", "v[2:3]", "", Target::gfx906, false, 0, true},
  };
  return all;
}

void place(TestWave& w, const Form& form, const uint8_t* base, const Pattern& pattern) {
  for (int l = 0; l < 64; ++l) {
    const uint64_t to = reinterpret_cast<uint64_t>(base) - form.imm;
    if (form.saddr)
      w.v(address, l) = pattern.offsets[l];
    else
      w.set_address(address, l, to + pattern.offsets[l]);
    if (form.saddr)
      w->set_pair(sbase, to);
  }
}

std::string load_text(const Form& f, const LoadKind& k) {
  const std::string to = vregs(f.overlap ? address : data, (k.bytes + 3) / 4);
  return f.prefix + k.suffix + " " + to + ", " + f.before + (f.prefix == "flat_" ? " " : ", ") + f.after;
}
std::string store_text(const Form& f, const StoreKind& k) {
  return f.prefix + k.suffix + " " + f.before + ", " + vregs(data, (k.bytes + 3) / 4) +
         (f.prefix == "flat_" ? " " : ", ") + f.after;
}

} // namespace

TEST(MemoryFlat, Loads) {
  const Guarded memory(8192);
  for (const Form& form : forms()) {
    std::vector<LoadKind> kinds;
    std::vector<std::string> lines;
    for (const LoadKind& k : load_kinds())
      if (!k.gfx9_only || form.target >= Target::gfx900)
        kinds.push_back(k), lines.push_back(load_text(form, k));
    const auto instructions = assemble(form.target, lines);
    for (size_t n = 0; n < kinds.size(); ++n)
      for (const Pattern& pattern : patterns(uint32_t(kinds[n].bytes), uint32_t(memory.size())))
        for (const uint64_t exec : exec_masks())
          for (const auto* level : host_levels()) {
            TestWave w;
            place(w, form, memory.begin(), pattern);
            w.set_exec(exec);
            auto expected = w.registers();
            const int dst = form.overlap ? address : data;
            for (int l = 0; l < 64; ++l)
              for (int k = 0; w.active(l) && k < (kinds[n].bytes + 3) / 4; ++k) {
                uint32_t& r = expected[(dst + k) * 64 + l];
                r = loaded(kinds[n], memory.begin() + pattern.offsets[l], k, r);
              }
            ASSERT_TRUE(w.run(*level, instructions[n]));
            ASSERT_EQ(w.registers(), expected)
                << lines[n] << ", " << pattern.name << ", exec " << std::hex << exec << " " << level->level;
            ASSERT_EQ(w.fault().kind, machine::FaultKind::none);
          }
  }
}

// Inactive lanes point beyond the guard pages on both sides: they must not be touched.
TEST(MemoryFlat, InactiveLanesTouchNothing) {
  const Guarded memory(4096);
  for (const Form& form : forms()) {
    for (const LoadKind& kind : load_kinds()) {
      if (kind.gfx9_only && form.target < Target::gfx900)
        continue;
      const auto inst = assemble(form.target, load_text(form, kind));
      for (const auto* level : host_levels())
        for (const int edge : {0, 1, 5, 16, 21, 40}) {
          // The first `edge` lanes of the wave lie before memory; then, the last ones behind it.
          for (const bool front : {true, false}) {
            TestWave w;
            Pattern p{"edge", {}};
            for (int l = 0; l < 64; ++l)
              p.offsets.push_back(uint32_t(front ? (l - edge) * kind.bytes : 4096 - (64 - edge - l) * kind.bytes));
            // As 32-bit offsets they would wrap: move the base instead.
            for (int l = 0; l < 64; ++l) {
              const uint64_t at =
                  reinterpret_cast<uint64_t>(memory.begin()) + int64_t(int32_t(p.offsets[l])) - form.imm;
              if (form.saddr)
                w->set_pair(sbase, reinterpret_cast<uint64_t>(memory.begin()) - 4096 - form.imm),
                    w.v(address, l) = p.offsets[l] + 4096;
              else
                w.set_address(address, l, at);
            }
            w.set_exec(front ? ~uint64_t(0) << edge : ~uint64_t(0) >> edge);
            auto expected = w.registers();
            for (int l = 0; l < 64; ++l)
              for (int k = 0; w.active(l) && k < (kind.bytes + 3) / 4; ++k) {
                uint32_t& r = expected[((form.overlap ? address : data) + k) * 64 + l];
                r = loaded(kind, memory.begin() + int32_t(p.offsets[l]), k, r);
              }
            ASSERT_TRUE(w.run(*level, inst));
            ASSERT_EQ(w.registers(), expected)
                << load_text(form, kind) << " edge " << edge << front << " " << level->level;
          }
        }
    }
  }
}

TEST(MemoryFlat, StoresWithHigherLaneWinning) {
  for (const Form& form : forms()) {
    if (form.overlap)
      continue;
    std::vector<StoreKind> kinds;
    std::vector<std::string> lines;
    for (const StoreKind& k : store_kinds())
      if (!k.gfx9_only || form.target >= Target::gfx900)
        kinds.push_back(k), lines.push_back(store_text(form, k));
    const auto instructions = assemble(form.target, lines);
    for (size_t n = 0; n < kinds.size(); ++n)
      for (const Pattern& pattern : patterns(uint32_t(kinds[n].bytes), 4096))
        for (const uint64_t exec : exec_masks())
          for (const auto* level : host_levels()) {
            static const Guarded memory(4096), pristine(4096);
            std::memcpy(memory.begin(), pristine.begin(), 4096);
            std::vector<uint8_t> expected(memory.begin(), memory.end());
            TestWave w;
            place(w, form, memory.begin(), pattern);
            w.set_exec(exec);
            for (int l = 0; l < 64; ++l)
              for (int b = 0; w.active(l) && b < kinds[n].bytes; ++b)
                expected[pattern.offsets[l] + b] =
                    uint8_t(w.v(data + b / 4, l) >> (b % 4 * 8 + (kinds[n].high ? 16 : 0)));
            const auto before = w.registers();
            ASSERT_TRUE(w.run(*level, instructions[n]));
            ASSERT_EQ(std::vector<uint8_t>(memory.begin(), memory.end()), expected)
                << lines[n] << ", " << pattern.name << ", exec " << std::hex << exec << " " << level->level;
            ASSERT_EQ(w.registers(), before);
          }
  }
}

// Lanes of one FLAT access go to LDS, scratch and memory, each by its own address.
TEST(MemoryFlat, AperturesPerLane) {
  const auto& windows = machine::apertures();
  const Guarded memory(4096);
  for (const char* text :
       {"flat_load_dwordx2 v[8:9], v[2:3]", "flat_load_dwordx2 v[2:3], v[2:3]", "flat_load_ushort v8, v[2:3]"})
    for (const int mix : {0, 1, 2, 3, 4}) {
      const auto inst = assemble(Target::gfx900, text);
      const int bytes = text[10] == 'd' ? 8 : 2, dst = inst.dst - 256;
      for (const auto* level : host_levels())
        for (const uint64_t exec : exec_masks()) {
          TestWave w;
          w.set_exec(exec);
          auto expected = w.registers();
          for (int l = 0; l < 64; ++l) {
            const uint32_t o = mix == 4 ? 16 : uint32_t(l * 3 % (test_scratch_bytes - 8));
            const int where = mix == 3 ? l % 3 : mix == 4 ? 2 : mix;
            uint8_t item[8];
            for (int b = 0; b < 8; ++b)
              item[b] = where == 0 ? memory.begin()[o + b] : where == 1 ? w.lds()[o + b] : w.scratch(o + b, l);
            w.set_address(address, l,
                          (where == 0   ? reinterpret_cast<uint64_t>(memory.begin())
                           : where == 1 ? windows.shared_base
                                        : windows.private_base) +
                              o);
          }
          expected = w.registers();
          for (int l = 0; l < 64; ++l) {
            if (!w.active(l))
              continue;
            const uint32_t o = mix == 4 ? 16 : uint32_t(l * 3 % (test_scratch_bytes - 8));
            const int where = mix == 3 ? l % 3 : mix == 4 ? 2 : mix;
            uint8_t item[8];
            for (int b = 0; b < 8; ++b)
              item[b] = where == 0 ? memory.begin()[o + b] : where == 1 ? w.lds()[o + b] : w.scratch(o + b, l);
            if (bytes == 2)
              expected[dst * 64 + l] = item[0] | item[1] << 8;
            else
              std::memcpy(&expected[dst * 64 + l], item, 4), std::memcpy(&expected[(dst + 1) * 64 + l], item + 4, 4);
          }
          ASSERT_TRUE(w.run(*level, inst));
          ASSERT_EQ(w.registers(), expected)
              << text << " mix " << mix << " exec " << std::hex << exec << " " << level->level;
        }
    }
}

TEST(MemoryFlat, StoresThroughApertures) {
  const auto& windows = machine::apertures();
  for (const Target target : {Target::gfx701, Target::gfx803})
    for (const auto* level : host_levels()) {
      TestWave w;
      for (int l = 0; l < 64; ++l)
        w.set_address(address, l, l % 2 ? windows.shared_base + l * 12 : windows.private_base + l);
      ASSERT_TRUE(w.run(*level, assemble(target, "flat_store_dwordx3 v[2:3], v[8:10]")));
      for (int l = 0; l < 64; ++l)
        for (int b = 0; b < 12; ++b) {
          const uint8_t stored = uint8_t(w.v(data + b / 4, l) >> b % 4 * 8);
          EXPECT_EQ(l % 2 ? w.lds()[l * 12 + b] : w.scratch(uint32_t(l + b), l), stored)
              << l << " " << b << level->level;
        }
    }
}

TEST(MemoryFlat, ApertureLimitsFaultByLane) {
  const auto& windows = machine::apertures();
  for (const auto* level : host_levels()) {
    TestWave w;
    for (int l = 0; l < 64; ++l)
      w.set_address(address, l, windows.shared_base + (l == 39 ? test_lds_bytes - 3 : 0));
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "flat_load_dword v8, v[2:3]")));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::lds_out_of_range);
    EXPECT_EQ(w.fault().lane, 39);
    EXPECT_EQ(w.fault().address, windows.shared_base + test_lds_bytes - 3);

    TestWave x;
    for (int l = 0; l < 64; ++l)
      x.set_address(address, l, windows.private_base + (l == 5 ? test_scratch_bytes - 4 : 8));
    ASSERT_TRUE(x.run(*level, assemble(Target::gfx900, "flat_load_dword v8, v[2:3]")));
    EXPECT_EQ(x.fault().kind, machine::FaultKind::none);
    for (int l = 0; l < 64; ++l)
      x.set_address(address, l, windows.private_base + (l == 5 ? test_scratch_bytes - 4 : 8));
    ASSERT_TRUE(x.run(*level, assemble(Target::gfx900, "flat_load_dwordx2 v[8:9], v[2:3]")));
    EXPECT_EQ(x.fault().kind, machine::FaultKind::scratch_out_of_range);
    EXPECT_EQ(x.fault().lane, 5);
  }
}

TEST(MemoryFlat, Scratch) {
  for (const LoadKind& kind : load_kinds())
    for (const bool scalar : {false, true}) {
      const std::string text = "scratch_" + kind.suffix + " " + vregs(data, (kind.bytes + 3) / 4) +
                               (scalar ? ", off, s30 offset:4" : ", v2, off offset:4");
      const auto inst = assemble(Target::gfx900, text);
      for (const Pattern& pattern : patterns(1, test_scratch_bytes - 20))
        for (const uint64_t exec : exec_masks())
          for (const auto* level : host_levels()) {
            TestWave w;
            w.set_exec(exec);
            w.s(30) = pattern.offsets[3];
            for (int l = 0; l < 64; ++l)
              w.v(address, l) = pattern.offsets[l];
            auto expected = w.registers();
            for (int l = 0; l < 64; ++l) {
              uint8_t item[16];
              for (int b = 0; b < kind.bytes; ++b)
                item[b] = w.scratch((scalar ? w.s(30) : w.v(address, l)) + 4 + b, l);
              for (int k = 0; w.active(l) && k < (kind.bytes + 3) / 4; ++k) {
                uint32_t& r = expected[(data + k) * 64 + l];
                r = loaded(kind, item, k, r);
              }
            }
            ASSERT_TRUE(w.run(*level, inst));
            ASSERT_EQ(w.registers(), expected)
                << text << ", " << pattern.name << ", exec " << std::hex << exec << " " << level->level;
          }
    }
}

TEST(MemoryFlat, ScratchStores) {
  for (const StoreKind& kind : store_kinds()) {
    const std::string text = "scratch_" + kind.suffix + " v2, " + vregs(data, (kind.bytes + 3) / 4) + ", off offset:-4";
    const auto inst = assemble(Target::gfx900, text);
    for (const Pattern& pattern : patterns(1, test_scratch_bytes - 20))
      for (const uint64_t exec : exec_masks())
        for (const auto* level : host_levels()) {
          TestWave w;
          w.set_exec(exec);
          std::vector<uint8_t> expected(test_scratch_bytes * 64), got(expected.size());
          for (int l = 0; l < 64; ++l) {
            w.v(address, l) = pattern.offsets[l] + 4;
            for (uint32_t o = 0; o < test_scratch_bytes; ++o)
              expected[l * test_scratch_bytes + o] = w.scratch(o, l);
            for (int b = 0; w.active(l) && b < kind.bytes; ++b)
              expected[l * test_scratch_bytes + pattern.offsets[l] + b] =
                  uint8_t(w.v(data + b / 4, l) >> (b % 4 * 8 + (kind.high ? 16 : 0)));
          }
          ASSERT_TRUE(w.run(*level, inst));
          for (int l = 0; l < 64; ++l)
            for (uint32_t o = 0; o < test_scratch_bytes; ++o)
              got[l * test_scratch_bytes + o] = w.scratch(o, l);
          ASSERT_EQ(got, expected) << text << ", " << pattern.name << ", exec " << std::hex << exec << " "
                                   << level->level;
        }
  }
}

// The LDS bit (LLVM, global.load.lds): M0[15:0] + offset + 4 * lane, and the offset counts for both addresses.
TEST(MemoryFlat, LoadsToLds) {
  const Guarded memory(4096);
  const struct {
    const char* text;
    int offset;
    bool scratch, scalar;
  } cases[] = {
      {"global_load_dword v[2:3], off offset:8 lds", 8, false, false},
      {"global_load_dword v2, s[20:21] offset:-4 lds", -4, false, true},
      {"global_load_dword v[2:3], off lds", 0, false, false},
      {"scratch_load_dword v2, off offset:12 lds", 12, true, false},
      {"scratch_load_dword off, s22 offset:-8 lds", -8, true, true},
  };
  for (const auto& c : cases)
    for (const auto* level : host_levels()) {
      TestWave w;
      w.set_exec(0x0ff0f00f8001c3a5);
      w.s(124) = 0x10000 | (test_lds_bytes - 100); // the last lanes have no LDS
      w->set_pair(20, reinterpret_cast<uint64_t>(memory.begin()) + 64);
      w.s(22) = 40;
      std::vector<uint8_t> want(w.lds(), w.lds() + test_lds_bytes);
      for (int l = 0; l < 64; ++l) {
        const uint32_t at = c.scratch ? (c.scalar ? 40 : uint32_t(l * 3 % 64)) : uint32_t(l * 12 + 64);
        if (c.scratch || c.scalar)
          w.v(2, l) = c.scratch ? at : at - 64;
        else
          w.set_address(2, l, reinterpret_cast<uint64_t>(memory.begin()) + at);
        const int to = test_lds_bytes - 100 + c.offset + 4 * l;
        uint8_t item[4];
        for (int b = 0; b < 4; ++b)
          item[b] =
              c.scratch ? w.scratch(at + uint32_t(c.offset) + uint32_t(b), l) : memory.begin()[int(at) + c.offset + b];
        if (w.active(l) && to + 4 <= int(test_lds_bytes))
          std::memcpy(&want[size_t(to)], item, 4);
      }
      const auto registers = w.registers();
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, c.text))) << c.text;
      EXPECT_EQ(w.fault().kind, machine::FaultKind::none);
      EXPECT_EQ(std::vector<uint8_t>(w.lds(), w.lds() + test_lds_bytes), want) << c.text << level->level;
      EXPECT_EQ(w.registers(), registers);
    }
  for (const auto* level : host_levels()) {
    const uint8_t bytes[4] = {0xff, 0x80, 1, 2};
    TestWave w;
    w.set_exec(1);
    w.set_address(2, 0, reinterpret_cast<uint64_t>(bytes));
    w.s(124) = 0;
    const struct {
      const char* text;
      uint32_t want;
    } widths[] = {{"global_load_ubyte v[2:3], off lds", 0xff},
                  {"global_load_sbyte v[2:3], off lds", ~0u},
                  {"global_load_ushort v[2:3], off lds", 0x80ff},
                  {"global_load_sshort v[2:3], off lds", 0xffff80ff}};
    for (const auto& c : widths) {
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, c.text)));
      uint32_t now;
      std::memcpy(&now, w.lds(), 4);
      EXPECT_EQ(now, c.want) << c.text;
    }
  }
}

// The bit that is TFE on gfx7 and gfx8 (LLVM calls it nv): the status behind the data is 0.
TEST(MemoryFlat, TexelFailEnable) {
  for (const Target target : {Target::gfx701, Target::gfx803})
    for (const auto* level : host_levels()) {
      const uint32_t memory[2] = {11, 22};
      TestWave w;
      w.set_exec(1);
      w.set_address(address, 0, reinterpret_cast<uint64_t>(memory));
      isa::Instruction inst = assemble(target, "flat_load_dwordx2 v[8:9], v[2:3]");
      inst.nv = true;
      w.v(10, 1) = 5;
      ASSERT_TRUE(w.run(*level, inst));
      EXPECT_EQ(w.v(9, 0), 22u);
      EXPECT_EQ(w.v(10, 0), 0u);
      EXPECT_EQ(w.v(10, 1), 5u);
      inst.dst = isa::code::vgpr0 + 254; // no register is left for it
      EXPECT_FALSE(w.run(*level, inst));
    }
}
