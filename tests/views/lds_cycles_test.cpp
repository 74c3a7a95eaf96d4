// What LDS takes for every instruction of CLRX's DS table, run on the engine with 64 lanes that do not meet.
#include "isa/op.h"
#include "tests/engine/kernel_fixture.h"
#include "views/lds.h"
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace crosslane::views {
namespace {

using test::Kernel;

std::map<std::string, uint64_t> table() {
  std::ifstream file(std::string(CROSSLANE_TEST_DIR) + "/clrx_ds.txt");
  std::map<std::string, uint64_t> cycles;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string mnemonic;
    if (words >> mnemonic && mnemonic[0] != '#')
      words >> cycles[mnemonic];
  }
  return cycles;
}

// What moves data between lanes alone is no access to LDS, and the view does not hear of it.
const std::set<std::string> not_told_of = {"ds_swizzle_b32"};

std::string registers(const char* first, isa::Type type) {
  const int begin = std::atoi(first + 1), count = isa::dwords(type);
  return count == 1 ? "v" + std::to_string(begin)
                    : "v[" + std::to_string(begin) + ":" + std::to_string(begin + count - 1) + "]";
}

// Lane l at its elements, side by side, and 64 elements further where there are two addresses. Elements of 12 bytes are
// 16 apart, so that their groups of 8 lanes do not meet.
std::string code_of(const isa::Row& row) {
  const std::string mnemonic(row.mnemonic);
  const int bytes = isa::dwords(row.memory) * 4;
  std::string text = "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, " +
                     std::to_string(bytes <= 4   ? 2
                                    : bytes == 8 ? 3
                                                 : 4) +
                     ", v0\n" + mnemonic + " ";
  if (row.dst != isa::Type::None)
    text += registers("v16", row.dst) + ", ";
  text += "v1";
  if (row.src[0] != isa::Type::None)
    text += ", " + registers("v4", row.src[0]);
  if (row.src[1] != isa::Type::None)
    text += ", " + registers("v8", row.src[1]);
  const bool st64 = mnemonic.find("2st64_") != std::string::npos;
  if (st64 || mnemonic.starts_with("ds_read2_") || mnemonic.starts_with("ds_write2_") ||
      mnemonic.starts_with("ds_wrxchg2_"))
    text += st64 ? " offset1:2" : " offset1:64";
  return text + "\ns_waitcnt lgkmcnt(0)\ns_endpgm\n";
}

LdsCounts run(const std::string& mnemonic, isa::Target target) {
  const Kernel kernel(target, code_of(isa::row(*isa::find_op(mnemonic, target))));
  LdsBanks banks;
  engine::Options options;
  options.listener = &banks;
  const auto outcome = kernel.run({}, {}, options, 16384);
  EXPECT_NO_FAULT(outcome);
  LdsCounts all;
  for (const LdsSite& site : banks.sites())
    all += site.counts;
  return all;
}

TEST(LdsCycles, OfEveryInstructionOfTheTable) {
  int compared = 0;
  for (const auto& [mnemonic, cycles] : table()) {
    if (not_told_of.contains(mnemonic))
      continue;
    SCOPED_TRACE(mnemonic);
    ASSERT_TRUE(isa::find_op(mnemonic, isa::Target::gfx803));
    for (const isa::Target target : {isa::Target::gfx803, isa::Target::gfx900}) {
      const LdsCounts counts = run(mnemonic, target);
      EXPECT_EQ(counts.cycles, cycles);
      EXPECT_EQ(counts.ideal_cycles, cycles);
      EXPECT_EQ(counts.same_address_atomics, 0u);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 126);
}

// Conflicts add to that: at 128 l all lanes of a group meet, here two of them (CLRX: "any bank conflict adds penalty to
// timing and throughput").
TEST(LdsCycles, ConflictsAdd) {
  const auto cycles = [](const char* instruction) {
    const Kernel kernel(isa::Target::gfx900, std::string("v_lshlrev_b32 v1, 7, v0\ns_mov_b64 exec, 3\n") + instruction +
                                                 "\ns_waitcnt lgkmcnt(0)\ns_endpgm\n");
    LdsBanks banks;
    engine::Options options;
    options.listener = &banks;
    EXPECT_NO_FAULT(kernel.run({}, {}, options, 16384));
    return banks.sites().at(0).counts;
  };
  EXPECT_EQ(cycles("ds_read_b32 v2, v1").cycles, 2u + 1);
  EXPECT_EQ(cycles("ds_write_b32 v1, v2").cycles, 4u + 1);
  EXPECT_EQ(cycles("ds_write_b128 v1, v[4:7]").cycles, 10u + 1);
  EXPECT_EQ(cycles("ds_cmpst_b64 v1, v[4:5], v[6:7]").cycles, 10u + 1);
  EXPECT_EQ(cycles("ds_cmpst_b64 v1, v[4:5], v[6:7]").bank_conflict_cycles(), 1u);
}

} // namespace
} // namespace crosslane::views
