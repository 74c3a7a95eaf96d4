// Owns the words that say which change is too much: [KERNEL:]NAME OP [+-]NUMBER[%], such as "lds_conflicts>+5%",
// "reduce*:waves_per_simd<8" or "new_findings>0". A sign or a percent sign asks for the change, else it is what is
// there now.
#pragma once
#include "diff/difference.h"

namespace crosslane::diff {

struct Condition {
  enum class Op : uint8_t { greater, less, greater_equal, less_equal, equal, not_equal };
  enum class Of : uint8_t { value, change, percent };
  std::string text;         // as it was given
  std::string kernel, name; // patterns; kernel: empty: all
  Op op{};
  Of of{};
  double limit = 0;
};

llvm::Expected<Condition> parse_condition(const std::string& text);

struct Verdict {
  struct Hit {
    std::string condition, kernel; // kernel: empty: of the whole document
    Row row;
  };
  std::vector<Hit> hits;          // what is too much
  std::vector<std::string> notes; // what could not be judged
};

// The error says which names there are not, with near ones; or that nothing could be judged.
llvm::Expected<Verdict> judge(const Difference&, const std::vector<Condition>&);

} // namespace crosslane::diff
