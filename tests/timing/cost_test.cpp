// What instructions cost, against tables of others: all rows of CLRX's document by Model::document, all matrix
// operations of AMD's calculator, and, of cards, what others measured.
#include "isa/matrix.h"
#include "isa/op.h"
#include "timing/cost.h"
#include "timing/memory_cost.h"
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

namespace crosslane::timing {
namespace {

const gpu::Machine& card(std::string_view name) {
  static std::map<std::string, gpu::Machine, std::less<>> known;
  auto found = known.find(name);
  if (found == known.end())
    found = known.emplace(name, gpu::machine(*gpu::find_card(name))).first;
  return found->second;
}

std::optional<isa::Instruction> instruction(std::string_view mnemonic, isa::Target target) {
  const auto op = isa::find_op(mnemonic, target);
  if (!op)
    return std::nullopt;
  isa::Instruction i;
  i.op = *op, i.target = target, i.encoding = isa::row(*op).encoding;
  return i;
}
isa::Instruction instruction(std::string_view mnemonic, const char* target) {
  const auto i = instruction(mnemonic, isa::parse_target(target).value());
  EXPECT_TRUE(i) << mnemonic << " on " << target;
  return i.value_or(isa::Instruction{});
}

// Names of the document that no assembler of this family of targets has; the first two are there under newer names.
const std::map<std::string, std::string> renamed = {{"v_mqsad_u8", "v_mqsad_pk_u16_u8"},
                                                    {"v_qsad_u8", "v_qsad_pk_u16_u8"}};
const std::set<std::string> no_instruction = {"v_mov_fed_b32", "v_mov_prsv_b32", "ds_condxchg32_rtn_b128"};

// "D*8" and the like, for one DPFACTOR, with and without GLC.
Cycles documented(const std::string& text, double dpfactor, bool glc) {
  const size_t range = text.find('-'), plus = text.find("+G");
  if (text.starts_with("D*"))
    return dpfactor * std::stod(text.substr(2));
  if (text == "4|16")
    return dpfactor <= 4 ? 4 : 16;
  if (range != text.npos)
    return {std::stod(text), std::stod(text.substr(range + 1))};
  if (plus != text.npos)
    return std::stod(text) + (glc ? std::stod(text.substr(plus + 2)) : 0);
  return std::stod(text);
}

TEST(Cost, EveryRowOfTheDocument) {
  const char* cards[] = {"tahiti", "pitcairn", "hawaii", "r9-290x", "fiji", "tonga", "vega10", "mi50"};
  std::ifstream file(std::string(CROSSLANE_TEST_DIR) + "/clrx.txt");
  std::set<double> factors;
  int rows = 0, compared = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string mnemonic, cycles, throughput;
    words >> mnemonic >> cycles >> throughput;
    if (mnemonic.empty() || mnemonic[0] == '#')
      continue;
    ++rows;
    SCOPED_TRACE(line);
    bool known = false;
    for (const char* name : cards)
      for (const bool glc : {false, true}) {
        const gpu::Machine& m = card(name);
        const auto found = renamed.find(mnemonic);
        auto i = instruction(found == renamed.end() ? mnemonic : found->second, m.target);
        if (!i)
          continue;
        known = true;
        i->glc = glc;
        const Cost c = cost(*i, m, Model::document);
        SCOPED_TRACE(name);
        factors.insert(m[gpu::Parameter::dpfactor]);
        EXPECT_EQ(c.in_document, cycles != "?");
        if (cycles == "?")
          continue;
        const Cycles said = documented(cycles, m[gpu::Parameter::dpfactor], glc);
        EXPECT_EQ(c.wave.least, said.least);
        EXPECT_EQ(c.wave.most, said.most);
        if (!throughput.empty() && throughput != "?") {
          EXPECT_EQ(c.unit.least, std::stod(throughput));
        }
        ++compared;
      }
    EXPECT_EQ(known, !no_instruction.contains(mnemonic));
  }
  EXPECT_EQ(rows, 391);
  EXPECT_GT(compared, 4000);
  EXPECT_EQ(factors, (std::set<double>{1, 2, 4, 8}));
}

// "All SOP2 instructions take 4 cycles", and so on.
TEST(Cost, EncodingsThatTheDocumentHasAsAWhole) {
  using enum isa::Encoding;
  for (const char* target : {"gfx600", "gfx701", "gfx803", "gfx900"}) {
    const isa::Target t = isa::parse_target(target).value();
    const gpu::Machine& m = gpu::machine(t);
    const double dpfactor = m[gpu::Parameter::dpfactor];
    for (const isa::Row& row : isa::rows()) {
      const auto i = instruction(row.mnemonic, t);
      if (!i)
        continue;
      SCOPED_TRACE(std::string(row.mnemonic) + " on " + target);
      const Cost c = cost(*i, m, Model::document);
      const std::string_view name = row.mnemonic;
      const bool flow = name.find("branch") != name.npos || name == "s_call_b64" || name == "s_setpc_b64" ||
                        name == "s_swappc_b64" || name.starts_with("s_rfe");
      if (row.encoding == SOP2 || row.encoding == SOPC || row.encoding == SOPK || row.encoding == SOP1) {
        if (!flow) {
          EXPECT_EQ(c.wave, Cycles(name.starts_with("s_setreg") || name.ends_with("_saveexec_b64") ? 8 : 4));
          EXPECT_EQ(c.resource, Resource::salu);
        }
      } else if (row.encoding == VOP2 || (row.encoding == VOP3P && !isa::is_matrix(i->op))) {
        if (name.find("f64") == name.npos && !name.starts_with("v_dot")) {
          EXPECT_EQ(c.wave, Cycles(4));
        }
      } else if (row.encoding == VOPC) {
        const bool wide = name.ends_with("64");
        EXPECT_EQ(c.wave, Cycles(wide ? dpfactor * 4 : 4));
      }
    }
  }
  const Cost branch = cost(instruction("s_cbranch_scc0", "gfx900"), card("vega10"), Model::document);
  EXPECT_EQ(branch.wave, Cycles(4));
  EXPECT_EQ(branch.taken, 20);
}

TEST(Cost, MatrixOperations) {
  std::ifstream file(std::string(CROSSLANE_TEST_DIR) + "/matrix.txt");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string target, mnemonic;
    double cycles = 0, next = 0;
    if (line[0] == '#' || !(words >> target >> mnemonic >> cycles >> next))
      continue;
    SCOPED_TRACE(line);
    const auto i = instruction(mnemonic, target.c_str());
    const Cost c = cost(i, gpu::machine(i.target));
    EXPECT_EQ(c.resource, Resource::matrix);
    EXPECT_EQ(c.unit, Cycles(cycles));
    EXPECT_EQ(c.wave, Cycles(next));
    EXPECT_EQ(issue_cycles(i), cycles);
    ++rows;
  }
  EXPECT_EQ(rows, 47);
}

// GFLOPS and GIOPS of multiply-adds that others measured. Loops and launches keep programs from the whole rate: what an
// instruction took there is at least what is said here, and no more than a little above.
TEST(Cost, MeasuredRates) {
  struct Case {
    const char* card;
    double mhz, units, f32, f64, mad, f16 = 0, mad24 = 0, slack = 1.11;
  };
  int compared = 0;
  for (const Case& c : std::initializer_list<Case>{
#include "tests/timing/clpeak.inc"
       }) {
    SCOPED_TRACE(c.card);
    const gpu::Machine& m = card(c.card);
    // Of `results` in each lane.
    const auto expect = [&](std::initializer_list<const char*> code, double results, double giga) {
      if (giga == 0)
        return;
      double cycles = 0;
      for (const char* mnemonic : code)
        cycles += cost(instruction(mnemonic, isa::info(m.target).name.data()), m).unit.least;
      const double measured = c.units * 4 * 64 * c.mhz * 1e-3 * 2 * results / giga;
      SCOPED_TRACE(*code.begin());
      EXPECT_GE(measured, cycles * 0.999);
      EXPECT_LE(measured, cycles * c.slack);
      ++compared;
    };
    const isa::Generation g = isa::info(m.target).generation;
    if (g == isa::Generation::gfx90a)
      expect({"v_pk_fma_f32"}, 2, c.f32);
    else
      expect({"v_mac_f32"}, 1, c.f32);
    expect({"v_fma_f64"}, 1, c.f64);
    expect({"v_mul_lo_u32", g >= isa::Generation::gfx9 ? "v_add_u32" : "v_mac_f32"}, 1, c.mad);
    expect({"v_pk_fma_f16"}, 2, c.f16);
    expect({"v_mad_u32_u24"}, 1, c.mad24);
  }
  EXPECT_EQ(compared, 29);
}

// The ROCm Compute Profiler's documentation, "LDS examples", of an MI250: lanes 32 dwords apart, one to twenty of them.
TEST(Cost, MeasuredBankConflicts) {
  const Cost c = cost(instruction("ds_read_b32", "gfx90a"), card("mi210"), Model::card, {Lanes::Pattern::affine, 4});
  EXPECT_EQ(c.unit, Cycles(2));
  for (uint32_t lanes = 1; lanes <= 20; ++lanes)
    EXPECT_EQ(2 + conflict_cycles(4, 128, false, lanes), lanes + 1);
}

TEST(Cost, BankConflictsOfStrides) {
  const auto unit = [](const char* mnemonic, int32_t stride) {
    return cost(instruction(mnemonic, "gfx900"), card("vega10"), Model::card, {Lanes::Pattern::affine, stride}).unit;
  };
  EXPECT_EQ(unit("ds_read_b32", 8), Cycles(4));    // two lanes a bank
  EXPECT_EQ(unit("ds_read_b32", 132), Cycles(2));  // padded
  EXPECT_EQ(unit("ds_read_b32", 128), Cycles(64)); // all in one
  EXPECT_EQ(unit("ds_read_b64", 8), Cycles(4));
  EXPECT_EQ(unit("ds_read_b128", 16), Cycles(8));
  EXPECT_EQ(unit("ds_write_b32", 4), Cycles(4));
  EXPECT_EQ(unit("ds_read2_b32", 4), Cycles(4));
  const auto unknown = cost(instruction("ds_read_b32", "gfx900"), card("vega10"));
  EXPECT_EQ(unknown.unit, Cycles(2, 64));
}

// perftest, loads that hit L1, cycles of a wave: raw loads of one to four dwords, lanes in a row and anywhere.
TEST(Cost, MeasuredLoads) {
  struct Case {
    const char *card, *mnemonic;
    double contiguous, scattered;
  };
  for (const Case& c : std::initializer_list<Case>{{"r9-290x", "buffer_load_dword", 4.18, 16},
                                                   {"fiji", "buffer_load_dword", 4.15, 15.99},
                                                   {"fiji", "buffer_load_dwordx2", 17.99, 17.99},
                                                   {"fiji", "buffer_load_dwordx3", 16, 31.97},
                                                   {"fiji", "buffer_load_dwordx4", 16.01, 17.87},
                                                   {"r9-290x", "buffer_load_dwordx4", 16.02, 17.88},
                                                   {"vega20", "buffer_load_dword", 4.4, 15.8},
                                                   {"vega20", "buffer_load_dwordx4", 16.28, 17.88},
                                                   {"vegafe", "buffer_load_dwordx2", 15.49, 16.13},
                                                   {"vegafe", "buffer_load_dwordx4", 15.04, 16.9}}) {
    SCOPED_TRACE(std::string(c.card) + " " + c.mnemonic);
    const gpu::Machine& m = card(c.card);
    const auto i = instruction(c.mnemonic, m.target);
    const int bytes = 4 * isa::dwords(isa::row(i->op).memory);
    const double row = cost(*i, m, Model::card, {Lanes::Pattern::affine, bytes}).unit.least;
    const double anywhere = cost(*i, m, Model::card, {Lanes::Pattern::affine, 4096}).unit.least;
    EXPECT_NEAR(row, c.contiguous, c.contiguous * 0.1);
    EXPECT_NEAR(anywhere, c.scattered, c.scattered * 0.1);
  }
}

// perftest of a R9 Fury: textures of one, two and four channels, the least and the most of their formats and patterns.
TEST(Cost, MeasuredImages) {
  auto i = instruction("image_load", "gfx803");
  for (const auto& [dmask, least, most] : {std::tuple{1, 15.99, 16.0}, {3, 18.0, 31.97}, {15, 16.0, 31.97}}) {
    i.dmask = uint8_t(dmask);
    const Cost c = cost(i, card("fiji"));
    EXPECT_NEAR(c.unit.least, least, 0.02 * least) << dmask;
    EXPECT_NEAR(c.unit.most, most, 0.02 * most) << dmask;
  }
}

// gpu-benches on an MI210: loads of lanes that are so many dwords, or doubles, apart and hit L1, the mean of eight
// places.
TEST(Cost, MeasuredStridesOfGfx90a) {
  const auto unit = [](const char* mnemonic, int32_t stride, double measured = 0) {
    const Lanes lanes{Lanes::Pattern::affine, stride, measured};
    return cost(instruction(mnemonic, "gfx90a"), card("mi210"), Model::card, lanes).unit;
  };
  const auto expect = [&](const char* mnemonic, int32_t bytes, double cycles) {
    EXPECT_LE(unit(mnemonic, bytes).least, cycles) << mnemonic << bytes;
    EXPECT_GE(unit(mnemonic, bytes).most, cycles) << mnemonic << bytes;
    EXPECT_LE(unit(mnemonic, bytes).most, 2 * unit(mnemonic, bytes).least); // by the first lane's place in its line
  };
  for (const auto& [stride, cycles] : std::initializer_list<std::pair<int, double>>{
           {1, 4}, {2, 32}, {3, 16}, {4, 64}, {5, 28}, {8, 64}, {10, 32}, {17, 48}, {41, 28}, {63, 48}, {64, 64}}) {
    expect("global_load_dword", 4 * stride, cycles);
    expect("global_load_dword", -4 * stride, cycles);
  }
  for (const auto& [stride, cycles] :
       std::initializer_list<std::pair<int, double>>{{1, 16}, {4, 32}, {8, 64}, {17, 32}, {20, 32}})
    expect("global_load_dwordx2", 8 * stride, cycles);
  EXPECT_EQ(unit("global_load_dword", 16, 16), Cycles(64)); // with a profile, which counts no banks
  EXPECT_EQ(unit("global_load_dword", 16, 4), Cycles(16));  // of a quarter of the lanes
  EXPECT_EQ(unit("global_load_dword", 4, 4), Cycles(4));
  const Cost before =
      cost(instruction("global_load_dword", "gfx908"), card("mi100"), Model::card, {Lanes::Pattern::affine, 16});
  EXPECT_EQ(before.unit, Cycles(16, 64));
}

TEST(Cost, SaysWhyItIsNotTheDocument) {
  const Cost product = cost(instruction("v_mul_lo_u32", "gfx906"), card("mi50"));
  EXPECT_EQ(product.wave, Cycles(8));
  EXPECT_EQ(product.note, "CLRX says 16; clpeak's stored results: integer mad less an add");
  EXPECT_TRUE(product.used.has(gpu::Parameter::mul_cycles));
  EXPECT_EQ(cost(instruction("v_fma_f32", "gfx900"), card("vega10"), Model::document).wave, Cycles(16));
  EXPECT_EQ(cost(instruction("v_fma_f32", "gfx900"), card("vega10")).note,
            "CLRX says 16; LLVM: FeatureFastFMAF32; CLRX: by DPFACTOR before gfx9");
  const Cost load = cost(instruction("buffer_load_dword", "gfx900"), card("vega10"));
  EXPECT_EQ(load.unit, Cycles(4, 64));
  EXPECT_EQ(load.note, "addresses not known; CLRX says 8 for all");
  EXPECT_EQ(cost(instruction("s_nop", "gfx900"), card("vega10")).resource, Resource::internal);
}

} // namespace
} // namespace crosslane::timing
