// Lists that other layers own, by the names that --help gives them.
#include "cli/help/values.h"
#include "check/checks.h"
#include "gpu/card.h"
#include "isa/enum_name.h"
#include "isa/row.h"
#include "isa/target.h"
#include "lanes/plan/host.h"
#include "lint/rule.h"
#include "report/view.h"
#include <algorithm>
#include <functional>

namespace crosslane::cli {

namespace {

using Words = std::vector<std::string>;

// "waits, memory or all" as three words.
Words words_of(std::string_view text) {
  Words words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(", ", begin), text.size());
    if (const std::string_view word = text.substr(begin, end - begin); !word.empty() && word != "or")
      words.emplace_back(word);
    begin = end + 1;
  }
  return words;
}

Words targets() {
  Words words;
  for (int t = 0; t < int(isa::Target::count); ++t)
    words.emplace_back(isa::info(isa::Target(t)).name);
  return words;
}

Words cards() {
  Words words;
  for (const gpu::Card& card : gpu::cards())
    words.emplace_back(card.name);
  std::ranges::copy(targets(), std::back_inserter(words));
  return words;
}

Words encodings() {
  Words words;
  for (int i = 0; !isa::enum_name(isa::Encoding(i)).empty(); ++i)
    words.emplace_back(isa::enum_name(isa::Encoding(i)));
  return words;
}

Words rules() {
  Words words;
  for (size_t r = 0; r < lint::rule_count; ++r)
    words.push_back(lint::id_of(lint::Rule(r)));
  return words;
}

Words rules_and_groups() {
  Words words = rules();
  for (int g = 0; g <= int(lint::Group::host); ++g)
    words.emplace_back(lint::name_of(lint::Group(g)));
  words.insert(words.end(), {"default", "all"});
  return words;
}

Words views() { return words_of(report::view_names() + ", all"); }

Words with_host(const auto& names) {
  Words words(std::begin(names), std::end(names));
  words.emplace_back("host");
  return words;
}

struct Kind {
  const char* name; // of the value in --help
  std::function<Words()> words;
  bool list = false;
  const char* ending = ""; // of files that may stand there too
  bool mentioned = false;  // only those that the description has
};

const Kind kinds[] = {
    {"GPU", targets},
    {"CARD", cards, false, "toml"},
    {"CARDS", cards, true, "toml"},
    {"CHECKS", [] { return words_of(check::check_names); }, true},
    {"VIEWS", views, true},
    {"PROBES", [] { return words_of("divergence, blocks, lanes, time, memory, document-lds, document-global, none"); },
     true, "", true},
    {"PLACES", [] { return words_of("block, branch, memory, edge, entry, exit"); }, true},
    {"RULES", rules_and_groups, true},
    {"RULE", rules},
    {"ENCODING", encodings},
    {"UNIT", [] { return words_of("line, instruction, kernel"); }},
    {"CPU", [] { return with_host(lanes::cpu_names); }},
    {"LEVEL", [] { return with_host(lanes::isa_names); }},
    {"BITS", [] { return words_of("8, 16, 32, 64"); }},
    {"SHELL", [] { return words_of("sh, fish, json"); }},
};

// ".co .hsaco", "(.s)" and ", .hip", but not the ".md" of a document's name.
Words endings_in(const std::string& text) {
  Words endings;
  for (size_t at = text.find('.'); at != std::string::npos; at = text.find('.', at + 1)) {
    if (at == 0 || (text[at - 1] != ' ' && text[at - 1] != '('))
      continue;
    size_t end = at + 1;
    while (end < text.size() && std::isalnum(uint8_t(text[end])))
      ++end;
    const std::string ending = text.substr(at + 1, end - at - 1);
    if (!ending.empty() && std::isalpha(uint8_t(ending[0])) && std::ranges::find(endings, ending) == endings.end())
      endings.push_back(ending);
  }
  return endings;
}

} // namespace

Values values_of(const PageOption& option) {
  Values values;
  if (!option.choices.empty()) {
    values.words = option.choices;
    return values;
  }
  // A word by position is named by what it is.
  const std::string& kind = option.names[0].starts_with('-') ? option.value : option.names[0];
  for (const Kind& k : kinds)
    if (kind == k.name) {
      values.words = k.words();
      if (k.mentioned)
        std::erase_if(values.words, [&](const std::string& w) { return option.what.find(w) == std::string::npos; });
      values.list = k.list;
      if (*k.ending)
        values.files = true, values.endings = {k.ending};
      return values;
    }
  if (kind == "FOLDER")
    values.folders = true;
  if (kind == "FILE" || kind == "INPUT")
    values.files = true, values.endings = endings_in(option.what);
  return values;
}

std::vector<std::string> named_kinds() {
  std::vector<std::string> names;
  for (const Kind& k : kinds)
    names.emplace_back(k.name);
  return names;
}

} // namespace crosslane::cli
