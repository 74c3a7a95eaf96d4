// Owns listeners that hold the analysis against what waves do: Watched checks that each step from one instruction to
// the next is in the graph, Poisoner overwrites at the beginning of each block whatever is said to be dead there,
// FactChecker looks at values that are said to be uniform or affine.
#pragma once
#include "analysis/code_image.h"
#include "analysis/definitions.h"
#include "analysis/liveness.h"
#include "analysis/values.h"
#include "engine/dispatch.h"
#include "events/listener.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace crosslane::test {

// A loaded code object and its graph.
struct Subject {
  Subject(const codeobject::CodeObject&, const engine::Code&);
  std::unique_ptr<analysis::CodeImage> image;
  analysis::Graph graph;
};

struct Deviation {
  uint64_t from, to; // addresses of the code object
  std::string what;
};

class Watched final : public events::Listener {
public:
  explicit Watched(const Subject& subject) : subject_(subject) {}
  bool wants_steps() const override { return true; }
  void step(const events::Step&) override;

  std::vector<Deviation> deviations() const;
  // Different ones that were gone: within functions and between them; and those only allowed by an unknown.
  size_t edges() const { return edges_.size(); }
  size_t calls_and_returns() const { return calls_; }
  size_t unresolved() const { return unresolved_; }

private:
  const Subject& subject_;
  std::mutex mutex_;
  std::unordered_map<const machine::Wave*, std::pair<uint64_t, uint64_t>> last_; // pc, workgroup and wave
  std::set<std::pair<uint64_t, uint64_t>> edges_;
  size_t calls_ = 0, unresolved_ = 0;
  std::vector<Deviation> deviations_;

  void check(uint64_t from, uint64_t to);
};

class Poisoner final : public events::Listener {
public:
  Poisoner(const Subject& subject, const analysis::Liveness& liveness) : subject_(subject), liveness_(liveness) {}
  bool wants_steps() const override { return true; }
  void step(const events::Step&) override;
  uint64_t blocks() const { return blocks_; }       // entered
  uint64_t registers() const { return registers_; } // overwritten

private:
  const Subject& subject_;
  const analysis::Liveness& liveness_;
  std::atomic<uint64_t> blocks_{0}, registers_{0};
};

// Checks that what is known of an instruction's sources holds in the lanes of EXEC, each time it is executed.
class FactChecker final : public events::Listener {
public:
  explicit FactChecker(std::vector<analysis::ValueFact> facts) : facts_(std::move(facts)) {}
  bool wants_steps() const override { return true; }
  void step(const events::Step&) override;
  uint64_t checks() const { return checks_; }
  uint64_t affine() const { return affine_; }                                // of them with a stride
  const std::vector<std::string>& deviations() const { return deviations_; } // the first of each instruction

private:
  std::vector<analysis::ValueFact> facts_;
  std::mutex mutex_;
  uint64_t checks_ = 0, affine_ = 0;
  std::set<uint64_t> wrong_;
  std::vector<std::string> deviations_;
};

// Remembers who wrote each register last, and compares where an instruction reads one with a single definition.
class DefinitionChecker final : public events::Listener {
public:
  explicit DefinitionChecker(std::vector<analysis::Definition> all) : all_(std::move(all)) {}
  bool wants_steps() const override { return true; }
  void step(const events::Step&) override;
  uint64_t checks() const { return checks_; }
  const std::vector<std::string>& deviations() const { return deviations_; }

private:
  struct Writers {
    uint64_t wave = ~uint64_t(0);
    std::vector<uint64_t> of; // 0: nobody yet
  };
  std::vector<analysis::Definition> all_;
  std::mutex mutex_;
  std::unordered_map<const machine::Wave*, Writers> writers_;
  uint64_t checks_ = 0;
  std::vector<std::string> deviations_;
};

} // namespace crosslane::test
