// Owns findings as a user meets them: with the file, the line or the function, and the instruction's text, so that they
// outlive the code that they were found in. What prints them (lint/format/), allows them (lint/allow.h) or repairs them
// (lint/fix.h) reads nothing else.
#pragma once
#include "lint/finding.h"
#include "lint/source_text.h"
#include "lint/subject.h"
#include <functional>
#include <map>

namespace crosslane::lint {

struct Place {
  std::string file;                         // as the user named it
  std::string function;                     // empty: the address lies in none
  uint64_t offset = 0;                      // from the beginning of the function, else of the image
  uint32_t line = 0, column = 0;            // of assembly, in `file`; 0: not known. Column 0: in a macro
  std::string code;                         // the line of the file; of binaries the instruction
  std::string source;                       // of binaries, by their line table: "vadd.cl:3:7"
  std::vector<std::string> inlined_by = {}; // likewise the calls that were inlined around it, the innermost first
  bool operator==(const Place&) const = default;
};

struct PlacedNote {
  Place place;
  std::string text;
  std::vector<Place> callers = {}; // as Finding has them
};

struct PlacedFix {
  Fix::Kind kind{};
  Place place;
  std::string text;
};

struct PlacedFinding {
  Rule rule{};
  Severity severity{};
  Said said{};
  Place place;
  std::string message;
  std::string instruction; // as crosslane prints it
  std::vector<PlacedNote> notes = {};
  std::optional<PlacedFix> fix = {};
  std::optional<Seen> seen = {};
  std::vector<Place> callers = {}; // as Finding has them
};

struct PlacedGap { // that was not judged
  Place place;
  std::string reason;
};

// What was found in one code object.
struct Judged {
  std::string file, target;
  bool assembly = false; // findings have lines of the file
  std::vector<PlacedFinding> findings;
  std::vector<PlacedGap> not_judged;
  uint64_t kernels = 0, functions = 0, instructions = 0, bytes = 0; // of code that was reached; bytes: of all code
};

// Where the code came from.
struct Origin {
  std::string file;
  bool assembly = false;
  // Of assembly: file, line and column by the address in the code object.
  std::function<std::optional<codeobject::SourceLine>(uint64_t)> position = {};
  std::map<std::string, SourceText> texts = {}; // by name of file
};

Judged place(const Subject&, const Report&, const Origin&);

// "kernel.s:41:3", "k.co(vadd+0x54)".
std::string text_of(const Place&);
// "k.co(vadd+0x54)" without its file: "vadd+0x54".
std::string address_of(const Place&);

} // namespace crosslane::lint
