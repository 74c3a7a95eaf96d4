// Runs a workload through the OpenCL host API: PoCL, or Oclgrind when its library stands in for the loader.
#pragma once
#include "tests/kernels/workload.h"
#include <string>

namespace crosslane::workload {

class OpenCl {
public:
  // The first device of the first platform. Without one, device() is empty and reason() says why.
  OpenCl();
  ~OpenCl();
  const std::string& device() const;
  const std::string& reason() const;

  // Builds <examples>/<source>. The workload and this object must outlive the session.
  std::unique_ptr<Session> open(const Workload& workload, const std::string& examples);

  struct Impl;

private:
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::workload
