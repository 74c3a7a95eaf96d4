// Owns what `crosslane run --stats` and `--profile` tell: per kernel, summed over the process, printed at its end.
#pragma once
#include "engine/dispatch.h"
#include "hsa/executable.h"
#include "hsa/settings.h"
#include "views/branches.h"
#include <memory>

namespace crosslane::hsa {

class Statistics {
public:
  explicit Statistics(const Settings&);
  ~Statistics();
  bool wanted() const;
  // What listens to a dispatch of this kernel; null if nobody does.
  events::Listener* listener(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel);
  void add(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel, const engine::AqlPacket& packet,
           const engine::Stats& stats);
  // Writes the tables to where the settings say, unless nothing has happened since they were written.
  void print();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::hsa
