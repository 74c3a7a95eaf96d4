// For zsh: a specification of _arguments for each option.
#include "cli/help/completion.h"
#include "cli/help/values.h"
#include <fmt/format.h>

namespace crosslane::cli {

namespace {

// For text in single quotes.
std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

// In a specification, where these have a meaning.
std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text)
    out += (special.find(c) != std::string_view::npos ? "\\" : "") + std::string(1, c);
  return zsh_quoted(out);
}

std::string files(const Values& values) {
  return values.endings.empty() ? "_files" : fmt::format("_files -g \"*.({})\"", fmt::join(values.endings, "|"));
}

// What zsh does for the value.
std::string action(const Values& values) {
  const std::string words = fmt::format("{}", fmt::join(values.words, " "));
  if (values.list)
    return fmt::format("_sequence compadd - {}", words);
  if (!values.words.empty() && values.files)
    return fmt::format("_alternative \"names:name:({})\" \"files:file:_files -g \\*.{}\"", words, values.endings[0]);
  if (!values.words.empty())
    return "(" + words + ")";
  return values.folders ? "_files -/" : values.files ? files(values) : " ";
}

std::string specification(const PageOption& option) {
  const bool valued = !option.value.empty();
  const std::string what = "[" + escaped(brief(option.what), "[]:\\") + "]";
  const std::string value =
      valued ? fmt::format(":{}:{}", escaped(option.value, ":[]"), zsh_quoted(action(values_of(option)))) : "";
  std::string out;
  for (const std::string& name : option.names) {
    // With several names, each excludes the others.
    const std::string others = option.repeats ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    const std::string_view equals = !valued ? "" : name.starts_with("--") ? "=" : "+";
    out += fmt::format(" \\\n        '{}{}{}{}{}'", others, name, equals, what, value);
  }
  return out;
}

std::string arguments(const Page& page) {
  std::string out;
  for (const PageOption& option : page.options)
    out += specification(option);
  if (page.takes_program)
    return out + " \\\n        '(-)1:program: _command_names -e' \\\n        '*::arguments: _normal'";
  int position = 1;
  for (const PageOption& word : page.words)
    out += fmt::format(" \\\n        '{}:{}:{}'", word.repeats ? "*" : std::to_string(position++),
                       escaped(word.names[0], ":[]"), zsh_quoted(action(values_of(word))));
  return out;
}

} // namespace

std::string zsh_completion(const Page& page) {
  std::string out =
      "#compdef crosslane\n# Completion of crosslane for zsh, made of its options: crosslane help --completion zsh\n\n"
      "_crosslane() {\n  local context state state_descr line\n  typeset -A opt_args\n  local -a verbs=(\n";
  for (const Page& verb : page.verbs)
    out += fmt::format("    '{}:{}'\n", verb.name, zsh_quoted(verb.summary));
  out += "  )\n  local curcontext=$curcontext\n  _arguments -C";
  for (const PageOption& option : page.options)
    out += specification(option);
  out += " \\\n        '1:verb:->verb' \\\n        '*::argument:->argument' && return\n"
         "  case $state in\n  verb) _describe -t verbs verb verbs ;;\n  argument)\n"
         "    curcontext=${curcontext%:*:*}:crosslane-$words[1]:\n    case $words[1] in\n";
  for (const Page& verb : page.verbs)
    out += fmt::format("    {})\n      _arguments{}{} ;;\n", verb.name, verb.takes_program ? " -A '-*'" : "",
                       arguments(verb));
  return out + "    esac ;;\n  esac\n}\n\n"
               "# Loaded as a function by its first use, or sourced.\n"
               "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _crosslane \"$@\"\nelse\n  compdef _crosslane "
               "crosslane\nfi\n";
}

} // namespace crosslane::cli
