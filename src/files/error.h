// Owns fail(): bad input as llvm::Error with a message that says what, where and what to do next. Nobody but main()
// prints it. In the outermost namespace, so that every layer says it alike.
#pragma once
#include <fmt/format.h>
#include <llvm/Support/Error.h>
#include <utility>

namespace crosslane {

template <class... T> llvm::Error fail(fmt::format_string<T...> text, T&&... values) {
  return llvm::make_error<llvm::StringError>(fmt::format(text, std::forward<T>(values)...),
                                             llvm::inconvertibleErrorCode());
}

} // namespace crosslane
