// The rows as a table.
#include "lint/rule.h"
#include <algorithm>

namespace crosslane::lint {

namespace {

constexpr RuleText texts[] = {
#define RULE(name, group, severity, ...) {#name, Group::group, Severity::severity, __VA_ARGS__},
#include "lint/rules/all.inc"
#undef RULE
};
static_assert(std::size(texts) == rule_count);

} // namespace

const RuleText& text_of(Rule rule) { return texts[size_t(rule)]; }

std::string id_of(Rule rule) {
  std::string id(text_of(rule).name);
  std::ranges::replace(id, '_', '-');
  return id;
}

std::optional<Rule> find_rule(std::string_view id) {
  std::string name(id);
  std::ranges::replace(name, '-', '_');
  const auto found = std::ranges::find(texts, name, &RuleText::name);
  return found == std::end(texts) ? std::nullopt : std::optional(Rule(found - texts));
}

std::string_view name_of(Group group) {
  constexpr std::string_view names[] = {"wait-states", "waits", "code", "usage", "performance", "running", "host"};
  return names[size_t(group)];
}

std::string_view name_of(Severity severity) {
  constexpr std::string_view names[] = {"error", "warning", "note", "pedantic"};
  return names[size_t(severity)];
}

} // namespace crosslane::lint
