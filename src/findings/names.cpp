// Names of kernels by LLVM's demangler.
#include "findings/names.h"
#include "findings/text.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <llvm/Demangle/Demangle.h>
#include <map>
#include <memory>
#include <optional>

namespace crosslane::findings {

namespace {

bool is_digits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

// Takes what precedes `separator` off the front of `text`; false if it is not there.
bool take(std::string_view& text, char separator, std::string_view digits) {
  const size_t end = text.find(separator);
  if (end == std::string_view::npos || !is_digits(text.substr(0, end), digits))
    return false;
  text.remove_prefix(end + 1);
  return true;
}

struct Symbol {
  std::string_view name; // of the function, perhaps mangled
  std::string what;      // which part of it; empty for all of it
};

// __omp_offloading_DEVICE_FILE_FUNCTION_lLINE[_N]: LLVM's name of an OpenMP region. DEVICE and FILE are numbers of the
// machine that compiled it.
std::optional<Symbol> llvm_region(std::string_view symbol) {
  constexpr std::string_view prefix = "__omp_offloading_", decimal = "0123456789", hexadecimal = "0123456789abcdef";
  if (!symbol.starts_with(prefix))
    return {};
  symbol.remove_prefix(prefix.size());
  if (!take(symbol, '_', hexadecimal) || !take(symbol, '_', hexadecimal))
    return {};
  const size_t at = symbol.rfind("_l");
  if (at == std::string_view::npos || at == 0)
    return {};
  const std::string_view rest = symbol.substr(at + 2), line = rest.substr(0, rest.find('_'));
  const std::string_view number = line.size() < rest.size() ? rest.substr(line.size() + 1) : "0";
  if (!is_digits(line, decimal) || !is_digits(number, decimal))
    return {};
  std::string what = fmt::format(", line {}", line);
  if (line.size() < rest.size())
    what += fmt::format(", region {}", number);
  return Symbol{symbol.substr(0, at), what + " (omp target)"};
}

// FUNCTION._omp_fn.N: GCC's, for OpenMP and OpenACC.
std::optional<Symbol> gcc_region(std::string_view symbol) {
  const size_t at = symbol.rfind("._omp_fn.");
  if (at == std::string_view::npos || at == 0)
    return {};
  return Symbol{symbol.substr(0, at), fmt::format(", region {} (omp target)", symbol.substr(at + 9))};
}

Symbol split(std::string_view symbol) {
  if (symbol.ends_with(".kd"))
    symbol.remove_suffix(3);
  if (auto region = llvm_region(symbol))
    return *region;
  if (auto region = gcc_region(symbol))
    return *region;
  return {symbol, ""};
}

// The name alone, without result and parameters.
std::string function_name(std::string_view symbol) {
  const auto parts = function_parts(symbol);
  return parts ? parts->name : llvm::demangle(symbol);
}

// How much of `rest` is the word operator and the brackets of its own; 0 if it starts with something else.
size_t operator_length(std::string_view rest) {
  constexpr std::string_view word = "operator";
  if (!rest.starts_with(word))
    return 0;
  for (const std::string_view symbol : {"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">", ""})
    if (rest.substr(word.size()).starts_with(symbol))
      return word.size() + symbol.size();
  return 0;
}

// Template arguments inside of `keep` others become "...". A name whose brackets do not match stays as it is.
std::string shrink(std::string_view name, int keep) {
  std::string result;
  int depth = 0;
  for (size_t i = 0; i < name.size();) {
    const bool word = i == 0 || !(std::isalnum(static_cast<unsigned char>(name[i - 1])) || name[i - 1] == '_');
    const size_t length = word ? operator_length(name.substr(i)) : 0;
    const std::string_view piece = name.substr(i, std::max<size_t>(length, 1));
    i += piece.size();
    if (piece == "<" && ++depth == keep + 1)
      result += "<...>";
    if (depth <= keep)
      result += piece;
    if (piece == ">" && --depth < 0)
      return std::string(name);
  }
  return depth ? std::string(name) : result;
}

} // namespace

std::optional<FunctionParts> function_parts(std::string_view symbol) {
  const std::string mangled(symbol); // the demangler keeps pointers into it
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction())
    return {};
  using Part = char* (llvm::ItaniumPartialDemangler::*)(char*, size_t*) const;
  const auto text = [&](Part part) {
    size_t size = 0;
    const std::unique_ptr<char, decltype(&std::free)> made((demangler.*part)(nullptr, &size), &std::free);
    return std::string(made ? made.get() : "");
  };
  FunctionParts parts;
  parts.name = text(&llvm::ItaniumPartialDemangler::getFunctionName);
  parts.of = text(&llvm::ItaniumPartialDemangler::getFunctionDeclContextName);
  parts.of += (parts.of.empty() ? "" : "::") + text(&llvm::ItaniumPartialDemangler::getFunctionBaseName);
  parts.parameters = text(&llvm::ItaniumPartialDemangler::getFunctionParameters);
  return parts;
}

std::string readable_name(std::string_view symbol) {
  const Symbol parts = split(symbol);
  // A region's function is shown by its name alone: the parameters are not the region's.
  return plain(parts.what.empty() ? llvm::demangle(parts.name) : function_name(parts.name) + parts.what);
}

std::string short_name(std::string_view symbol, size_t width) {
  const Symbol parts = split(symbol);
  const std::string name = plain(function_name(parts.name)), what = plain(parts.what);
  std::string result = name + what;
  for (int keep = 3; keep >= 0 && result.size() > width; --keep)
    result = shrink(name, keep) + what;
  if (result.size() > width) {
    size_t begin = result.size() - (width > 3 ? width - 3 : 0);
    while (begin < result.size() && (static_cast<unsigned char>(result[begin]) & 0xc0) == 0x80)
      ++begin; // not within a character
    result = "..." + result.substr(begin);
  }
  return result;
}

std::vector<std::string> short_names(std::span<const std::string> symbols) {
  std::vector<std::string> result(symbols.size());
  std::vector<bool> distinct(symbols.size());
  // From the shortest on: who shares a name with another symbol gets the next longer one.
  const auto rename = [&](auto name) {
    std::map<std::string, std::string> owner; // symbol by name; empty if there are several
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (!distinct[i])
        result[i] = name(symbols[i]);
      const auto [entry, added] = owner.emplace(result[i], symbols[i]);
      if (!added && entry->second != symbols[i])
        entry->second.clear();
    }
    for (size_t i = 0; i < symbols.size(); ++i)
      distinct[i] = symbols[i].empty() || !owner[result[i]].empty();
  };
  rename([](const std::string& symbol) { return short_name(symbol); });
  rename([](const std::string& symbol) { return short_name(symbol, std::numeric_limits<size_t>::max()); });
  rename([](const std::string& symbol) { return readable_name(symbol); });
  return result;
}

} // namespace crosslane::findings
