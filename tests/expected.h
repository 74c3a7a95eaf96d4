// Helpers of the cli tests: values and messages out of llvm::Expected.
#pragma once
#include <gtest/gtest.h>
#include <llvm/Support/Error.h>
#include <string>

namespace crosslane::test {

template <class T> T value_of(llvm::Expected<T> result) {
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return T{};
}
// "" if there is no error.
template <class T> std::string error_of(llvm::Expected<T> result) {
  return result ? std::string() : llvm::toString(result.takeError());
}
inline std::string error_of(llvm::Error error) { return error ? llvm::toString(std::move(error)) : std::string(); }

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
#define EXPECT_HAS(text, part) EXPECT_TRUE(::crosslane::test::contains(text, part)) << "in: " << (text)

} // namespace crosslane::test
