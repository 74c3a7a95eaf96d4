// Words to sets of rules.
#include "lint/select.h"
#include "files/error.h"
#include "isa/suggest.h"
#include <algorithm>
#include <vector>

namespace crosslane::lint {

namespace {

constexpr Group groups[] = {Group::wait_states, Group::waits,   Group::code, Group::usage,
                            Group::performance, Group::running, Group::host};

llvm::Error add(std::span<const std::string> words, const char* option, RuleBits& to) {
  for (const std::string& word : words) {
    const RuleBits bits = rules_called(word);
    if (bits.none())
      return fail("{} {}: is no rule, group or beginning of a rule{}\nTo see all: crosslane lint --list-rules", option,
                  word, near_rule(word));
    to |= bits;
  }
  return llvm::Error::success();
}

} // namespace

RuleBits rules_called(std::string_view word) {
  RuleBits bits;
  if (word == "all")
    return bits.set();
  if (word == "default")
    return Options::default_rules();
  if (word.empty())
    return bits;
  for (size_t n = 0; n < rule_count; ++n)
    bits[n] = name_of(text_of(Rule(n)).group) == word;
  if (bits.any())
    return bits;
  if (const auto rule = find_rule(word))
    return bits.set(size_t(*rule));
  for (size_t n = 0; n < rule_count; ++n)
    bits[n] = id_of(Rule(n)).starts_with(word);
  return bits;
}

llvm::Expected<RuleBits> select_rules(std::span<const std::string> select, std::span<const std::string> ignore) {
  RuleBits chosen, without;
  if (auto error = add(select, "--select", chosen))
    return error;
  if (auto error = add(ignore, "--ignore", without))
    return error;
  return (select.empty() ? Options::default_rules() : chosen) & ~without;
}

std::string near_rule(std::string_view word) {
  std::vector<std::string> ids;
  for (size_t n = 0; n < rule_count; ++n)
    ids.push_back(id_of(Rule(n)));
  for (const Group g : groups)
    ids.emplace_back(name_of(g));
  return isa::did_you_mean(word, std::vector<std::string_view>(ids.begin(), ids.end()));
}

} // namespace crosslane::lint
