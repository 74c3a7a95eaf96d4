// Every v_cmp, v_cmpx and class test against LLVM's icmp, fcmp and is.fpclass, found by the row's name.
#include "tests/semantics/llvm_fold.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>
#include <map>

namespace crosslane::test {
namespace {

// The relation of a row's name as a predicate of fcmp: AMD's n-relations are true for NaN, LLVM's u-predicates are.
const std::map<std::string, std::string, std::less<>> float_relations = {
    {"f", "false"}, {"lt", "olt"},  {"eq", "oeq"},  {"le", "ole"},  {"gt", "ogt"},  {"lg", "one"},
    {"ge", "oge"},  {"o", "ord"},   {"u", "uno"},   {"nge", "ult"}, {"nlg", "ueq"}, {"ngt", "ule"},
    {"nle", "ugt"}, {"neq", "une"}, {"nlt", "uge"}, {"tru", "true"}};
const std::map<std::string, std::string, std::less<>> integer_relations = {{"lt", "lt"}, {"eq", "eq"}, {"le", "le"},
                                                                           {"gt", "gt"}, {"ne", "ne"}, {"ge", "ge"}};

// LLVM's ten classes have the hardware's bit order. The mask is an immediate there: here, one bit after the other.
std::string class_test(const std::string& type) {
  std::string body = "%f0 = icmp eq i32 0, 1;";
  for (int i = 0; i < 10; ++i) {
    const std::string n = std::to_string(i), next = i == 9 ? "f" : "f" + std::to_string(i + 1),
                      bit = std::to_string(1 << i);
    body += "%c" + n + " = call i1 @llvm.is.fpclass." +
            (type == "half"    ? "f16"
             : type == "float" ? "f32"
                               : "f64") +
            "(" + type + " %a, i32 " + bit + "); %m" + n + " = and i32 %b, " + bit + "; %z" + n + " = icmp ne i32 %m" +
            n + ", 0; %s" + n + " = and i1 %z" + n + ", %c" + n + "; %" + next + " = or i1 %f" + n + ", %s" + n + ";";
  }
  return body;
}

// v_cmp[s][x]_<relation>_<type>
Fold compare_of(const std::string& row) {
  const size_t first = row.find('_', 2), last = row.rfind('_');
  const std::string relation = row.substr(first + 1, last - first - 1), type = row.substr(last + 1);
  const bool is_float = type[0] == 'f';
  const std::string ir = is_float ? (type == "f16"   ? "half"
                                     : type == "f32" ? "float"
                                                     : "double")
                                  : "i" + type.substr(1);
  if (relation == "class")
    return {row, class_test(ir)};
  if (is_float) {
    const auto found = float_relations.find(relation);
    return {row, found == float_relations.end() ? "" : "%f = fcmp " + found->second + " " + ir + " %a, %b", flushes};
  }
  if (relation == "t" || relation == "f")
    return {row, "%f = icmp " + std::string(relation == "t" ? "uge " : "ult ") + ir + " %a, 0"};
  const auto found = integer_relations.find(relation);
  const bool sign = relation != "eq" && relation != "ne";
  return {row, found == integer_relations.end() ? ""
                                                : "%f = icmp " +
                                                      std::string(!sign            ? ""
                                                                  : type[0] == 'i' ? "s"
                                                                                   : "u") +
                                                      found->second + " " + ir + " %a, %b"};
}
const std::vector<Fold> compares = [] {
  std::vector<Fold> list;
  for (const RowEntry& r : baseline_rows())
    if (r.encoding == isa::Encoding::VOPC && r.implemented)
      list.push_back(compare_of(r.name));
  return list;
}();

const Asked asked(Outside::llvm, compares);
TEST(LlvmCompare, EveryRelation) {
  EXPECT_GE(compares.size(), 198u);
  expect_folds(compares, 1000);
}

} // namespace
} // namespace crosslane::test
