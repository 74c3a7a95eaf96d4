// Lines go in before an instruction, behind the labels on its line, with its indentation.
#include "lint/fix.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace crosslane::lint {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string end_of(const std::string& line) { return line.ends_with("\r\n") ? "\r\n" : "\n"; }

// Of s_nop lines alone; else 0.
int states_of(const std::vector<std::string>& parts) {
  int states = 0;
  for (const std::string& p : parts) {
    int n = 0;
    if (!p.starts_with("s_nop ") || std::from_chars(p.data() + 6, p.data() + p.size(), n).ec != std::errc())
      return 0;
    states += n + 1;
  }
  return states;
}

// What is put in before one line: of waits each text once, of s_nop the longest.
std::vector<std::string> together(std::span<const PlacedFinding* const> findings) {
  std::vector<std::string> result, nops;
  for (const PlacedFinding* f : findings) {
    if (f->fix->kind != Fix::Kind::insert)
      continue;
    auto parts = parts_of(f->fix->text);
    if (const int states = states_of(parts)) {
      if (states > states_of(nops))
        nops = std::move(parts);
      continue;
    }
    for (std::string& part : parts)
      if (std::ranges::find(result, part) == result.end())
        result.push_back(std::move(part));
  }
  std::ranges::move(nops, std::back_inserter(result));
  return result;
}

} // namespace

Repair::Repair(std::string file, const std::string& text) : file_(std::move(file)), before_(lines_of(text)) {
  for (uint32_t n = 0; n < before_.size(); ++n)
    lines_.push_back({n + 1, before_[n]});
}

std::string Repair::text() const {
  std::string text;
  for (const Line& l : lines_)
    text += l.text;
  return text;
}

size_t Repair::round(std::span<const PlacedFinding> findings) {
  std::map<uint32_t, std::vector<const PlacedFinding*>> by_line;
  for (const PlacedFinding& f : findings)
    if (f.fix && f.fix->place.file == file_ && f.fix->place.line && f.fix->place.column)
      by_line[f.fix->place.line].push_back(&f);
  // One whose way begins before a change of this round waits for the next: it may need less.
  size_t applied = 0;
  uint32_t changed = 0;
  std::set<uint32_t> chosen;
  for (const auto& [line, of_line] : by_line) {
    uint32_t from = line;
    for (const PlacedFinding* f : of_line)
      for (const PlacedNote& n : f->notes)
        if (n.place.file == file_ && n.place.line)
          from = std::min(from, n.place.line);
    if (from < changed)
      continue;
    chosen.insert(line), changed = line;
  }
  for (auto at = by_line.rbegin(); at != by_line.rend(); ++at) // from the end, so that lines keep their numbers
    if (chosen.contains(at->first) && apply(at->first, at->second))
      applied += at->second.size();
  return applied;
}

bool Repair::apply(uint32_t number, std::span<const PlacedFinding* const> findings) {
  if (number > lines_.size())
    return false;
  const size_t index = number - 1, column = findings[0]->fix->place.column - 1;
  const std::string line = lines_[index].text, end = end_of(line);
  if (column > line.size())
    return false;
  const PlacedFinding* other = nullptr; // that replaces or removes
  for (const PlacedFinding* f : findings)
    if (f->fix->kind != Fix::Kind::insert && !other)
      other = f;
  const std::string before = line.substr(0, column);
  const bool labelled = before.find_first_not_of(" \t") != std::string::npos;
  const std::string indent = labelled ? "  " : before;
  std::vector<Line> made;
  if (labelled && (other == nullptr || other->fix->kind == Fix::Kind::insert)) {
    const size_t last = before.find_last_not_of(" \t");
    made.push_back({0, before.substr(0, last + 1) + end});
  }
  for (const std::string& part : together(findings))
    made.push_back({0, indent + part + end});
  std::string rest = line.substr(column);
  if (!other) {
    made.push_back({labelled ? 0 : lines_[index].origin, indent + rest});
  } else {
    bool block = false;
    const size_t comment = comment_of(rest, block);
    std::string behind = comment == std::string::npos ? end : " " + rest.substr(comment);
    if (other->fix->kind == Fix::Kind::replace) {
      const auto parts = parts_of(other->fix->text);
      for (size_t n = 0; n < parts.size(); ++n)
        made.push_back({0, (n == 0 ? before : indent) + parts[n] + (n + 1 < parts.size() ? end : behind)});
    } else if (labelled || comment != std::string::npos) {
      made.push_back({0, before + (comment == std::string::npos ? end : rest.substr(comment))});
    }
  }
  lines_.erase(lines_.begin() + std::ptrdiff_t(index));
  lines_.insert(lines_.begin() + std::ptrdiff_t(index), made.begin(), made.end());
  return true;
}

std::string Repair::diff() const {
  struct Change {
    char kind; // ' ', '-', '+'
    const std::string* text;
    uint32_t old_line = 0, new_line = 0; // before it
  };
  std::vector<Change> changes;
  uint32_t old_line = 0, new_line = 0;
  const auto drop_until = [&](uint32_t until) {
    for (; old_line < until; ++old_line)
      changes.push_back({'-', &before_[old_line]});
  };
  for (const Line& l : lines_) {
    const bool same = l.origin && l.text == before_[l.origin - 1];
    if (same)
      drop_until(l.origin - 1), ++old_line;
    changes.push_back({same ? ' ' : '+', &l.text});
  }
  drop_until(uint32_t(before_.size()));
  // What goes before what comes, as everybody has it.
  for (auto at = changes.begin(); at != changes.end();) {
    const auto end = std::find_if(at, changes.end(), [](const Change& c) { return c.kind == ' '; });
    std::vector<Change> come;
    std::copy_if(at, end, std::back_inserter(come), [](const Change& c) { return c.kind == '+'; });
    std::ranges::copy(come, std::remove_if(at, end, [](const Change& c) { return c.kind == '+'; }));
    at = end == changes.end() ? end : end + 1;
  }
  old_line = 0;
  for (Change& c : changes) {
    c.old_line = old_line, c.new_line = new_line;
    old_line += c.kind != '+', new_line += c.kind != '-';
  }
  constexpr size_t context = 3;
  std::string out;
  for (size_t at = 0; at < changes.size();) {
    size_t first = at;
    while (first < changes.size() && changes[first].kind == ' ')
      ++first;
    if (first == changes.size())
      break;
    const size_t begin = std::max(at, first > context ? first - context : 0);
    size_t end = first, same = 0;
    for (size_t n = first; n < changes.size() && same <= 2 * context; ++n) {
      same = changes[n].kind == ' ' ? same + 1 : 0;
      if (!same)
        end = n + 1;
    }
    end = std::min(end + context, changes.size());
    uint32_t olds = 0, news = 0;
    std::string body;
    for (size_t n = begin; n < end; ++n) {
      olds += changes[n].kind != '+', news += changes[n].kind != '-';
      body += changes[n].kind + *changes[n].text;
      if (!body.ends_with('\n'))
        body += "\n\\ No newline at end of file\n";
    }
    if (out.empty())
      out = fmt::format("--- {}\n+++ {}\n", file_, file_);
    out += fmt::format("@@ -{},{} +{},{} @@\n{}", changes[begin].old_line + (olds ? 1 : 0), olds,
                       changes[begin].new_line + (news ? 1 : 0), news, body);
    at = end;
  }
  return out;
}

} // namespace crosslane::lint
