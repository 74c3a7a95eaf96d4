// Two columns, as everybody knows them.
#include "cli/help/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace crosslane::cli {

namespace {

constexpr size_t column = 26;    // where descriptions begin
constexpr size_t widest = 100;   // nobody likes to read longer lines
constexpr size_t narrowest = 50; // below it lines become longer than the terminal, and stay legible

// The words of `text`, from column `at` on, wrapped, with lines that begin at `indent`.
std::string wrapped(const std::string& text, size_t at, size_t indent, size_t width) {
  std::string out;
  bool first = true;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const size_t length = end - begin;
    if (!first && at + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!first) {
      out += ' ';
      ++at;
    }
    out += text.substr(begin, length);
    at += length;
    first = false;
    begin = end + 1;
  }
  return out;
}

std::string row(const std::string& name, const std::string& what, size_t width) {
  std::string out = "  " + name;
  if (what.empty())
    return out + "\n";
  if (out.size() + 2 > column)
    out += "\n" + std::string(column, ' ');
  else
    out.resize(column, ' ');
  return out + wrapped(what, column, column, width) + "\n";
}

std::string name_of(const PageOption& option) {
  std::string text = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.value.empty())
    text += " " + option.value;
  return option.repeats ? text + " ..." : text;
}

class HelpFormatter : public CLI::FormatterBase {
public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    winsize size{};
    const bool terminal = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return help_text(page_of(*app), terminal ? std::clamp<size_t>(size.ws_col, narrowest, widest) : widest,
                     palette(STDOUT_FILENO));
  }
};

} // namespace

std::string broken_command(const std::string& command, size_t width, size_t indent) {
  std::string out;
  size_t line = 0, last_blank = std::string::npos; // of `out`
  char quote = 0;
  for (const char c : command) {
    if (quote ? c == quote : c == '\'' || c == '"')
      quote = quote ? 0 : c;
    out += c;
    if (c == ' ' && !quote)
      last_blank = out.size() - 1;
    // Two columns are for " \".
    if (out.size() - line + 2 > width && last_blank != std::string::npos && last_blank > line) {
      out.replace(last_blank, 1, " \\\n" + std::string(indent, ' '));
      line = last_blank + 3;
      last_blank = std::string::npos;
    }
  }
  return out;
}

std::string help_text(const Page& page, size_t width, const Palette& palette) {
  const auto heading = [&](const std::string& text) { return "\n" + (palette.heading + text) + palette.end; };
  const std::string summary = page.name.empty() ? page.summary : page.command() + ": " + page.summary;
  std::string out = wrapped(summary, 0, 2, width) + "\n" + heading("Usage:") + " " + page.usage() + "\n";
  if (!page.verbs.empty()) {
    out += heading("Verbs:") + "\n";
    for (const Page& verb : page.verbs)
      out += row(verb.name, verb.summary, width);
  }
  if (!page.words.empty()) {
    out += heading("Arguments:") + "\n";
    for (const PageOption& word : page.words)
      out += row(name_of(word), word.what, width);
  }
  std::vector<std::string> groups;
  for (const PageOption& option : page.options)
    if (std::ranges::find(groups, option.group) == groups.end())
      groups.push_back(option.group);
  for (const std::string& group : groups) {
    out += heading(group + ":") + "\n";
    for (const PageOption& option : page.options)
      if (option.group == group)
        out += row(name_of(option), option.what, width);
  }
  for (const Page::Block& block : page.notes) {
    const bool goes_on = block.verbatim && out.ends_with(":\n"); // with what that line announced
    out += (goes_on ? "" : "\n") + (block.verbatim ? block.text : wrapped(block.text, 0, 0, width)) + "\n";
  }
  if (!page.examples.empty())
    out += heading(page.examples.size() == 1 ? "Example:" : "Examples:") + "\n";
  for (const std::string& example : page.examples)
    out += "  " + broken_command(example, width - 2, 6) + "\n";
  return out;
}

void use_help_text(CLI::App& app) { app.formatter(std::make_shared<HelpFormatter>()); }

} // namespace crosslane::cli
