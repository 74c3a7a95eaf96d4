// Lines are known again by their text, and branches by their instruction and the text of their line: numbers of lines
// and offsets change with whatever is written above them.
#include "diff/kinds.h"
#include "findings/text.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace crosslane::diff {

namespace {

class Lines {
public:
  explicit Lines(const Json& document) : sources_(member(document, "sources")) {}

  struct Place {
    std::string key, shown;
  };
  // Of [file, line, ...]; empty: there is none.
  Place place(const Json& source) {
    const auto line = number(element(source, 1));
    const Json& file = element(source, 0);
    if (!file.is_number_unsigned() || !line || *line < 1)
      return {};
    const Json& of = element(sources_, file.get<size_t>());
    const std::string path = text(of, "path");
    if (path.empty())
      return {};
    const std::string name = std::filesystem::path(path).filename();
    const std::string words = of_line(file.get<size_t>(), size_t(*line));
    return {name + "\n" + (words.empty() ? fmt::format("#{}", *line) : words), fmt::format("{}:{}", path, *line)};
  }

private:
  // Each text is taken apart once.
  std::string of_line(size_t file, size_t line) {
    const auto [at, added] = lines_.try_emplace(file);
    if (added) {
      const std::string all = text(element(sources_, file), "text");
      for (std::string_view rest = all; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        at->second.push_back(findings::source_line(rest.substr(0, end), 1));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return line <= at->second.size() ? at->second[line - 1] : "";
  }

  const Json& sources_;
  std::map<size_t, std::vector<std::string>> lines_;
};

void add(Part& part, const Json& from, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto value = number(from, name))
      part.values.push_back({name, "", *value});
}

} // namespace

void read_parts(const Json& document, const Json& kernel, std::vector<Part>& out) {
  Lines lines(document);
  for (const Json& line : list(kernel, "lines")) {
    auto [key, shown] = lines.place(member(line, "source"));
    if (key.empty())
      continue;
    Part& part = out.emplace_back(Part{.key = std::move(key), .shown = std::move(shown)});
    add(part, line, {"executions", "lost_lane_cycles", "lines", "excess_lines", "lds_cycles", "conflict_cycles"});
  }
  for (const Json& i : list(kernel, "instructions")) {
    const Json& branch = member(i, "branch");
    if (!branch.is_object())
      continue;
    const std::string function = text(i, "function"), instruction = text(i, "text");
    const std::string mnemonic = instruction.substr(0, instruction.find(' ')); // targets move
    auto [key, shown] = lines.place(member(i, "source"));
    if (key.empty())
      shown = fmt::format("{}+{:#x}", function, offset(i, "offset"));
    Part& part = out.emplace_back(Part{
        .branch = true, .key = fmt::format("{}\n{}\n{}", function, mnemonic, key), .shown = shown + " " + mnemonic});
    add(part, branch, {"executions", "divergences"});
  }
}

} // namespace crosslane::diff
