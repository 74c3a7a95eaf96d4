// Owns fail(): bad input as llvm::Error with a message that says what, where and what to do. Only main() prints it.
#pragma once
#include <fmt/format.h>
#include <llvm/Support/Error.h>
#include <utility>

namespace crosslane::cli {

template <class... T> llvm::Error fail(fmt::format_string<T...> text, T&&... values) {
  return llvm::make_error<llvm::StringError>(fmt::format(text, std::forward<T>(values)...),
                                             llvm::inconvertibleErrorCode());
}

} // namespace crosslane::cli
