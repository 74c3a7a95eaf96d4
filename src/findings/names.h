// Owns what kernels and functions are called for people: demangled, and short enough for a table.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::findings {

// As the source spells it: "void scale<4>(float*)" of _Z5scaleILi4EEvPf, with or without ".kd". OpenMP regions, which
// have no name in the source, become "main, line 12 (omp target)" (LLVM) and "main, region 0 (omp target)" (GCC). What
// is not mangled stays as it is, but for control characters and what is no UTF-8, which all names here show as "\x1b".
std::string readable_name(std::string_view symbol);

// What a function's mangled name is made of: "void ns::scale<4>(float*)" of _ZN2ns5scaleILi4EEEvPf.
struct FunctionParts {
  std::string name;       // "ns::scale<4>"
  std::string of;         // "ns::scale": without the arguments of its own template
  std::string parameters; // "(float*)"
};
// Empty if it is not mangled, or no function.
std::optional<FunctionParts> function_parts(std::string_view symbol);

// The same without result and parameters; the arguments of templates shrink to "<...>", the inner ones first, until it
// has at most `width` characters, and if that does not suffice, its front is cut off.
std::string short_name(std::string_view symbol, size_t width = 64);

// short_name() of each; of those that would look the same as another symbol (instances of a template, overloads) with
// all arguments, and if that is not enough readable_name().
std::vector<std::string> short_names(std::span<const std::string> symbols);

} // namespace crosslane::findings
