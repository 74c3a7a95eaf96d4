// A bounded share of operands_oracle.h: every instance of every row that executes alone, and two variants of each.
#include "isa/op.h"
#include "tests/engine/operands_oracle.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

class OperandsEngine : public testing::TestWithParam<isa::Target> {};

TEST_P(OperandsEngine, NothingIsReadOrWrittenBesidesWhatIsTold) {
  OperandsOracle oracle(GetParam(), 2, 20);
  const OracleResult result = oracle.run(15000);
  for (const std::string& c : result.complaints)
    ADD_FAILURE() << c;
  for (const std::string& u : result.untried)
    ADD_FAILURE() << "no trial of " << u << " ran to its end";
  EXPECT_GT(result.trials, 9 * result.faults);
  EXPECT_GT(result.trials, result.instructions * 2);
}

// The judge must be able to find fault: accounts that are wrong in one respect each.
TEST(OperandsEngineItself, FindsWhatIsWrong) {
  using isa::Operand;
  using isa::RegisterFile;
  using isa::Role;
  const auto scalar = [](const Operand& o, unsigned n) {
    return o.role == Role::implicit && o.holds(RegisterFile::scalar, n);
  };
  const auto is_special = [](const Operand& o, uint16_t n) { return o.holds(RegisterFile::special, n); };
  // Changes an operand; false: leaves it out.
  using Change = std::function<bool(Operand&)>;
  const std::pair<const char*, Change> wrongs[] = {
      {"no src1", [](Operand& o) { return o.role != Role::src1; }},
      {"no carry in", [](Operand& o) { return o.role != Role::mask; }},
      {"no data", [](Operand& o) { return o.role != Role::data; }},
      {"no destination", [](Operand& o) { return o.role != Role::dst; }},
      {"no second destination", [](Operand& o) { return o.role != Role::sdst; }},
      {"one dword too few", [](Operand& o) { return o.dwords == 1 || --o.dwords; }},
      {"no read destination", [](Operand& o) { return o.role != Role::dst || ((o.read = false), true); }},
      {"nothing kept", [](Operand& o) { return (o.partial = false), true; }},
      {"all lanes written", [](Operand& o) { return (o.masked = false), true; }},
      {"other bits", [](Operand& o) { return (o.bits = o.partial ? ~o.bits : o.bits), true; }},
      {"no SCC", [&](Operand& o) { return !is_special(o, isa::special::scc); }},
      {"no MODE", [&](Operand& o) { return !is_special(o, isa::special::mode); }},
      {"no M0", [&](Operand& o) { return !scalar(o, isa::code::m0); }},
      {"no VCC", [&](Operand& o) { return !scalar(o, isa::code::vcc); }},
      {"no EXEC", [&](Operand& o) { return !scalar(o, isa::code::exec); }},
  };
  for (const auto& [name, change] : wrongs) {
    const auto account = [&](const isa::Instruction& i, isa::Indexing indexing) {
      isa::Operands all;
      for (Operand o : isa::operands(i, indexing))
        if (const isa::Encoding e = isa::row(i.op).encoding;
            e == isa::Encoding::SMEM || e > isa::Encoding::DS || change(o)) // with a wrong address it would crash
          all.add(o);
      return all;
    };
    OperandsOracle oracle(isa::Target::gfx803, 0, 4, account);
    EXPECT_GT(oracle.run(3000).complaints.size(), 0u) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, OperandsEngine,
                         testing::Values(isa::Target::gfx600, isa::Target::gfx701, isa::Target::gfx803,
                                         isa::Target::gfx900, isa::Target::gfx908, isa::Target::gfx90a),
                         [](const auto& i) { return std::string(isa::info(i.param).name); });

} // namespace
} // namespace crosslane::test
