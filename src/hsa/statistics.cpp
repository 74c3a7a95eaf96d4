// Counts per kernel while the process runs, and the report at its end.
#include "hsa/statistics.h"
#include "check/checks.h"
#include "check/copies.h"
#include "check/late.h"
#include "check/leaks.h"
#include "check/runtime_kernels.h"
#include "events/memory.h"
#include "files/claim.h"
#include "files/write.h"
#include "findings/names.h"
#include "hsa/info/agent.h"
#include "hsa/memory/copy.h"
#include "hsa/memory/memory.h"
#include "hsa/modelled.h"
#include "hsa/queue/operations.h"
#include "hsa/queue/queue.h"
#include "hsa/timed_files.h"
#include "jit/jit.h"
#include "lint/format/format.h"
#include "profile/output.h"
#include "profile/process.h"
#include "profile/progress.h"
#include "report/kernels.h"
#include "report/summary.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

// What is kept of a kernel; the code stays loaded, as its addresses are what it is known by.
struct Entry {
  std::shared_ptr<LoadedCode> code;
  report::KernelStats stats;
};

// As a profile knows it: without probes.
profile::LoadedKernel loaded_kernel(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel) {
  const std::string card(code->agent->card->name);
  if (!code->probed)
    return {.code = code, .image = &code->image, .kernel = &kernel, .card = card};
  return {.code = code,
          .image = &code->original,
          .kernel = code->probed->original->find_kernel(kernel.symbol),
          .card = card,
          .plan = code->probed->find(kernel.name),
          .no_probes = code->probed->why_not(kernel.name)};
}

void write_to_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

} // namespace

struct Statistics::Impl {
  const Settings settings;
  const Heap& heap;
  std::mutex printing;                         // one report at a time
  std::mutex mutex;                            // guards what follows
  std::vector<std::unique_ptr<Entry>> entries; // in the order of their first launch
  std::map<std::pair<const LoadedCode*, const codeobject::Kernel*>, Entry*> by_kernel;
  uint64_t launches = 0, launches_printed = UINT64_MAX;
  std::unique_ptr<profile::Collector> collector; // if there is a profile
  std::unique_ptr<profile::Output> output;
  std::unique_ptr<profile::Progress> progress; // if there is a terminal
  check::Late late{};                          // if the settings say so
  Modelled modelled;
  TimedFiles timed_files{settings.time_files};
  // Likewise, of each code object. The code stays, as in `entries`.
  struct Checked {
    std::shared_ptr<LoadedCode> code;
    lint::Subject subject;
    check::Checks checks;
    Checked(const check::Wanted& wanted, std::shared_ptr<LoadedCode> c, const check::Allocations& allocations)
        : code(std::move(c)), subject(lint::make_subject(*code->image.object, code->image.target,
                                                         reinterpret_cast<const uint8_t*>(code->image.base))),
          checks(wanted, subject, &allocations) {}
  };
  std::vector<std::unique_ptr<Checked>> checked;
  std::map<std::string, uint64_t> launches_seen; // of each kernel, if something is checked
  bool any_checked = false;
  check::Allocations allocations{/*traced=*/true};
  check::Copies copies{allocations};
  check::Leaks leaks{};
  std::optional<events::MemoryEvents> memory_events;   // if they are asked for
  std::shared_ptr<check::UndefinedMemory> undefined{}; // null: nobody asks for it
  std::optional<events::MemoryEvents> undefined_events;
  std::shared_ptr<check::Between> between{}; // null: races are not checked
  std::optional<events::MemoryEvents> between_events;
  std::string findings_file; // that this process has; empty: none yet
  int exit_status = 0;       // that the process is to have for what was found; 0: its own

  Entry& entry(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel);
  void add(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel, const engine::AqlPacket& packet,
           const engine::Stats& stats);
  check::Checks& checks_of(const std::shared_ptr<LoadedCode>&);
  // Another launch of it: its number, if it is to be checked.
  std::optional<uint64_t> launch_to_be_checked(const codeobject::Kernel&);
  lint::Judged host_findings(bool ended) const;
  check::Telling::Told findings(bool ended) const;
  void tell(const check::Telling::Told&);
  std::string text(const findings::Profile&) const;
  void append(const std::string& text) const;
  void write_files(const findings::Profile&, const std::string& more);
};

Entry& Statistics::Impl::entry(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel) {
  Entry*& found = by_kernel[{code.get(), &kernel}];
  if (!found) {
    auto& added = *entries.emplace_back(std::make_unique<Entry>());
    added.code = code;
    added.stats.name = kernel.name;
    added.stats.target = isa::info(code->image.target).name;
    added.stats.card = code->agent->card->name;
    added.stats.vgprs = kernel.allocated_vgpr_count;
    added.stats.agprs = kernel.agpr_count;
    added.stats.sgprs = kernel.allocated_sgpr_count;
    found = &added;
  }
  return *found;
}

void Statistics::Impl::add(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel,
                           const engine::AqlPacket& packet, const engine::Stats& stats) {
  const std::lock_guard lock(mutex);
  ++launches;
  report::KernelStats& sum = entry(code, kernel).stats;
  uint32_t block[3];
  std::copy_n(packet.workgroup_size, 3, block);
  sum.varied |= sum.launches &&
                (!std::equal(block, block + 3, sum.block) || !std::equal(sum.grid, sum.grid + 3, packet.grid_size));
  std::copy_n(block, 3, sum.block);
  std::copy_n(packet.grid_size, 3, sum.grid);
  ++sum.launches;
  sum.instructions += stats.instructions;
  sum.waves += stats.waves;
  sum.workgroups += stats.workgroups;
  sum.seconds += stats.seconds;
  sum.lds_bytes = std::max(sum.lds_bytes, packet.group_segment_size);
  sum.scratch_bytes = std::max(sum.scratch_bytes, packet.private_segment_size);
}

Statistics::Statistics(const Settings& settings, Heap& heap) : impl_(new Impl{.settings = settings, .heap = heap}) {
  if (!wanted())
    return;
  if (settings.profile.any()) {
    impl_->collector =
        std::make_unique<profile::Collector>(settings.profile, profile::command_line(), profile::current_folder());
    impl_->collector->set_buffers([&memory = heap.memory()](uint64_t address) -> std::optional<findings::Buffer> {
      const auto found = memory.nearest(address);
      if (!found || address - found->address >= found->size)
        return {};
      return findings::Buffer{found->name, found->address, found->size, "", 1};
    });
    impl_->output = std::make_unique<profile::Output>(settings.profile, /*shared=*/true);
  }
  if (settings.checks.memory || settings.checks.race || settings.checks.leaks)
    impl_->memory_events.emplace(heap.memory(), impl_->allocations);
  if (settings.checks.init) {
    impl_->undefined = std::make_shared<check::UndefinedMemory>();
    impl_->undefined_events.emplace(heap.memory(), *impl_->undefined);
  }
  if (settings.checks.race) {
    impl_->between = std::make_shared<check::Between>(follow_operations());
    impl_->between_events.emplace(heap.memory(), *impl_->between);
  }
  if (settings.time)
    modelled_now = now();
  if (!settings.quiet && isatty(STDERR_FILENO))
    impl_->progress = std::make_unique<profile::Progress>(write_to_stderr);
}
Statistics::~Statistics() = default;

bool Statistics::wanted() const {
  return impl_->settings.stats || impl_->settings.checks.any() || impl_->settings.time || impl_->settings.profile.any();
}

Statistics::Launch::Launch(Statistics& statistics, const std::shared_ptr<LoadedCode>& code,
                           const codeobject::Kernel& kernel, const engine::AqlPacket& packet,
                           const ProbeRecords& records, const Queue& queue, engine::Options& options)
    : statistics_(statistics), code_(code), kernel_(kernel), records_(records), packet_(packet), queue_(queue) {
  Impl& impl = *statistics.impl_;
  if (impl.between) {
    operation_ = impl.between->order.dispatch(queue.doorbell, options.dispatch_id, has_barrier_bit(packet.header));
    impl.between->forget();
  }
  if (impl.collector)
    profiled_ = impl.collector->begin(loaded_kernel(code, kernel), packet);
  if (profiled_ && !impl.settings.profile.probes)
    listeners_.add(profiled_->listener());
  const std::optional<uint64_t> checked =
      impl.settings.checks.of_kernels() ? impl.launch_to_be_checked(kernel) : std::nullopt;
  if (checked) {
    checking_ = impl.checks_of(code).begin(
        {.kernel = kernel,
         .lds_bytes = std::max(packet.group_segment_size, kernel.group_segment_fixed_size),
         .scratch = packet.private_segment_size != 0 || kernel.descriptor.private_segment_fixed_size != 0,
         .memory = impl.undefined,
         .others = impl.between,
         .launch = *checked,
         .operation = operation_.value_or(check::Operation())});
    listeners_.add(*checking_); // before what changes registers
  } else if (impl.undefined) {
    impl.undefined->define_all(); // what it writes is not followed
  }
  if (impl.settings.late)
    listeners_.add(impl.late);
  if (impl.settings.time) {
    number_ = impl.timed_files.begin();
    timed_ = std::make_unique<model::Timed>(code->agent->chosen.machine(), code->image, kernel, packet,
                                            model::TimedOptions{.record = number_ != 0,
                                                                .nanoseconds = double(modelled_now),
                                                                .threads = impl.settings.threads,
                                                                .error = impl.settings.time_error});
    listeners_.add(timed_->listener());
    options.pace = timed_->pace();
  }
  if (!listeners_.empty())
    options.listener = listeners_.only() ? listeners_.only() : &listeners_;
  if (impl.progress)
    options.progress = progress_ = impl.progress->begin(kernel.name, profile::workgroup_count(packet));
}

void Statistics::Launch::end(const engine::Outcome& outcome) {
  Impl& impl = *statistics_.impl_;
  if (!statistics_.wanted())
    return;
  impl.add(code_, kernel_, packet_, outcome.stats);
  if (timed_) {
    const std::string card(code_->agent->card->name);
    if (const std::string trouble = timed_->finish(outcome.stats); !trouble.empty()) {
      impl.modelled.miss(kernel_.name, card, trouble);
    } else {
      const timing::replay::Figures figures = timed_->figures();
      modelled_now += uint64_t(figures.nanoseconds + 0.5);
      impl.modelled.add(kernel_.name, card, figures);
      if (timed_->course())
        impl.timed_files.write(*timed_->course(), {.agent = code_->agent->node - 1, .dispatch = number_});
    }
  }
  if (progress_) {
    impl.progress->end(std::exchange(progress_, nullptr));
    if (outcome.fault)
      impl.progress->erase(); // somebody will write about it
  }
  if (outcome.fault && outcome.fault->kind == machine::FaultKind::cancelled)
    statistics_.interrupt("the program ended while kernel '" + findings::readable_name(kernel_.name) + "' was running");
  if (profiled_)
    impl.collector->end(std::move(profiled_), packet_, outcome.stats, records_.bytes());
}

Statistics::Launch::~Launch() {
  checking_.reset();
  if (operation_)
    statistics_.impl_->between->order.ended(queue_.doorbell, *operation_);
  if (progress_)
    statistics_.impl_->progress->end(progress_);
  if (profiled_)
    statistics_.impl_->collector->end(std::move(profiled_), packet_, {});
}

void Statistics::interrupt(const std::string& why) {
  if (impl_->collector)
    impl_->collector->interrupt(why);
}

// Of the table of kernels and the profile's summary.
std::string Statistics::Impl::text(const findings::Profile& profile) const {
  std::vector<report::KernelStats> kernels;
  if (settings.stats)
    for (const auto& entry : entries)
      kernels.push_back(entry->stats);
  if (settings.output.ends_with(".json")) {
    std::string text = profile::kernels_json(kernels, profile);
    if (!settings.time)
      return text;
    auto document = nlohmann::ordered_json::parse(text);
    document["time"] = modelled.json();
    return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return (settings.time ? modelled.text() : "") +
         (settings.stats
              ? report::table(kernels) + jit::text(jit::stats()) + rewrite::text(rewrite::probe_cache().stats())
              : "") +
         (collector ? report::summary(profile, settings.profile.by) : "");
}

check::Checks& Statistics::Impl::checks_of(const std::shared_ptr<LoadedCode>& code) {
  const std::lock_guard lock(mutex);
  for (const auto& c : checked)
    if (c->code == code)
      return c->checks;
  return checked.emplace_back(std::make_unique<Checked>(settings.checks, code, allocations))->checks;
}

std::optional<uint64_t> Statistics::Impl::launch_to_be_checked(const codeobject::Kernel& kernel) {
  const std::lock_guard lock(mutex);
  const uint64_t launch = launches_seen[kernel.name]++;
  const bool chosen =
      settings.check_chosen.wants_kernel(kernel.name) && settings.check_chosen.launches.contains(launch);
  any_checked |= chosen;
  return chosen ? std::optional(launch) : std::nullopt;
}

// Of what the host's program did itself.
lint::Judged Statistics::Impl::host_findings(bool ended) const {
  lint::Judged judged{.file = "host", .target = "host", .findings = copies.findings()};
  if (!settings.checks.leaks || !ended)
    return judged;
  std::vector<check::Allocations::Named> left;
  for (check::Allocations::Named& a : allocations.live())
    if (const uint64_t bytes = heap.asked_for(a.begin)) {
      a.end = a.begin + bytes;
      left.push_back(std::move(a));
    }
  std::ranges::move(leaks.in(left), std::back_inserter(judged.findings));
  return judged;
}

check::Telling::Told Statistics::Impl::findings(bool ended) const {
  if (!settings.checks.any())
    return {};
  std::vector<lint::Judged> all;
  for (const auto& c : checked) {
    all.push_back(lint::place(c->subject, c->checks.report({}), {.file = c->code->image.object->name()}));
    check::name_runtime_kernels(all.back());
  }
  if (lint::Judged host = host_findings(ended); !host.findings.empty())
    all.push_back(std::move(host));
  auto told = settings.checked.tell(all);
  if (told && settings.checks.of_kernels() && !any_checked && !launches_seen.empty())
    told->notes.push_back("--check: no launch was chosen (--check-kernel, --check-launch)");
  if (told)
    return std::move(*told);
  check::Telling::Told nothing;
  nothing.notes.push_back(llvm::toString(told.takeError()));
  return nothing;
}

void Statistics::Impl::tell(const check::Telling::Told& told) {
  if (!settings.checks.any())
    return;
  write_to_stderr(told.text);
  for (const std::string& note : told.notes)
    say(note);
  if (told.findings)
    exit_status = settings.checked.status;
  if (settings.checked.file.empty())
    return;
  if (findings_file.empty()) {
    findings_file = settings.checked.file;
    std::string* const names[] = {&findings_file};
    files::claim(names);
  }
  if (auto error = files::write(findings_file, told.document)) {
    files::unclaim(findings_file);
    say(fmt::format("CROSSLANE_FINDINGS: {}", llvm::toString(std::move(error))));
  } else if (findings_file != settings.checked.file && !settings.quiet) {
    say(fmt::format("another process has written '{}'; this one's findings are '{}'", settings.checked.file,
                    findings_file));
  }
}

void Statistics::Impl::append(const std::string& text) const {
  const std::string& path = settings.output;
  if (path.empty())
    return write_to_stderr(text);
  // Programs start others, which have kernels of their own to tell of.
  if (auto error = files::append(path, text))
    say(fmt::format("CROSSLANE_OUTPUT: {}", llvm::toString(std::move(error))));
}

void Statistics::Impl::write_files(const findings::Profile& profile, const std::string& more) {
  if (auto error = output->write(profile, more))
    say(fmt::format("the profile: {}", llvm::toString(std::move(error))));
  else if (const std::string written = output->written(); !written.empty() && !settings.quiet)
    say(written);
  for (const auto& [file, wanted] :
       {std::pair(output->json(), settings.profile.json), std::pair(output->csv(), settings.profile.csv),
        std::pair(output->html(), settings.profile.html)})
    if (file != wanted && !settings.quiet)
      say(fmt::format("another process has written '{}'; this one's profile is '{}'", wanted, file));
}

void Statistics::initialised() {
  if (impl_->settings.checks.leaks)
    impl_->leaks.initialised(check::host_stack());
}

void Statistics::allocated(check::Extent e) {
  if (impl_->undefined)
    impl_->undefined->add(e.begin, e.end);
}

void Statistics::written(check::Extent e) {
  if (impl_->undefined)
    impl_->undefined->define(e.begin, e.end);
}

void Statistics::moved(const Box& box) {
  if (!impl_->undefined) [[likely]]
    return;
  for (uint64_t z = 0; z < box.slices; ++z)
    for (uint64_t y = 0; y < box.rows; ++y)
      impl_->undefined->copied(reinterpret_cast<uint64_t>(box.to) + z * box.to_steps.slice + y * box.to_steps.row,
                               reinterpret_cast<uint64_t>(box.from) + z * box.from_steps.slice + y * box.from_steps.row,
                               box.bytes);
}

Statistics::Copying Statistics::copy(check::Extent to, check::Extent from, const char* asked,
                                     std::span<Signal* const> dependencies, const Signal* completion) {
  written(to);
  if (impl_->settings.checks.memory) {
    impl_->copies.judge(check::Copies::Side::reads, from, asked);
    impl_->copies.judge(check::Copies::Side::writes, to, asked);
  }
  if (!impl_->between)
    return {};
  return std::make_shared<const check::AskedCopy>(
      check::AskedCopy{.to = to,
                       .from = from,
                       .asked = check::asked_by(check::host_stack(), asked),
                       .signals = {dependencies.begin(), dependencies.end()},
                       .completion = completion,
                       .ticket = impl_->between->order.ask_copy()});
}

void Statistics::copied(const Copying& copy) {
  if (copy)
    impl_->between->copied(*copy);
}

void Statistics::print(bool ended) {
  if (!wanted())
    return;
  const std::lock_guard one(impl_->printing);
  std::unique_lock lock(impl_->mutex);
  if (impl_->launches_printed == impl_->launches)
    return;
  lock.unlock(); // kernels that are about to end are waited for, and add themselves
  if (impl_->progress)
    impl_->progress->erase();
  const findings::Profile profile = impl_->collector ? impl_->collector->profile() : findings::Profile();
  lock.lock();
  impl_->launches_printed = impl_->launches;
  const std::string text = impl_->text(profile);
  const check::Telling::Told findings = impl_->findings(ended);
  lock.unlock();
  if (!text.empty() || impl_->settings.stats || impl_->settings.time || impl_->settings.profile.any())
    impl_->append(text);
  impl_->tell(findings);
  impl_->timed_files.write(impl_->modelled.times());
  if (impl_->output)
    impl_->write_files(profile, findings.page.empty() ? "" : "\"check\":" + findings.page);
}

int Statistics::exit_status() const { return impl_->exit_status; }

} // namespace crosslane::hsa
