// A card of the user's own, from TOML.
#include "gpu/machine.h"
#include "isa/suggest.h"
#include <cmath>
#include <fmt/format.h>
#include <toml++/toml.h>

namespace crosslane::gpu {

namespace {

std::vector<std::string_view> keys() {
  std::vector<std::string_view> all = {"base", "name"};
  for (size_t i = 0; i < parameter_count; ++i)
    all.push_back(info(Parameter(i)).name);
  return all;
}

// What is wrong with it; empty: nothing.
std::string wrong(const ParameterInfo& about, const toml::node& node) {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  const std::string unit = about.unit.empty() ? "" : " " + std::string(about.unit);
  if (!value || !std::isfinite(*value) || *value < about.least || *value > about.most)
    return fmt::format("'{}' is a number from {} to {}{}", about.name, about.least, about.most, unit);
  if (about.whole && *value != std::floor(*value))
    return fmt::format("'{}' is a whole number", about.name);
  return "";
}

// What has to agree; empty: it does.
std::string mismatch(const Machine& m) {
  using enum Parameter;
  for (const auto& [size, line] : {std::pair(l1_size, l1_line), std::pair(l2_size, l2_line)}) {
    const Parameter ways = size == l1_size ? l1_ways : l2_ways;
    if (m[size] < m[line] * m[ways])
      return fmt::format("'{}' is less than '{}' lines of '{}'", info(size).name, info(ways).name, info(line).name);
  }
  if (m[vgprs] < m[vgpr_granule] || m[sgprs] < m[sgpr_granule])
    return "there are fewer registers than a granule has";
  return "";
}

// The line of a key with very many parts ("a.b.c"), or 0. toml++ recurses for each of them, without a limit.
size_t line_of_deep_key(std::string_view text) {
  size_t line = 1, dots = 0;
  for (const char c : text) {
    line += c == '\n';
    dots = c == '\n' ? 0 : dots + (c == '.');
    if (dots > 256)
      return line;
  }
  return 0;
}

ParsedMachine failed(std::string error) { return {std::nullopt, std::move(error)}; }

ParsedMachine read(const toml::table& table, const std::string& path) {
  const auto* base = table.get("base");
  if (!base)
    return failed(fmt::format("{}: 'base' is missing: a card or gfx name to start from, as base = \"vega10\"", path));
  const auto at = [&](const toml::node& node) { return fmt::format("{}:{}", path, node.source().begin.line); };
  const auto name = base->value<std::string>();
  if (!name)
    return failed(fmt::format("{}: 'base' is the name of a card, as base = \"vega10\"", at(*base)));
  const Card* card = find_card(*name);
  if (!card)
    return failed(fmt::format("{}: {}", at(*base), unknown_card(*name)));
  Machine m = machine(*card);
  m.product = path;
  for (const auto& [key, node] : table) {
    const std::string_view k = key.str();
    if (k == "base")
      continue;
    if (k == "name") {
      const auto text = node.value<std::string>();
      if (!text || text->empty())
        return failed(fmt::format("{}: 'name' is a text", at(node)));
      m.name = *text;
      continue;
    }
    const auto parameter = find_parameter(k);
    if (!parameter)
      return failed(fmt::format("{}: unknown key '{}'{}", at(node), k,
                                isa::did_you_mean(k, keys(), "; 'crosslane timing --show-gpu' lists them")));
    if (const std::string what = wrong(info(*parameter), node); !what.empty())
      return failed(fmt::format("{}: {}", at(node), what));
    m.set(*parameter, {*node.value<double>(), Status::given, at(node)});
  }
  if (!table.contains("name"))
    m.name = fmt::format("{} ({})", path, card->name);
  if (const std::string what = mismatch(m); !what.empty())
    return failed(fmt::format("{}: {}", path, what));
  return {std::move(m), ""};
}

} // namespace

ParsedMachine parse_machine(std::string_view text, const std::string& path) {
  if (const size_t line = line_of_deep_key(text))
    return failed(fmt::format("{}:{}: a key of many parts; keys here have one", path, line));
  try {
    return read(toml::parse(text, path), path);
  } catch (const toml::parse_error& error) {
    return failed(
        fmt::format("{}:{}:{}: {}", path, error.source().begin.line, error.source().begin.column, error.description()));
  }
}

} // namespace crosslane::gpu
