// Owns how this folder says what failed: the file, what was done with it, and the system's reason.
#pragma once
#include <fmt/format.h>
#include <llvm/Support/Error.h>
#include <utility>

namespace crosslane::files {

template <class... T> llvm::Error fail(fmt::format_string<T...> text, T&&... values) {
  return llvm::make_error<llvm::StringError>(fmt::format(text, std::forward<T>(values)...),
                                             llvm::inconvertibleErrorCode());
}

} // namespace crosslane::files
