// The two functions under their linker's names: a call of X arrives at __wrap_X, and __real_X is what was called.
#include "tests/analysis/judge.h"
#include "codeobject/code_object.h"
#include "engine/dispatch.h"
#include "events/several.h"
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

namespace crosslane::test {

namespace {

using codeobject::CodeObject;

uint64_t limit(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : ~uint64_t(0);
}

// A code object where it is loaded; analysed when a kernel of it is dispatched first.
class Loaded {
public:
  Loaded(const CodeObject& object, isa::Target target, const uint8_t* memory)
      : image_(analysis::describe_image(object, target, memory)) {}
  Oracle& oracle() {
    std::call_once(once_, [this] {
      findings_.emplace(image_->code);
      oracle_.emplace(*image_, *findings_, limit("CROSSLANE_JUDGE_WORKGROUPS"));
    });
    return *oracle_;
  }
  uint64_t dispatches_of(uint64_t kernel) { // with this one
    std::lock_guard lock(mutex_);
    return ++dispatches_[kernel];
  }

private:
  std::unique_ptr<analysis::CodeImage> image_;
  std::once_flag once_;
  std::optional<Findings> findings_;
  std::optional<Oracle> oracle_;
  std::mutex mutex_;
  std::map<uint64_t, uint64_t> dispatches_;
};

struct State {
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<Loaded>> loaded; // by address
  Verdict verdict;
  std::atomic<int> unjudged{0};
  std::atomic<uint64_t> not_judged{0};
};
State& state() {
  static auto* s = new State; // dispatches may outlive static objects
  return *s;
}

void report(const std::string& text) {
  const char* path = std::getenv("CROSSLANE_JUDGE_REPORT");
  if (!path)
    return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0 || write(file, text.data(), text.size()) != ssize_t(text.size()))
    std::abort();
  close(file);
}

} // namespace

llvm::Error real_load(const CodeObject*, std::span<uint8_t>, CodeObject::Resolver, void*, bool) asm("__real_" LOAD);
llvm::Error wrapped_load(const CodeObject*, std::span<uint8_t>, CodeObject::Resolver, void*, bool) asm("__wrap_" LOAD);
engine::Outcome real_run(const engine::Code&, const engine::AqlPacket&, const std::string&,
                         const engine::Options&) asm("__real_" RUN);
engine::Outcome wrapped_run(const engine::Code&, const engine::AqlPacket&, const std::string&,
                            const engine::Options&) asm("__wrap_" RUN);

// A member function takes `this` as a function its first argument.
llvm::Error wrapped_load(const CodeObject* object, std::span<uint8_t> memory, CodeObject::Resolver resolve,
                         void* context, bool zeroed) {
  if (const auto target = isa::parse_target(object->processor())) {
    std::lock_guard lock(state().mutex);
    state().loaded[reinterpret_cast<uint64_t>(memory.data())] =
        std::make_shared<Loaded>(*object, *target, memory.data());
  }
  return real_load(object, memory, resolve, context, zeroed);
}

engine::Outcome wrapped_run(const engine::Code& code, const engine::AqlPacket& packet, const std::string& kernel,
                            const engine::Options& given) {
  State& all = state();
  std::shared_ptr<Loaded> loaded;
  {
    std::lock_guard lock(all.mutex);
    if (const auto at = all.loaded.find(code.base()); at != all.loaded.end() && !all.unjudged)
      loaded = at->second;
  }
  // A trap handler is code that the kernel's code object knows nothing of.
  if (!loaded || given.trap_handler ||
      loaded->dispatches_of(packet.kernel_object) > limit("CROSSLANE_JUDGE_DISPATCHES")) {
    ++all.not_judged;
    return real_run(code, packet, kernel, given);
  }
  Oracle& oracle = loaded->oracle();
  events::Several listeners;
  if (given.listener)
    listeners.add(*given.listener);
  listeners.add(oracle);
  engine::Options options = given;
  options.listener = &listeners;
  if (!options.threads)
    options.threads = 1; // the oracle listens to one wave at a time
  engine::Outcome outcome = real_run(code, packet, kernel, options);
  const Counts counts = oracle.take_counts();
  std::vector<std::string> deviations = oracle.take_deviations();
  std::string text = fmt::format("judged {}: {}\n", kernel, counts.text());
  for (std::string& d : deviations) {
    d = fmt::format("{}, {}", kernel, d);
    text += fmt::format("deviation: {}\n", d);
  }
  report(text);
  std::lock_guard lock(all.mutex);
  ++all.verdict.dispatches;
  all.verdict.counts += counts;
  all.verdict.deviations.insert(all.verdict.deviations.end(), deviations.begin(), deviations.end());
  return outcome;
}

Verdict take_verdict() {
  std::lock_guard lock(state().mutex);
  state().verdict.not_judged = state().not_judged.exchange(0);
  return std::exchange(state().verdict, {});
}

Unjudged::Unjudged() { ++state().unjudged; }
Unjudged::~Unjudged() { --state().unjudged; }

} // namespace crosslane::test
