// Owns TraceWriter: the words that waves leave for the cycle model (timing/replay/trace.h), made of events. Of one
// thread.
#pragma once
#include "events/listener.h"
#include "timing/replay/trace.h"
#include <memory>
#include <unordered_map>
#include <vector>

namespace crosslane::views {

class TraceWriter {
public:
  TraceWriter();
  ~TraceWriter();
  struct Wave {
    timing::replay::Words words;
    const events::Block* block = nullptr;
    uint32_t at = 0; // instructions of it that have accessed memory or may still
  };
  struct Group {
    const machine::Workgroup* group = nullptr;
    std::vector<Wave> waves;
  };

  void began(const events::Began&);
  void issued(const events::Issued&);
  void access(const events::Access&);
  // In front of an instruction at which the wave waits for its time.
  void pause(const machine::Wave&, uint64_t pc);
  Group& of(const machine::Workgroup*);
  Wave& of(const machine::Wave& w) { return of(w.workgroup).waves[w.id]; }
  void ended(const machine::Workgroup*); // forgets it

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::unordered_map<const machine::Workgroup*, Group> groups_;
  Group* last_ = nullptr;
};

} // namespace crosslane::views
