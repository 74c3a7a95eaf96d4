// Numbers, tables and paragraphs of fixed-width characters.
#include "findings/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <llvm/Support/ConvertUTF.h>

namespace crosslane::findings {

namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// How many bytes the character at the front has; 0: it is none, or moves the cursor, or worse.
size_t harmless(std::string_view text) {
  const auto* bytes = reinterpret_cast<const llvm::UTF8*>(text.data());
  const size_t size = llvm::getNumBytesForUTF8(bytes[0]);
  if (size > text.size() || !llvm::isLegalUTF8Sequence(bytes, bytes + size))
    return 0;
  const bool control = bytes[0] < 0x20 || bytes[0] == 0x7f || (bytes[0] == 0xc2 && bytes[1] < 0xa0);
  return control ? 0 : size;
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  while (!text.empty()) {
    const auto usual = std::find_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; });
    size_t size = static_cast<size_t>(usual - text.begin());
    if (size == 0)
      size = kept.find(text[0]) == std::string_view::npos ? harmless(text) : 1;
    result += size ? text.substr(0, size) : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return result;
}

void pad(std::string& line, size_t count) { line.append(count, ' '); }

} // namespace

std::string thousands(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t at = digits.size(); at > 3;)
    digits.insert(at -= 3, ",");
  return digits;
}

std::string brief(double value) {
  if (value < 99999.5)
    return fmt::format("{:.0f}", value);
  // Each step where three digits would round up to the next unit.
  for (const char unit : {'k', 'M', 'G', 'T', 'P'}) {
    value /= 1000;
    if (value < 9.995)
      return fmt::format("{:.2f}{}", value, unit);
    if (value < 99.95)
      return fmt::format("{:.1f}{}", value, unit);
    if (value < 999.5)
      return fmt::format("{:.0f}{}", value, unit);
  }
  return fmt::format("{:.0e}", value * 1e15);
}

std::string percent_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

std::string shape_text(const uint32_t (&extent)[3]) {
  std::string text = std::to_string(extent[0]);
  if (extent[1] != 1 || extent[2] != 1)
    text += fmt::format("x{}", extent[1]);
  if (extent[2] != 1)
    text += fmt::format("x{}", extent[2]);
  return text;
}

size_t columns(std::string_view utf8) {
  return static_cast<size_t>(std::count_if(utf8.begin(), utf8.end(), starts_character));
}

std::string cut(std::string_view utf8, size_t width) {
  if (columns(utf8) <= width)
    return std::string(utf8);
  const size_t keep = width > 3 ? width - 3 : 0;
  size_t end = 0;
  for (size_t seen = 0; end < utf8.size(); ++end)
    if (starts_character(utf8[end]) && seen++ == keep)
      break;
  return std::string(utf8.substr(0, end)) + std::string(std::min<size_t>(width, 3), '.');
}

std::string plain(std::string_view text) { return escaped(text, ""); }

std::string plain_lines(std::string_view text) { return escaped(text, "\n\t"); }

std::string source_line(std::string_view text, uint32_t line) {
  for (; line > 1; --line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return "";
    text.remove_prefix(end + 1);
  }
  std::string result(text.substr(0, text.find('\n')));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ')
      c = ' ';
  const size_t begin = result.find_first_not_of(' '), last = result.find_last_not_of(' ');
  return begin == std::string::npos ? "" : plain(result.substr(begin, last - begin + 1));
}

std::string wrapped(std::string_view text, size_t width, std::string_view indent) {
  std::string result, line;
  const size_t room = width > indent.size() + 20 ? width - indent.size() : 20;
  const auto flush = [&] {
    if (!line.empty())
      result += std::string(indent) + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    if (text.substr(end, 2) == " %") // stays with its number
      end = std::min(text.find(' ', end + 1), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty())
      continue;
    if (!line.empty() && columns(line) + 1 + columns(word) > room)
      flush();
    line += line.empty() ? "" : " ";
    line += word;
  }
  flush();
  std::replace(result.begin(), result.end(), no_break, ' ');
  return result;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view alignment, size_t width,
                    std::string_view indent) {
  std::vector<size_t> widths(alignment.size());
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], columns(row[i]));
  size_t before = indent.size();
  for (size_t i = 0; i + 1 < widths.size(); ++i)
    before += widths[i] + 2;
  if (!widths.empty())
    widths.back() = std::min(widths.back(), width > before + 16 ? width - before : 16);

  std::string text;
  for (const auto& row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      const std::string cell = cut(row[i], widths[i]);
      const size_t space = widths[i] - columns(cell);
      if (i)
        pad(line, 2);
      if (alignment[i] == 'r')
        pad(line, space);
      line += cell;
      if (alignment[i] != 'r')
        pad(line, space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace crosslane::findings
