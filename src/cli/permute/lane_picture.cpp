// Describes a pattern by the first rule that fits it: the order below is from the plainest to the most special.
#include "cli/permute/lane_picture.h"
#include "cli/permute/lane_expression.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>

namespace crosslane::cli {

namespace {

std::string one(int from) { return from == lane_zero ? "zero" : from == lane_any ? "any" : std::to_string(from); }

// Whether every lane that reads one reads what `rule(lane)` says; lanes that may be anything fit every rule.
template <class F> bool fits(const std::vector<int>& from, F rule) {
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != lane_any && from[i] != rule(int(i)))
      return false;
  return true;
}

std::optional<int> first_source(const std::vector<int>& from) {
  for (const int f : from)
    if (f >= 0)
      return f;
  return std::nullopt;
}

// The pattern of one group, if all groups of `size` lanes are alike and keep to themselves.
std::optional<std::vector<int>> group(const std::vector<int>& from, int size) {
  std::vector<int> pattern(size_t(size), lane_any);
  for (int i = 0; i < int(from.size()); ++i) {
    const int f = from[size_t(i)];
    if (f == lane_any)
      continue;
    if (f >= 0 && f / size != i / size)
      return std::nullopt;
    const int in_group = f < 0 ? f : f % size;
    int& known = pattern[size_t(i % size)];
    if (known != lane_any && known != in_group)
      return std::nullopt;
    known = in_group;
  }
  return pattern;
}

int reversed(int value, int bits) {
  int result = value >> bits << bits;
  for (int b = 0; b < bits; ++b)
    result |= (value >> b & 1) << (bits - 1 - b);
  return result;
}

std::string lanes(int first, int last) {
  return first == last ? fmt::format("lane {}", first) : fmt::format("lanes {}-{}", first, last);
}

// Runs of lanes that read zero, anything, one lane, or lanes that go up or down by one.
std::vector<std::string> runs(const std::vector<int>& from) {
  std::vector<std::string> all;
  const int n = int(from.size());
  for (int i = 0; i < n;) {
    int last = i + 1;
    const int f = from[size_t(i)];
    int step = 0;
    if (last < n && f >= 0 && from[size_t(last)] >= 0)
      step = std::clamp(from[size_t(last)] - f, -2, 2);
    if (step == 2 || step == -2)
      step = 0; // neither up nor down: a run of one
    while (last < n && from[size_t(last)] == (f < 0 ? f : f + step * (last - i)))
      ++last;
    const std::string who = lanes(i, last - 1), verb = last - i == 1 ? "reads" : "read";
    if (f < 0)
      all.push_back(
          fmt::format("{} {} {}", who, last - i == 1 ? "becomes" : "become", f == lane_zero ? "zero" : "anything"));
    else if (f == i && (step == 1 || last - i == 1))
      all.push_back(fmt::format("{} {}", who, last - i == 1 ? "stays" : "stay"));
    else if (step == 0)
      all.push_back(fmt::format("{} {} {}", who, verb, f));
    else
      all.push_back(fmt::format("{} read {} {} {}", who, f, step > 0 ? "up to" : "down to", f + step * (last - 1 - i)));
    i = last;
  }
  return all;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// Numbers that XML takes as text.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

} // namespace

std::string describe_lanes(const std::vector<int>& from) {
  const int n = int(from.size());
  const auto source = first_source(from);
  if (!source)
    return fits(from, [](int) { return lane_zero; }) ? "every lane becomes zero" : "no lane reads another";
  if (fits(from, [](int i) { return i; }))
    return "every lane keeps its own value";
  if (fits(from, [&](int) { return *source; }))
    return fmt::format("every lane reads lane {}", *source);
  for (int size = 2; size <= 16 && size < n; size *= 2)
    if (const auto pattern = group(from, size)) {
      std::vector<std::string> numbers;
      std::transform(pattern->begin(), pattern->end(), std::back_inserter(numbers), one);
      return fmt::format("within groups of {}: {}", size, joined(numbers, " "));
    }
  for (int by = 1; by < n; ++by) {
    if (fits(from, [&](int i) { return i ^ by; }))
      return by == n - 1 ? "reversed: lane i reads lane n - 1 - i" : fmt::format("lane i reads lane i ^ {}", by);
    if (fits(from, [&](int i) { return (i + by) % n; }))
      return by <= n / 2 ? fmt::format("rotated: lane i reads lane (i + {}) mod {}", by, n)
                         : fmt::format("rotated: lane i reads lane (i - {}) mod {}", n - by, n);
  }
  for (int bits = 3; 1 << bits <= n; ++bits)
    if (fits(from, [&](int i) { return reversed(i, bits); }))
      return fmt::format("the low {} bits of the lane's number reversed", bits);
  for (int columns = 2; columns < n; columns *= 2)
    if (fits(from, [&](int i) { return i % columns * (n / columns) + i / columns; }))
      return fmt::format("transposed: {} rows of {} become {} rows of {}", columns, n / columns, n / columns, columns);
  const auto parts = runs(from);
  if (parts.size() <= 8)
    return joined(parts, "; ");
  for (int by = 2; by < n; ++by)
    for (int first = 0; first < n; ++first)
      if (fits(from, [&](int i) { return (i * by + first) % n; }))
        return first ? fmt::format("lane i reads lane (i * {} + {}) mod {}", by, first, n)
                     : fmt::format("lane i reads lane i * {} mod {}", by, n);
  for (int size = 32; size < n; size *= 2)
    if (const auto pattern = group(from, size)) {
      const auto inside = runs(*pattern);
      return inside.size() <= 8 ? fmt::format("within groups of {}: {}", size, joined(inside, "; "))
                                : fmt::format("all groups of {} alike", size);
    }
  return "no simple rule";
}

std::string lane_rows(const std::vector<int>& from, std::string_view indent) {
  const size_t n = from.size(), width = std::to_string(n - 1).size();
  std::string text;
  for (size_t row = 0; row < n; row += 16) {
    const size_t end = std::min(row + 16, n);
    text += fmt::format("{}{:>{}}-{:<{}}:", indent, row, width, end - 1, width);
    for (size_t i = row; i < end; ++i)
      text += fmt::format(" {:>{}}",
                          from[i] == int(i)      ? "."
                          : from[i] == lane_zero ? "z"
                          : from[i] == lane_any  ? "?"
                                                 : std::to_string(from[i]),
                          width);
    text += '\n';
  }
  return text;
}

std::string lane_svg(const std::vector<int>& from, std::string_view title) {
  constexpr int box = 26, gap = 90, left = 20, top = 44;
  const int n = int(from.size());
  // One picture if lanes cross rows of 16, one below the other if not.
  const bool rows = n > 16 && std::all_of(from.begin(), from.end(), [&, i = 0](int f) mutable {
                      const int row = i++ / 16;
                      return f < 0 || f / 16 == row;
                    });
  const int per = rows ? 16 : n, pictures = n / per, height = gap + 2 * box + 30;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n"
      "<style>.lane {{ fill: #eef3fb; stroke: #5b7aa8 }} .zero {{ fill: #fff; stroke: #999; stroke-dasharray: 3 2 }} "
      ".any {{ fill: #ddd; stroke: #999 }} .stay {{ stroke: #b8c4d6; stroke-width: 1 }} "
      ".move {{ stroke: #c4501b; stroke-width: 1.3 }} text {{ text-anchor: middle }}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"{}\" y=\"20\" style=\"text-anchor: start\" font-size=\"14\">{}</text>\n",
      2 * left + per * box, top + pictures * height, left, escaped(title));
  for (int p = 0; p < pictures; ++p) {
    const int above = top + p * height, below = above + box + gap;
    const auto middle = [&](int lane) { return left + lane % per * box + box / 2; };
    for (int k = 0; k < per; ++k) {
      const int lane = p * per + k, f = from[size_t(lane)];
      if (f >= 0)
        svg += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                           f == lane ? "stay" : "move", middle(f), above + box, middle(lane), below);
    }
    for (int k = 0; k < per; ++k) {
      const int lane = p * per + k, f = from[size_t(lane)], x = left + k * box;
      const auto draw = [&](int y, const char* kind, const std::string& text) {
        svg += fmt::format(
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
            kind, x, y, box, box, x + box / 2, y + 17, text);
      };
      draw(above, "lane", std::to_string(lane));
      draw(below,
           f == lane_zero  ? "zero"
           : f == lane_any ? "any"
                           : "lane",
           f == lane_zero  ? "0"
           : f == lane_any ? "?"
                           : std::to_string(f));
    }
  }
  return svg + "</svg>\n";
}

} // namespace crosslane::cli
