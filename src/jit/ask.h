// Owns what a compiler is asked about a kernel: which instructions of it are read, and what is known of its waves.
#pragma once
#include "engine/compiler.h"
#include "engine/dispatch.h"
#include "jit/request.h"

namespace crosslane::jit {

// All but the unit. Not empty: why the kernel is left to the interpreter.
std::string ask(const engine::CompileQuery&, Request&);
// ... and the unit, into `unit`, which the request refers to. `coverage`: blocks that no wave has executed are cold.
std::string ask(const engine::Code&, const engine::CompileQuery&, engine::Unit& unit, Request&,
                const engine::Coverage* coverage = nullptr);

// Whether it has more instructions than are compiled as one.
bool is_too_long(const engine::Code&, const engine::CompileQuery&);

// Instructions that become code, of all that are read; those that do for some EXECs only count half.
size_t size_of(const engine::Unit&);

// The unit that has these bytes; false: no way of reading has.
bool read_again(const engine::Code&, const engine::CompileQuery&, const engine::CodeBytes&, engine::Unit&);

} // namespace crosslane::jit
