// One way to make an error.
#pragma once
#include <fmt/format.h>
#include <llvm/Support/Error.h>

namespace crosslane::profile {

template <class... Args> llvm::Error fail(fmt::format_string<Args...> format, Args&&... args) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), fmt::format(format, std::forward<Args>(args)...));
}

} // namespace crosslane::profile
