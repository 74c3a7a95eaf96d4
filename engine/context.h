// Owns DispatchContext: what the waves of one dispatch share, read-only while it runs (but for the claim counter).
#pragma once
#include "engine/dispatch.h"
#include "engine/program.h"
#include <atomic>

namespace crosslane::engine {

struct DispatchContext {
  Program* program;
  const Code* code;
  const AqlPacket* packet;
  const Options* options;
  std::string kernel;
  Program* trap_program = nullptr;  // of the trap handler, if there is one
};

inline const DispatchContext& context(const Wave* w) {
  return *static_cast<const DispatchContext*>(w->workgroup->dispatch);
}

// The decoded code at an address, of the kernel or of the trap handler, for the mode that the wave is in.
inline Program::Entry find_code(const Wave* w, uint64_t address) {
  const auto& ctx = context(w);
  Program* p = ctx.trap_program && ctx.trap_program->contains(address) ? ctx.trap_program : ctx.program;
  return p->at(address, *w);
}

}  // namespace crosslane::engine
