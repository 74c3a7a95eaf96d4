// Tables of cards and of parameters.
#include "cli/timing/machines.h"
#include "findings/text.h"
#include "gpu/choice.h"
#include <array>
#include <fmt/format.h>

namespace crosslane::cli {

namespace {

using Json = nlohmann::ordered_json;

Json number(double d) { return d == double(int64_t(d)) ? Json(int64_t(d)) : Json(d); }

std::array<uint32_t, 5> count_statuses(const gpu::Machine& m) {
  std::array<uint32_t, 5> counts{};
  for (size_t i = 0; i < gpu::parameter_count; ++i)
    ++counts[size_t(m.setting(gpu::Parameter(i)).status)];
  return counts;
}

} // namespace

llvm::Expected<gpu::Machine> find_machine(const std::string& name) {
  auto choice = gpu::choose(name);
  if (!choice)
    return choice.takeError();
  return choice->machine();
}

std::string machine_list() {
  std::vector<std::vector<std::string>> rows = {
      {"card", "target", "units", "MHz", "GB/s", "DPFACTOR", "measured", "published", "derived", "assumed", "product"}};
  for (const gpu::Card& card : gpu::cards()) {
    const gpu::Machine m = gpu::machine(card);
    using enum gpu::Parameter;
    const auto text = [&](gpu::Parameter p) { return fmt::format("{:g}", m[p]); };
    std::vector<std::string> row = {m.name,      std::string(isa::info(m.target).name),    text(compute_units),
                                    text(clock), fmt::format("{:.0f}", m[dram_bandwidth]), text(dpfactor)};
    const auto counts = count_statuses(m);
    for (size_t s = 0; s <= size_t(gpu::Status::assumed); ++s)
      row.push_back(fmt::format("{}", counts[s]));
    row.push_back(m.product);
    rows.push_back(std::move(row));
  }
  return findings::aligned(rows, "llrrrrrrrrl", 400, "");
}

Json machine_list_json() {
  Json out = Json::array();
  for (const gpu::Card& card : gpu::cards()) {
    const gpu::Machine m = gpu::machine(card);
    Json entry = {{"card", m.name}, {"target", isa::info(m.target).name}, {"product", m.product}};
    const auto counts = count_statuses(m);
    for (size_t s = 0; s <= size_t(gpu::Status::assumed); ++s)
      entry[std::string(gpu::name_of(gpu::Status(s)))] = counts[s];
    out.push_back(std::move(entry));
  }
  return out;
}

std::string machine_text(const gpu::Machine& m) {
  std::string out = fmt::format("{} ({}), {}\n", m.name, m.product, isa::info(m.target).name);
  std::vector<std::vector<std::string>> rows = {{"parameter", "value", "unit", "status", "source", "what it is"}};
  for (size_t i = 0; i < gpu::parameter_count; ++i) {
    const gpu::Parameter p = gpu::Parameter(i);
    const auto& info = gpu::info(p);
    const auto& setting = m.setting(p);
    rows.push_back({std::string(info.name), fmt::format("{}", number(setting.value).dump()), std::string(info.unit),
                    std::string(gpu::name_of(setting.status)), setting.source, std::string(info.about)});
  }
  return out + findings::aligned(rows, "lrllll", 400);
}

Json machine_json(const gpu::Machine& m) {
  Json out = {{"card", m.name}, {"product", m.product}, {"target", isa::info(m.target).name}};
  Json parameters = Json::object();
  for (size_t i = 0; i < gpu::parameter_count; ++i) {
    const gpu::Parameter p = gpu::Parameter(i);
    const auto& setting = m.setting(p);
    parameters[std::string(gpu::info(p).name)] = {{"value", number(setting.value)},
                                                  {"unit", gpu::info(p).unit},
                                                  {"status", gpu::name_of(setting.status)},
                                                  {"source", setting.source},
                                                  {"about", gpu::info(p).about}};
  }
  out["parameters"] = std::move(parameters);
  return out;
}

} // namespace crosslane::cli
