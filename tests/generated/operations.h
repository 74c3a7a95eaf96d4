// Owns the operations that expressions are made of: one entry per result and argument types, as a template of OpenCL C
// that is defined for all values of its arguments.
#pragma once
#include "tests/generated/program.h"
#include <span>

namespace crosslane::generated {

struct Operation {
  Type result;
  std::string text;
  std::vector<Type> arguments;
  unsigned weight;       // how often beside the others of this result
  bool of_loads = false; // the arguments must come from memory
};

// Every one, in a fixed order.
std::vector<const Operation*> all_operations();
// All with this result. The same list on every machine.
std::span<const Operation> operations_for(Type result);

} // namespace crosslane::generated
