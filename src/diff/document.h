// Owns a document that crosslane has written, as what can be compared of it: numbers of kernels, and findings. It may
// come from anybody: whatever it holds is looked at before it is used.
#pragma once
#include "lint/match.h"
#include <llvm/Support/Error.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::diff {

enum class Kind : uint8_t {
  profile,   // --json of launch and run with --profile (docs/profile-format.md)
  times,     // --json of launch --time
  findings,  // --findings FILE.json, lint --output-format json
  counters,  // launch --counters
  estimates, // timing --json
  tests,     // test --json
};
// "a profile", "modelled times", "findings", "counters of probes", "estimates of timing", "outcomes of tests".
std::string_view name_of(Kind);

struct Value {
  std::string name, unit; // as documents call them: "SQ_LDS_BANK_CONFLICT", "cycles"
  double value = 0;
  bool of_host = false; // host time, which differs from run to run
};

// A source line or a branch of a kernel.
struct Part {
  bool branch = false;
  std::string key;   // of what stays the same when code around it changes: texts, and not numbers of lines
  std::string shown; // "k.cl:7", "k.cl:7 s_cbranch_execz"
  std::vector<Value> values;
};

struct Kernel {
  std::string name;          // symbol; empty: the values are the whole document's
  std::string shown;         // for people
  std::string target, shape; // "gfx900", "grid 1000, block 256"; empty: not known
  std::string counted;       // "12 of 1200 workgroups"; empty: all
  std::vector<Value> values; // in the order of the document; what has no value is not there
  std::vector<Part> parts;   // likewise
};

struct Finding {
  lint::Match match;
  std::string place, message, severity; // severity: empty: it has none
  std::optional<double> cost = {};      // of a profile's
  std::string unit = {};
};

struct Document {
  Kind kind{};
  std::string file, producer; // producer: "crosslane 0.1.0"; empty: not said
  std::vector<Kernel> kernels;
  std::vector<Finding> findings;
  bool has_findings = false;      // it could have some
  std::vector<std::string> notes; // what is special of it, a sentence each
  std::string made;               // how: views, checks; documents of other making cannot be expected to agree
};

// `file` is for messages too.
llvm::Expected<Document> read(const std::string& file);
llvm::Expected<Document> parse(std::string_view text, const std::string& file);

} // namespace crosslane::diff
