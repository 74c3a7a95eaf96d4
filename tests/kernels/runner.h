// Runs a workload on crosslane: compile, load, fill the kernarg segments, dispatch, read back.
#pragma once
#include "codeobject/code_object.h"
#include "engine/dispatch.h"
#include "tests/kernels/workload.h"
#include <string>

namespace crosslane::workload {

struct Settings {
  std::string target = "gfx900";
  std::string flags;    // more for the compiler
  unsigned threads = 0; // 0: all cores
  events::Listener* listener = nullptr;
  // What runs instead of the code object that was compiled; null: that itself.
  std::vector<uint8_t> (*rewrite)(const codeobject::CodeObject& compiled) = nullptr;
};

// A session that also counts.
class CrosslaneSession : public Session {
public:
  virtual const engine::Stats& stats() const = 0; // sum over the launches of the last once()
  virtual const codeobject::CodeObject& object() const = 0;
  virtual const engine::Code& code() const = 0; // the object where it is loaded
};

// The workload must outlive the session.
std::unique_ptr<CrosslaneSession> open_crosslane(const Workload& workload, const Settings& settings);

} // namespace crosslane::workload
