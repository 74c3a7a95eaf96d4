// Owns JUnit's XML, which nearly all services that run builds read: suites of cases, each passed unless it says why
// not.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::lint {

struct JUnitCase {
  enum class Kind : uint8_t { passed, failure, error, skipped };
  std::string group, name; // group: its class name, as JUnit calls it
  Kind kind = Kind::passed;
  std::string type, message, text = {}; // unless passed; type and text: empty: there is none
  std::optional<double> seconds = {};
  std::string output = {}; // what it printed
};

struct JUnitSuite {
  std::string name;
  std::vector<JUnitCase> cases;
};

std::string junit_of(std::string_view tool, std::span<const JUnitSuite>);

} // namespace crosslane::lint
