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
};

inline const DispatchContext& context(const Wave* w) {
  return *static_cast<const DispatchContext*>(w->workgroup->dispatch);
}

}  // namespace crosslane::engine
