// Owns what outside oracles share: which rows each of them has answered for, and the inputs that a row gets.
#pragma once
#include "tests/semantics/check.h"
#include <functional>
#include <set>
#include <string>

namespace crosslane::test {

enum class Outside { llvm, mpfr };
std::set<std::string, std::less<>>& answered(Outside by);
// Static objects that say which rows a file asks an oracle for; oracle_coverage_test.cpp reads them.
struct Asked {
  template <class List> Asked(Outside by, const List& list) {
    for (const auto& row : list)
      answered(by).insert(std::string(row.row));
  }
};

// Calls f with edge and random inputs of the row until it returns false: the grid of edges in the first mode, a part of
// it in others, then `random` mixed inputs.
void for_inputs(const RowEntry& row, const ModeBits& mode, bool first, int random,
                const std::function<bool(const In&)>& f);

// Whether `got` is what the oracle gave: the same bits, or a NaN for a NaN, quiet if the oracle's is.
bool same_value(isa::Type type, uint64_t got, uint64_t want);
std::string explain(const RowEntry& row, const In& in, const Out& got, const Out& want);

} // namespace crosslane::test
