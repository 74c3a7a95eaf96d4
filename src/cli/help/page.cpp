// CLI11's options as plain data.
#include "cli/help/page.h"
#include <algorithm>
#include <sstream>

namespace crosslane::cli {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

// Is it there as a word of its own?
bool mentions(const std::string& text, const std::string& word) {
  const auto inner = [&](size_t at) {
    return at < text.size() && (std::isalnum(uint8_t(text[at])) || text[at] == '-');
  };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !inner(at - 1)) && !inner(at + word.size()))
      return true;
  return false;
}

// "HOW:{exact,card}" is the value's name and what CLI11 tests it for: "{...}" of a choice, "INT in [1 - 64]" of a
// range.
void read_type(const std::string& type, PageOption& option) {
  size_t colon = type.size(); // not that of "WG:WAVE"
  for (const char* test : {":{", ":INT in [", ":UINT in [", ":FLOAT in [", ":NONNEGATIVE", ":POSITIVE"})
    colon = std::min(colon, type.find(test));
  option.value = type.substr(0, colon);
  const std::string test = colon == type.size() ? "" : type.substr(colon + 1);
  if (test.starts_with('{') && test.ends_with('}')) {
    option.choices = split(test.substr(1, test.size() - 2), ',');
    if (!std::ranges::all_of(option.choices, [&](const std::string& c) { return mentions(option.what, c); })) {
      std::string list;
      for (const std::string& choice : option.choices)
        list += (list.empty() ? "" : ", ") + choice;
      option.what += " (" + list + ")";
    }
  }
  if (const size_t range = test.find(" in ["); range != std::string::npos) {
    std::string limits = test.substr(range + 5, test.size() - range - 6);
    if (const size_t dash = limits.find(" - "); dash != std::string::npos)
      limits.replace(dash, 3, " to ");
    if (option.what.ends_with(')')) // "(default: 1)"
      option.what.insert(option.what.size() - 1, "; " + limits);
    else
      option.what += " (" + limits + ")";
  }
}

PageOption option_of(const CLI::Option& option) {
  PageOption result;
  result.what = option.get_description();
  std::ranges::replace(result.what, '\n', ' ');
  result.group = option.get_group();
  result.required = option.get_required();
  result.repeats = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  if (option.get_positional()) {
    result.names = {option.get_name(true, false)};
    return result;
  }
  for (const std::string& name : option.get_snames())
    result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    result.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0)
    read_type(option.get_type_name(), result);
  return result;
}

bool is_blank(const std::string& line) { return line.find_first_not_of(' ') == std::string::npos; }

} // namespace

std::string Page::usage() const {
  std::string text = command() + (verbs.empty() ? " [OPTIONS]" : " VERB [OPTIONS]");
  for (const PageOption& word : words) {
    const std::string name = word.names[0] + (word.repeats ? "..." : "");
    text += word.required ? " " + name : " [" + name + "]";
  }
  return takes_program ? text + " [--] PROGRAM [ARGS...]" : text;
}

Page page_of(const CLI::App& app) {
  Page page;
  page.name = app.get_parent() ? app.get_name() : "";
  page.summary = app.get_description();
  page.takes_program = app.get_prefix_command();
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return !o->get_group().empty(); }))
    (option->get_positional() ? page.words : page.options).push_back(option_of(*option));
  read_footer(app.get_footer(), page);
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); }))
    page.verbs.push_back(page_of(*verb));
  for (Page& verb : page.verbs) // of `help`
    for (PageOption& word : verb.words)
      if (word.names[0] == "VERB")
        for (const Page& named : page.verbs)
          word.choices.push_back(named.name);
  return page;
}

void read_footer(const std::string& footer, Page& page) {
  bool examples = false, joins = false;
  for (std::string line : split(footer, '\n')) {
    if (const std::string_view begin = line; begin.starts_with("Examples:") || begin.starts_with("Example:")) {
      examples = true;
      line = line.substr(line.find(':') + 1);
    }
    if (is_blank(line)) {
      joins = false;
      continue;
    }
    if (examples) {
      page.examples.push_back(line.substr(line.find_first_not_of(' ')));
      continue;
    }
    const bool verbatim = line.starts_with(' ');
    if (joins && page.notes.back().verbatim == verbatim)
      page.notes.back().text += (verbatim ? "\n" : " ") + line;
    else
      page.notes.push_back({verbatim, line});
    joins = true;
  }
}

} // namespace crosslane::cli
