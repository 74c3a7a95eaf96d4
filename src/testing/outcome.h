// Owns what became of one test: plain data, which the process that ran it hands to the one that tells it.
#pragma once
#include <llvm/Support/Error.h>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::testing {

enum class End : uint8_t {
  passed,
  failed,   // not as expected
  error,    // it could not be run, or its process came to grief
  no_claim, // it ran to its end, and nothing was expected of it
  not_run,  // the run of all was stopped before
};

// What is wrong, as a compiler would say it: where a person has to look, and what it is.
struct Complaint {
  std::string place; // "vadd.cl:3:7", "vadd.toml:12:1"; empty: not known
  std::string text;  // may have several lines
};
// "vadd.cl:3:7: error: ...", as compilers say it.
std::string text_of(const Complaint&);

struct Outcome {
  End end = End::not_run;
  std::vector<Complaint> complaints; // at least one of what failed, or is an error
  std::vector<std::string> notes;    // what should be known besides
  std::string output;                // what the kernel printed, and what the process did
  double seconds = 0;                // of everything, from the start of its process to its end
};

// "passed", "failed", "error", "ran", "not_run".
std::string_view word_of(End);

// Between processes; the seconds and the output of the process are not in it. The text may come from anybody.
std::string bytes_of(const Outcome&);
llvm::Expected<Outcome> outcome_of(std::string_view bytes);

} // namespace crosslane::testing
