// Small documents in the forms that crosslane writes. What the real command writes is compared in
// tests/cli/diff_command_test.cpp.
#pragma once
#include "diff/difference.h"
#include "tests/expected.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::diff::made_up {

using Json = nlohmann::json;

inline Json kernel(const std::string& name, double conflicts = 100) {
  return {{"name", name},
          {"short", name},
          {"target", "gfx900"},
          {"launches", 1},
          {"grid", {64, 1, 1}},
          {"block", {64, 1, 1}},
          {"waves", 1},
          {"seconds", 0.5},
          {"sampled", nullptr},
          {"counters",
           {{{"name", "SQ_WAVES"}, {"value", 1}, {"unit", "waves"}},
            {{"name", "SQ_LDS_BANK_CONFLICT"}, {"value", conflicts}, {"unit", "cycles"}},
            {{"name", "GRBM_COUNT"}, {"value", nullptr}, {"unit", "cycles"}}}},
          {"instructions",
           {{{"function", name},
             {"offset", 16},
             {"text", "ds_read_b32 v0, v1"},
             {"lds", {{"cycles", 8}, {"conflict_cycles", 6}}}},
            {{"function", name},
             {"offset", 24},
             {"text", "ds_read_b32 v0, v1"},
             {"lds", {{"cycles", 4}, {"conflict_cycles", 1}}}}}},
          {"findings",
           {{{"kind", "bank_conflicts"},
             {"title", "conflicts"},
             {"instruction", 0},
             {"source", {0, 7, 3}},
             {"cost", conflicts},
             {"unit", "LDS cycles"}}}}};
}

inline Json profile(const std::vector<Json>& kernels) {
  return {{"format", "crosslane-profile"},
          {"version", 1},
          {"producer", "crosslane 0.1.0"},
          {"views", {"lds"}},
          {"complete", true},
          {"sources", {{{"path", "k.cl"}, {"text", nullptr}}}},
          {"kernels", kernels}};
}

inline Document document(const Json& json, const std::string& file = "d.json") {
  return test::value_of(parse(json.dump(), file));
}

inline Difference difference(const Json& before, const Json& after) {
  return test::value_of(compare(document(before, "before.json"), document(after, "after.json")));
}

inline const Row& row(const KernelDifference& kernel, const std::string& name) {
  static const Row none;
  for (const Row& r : kernel.rows)
    if (r.name == name)
      return r;
  ADD_FAILURE() << "no row " << name;
  return none;
}

} // namespace crosslane::diff::made_up
