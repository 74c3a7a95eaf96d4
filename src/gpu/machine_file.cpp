// A card of the user's own, from TOML and to it.
#include "gpu/machine.h"
#include "isa/suggest.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <toml++/toml.h>

namespace crosslane::gpu {

namespace {

// A mistake, and where: the line is known of nodes alone.
struct Mistake {
  const toml::node* node = nullptr;
  std::string what; // empty: none
};

std::vector<std::string_view> keys() {
  std::vector<std::string_view> all = {"base", "name", "product"};
  for (size_t i = 0; i < parameter_count; ++i)
    all.push_back(info(Parameter(i)).name);
  return all;
}

std::string allowed(const ParameterInfo& about) {
  return fmt::format("'{}' is a {}number from {} to {}{}{}", about.name, about.whole ? "whole " : "", about.least,
                     about.most, about.unit.empty() ? "" : " ", about.unit);
}

std::optional<double> number(const ParameterInfo& about, const toml::node& node) {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  const bool good = value && std::isfinite(*value) && *value >= about.least && *value <= about.most &&
                    !(about.whole && *value != std::floor(*value));
  return good ? value : std::nullopt;
}

std::optional<Status> status(std::string_view name) {
  for (const Status s : {Status::measured, Status::published, Status::derived, Status::assumed, Status::given})
    if (name == name_of(s))
      return s;
  return std::nullopt;
}

// { value = 1500, status = "measured", source = "by whom" }
Mistake read_table(const ParameterInfo& about, const toml::table& table, Setting& into) {
  const auto* value = table.get("value");
  if (!value)
    return {&table, fmt::format("'{}' has no 'value'; {}", about.name, allowed(about))};
  for (const auto& [key, node] : table) {
    const std::string_view k = key.str();
    if (k == "value") {
      const auto read = number(about, node);
      if (!read)
        return {&node, allowed(about)};
      into.value = *read;
    } else if (k == "status") {
      const auto text = node.value<std::string>();
      const auto known = text ? status(*text) : std::nullopt;
      if (!known)
        return {&node, "'status' is \"measured\", \"published\", \"derived\", \"assumed\" or \"given\""};
      into.status = *known;
    } else if (k == "source") {
      const auto text = node.value<std::string>();
      if (!text)
        return {&node, "'source' is a text"};
      into.source = *text;
    } else {
      return {&node, fmt::format("unknown key '{}' of '{}'; there are value, status and source", k, about.name)};
    }
  }
  return {};
}

class Reader {
public:
  Reader(const toml::table& table, const std::string& path) : table_(table), path_(path) {}

  ParsedMachine read() {
    const Mistake mistake = fill();
    if (mistake.what.empty())
      return {std::move(machine_), ""};
    const std::string where = mistake.node ? at(*mistake.node) : path_;
    return {std::nullopt, fmt::format("{}: {}", where, mistake.what)};
  }

private:
  Mistake fill() {
    const auto* base = table_.get("base");
    if (!base)
      return {nullptr, "'base' is missing: a card or gfx name to start from, as base = \"vega10\""};
    const auto name = base->value<std::string>();
    if (!name)
      return {base, "'base' is the name of a card, as base = \"vega10\""};
    const Card* card = find_card(*name);
    if (!card)
      return {base, unknown_card(*name)};
    machine_ = machine(*card);
    machine_.name = fmt::format("{} ({})", path_, card->name);
    for (const auto& [key, node] : table_)
      if (Mistake mistake = take(key.str(), node); !mistake.what.empty())
        return mistake;
    return mismatch();
  }

  Mistake take(std::string_view key, const toml::node& node) {
    if (key == "base")
      return {};
    if (key == "name" || key == "product") {
      const auto text = node.value<std::string>();
      if (!text || text->empty() || std::ranges::any_of(*text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
        return {&node, fmt::format("'{}' is a text of one line", key)};
      (key == "name" ? machine_.name : machine_.product) = *text;
      return {};
    }
    const auto parameter = find_parameter(key);
    if (!parameter)
      return {&node, fmt::format("unknown key '{}'{}", key,
                                 isa::did_you_mean(key, keys(), "; 'crosslane timing --show-gpu' lists them"))};
    const ParameterInfo& about = info(*parameter);
    Setting setting{0, Status::given, at(node)};
    if (const toml::table* table = node.as_table()) {
      if (Mistake mistake = read_table(about, *table, setting); !mistake.what.empty())
        return mistake;
    } else if (const auto value = number(about, node)) {
      setting.value = *value;
    } else {
      return {&node, allowed(about)};
    }
    machine_.set(*parameter, std::move(setting));
    return {};
  }

  // What has to agree. It is told of the first that the file gives.
  Mistake mismatch() const {
    using enum Parameter;
    const Machine& m = machine_;
    const auto mistake = [&](std::initializer_list<Parameter> of, std::string what) {
      for (const Parameter p : of)
        if (const auto* node = table_.get(info(p).name))
          return Mistake{node, std::move(what)};
      return Mistake{nullptr, std::move(what)};
    };
    constexpr Parameter caches[][3] = {{l1_size, l1_line, l1_ways},
                                       {l2_size, l2_line, l2_ways},
                                       {instruction_cache_size, code_line, instruction_cache_ways}};
    for (const auto& [size, line, ways] : caches)
      if (m[size] < m[line] * m[ways])
        return mistake({size, ways, line},
                       fmt::format("'{}' is less than '{}' lines of '{}': {} < {} x {}", info(size).name,
                                   info(ways).name, info(line).name, m[size], m[ways], m[line]));
    for (const auto& [registers, granule] : {std::pair(vgprs, vgpr_granule), std::pair(sgprs, sgpr_granule)})
      if (m[registers] < m[granule])
        return mistake({registers, granule},
                       fmt::format("'{}' is less than a granule, '{}': {} < {}", info(registers).name,
                                   info(granule).name, m[registers], m[granule]));
    return {};
  }

  std::string at(const toml::node& node) const { return fmt::format("{}:{}", path_, node.source().begin.line); }

  const toml::table& table_;
  const std::string& path_;
  Machine machine_;
};

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

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

} // namespace

ParsedMachine parse_machine(std::string_view text, const std::string& path) {
  if (const size_t line = line_of_deep_key(text))
    return {std::nullopt, fmt::format("{}:{}: a key of many parts; keys here have one", path, line)};
  try {
    return Reader(toml::parse(text, path), path).read();
  } catch (const toml::parse_error& error) {
    return {std::nullopt, fmt::format("{}:{}:{}: {}", path, error.source().begin.line, error.source().begin.column,
                                      error.description())};
  }
}

std::string toml_of(const Machine& m) {
  std::string out = fmt::format(
      "# A card for --gpu. Change what differs: a number alone (clock = 1500) is yours. What is left out is the "
      "base's.\n"
      "# status: measured, published (by the maker, or a tool's authors), derived from those, assumed, or given.\n"
      "base = {}\nname = {}\nproduct = {}\n\n",
      quoted(m.base), quoted(m.name), quoted(m.product));
  for (size_t i = 0; i < parameter_count; ++i) {
    const ParameterInfo& about = info(Parameter(i));
    const Setting& s = m.setting(Parameter(i));
    out += fmt::format("{} = {{ value = {}, status = \"{}\", source = {} }}", about.name, s.value, name_of(s.status),
                       quoted(s.source));
    const std::string unit = about.unit.empty() ? "" : fmt::format(" {}", about.unit);
    if (!unit.empty() || !about.about.empty())
      out += fmt::format(" #{}{}{}", unit, unit.empty() || about.about.empty() ? "" : ":",
                         about.about.empty() ? "" : " " + std::string(about.about));
    out += '\n';
  }
  return out;
}

} // namespace crosslane::gpu
