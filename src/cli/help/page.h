// Owns what there is to tell of the command or of a verb, as plain data out of CLI11's own tables: --help, manual pages
// and completions are all made of it, so that none of them knows an option that another one does not.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace crosslane::cli {

struct PageOption {
  std::vector<std::string> names = {};   // "-o", "--output"; of a word by position "FILE"
  std::string value = {};                // "GPU", as --help names it; empty: a flag
  std::vector<std::string> choices = {}; // if CLI11 refuses all others
  std::string what = {};                 // choices and limits included
  std::string group = {};                // the heading that it stands below
  bool required = false, repeats = false;
};

struct Page {
  // Of what stands behind the options: text that may be wrapped, or lines that stay as they are.
  struct Block {
    bool verbatim = false;
    std::string text;
    bool operator==(const Block&) const = default;
  };

  std::string name = {};    // "launch"; empty: the command itself
  std::string summary = {}; // one line
  std::vector<PageOption> words = {}, options = {};
  bool takes_program = false; // behind the options stand a program and what is the program's
  std::vector<Block> notes = {};
  std::vector<std::string> examples = {}; // a command each
  std::vector<Page> verbs = {};

  std::string command() const { return name.empty() ? "crosslane" : "crosslane " + name; }
  // "crosslane launch [OPTIONS] FILE [ARGS...]"
  std::string usage() const;
};

// Hidden options and verbs (of no group) are left out.
Page page_of(const CLI::App&);

// A footer: examples are the lines behind "Example:" or "Examples:", which may have the first one on their own line;
// lines that begin with a blank stay as they are, all others make paragraphs. Into `notes` and `examples`.
void read_footer(const std::string& footer, Page&);

} // namespace crosslane::cli
