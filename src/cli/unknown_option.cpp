// The nearest option that exists, as a suggestion.
#include "cli/unknown_option.h"
#include "isa/suggest.h"
#include <fmt/format.h>

namespace crosslane::cli {

std::string unknown_option(const CLI::App& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& known : option->get_lnames())
      names.push_back("--" + known);
  return fmt::format("{} has no option '{}'{}", verb.get_name(), name,
                     isa::did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end())));
}

} // namespace crosslane::cli
