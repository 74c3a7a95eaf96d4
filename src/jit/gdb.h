// Owns what a debugger is told of compiled code, with CROSSLANE_JIT_GDB: its names, by gdb's JIT interface.
#pragma once
#include <cstddef>

namespace crosslane::jit {

// CROSSLANE_JIT_GDB is set, to something that is not empty and not 0.
bool gdb_listens();

// What the shared object exports, as "crosslane_jit_tell_gdb": code of that name is there, until, as
// "crosslane_jit_untell_gdb", what came back.
using TellGdb = void* (*)(const char* name, const void* code, size_t bytes);
using UntellGdb = void (*)(void*);

} // namespace crosslane::jit
