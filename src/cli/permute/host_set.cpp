// Asks lanes/plan for a set of patterns, and for each of them alone.
#include "cli/permute/host_set.h"
#include "cli/permute/host_choice.h"
#include "cli/permute/host_plan.h"
#include "files/error.h"
#include "lanes/plan/print.h"
#include "lanes/plan/sets.h"
#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

namespace planner = lanes::planner;

HostSet::Costs costs_of(const planner::SetCost& cost) {
  return {double(cost.latency), double(cost.throughput), double(std::max(cost.stores, cost.throughput)),
          cost.instructions,    cost.constants,          cost.masks};
}
std::string text_of(const HostSet::Costs& c) {
  std::string text = fmt::format("latency {:.3g}, one every {:.3g} cycles", c.latency, c.throughput);
  if (c.with_stores > c.throughput)
    text += fmt::format(" (with stores of the results {:.3g})", c.with_stores);
  return text + "; " + cost_text(c.instructions, c.constants, c.masks);
}
nlohmann::ordered_json json_of(const HostSet::Costs& c) {
  return {{"latency", c.latency},           {"throughput", c.throughput}, {"with_stores", c.with_stores},
          {"instructions", c.instructions}, {"constants", c.constants},   {"masks", c.masks}};
}

} // namespace

llvm::Expected<HostSet> plan_host_set(const std::vector<std::vector<int>>& from, int element_bits,
                                      const std::string& cpu_name, const std::string& level_name) {
  auto choice = choose_host(cpu_name, level_name);
  if (!choice)
    return choice.takeError();
  const auto [cpu, guessed, isa] = *choice;
  const int n = int(from.front().size()), results = int(from.size()), bytes = n * element_bits / 8,
            width = lanes::widest_register(isa), registers = results * ((bytes + width - 1) / width);
  if (results * bytes > lanes::PatternSet::max_bytes || registers > planner::SetPlan::max_results)
    return fail(
        "{} expressions of {} lanes of {} bits are {} bytes in {} registers, and at most {} bytes in {} registers "
        "are planned together: use fewer expressions, or fewer --lanes",
        results, n, element_bits, results * bytes, registers, lanes::PatternSet::max_bytes,
        planner::SetPlan::max_results);
  const lanes::PatternSet set = lanes::make_pattern_set(
      element_bits / 8, results, n, 1, n, [&](int r, int i) { return element_of(from[size_t(r)][size_t(i)]); });
  const planner::SetPlan plan = planner::plan_all(set, isa, cpu, planner::Effort::thorough);
  if (!plan.found)
    return fail("there is no plan of {} steps for these {} expressions together: use fewer", planner::Plan::max_steps,
                results);
  planner::SideBySide apart(cpu);
  for (const auto& one : from) {
    const auto pattern =
        lanes::make_pattern(element_bits / 8, n, 1, n, [&](int i) { return element_of(one[size_t(i)]); });
    const planner::PatternPlan own = planner::plan(pattern, isa, cpu, planner::Effort::thorough);
    for (int r = 0; r < own.registers; ++r) {
      const auto first = one.begin() + r * n / own.registers, last = first + n / own.registers;
      const bool wanted = std::any_of(first, last, [](int f) { return f != lane_any; });
      apart.add(own.part[size_t(r)], wanted && bytes >= 64 && width == 64);
    }
  }
  HostSet host{std::string(lanes::cpu_names[size_t(cpu)]),
               std::string(lanes::isa_names[size_t(isa)]),
               guessed,
               width,
               plan.shared,
               costs_of(planner::cost(cpu, plan)),
               costs_of(apart.cost()),
               {},
               {},
               {}};
  for (int i = 0; i < plan.steps.count; ++i) {
    const planner::Step& step = plan.steps.steps[size_t(i)];
    host.steps.push_back(planner::describe(step, plan.steps.inputs + i) + "; " +
                         planner::printing::cycles(planner::cost(cpu, step)));
  }
  const planner::Assembly assembly = planner::assembly(plan, isa);
  host.assembly = assembly.code;
  for (const std::string& line : assembly.data)
    host.assembly.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  for (int r = 0; r < results; ++r) {
    auto& registers_of = host.results.emplace_back();
    for (int k = 0; k < plan.registers && assembly.fault.empty(); ++k)
      registers_of.push_back(planner::register_name(width, assembly.results[size_t(r * plan.registers + k)]));
  }
  return host;
}

std::string host_text(const HostSet& host) {
  std::string text = fmt::format("CPU {}{}, {}: {}mm0 and on hold the source, {} bytes each\n", host.cpu,
                                 host.cpu_guessed ? " (a guess: no table has this machine's)" : "", host.level,
                                 host.register_bytes == 64 ? "z" : "y", host.register_bytes);
  text += fmt::format("  together:   {}\n  one by one: {}\n", text_of(host.together), text_of(host.one_by_one));
  for (const auto& line : host.assembly)
    text += "    " + line + "\n";
  for (size_t r = 0; r < host.results.size(); ++r)
    text += fmt::format("  result {} is left in {}\n", r + 1, fmt::join(host.results[r], ", "));
  return text;
}

nlohmann::ordered_json host_json(const HostSet& host) {
  return {{"cpu", host.cpu},
          {"cpu_guessed", host.cpu_guessed},
          {"level", host.level},
          {"register_bytes", host.register_bytes},
          {"shared", host.shared},
          {"together", json_of(host.together)},
          {"one_by_one", json_of(host.one_by_one)},
          {"results", host.results},
          {"steps", host.steps},
          {"assembly", host.assembly}};
}

} // namespace crosslane::cli
