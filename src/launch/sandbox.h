// Owns the system calls that are left to a process which runs a kernel that nobody trusts: machine code of a GPU is
// executed here as data, but a mistake of the emulator could let it become code of the host. What it could then do is
// what the system still does for this process.
//
// Left: to compute, threads, private memory that is not executable, open descriptors, reading files, time. Not left: to
// start programs or processes, to open files for writing, make, move or remove them, sockets, signals to others,
// tracing, new executable memory. Results go through a Broker.
#pragma once
#include "launch/broker.h"

namespace crosslane::launch {

class Sandbox {
public:
  // Starts the Broker: before other threads, and before anything is read of the kernel. `paths`: what may be written.
  static llvm::Expected<std::unique_ptr<Sandbox>> prepare(std::vector<std::string> paths);
  ~Sandbox();
  // For good. From now on files are written by the Broker.
  llvm::Error enter();

private:
  explicit Sandbox(std::unique_ptr<Broker> broker) : broker_(std::move(broker)) {}
  std::unique_ptr<Broker> broker_;
};

// What enter() takes away, from all threads of this process, those to come too, and for good: by a seccomp filter, and
// no new privileges. What is not left fails with EPERM. The error says what the system lacks.
llvm::Error restrict_system_calls();

} // namespace crosslane::launch
