// Owns how reports write numbers and tables for a terminal: short numbers, aligned columns, wrapped sentences.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::findings {

// "1,234,567": for sentences.
std::string thousands(uint64_t);
// At most six characters, for columns: "99999", "123k", "1.23M", "45.6G".
std::string brief(double);
std::string percent_text(double part, double whole); // "12.3 %"; "-" of nothing

// "4096", "64x32": without the ones at the end.
std::string shape_text(const uint32_t (&extent)[3]);

// Characters as a terminal counts them, if all are one wide.
size_t columns(std::string_view utf8);
// The first characters of it, with "..." for what is cut.
std::string cut(std::string_view utf8, size_t width);
// Text of a file's as one line that disturbs nothing: control characters and bytes that are no UTF-8 as "\x1b".
std::string plain(std::string_view text);
// The same of several lines, whose breaks and tabs stay.
std::string plain_lines(std::string_view text);
// One line of a source: tabs as spaces, no space at either end.
std::string source_line(std::string_view text, uint32_t line);

// Stands for a space where no line may end: between a number and its unit.
inline constexpr char no_break = '\x1f';

// Sentences as lines of at most `width`, each behind `indent`; ends with a newline unless it is empty.
std::string wrapped(std::string_view text, size_t width, std::string_view indent);

// Rows as lines, columns two spaces apart. `alignment` has 'r' or 'l' for each column. What does not fit the width is
// cut off the last column, of which at least 16 characters stay.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view alignment, size_t width,
                    std::string_view indent = "  ");

} // namespace crosslane::findings
