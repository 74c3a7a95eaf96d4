// LLVM's x86 assembler, in process, and a page to run what it makes: the text of a plan becomes a function on registers
// in memory, and this CPU says what it does.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::tests {

// The bytes of `text` (Intel syntax, one section, no symbol from outside), or what LLVM says against it, one line each.
struct X86Bytes {
  std::vector<uint8_t> bytes;
  std::vector<std::string> errors;
};
X86Bytes assemble_x86(const std::string& text);

// What GNU's assembler says against `text` when it may use only `features` ("avx2", "avx512f", ...) beyond plain
// x86-64; empty if nothing. LLVM's takes every instruction whatever the features.
std::string outside_of_features(const std::vector<std::string>& features, const std::string& text);

// Functions from text, assembled all at once.
class X86Functions {
public:
  X86Functions() = default;
  X86Functions(const X86Functions&) = delete;
  ~X86Functions();

  // `body` ends without `ret`; it may use every register that the calling convention lets it. Answers the function's
  // number.
  int add(std::string_view body, std::string_view data = {});
  int count() const { return count_; }
  // Answers what went wrong, one error a line; empty if the functions can be called.
  std::string build();
  // f(rdi, rsi, rdx)
  void call(int function, const void* in, void* out, uint64_t number = 0) const;

private:
  std::string text_;
  int count_ = 0;
  uint8_t* page_ = nullptr;
  size_t size_ = 0;
};

} // namespace crosslane::tests
