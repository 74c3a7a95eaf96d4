// Owns what a run of lint finds, as data: who prints it is elsewhere. Addresses are those of the loaded code.
#pragma once
#include "lint/rule.h"
#include <string>
#include <vector>

namespace crosslane::lint {

struct Note {
  uint64_t pc = 0;
  std::string text; // "v0 written here"
  std::vector<uint64_t> callers = {};
};

// A change of the code that makes the finding go away.
struct Fix {
  enum class Kind : uint8_t { insert, replace, remove };
  Kind kind{};
  uint64_t pc = 0;  // insert: before this instruction
  std::string text; // "s_nop 1"; remove: empty
};

// Where it was seen first, of what only a run can show (check/).
struct Seen {
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0;
  int lane = -1;        // -1: it is the whole wave's
  uint64_t address = 0; // of the data; 0: none
  uint64_t times = 1;   // lanes, or waves, that it was seen of
  bool operator==(const Seen&) const = default;
};

struct Finding {
  Rule rule{};
  Severity severity{};
  Said said{};                  // who says so
  uint64_t pc = 0;              // of the instruction that is too soon, or wrong
  std::string message;          // one sentence, without its id
  std::vector<Note> notes = {}; // in the order of execution
  std::optional<Fix> fix = {};
  std::optional<Seen> seen = {};
  std::vector<uint64_t> callers = {}; // the calls by which it was come to, if somebody kept them, innermost first
};

// Code that a check could not say anything about, and why.
struct NotJudged {
  uint64_t pc = 0;
  std::string reason;
};

struct Report {
  std::vector<Finding> findings; // by address, then rule
  std::vector<NotJudged> not_judged;
};

} // namespace crosslane::lint
