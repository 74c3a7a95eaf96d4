// Owns a job made ready to run: the code, its kernel, the arguments, and the memory that all of it lies in. Held
// together, and where it is, since the session refers to the rest.
#pragma once
#include "launch/session.h"
#include "launch/signature.h"

namespace crosslane::launch {

struct Ready {
  std::shared_ptr<Device> device = Device::create();
  std::shared_ptr<const codeobject::CodeObject> object;
  std::optional<rewrite::Probed> probed; // Job::profile asks for probes: `object` has them
  std::shared_ptr<Captured> captured;    // Job::capture: what runs again
  const codeobject::Kernel* kernel = nullptr;
  Signature signature;
  Arguments arguments;
  LaunchShape shape;
  std::unique_ptr<Session> session;
};

} // namespace crosslane::launch
