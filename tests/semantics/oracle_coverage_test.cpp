// Which rows an outside oracle answers for. A row that none does must be in without_oracle.inc with the reason, and a
// row that is there must have none.
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>
#include <map>

namespace crosslane::test {
namespace {

const std::map<std::string, std::string, std::less<>> without = {
#define WITHOUT_ORACLE(row, reason) {#row, reason},
#include "tests/semantics/without_oracle.inc"
#undef WITHOUT_ORACLE
};

TEST(OracleCoverage, EveryRowHasOneOrAReason) {
  int llvm = 0, mpfr = 0, both = 0, rows = 0;
  for (const RowEntry& r : baseline_rows()) {
    if (!r.implemented)
      continue;
    const bool by_llvm = answered(Outside::llvm).contains(r.name), by_mpfr = answered(Outside::mpfr).contains(r.name);
    ++rows, llvm += by_llvm, mpfr += by_mpfr, both += by_llvm && by_mpfr;
    EXPECT_NE(by_llvm || by_mpfr, without.contains(r.name))
        << r.name << (by_llvm || by_mpfr ? " has an oracle: take it out of" : " has no oracle: add one, or say why in")
        << " tests/semantics/without_oracle.inc";
  }
  printf("rows with semantics: %d; LLVM: %d, MPFR: %d, both: %d; hand-written expectation only: %d\n", rows, llvm, mpfr,
         both, rows - llvm - mpfr + both);
}

TEST(OracleCoverage, ReasonsAreOfRows) {
  for (const auto& [name, reason] : without)
    EXPECT_EQ(name, row(name).name);
}

} // namespace
} // namespace crosslane::test
