// Owns going over the code of a subject once for all checks: each part is decoded, and every check walks it.
#pragma once
#include "lint/steps.h"
#include <memory>

namespace crosslane::lint {

// The instructions of the part that was asked for last.
class PartReader {
public:
  explicit PartReader(const Subject& subject)
      : subject_(subject), indexed_(analysis::indexed_blocks(subject.code(), subject.graph)) {}
  const Steps& read(uint32_t part) {
    if (part != read_)
      steps_.decode(subject_, subject_.graph.parts[part], indexed_), read_ = part;
    return steps_;
  }

private:
  const Subject& subject_;
  std::vector<bool> indexed_;
  Steps steps_;
  uint32_t read_ = analysis::none;
};

// A check on its way over a subject (lint/forward.h).
class Walk {
public:
  virtual ~Walk() = default;
  // Of each part in turn. What depends on other parts is put off.
  virtual void part(uint32_t number, PartReader&) = 0;
  virtual void rest(PartReader&) = 0;
};

} // namespace crosslane::lint
