// Owns Backend: the per-level half of the interpreter (vector code compiled for x86-64, -v3 and -v4), as a table of
// entry points.
#pragma once
#include "engine/decode/lowering.h"
#include "engine/memory/address_loops.h"

namespace crosslane::engine {

struct Backend {
  const char* level;               // "v1", "v3", "v4"
  bool (*lower_vector)(Lowering&); // everything but SALU and flow
  const AddressLoops& addresses;
  Handler (*matrix_together)(isa::Op);
};

// Lowers any instruction (engine/decode/executes.cpp). False: not executed; the caller drops what was emitted and emits
// a named fault.
bool lower(Lowering&, const Backend&);

// What CROSSLANE_LEVEL says when it is none of v1, v3, v4; else nullptr. A dispatch refuses it: a mistyped level would
// test another one.
const char* unknown_level();
const Backend& backend(); // the best the host has, or what CROSSLANE_LEVEL asks for

} // namespace crosslane::engine
