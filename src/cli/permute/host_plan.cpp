// Asks lanes/plan and groups registers whose plans are the same.
#include "cli/permute/host_plan.h"
#include "cli/permute/host_choice.h"
#include "cli/permute/lane_expression.h"
#include "files/error.h"
#include "lanes/plan/planner.h"
#include "lanes/plan/print.h"
#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

using lanes::Cpu;
using lanes::Isa;
namespace planner = lanes::planner;

// The steps with the inputs renamed in the order of their first use: equal for registers that are permuted alike.
std::string signature(planner::Plan plan, Isa isa, std::vector<int>& inputs) {
  std::vector<int> used;
  const auto rename = [&](int8_t& value) {
    if (value < 0 || value >= plan.inputs)
      return;
    auto at = std::find(used.begin(), used.end(), value);
    if (at == used.end())
      at = used.insert(used.end(), value);
    value = int8_t(at - used.begin());
  };
  std::string text;
  for (int i = 0; i < plan.count; ++i) {
    planner::Step& s = plan.steps[size_t(i)];
    rename(s.a), rename(s.b), rename(s.merge);
    text += planner::describe(s, plan.inputs + i) + "\n";
  }
  rename(plan.result);
  inputs = used;
  return text + std::to_string(plan.result);
}

HostPlan::Part make_part(const planner::Plan& plan, Isa isa, Cpu cpu) {
  HostPlan::Part part;
  part.found = plan.found;
  if (!plan.found)
    return part;
  const planner::PlanCost cost = planner::cost(cpu, plan);
  part.kind = planner::class_names[size_t(plan.kind)];
  part.latency = double(cost.latency), part.throughput = double(cost.throughput);
  part.instructions = cost.instructions, part.constants = cost.constants, part.masks = cost.masks;
  for (int i = 0; i < plan.count; ++i) {
    const planner::Step& step = plan.steps[size_t(i)];
    part.steps.push_back(planner::describe(step, plan.inputs + i) + "; " +
                         planner::printing::cycles(planner::cost(cpu, step)));
  }
  const planner::Assembly assembly = planner::assembly(plan, isa);
  part.assembly = assembly.code;
  for (const std::string& line : assembly.data)
    part.assembly.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  return part;
}

// "registers 0, 1 (of the source 1, 0), alike"
std::string title(const HostPlan::Part& part) {
  const bool several = part.registers.size() > 1;
  std::string text = fmt::format("register{} {}", several ? "s" : "", fmt::join(part.registers, ", "));
  bool own = true;
  std::vector<std::string> reads;
  for (size_t k = 0; k < part.registers.size(); ++k) {
    own &= part.inputs[k] == std::vector{part.registers[k]};
    reads.push_back(part.inputs[k].empty() ? "none" : fmt::format("{}", fmt::join(part.inputs[k], "+")));
  }
  if (!own)
    text += fmt::format(" of the source's {}{}", fmt::join(reads, ", "), several ? "," : "");
  return text + (several ? " alike" : "");
}

} // namespace

llvm::Expected<HostPlan> plan_host(const std::vector<int>& from, int element_bits, const std::string& cpu_name,
                                   const std::string& level_name) {
  auto choice = choose_host(cpu_name, level_name);
  if (!choice)
    return choice.takeError();
  const auto [cpu, guessed, isa] = *choice;
  const int n = int(from.size());
  const lanes::Pattern pattern =
      lanes::make_pattern(element_bits / 8, n, 1, n, [&](int i) { return element_of(from[size_t(i)]); });
  if (const char* fault = pattern.fault())
    return fail("no plan for {} elements of {} bits: {}", n, element_bits, fault);
  const planner::PatternPlan plan = planner::plan(pattern, isa, cpu, planner::Effort::thorough);
  HostPlan host{std::string(lanes::cpu_names[size_t(cpu)]),
                std::string(lanes::isa_names[size_t(isa)]),
                guessed,
                plan.register_bytes,
                {}};
  std::vector<std::string> signatures;
  for (int r = 0; r < plan.registers; ++r) {
    std::vector<int> inputs;
    const std::string mark = signature(plan.part[size_t(r)], isa, inputs);
    const auto known = std::find(signatures.begin(), signatures.end(), mark);
    const auto at = size_t(known - signatures.begin());
    if (known == signatures.end()) {
      signatures.push_back(mark);
      host.parts.push_back(make_part(plan.part[size_t(r)], isa, cpu));
    }
    host.parts[at].registers.push_back(r);
    host.parts[at].inputs.push_back(inputs);
  }
  return host;
}

std::string cost_text(int instructions, int constants, int masks) {
  std::string text = fmt::format("{} instruction{}", instructions, instructions == 1 ? "" : "s");
  if (constants)
    text += fmt::format(", {} constant{}", constants, constants == 1 ? "" : "s");
  if (masks)
    text += fmt::format(", {} mask{}", masks, masks == 1 ? "" : "s");
  return text;
}

std::string host_text(const HostPlan& host) {
  std::string text = fmt::format("CPU {}{}, {}: {}mm0 and on hold the source, {} bytes each\n", host.cpu,
                                 host.cpu_guessed ? " (a guess: no table has this machine's)" : "", host.level,
                                 host.register_bytes == 64 ? "z" : "y", host.register_bytes);
  for (const auto& part : host.parts) {
    if (!part.found) {
      text += fmt::format("  {}: no plan\n", title(part));
      continue;
    }
    text += fmt::format("  {}: {}\n", title(part), part.kind);
    if (!part.instructions) {
      text += "    nothing to do\n";
      continue;
    }
    text += fmt::format("    latency {:.3g}, one every {:.3g} cycles; {}", part.latency, part.throughput,
                        cost_text(part.instructions, part.constants, part.masks));
    text += '\n';
    for (const auto& line : part.assembly)
      text += "    " + line + "\n";
  }
  return text;
}

nlohmann::ordered_json host_json(const HostPlan& host) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const auto& part : host.parts) {
    nlohmann::ordered_json one = {{"registers", part.registers}, {"reads", part.inputs}, {"found", part.found}};
    if (part.found)
      one.update({{"class", part.kind},
                  {"latency", part.latency},
                  {"throughput", part.throughput},
                  {"instructions", part.instructions},
                  {"constants", part.constants},
                  {"masks", part.masks},
                  {"steps", part.steps},
                  {"assembly", part.assembly}});
    parts.push_back(std::move(one));
  }
  return {{"cpu", host.cpu},
          {"cpu_guessed", host.cpu_guessed},
          {"level", host.level},
          {"register_bytes", host.register_bytes},
          {"parts", std::move(parts)}};
}

} // namespace crosslane::cli
