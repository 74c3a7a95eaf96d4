// What other verbs write: estimates of timing, and outcomes of tests.
#include "diff/kinds.h"
#include "files/error.h"
#include <map>

namespace crosslane::diff {

namespace {

// A number, or [least, most] where it is not exact: what it is at worst, then, and beside it the least.
void add(std::vector<Value>& out, const std::string& name, const std::string& unit, const Json& value) {
  if (const auto n = number(value))
    return out.push_back({name, unit, *n});
  const auto least = number(element(value, 0)), most = number(element(value, 1));
  if (least && most)
    out.push_back({name, unit, *most}), out.push_back({name + ".least", unit, *least});
}

void add_all(std::vector<Value>& out, const std::string& prefix, const std::string& unit, const Json& object) {
  if (object.is_object())
    for (const auto& [key, value] : object.items())
      add(out, prefix + key, unit, value);
}

void add_run(const Json& run, std::vector<Value>& out) {
  for (const char* name : {"launches", "workgroups", "waves", "wave_instructions"})
    add(out, std::string("run.") + name, "", member(run, name));
  add_all(out, "run.cycles.", "cycles", member(run, "cycles"));
  for (const char* name : {"way_of_a_wave", "launch", "dram"})
    add(out, std::string("run.") + name, "cycles", member(run, name));
  add(out, "run.dram_bytes", "bytes", member(run, "dram_bytes"));
  add(out, "run.static_us", "us", member(member(run, "static_us"), "us"));
  add(out, "run.roofline_us", "us", member(member(run, "roofline_us"), "us"));
}

} // namespace

namespace {

// By the line that it begins with.
Part loop_of(const Json& loop) {
  const Json& source = member(loop, "source");
  const auto line = number(element(source, 1));
  const std::string place = line ? fmt::format("{}:{}", text(element(source, 0)), *line) : text(loop, "header");
  Part part{.key = place, .shown = "loop at " + place};
  for (const char* name : {"instructions", "bytes"})
    add(part.values, name, "", member(loop, name));
  for (const char* name : {"alone", "among", "bound"})
    add(part.values, std::string(name) + ".cycles", "cycles", member(member(loop, name), "cycles"));
  return part;
}

llvm::Error read_kernel(const Json& k, Kernel& kernel) {
  if (kernel.name.empty())
    return fail("has a kernel without a name");
  if (const auto items = number(k, "workgroup"))
    kernel.shape = fmt::format("workgroups of {}", *items);
  std::vector<Value>& values = kernel.values;
  add(values, "waves_per_simd", "waves", member(member(k, "occupancy"), "waves_per_simd"));
  for (const char* name : {"waves", "instructions"})
    add(values, name, "", member(k, name));
  add(values, "bytes", "bytes", member(k, "bytes"));
  add_all(values, "units.", "cycles", member(k, "units"));
  for (const Json& loop : list(k, "loops"))
    kernel.parts.push_back(loop_of(loop));
  if (const Json& run = member(k, "run"); run.is_object())
    add_run(run, values);
  return llvm::Error::success();
}

} // namespace

llvm::Error read_estimates(const Json& j, Document& out) {
  for (const Json& unit : j) {
    out.made += fmt::format("{}the card {}", out.made.empty() ? "" : ", ", text(unit, "card"));
    for (const Json& a : list(unit, "assumed"))
      out.made += fmt::format(", {} {}", text(a, "parameter"), member(a, "value").dump());
    for (const Json& k : list(unit, "kernels")) {
      const std::string name = text(k, "kernel"), target = text(unit, "target");
      // A file for several targets has each kernel several times.
      const std::string shown = j.size() > 1 ? fmt::format("{} ({})", name, target) : name;
      Kernel& kernel = out.kernels.emplace_back(Kernel{.name = name, .shown = shown, .target = target});
      if (auto error = read_kernel(k, kernel))
        return error;
    }
  }
  return out.kernels.empty() ? fail("has no kernels") : llvm::Error::success();
}

llvm::Error read_tests(const Json& j, Document& out) {
  if (member(j, "crosslane_test") != 1)
    return fail("are outcomes of tests in the form {}; this crosslane knows 1", member(j, "crosslane_test").dump());
  if (!member(j, "tests").is_array())
    return fail("lacks the list of tests");
  out.producer = "crosslane " + text(j, "version"), out.has_findings = true;
  std::vector<Value> sums;
  sums.push_back({"tests", "", double(list(j, "tests").size())});
  for (const char* outcome : {"passed", "failed", "error", "ran", "not_run"})
    sums.push_back({outcome, "tests", number(member(j, "count"), outcome).value_or(0)});
  if (const auto seconds = number(j, "seconds"))
    sums.push_back({"seconds", "s of the host", *seconds, true});
  out.kernels.push_back(Kernel{.values = std::move(sums)});
  for (const Json& test : list(j, "tests")) {
    const std::string name = text(test, "name"), outcome = text(test, "outcome");
    if (name.empty() || outcome.empty())
      return fail("test {} lacks its name or its outcome", out.kernels.size() - 1);
    Kernel& kernel = out.kernels.emplace_back(Kernel{.name = name, .shown = name});
    kernel.values.push_back({"passes", "", outcome == "passed" ? 1.0 : 0.0});
    if (const auto seconds = number(test, "seconds"))
      kernel.values.push_back({"seconds", "s of the host", *seconds, true});
    if (outcome != "failed" && outcome != "error")
      continue;
    const Json& complaint = element(member(test, "complaints"), 0);
    const std::string words = text(complaint, "text"), place = text(complaint, "place");
    out.findings.push_back({.match = {outcome, name, "", 0},
                            .place = place.empty() ? name : place,
                            .message = words.substr(0, words.find('\n')),
                            .severity = "error"});
  }
  return llvm::Error::success();
}

} // namespace crosslane::diff
