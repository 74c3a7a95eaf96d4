// For fish: a line for each option.
#include "cli/help/completion.h"
#include "cli/help/values.h"
#include <fmt/format.h>

namespace crosslane::cli {

namespace {

constexpr const char* functions = R"(
# Of a list with commas: what is written of it, with each of the words behind it.
function __crosslane_list
    set -l written (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '^.*,')
    or set written ''
    printf '%s\n' $written$argv
end

# Files with these endings, and folders; if there are none, all.
function __crosslane_files
    set -l word (commandline -ct | string replace -r '^--[^=]*=' '')
    set -l all (complete -C "__fish_command_without_completions $word")
    set -l some (string match -r '.*\.(?:'(string join '|' $argv)')$' -- $all) (string match -r '.*/$' -- $all)
    set -q some[1]
    and printf '%s\n' $some
    or printf '%s\n' $all
end

)";

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "'";
}

// What is offered; nothing: whatever the user writes.
std::string offered(const Values& values) {
  const std::string words = fmt::format("{}", fmt::join(values.words, " "));
  if (values.folders)
    return " -a '(__fish_complete_directories)'";
  std::string text;
  if (!words.empty())
    text += values.list ? fmt::format("(__crosslane_list {})", words) : words;
  if (values.files && !values.endings.empty())
    text += fmt::format("{}(__crosslane_files {})", text.empty() ? "" : " ", fmt::join(values.endings, " "));
  return text.empty() ? "" : " -a " + fish_quoted(text);
}

std::string line(const std::string& condition, const PageOption& option) {
  std::string out = "complete -c crosslane -n " + fish_quoted(condition);
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) {
    const Values values = values_of(option);
    out += values.files && values.endings.empty() ? " -r -F" : " -x" + offered(values);
  }
  return out + " -d " + fish_quoted(brief(option.what)) + "\n";
}

} // namespace

std::string fish_completion(const Page& page) {
  std::string out = "# Completion of crosslane for fish, made of its options: crosslane help --completion fish\n";
  out += functions;
  out += "complete -c crosslane -f\n";
  const std::string none = "__fish_use_subcommand";
  for (const PageOption& option : page.options)
    out += line(none, option);
  for (const Page& verb : page.verbs) {
    const std::string here = "__fish_seen_subcommand_from " + verb.name;
    out += fmt::format("\ncomplete -c crosslane -n {} -a {} -d {}\n", none, verb.name, fish_quoted(verb.summary));
    for (const PageOption& option : verb.options)
      out += line(here, option);
    if (verb.takes_program)
      out += fmt::format("complete -c crosslane -n '{}' -x -a '(__fish_complete_subcommand --fcs-skip=2)'\n", here);
    if (verb.words.empty())
      continue;
    const Values values = values_of(verb.words[0]);
    if (values.files && values.endings.empty())
      out += fmt::format("complete -c crosslane -n '{}' -F\n", here);
    else if (const std::string words = offered(values); !words.empty())
      out += fmt::format("complete -c crosslane -n '{}'{}\n", here, words);
  }
  return out;
}

} // namespace crosslane::cli
