// Memory is read while the dispatch waits; what copies and the host's threads do meanwhile goes on.
#include "hsa/capturing.h"
#include "capture/live_memory.h"
#include "files/error.h"
#include "findings/names.h"
#include "hsa/memory/locked_memory.h"
#include "hsa/memory/memory.h"
#include "hsa/memory/svm.h"
#include "hsa/queue/queue.h"
#include "hsa/queue/signal.h"
#include "hsa/runtime.h"
#include "machine/gds.h"
#include "machine/window.h"
#include "profile/process.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

class Named final : public machine::MemoryWatcher {
public:
  Named(std::vector<capture::Allocation>& all, const std::set<uint64_t>& kernargs) : all_(all), kernargs_(kernargs) {}
  void allocated(const machine::Allocation& a) override {
    if (a.name == "a queue") // within what keep_before() names
      return;
    // Where clients put packets, and the arguments of the next kernels.
    const auto kernarg = kernargs_.lower_bound(a.address);
    const bool runtimes =
        a.name == "packets of a queue" || (kernarg != kernargs_.end() && *kernarg - a.address < a.size);
    all_.push_back({a, runtimes});
  }
  void freed(const machine::Allocation&) override {}

private:
  std::vector<capture::Allocation>& all_;
  const std::set<uint64_t>& kernargs_;
};

std::string size_text(uint64_t bytes) {
  return bytes >= uint64_t(10) << 20 ? fmt::format("{} MB", (bytes + 500'000) / 1'000'000)
                                     : fmt::format("{} KB", (bytes + 999) / 1000);
}

capture::SharedState::Resource resource(uint32_t number, const machine::SyncResource& r) {
  return {number, r.counter, r.generation, r.head, r.tail};
}

} // namespace

Capturing::Capturing(Runtime& runtime) : runtime_(runtime), settings_(runtime.settings.capture) {}

// Another process of the program has its own.
bool Capturing::open() {
  if (writer_ || failed_)
    return !failed_;
  std::string why;
  for (const std::string& folder : {settings_.folder, fmt::format("{}.{}", settings_.folder, getpid())}) {
    bool taken = false;
    auto writer = capture::Writer::create(folder, settings_.limit, &taken);
    if (writer) {
      writer_ = std::move(*writer);
      return true;
    }
    why = llvm::toString(writer.takeError());
    if (!taken)
      break;
  }
  failed_ = true;
  say("--capture: nothing is captured: " + why);
  return false;
}

void Capturing::name_allocations(capture::Dispatch& kept) const {
  Named named(kept.allocations, kernargs_);
  machine::Memory& memory = runtime_.heap->memory();
  memory.watch(named);
  memory.unwatch(named);
}

llvm::Error Capturing::keep_before(capture::Dispatch& kept, const codeobject::CodeObject& object) {
  if (runtime_.reaches_host)
    return fail("it reaches all memory of the program (HSA_XNACK, or OpenMP's unified shared memory), which is not "
                "captured");
  if (machine::device_reach() != machine::window)
    return fail("here no process chooses the addresses of its memory, so that it could not be put back");
  if (!runtime_.svm->all_in_window())
    return fail("it reaches managed memory where the program has put it, which is not captured; 'crosslane run' finds "
                "it another place");
  LockedMemory::get().bring_in();
  std::vector<capture::Mapped> mapped;
  if (!capture::LiveMemory::list(mapped))
    return fail("the system does not tell what memory there is (/proc/self/maps)");
  name_allocations(kept);
  const capture::LiveMemory live;
  for (const capture::Mapped& m : mapped) {
    auto content = writer_->pack().put(capture::LiveMemory::Range(live, m), m.size);
    if (!content)
      return content.takeError();
    kept.memory.push_back({m.address, m.size, m.writable, *content, {}});
    if (signal_slots.holds(m.address) || ipc_signal_slots.holds(m.address) || queue_slots.holds(m.address))
      kept.allocations.push_back({{m.address, m.size, "signals and queues"}, true});
  }
  auto bytes = writer_->pack().put(object.bytes());
  if (!bytes)
    return bytes.takeError();
  kept.code.bytes = *bytes;
  return writer_->write(kept);
}

llvm::Error Capturing::keep_after(capture::Dispatch& kept) {
  std::vector<capture::Mapped> mapped;
  capture::LiveMemory::list(mapped);
  const capture::LiveMemory live;
  for (capture::Range& range : kept.memory) {
    const auto now = std::ranges::lower_bound(mapped, range.address, {}, &capture::Mapped::address);
    // Another thread may have unmapped it since.
    if (!range.writable || now == mapped.end() || now->address != range.address || now->size != range.size)
      continue;
    auto content = writer_->pack().put(capture::LiveMemory::Range(live, *now), range.size);
    if (!content)
      return content.takeError();
    range.after = *content;
  }
  kept.outcome->memory = true;
  return writer_->write(kept);
}

void Capturing::skip(const capture::Dispatch& kept, llvm::Error why) {
  writer_->drop();
  ++skipped_;
  const std::string text = llvm::toString(std::move(why));
  say_once("capture " + text, fmt::format("--capture: dispatch {} of kernel '{}' is not captured: {}{}", kept.number,
                                          findings::readable_name(kept.kernel), text,
                                          text.ends_with("its limit") ? " (--capture-limit)" : ""));
}

Capturing::Dispatch::Dispatch(Capturing& capturing, const LoadedCode& code, const codeobject::Kernel& kernel,
                              const engine::AqlPacket& packet, const engine::Options& options)
    : capturing_(capturing), alone_(capturing.running_, std::defer_lock) {
  while (!alone_.try_lock_for(std::chrono::milliseconds(10)))
    if (*options.cancel)
      return;
  const Settings::Capture& wanted = capturing.settings_;
  const std::lock_guard lock(capturing.mutex_);
  kept_.number = capturing.seen_++;
  kept_.launch = capturing.launches_[kernel.name]++;
  capturing.kernargs_.insert(packet.kernarg_address);
  if (!wanted.chosen.wants_kernel(kernel.name) || !wanted.chosen.launches.contains(kept_.launch) || !capturing.open())
    return;
  kept_.kernel = kernel.name;
  kept_.target = isa::info(code.image.target).name, kept_.card = code.agent->card->name;
  kept_.crosslane = capture::producer(), kept_.command = profile::command_line();
  kept_.packet = packet;
  kept_.packet_address = options.packet_address, kept_.queue_address = options.queue_address;
  kept_.dispatch_id = options.dispatch_id;
  kept_.code = {code.object->name(), {}, code.base, code.size};
  kept_.units = options.units, kept_.lds_faults = options.lds_faults, kept_.poison = options.poison;
  if (const auto gds = options.gds->content()) {
    capture::SharedState& shared = kept_.shared.emplace();
    for (uint32_t i = 0; i < std::size(gds->resources); ++i)
      if (const auto& r = gds->resources[i]; r.counter || r.generation || r.head || r.tail)
        shared.resources.push_back(resource(i, r));
    for (const machine::Turn& turn : gds->turns)
      shared.turns.emplace_back(turn.group, turn.wave);
    auto data = capturing.writer_->pack().put({gds->memory, machine::gds_bytes});
    if (!data) {
      capturing.skip(kept_, data.takeError());
      return;
    }
    shared.data = *data;
  }
  if (auto error = capturing.keep_before(kept_, *code.object)) {
    capturing.skip(kept_, std::move(error));
    return;
  }
  is_kept_ = true;
  ++capturing.kept_;
}

void Capturing::Dispatch::end(const engine::Outcome& outcome) {
  const std::unique_lock others = std::move(alone_);
  if (!is_kept_)
    return;
  const std::lock_guard lock(capturing_.mutex_);
  capture::Outcome& kept = kept_.outcome.emplace();
  kept.fault = outcome.fault;
  kept.instructions = outcome.stats.instructions;
  kept.waves = outcome.stats.waves, kept.workgroups = outcome.stats.workgroups;
  // What other workgroups had done when one of them faulted is chance.
  auto error = outcome.fault ? capturing_.writer_->write(kept_) : capturing_.keep_after(kept_);
  if (!error)
    return;
  capturing_.writer_->drop();
  for (capture::Range& range : kept_.memory)
    range.after.reset();
  kept.memory = false;
  say_once("capture after",
           fmt::format("--capture: of dispatch {} of kernel '{}' only what was before it is kept: {}", kept_.number,
                       findings::readable_name(kept_.kernel), llvm::toString(std::move(error))));
  if (auto again = capturing_.writer_->write(kept_)) // at least how it ended
    llvm::consumeError(std::move(again));
}

void Capturing::tell() {
  const std::lock_guard lock(mutex_);
  if (runtime_.settings.quiet || failed_ || seen_ == told_)
    return;
  told_ = seen_;
  if (!writer_)
    return say("--capture: no dispatch was chosen");
  say(fmt::format("captured {} dispatch{} of {} in '{}': {}{}", kept_, kept_ == 1 ? "" : "es", seen_, writer_->folder(),
                  size_text(writer_->bytes()),
                  skipped_ ? fmt::format("; {} could not be captured", skipped_) : std::string()));
}

} // namespace crosslane::hsa
