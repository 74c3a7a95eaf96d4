// Owns a fault as one line of the form that compilers have, which editors and services that run builds look for.
#pragma once
#include "machine/fault.h"

namespace crosslane::machine {

// "vadd.cl:3:5: error: memory fault: ...", the first line of describe() at its source; empty: none is known.
inline std::string diagnostic(const Fault& fault) {
  const std::string text = describe(fault);
  return fault.source.empty() ? "" : fault.source + ": error: " + text.substr(0, text.find('\n'));
}

} // namespace crosslane::machine
