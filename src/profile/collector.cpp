// One Entry for each kernel; a dispatch of it gets a listener of its own, which passes events on to the entry's views.
#include "profile/collector.h"
#include "profile/kernel.h"
#include "profile/probes.h"
#include "profile/sample.h"
#include "profile/trace_search.h"
#include "report/view.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

namespace crosslane::profile {

namespace {

// All that is known of one kernel.
struct Entry {
  LoadedKernel loaded;
  uint64_t seen = 0; // launches, wanted or not
  uint64_t running = 0;
  findings::KernelProfile sums; // launches, shapes and sums of those that ended
  SampleSums sampled;
  // One of each view, in the order of their rows; or `probes`, and those that it tells.
  std::vector<std::unique_ptr<report::Hearing>> hearings;
  ProbeHearing* probes = nullptr; // one of them
};

// Passes events of chosen workgroups on to views, and all events to the recorder of the traced wave.
class Running final : public Dispatch, public events::Listener {
public:
  Running(Entry& entry, const SampleRate& rate, uint64_t launch, uint64_t groups)
      : entry(entry), choice_(rate, launch, groups), views_(!entry.hearings.empty()) {
    for (const auto& hearing : entry.hearings)
      add(hearing->listener());
    if (!rate.all())
      add(costs.emplace());
  }
  void set_recorder(views::WaveRecorder& recorder) { recorder_ = &recorder; }
  bool records() const { return recorder_ != nullptr; }

  events::Listener& listener() override { return *this; }
  bool wants_branches() const override { return !branches_.empty(); }
  bool wants_issued() const override { return !issued_.empty(); }
  bool wants_accesses() const override { return !accesses_.empty() || recorder_; }
  bool wants_space(events::Space space) const override {
    return recorder_ || std::ranges::any_of(accesses_, [&](const auto* view) { return view->wants_space(space); });
  }
  bool wants_steps() const override { return !steps_.empty() || recorder_; }
  bool wants_waves() const override { return !waves_.empty(); }
  bool wants_barriers() const override { return !barriers_.empty(); }
  bool wants_waits() const override { return !waits_.empty(); }
  bool takes_counts() const override {
    return views_ && !recorder_ && !costs &&
           std::ranges::all_of(entry.hearings, [](const auto& h) { return h->listener().takes_counts(); });
  }
  bool wants_workgroup(const machine::Workgroup& group) const override {
    return for_views(group) || (recorder_ && recorder_->wants_workgroup(group));
  }
  void branch(const events::Branch& event) override {
    tell<&Listener::branch>(branches_, *event.wave->workgroup, event);
  }
  void issued(const events::Issued& event) override { tell<&Listener::issued>(issued_, *event.wave->workgroup, event); }
  void counted(const events::Counted& event) override {
    for (events::Listener* listener : issued_)
      listener->counted(event);
  }
  void branch_counted(const events::BranchCounted& event) override {
    for (events::Listener* listener : branches_)
      listener->branch_counted(event);
  }
  void access(const events::Access& event) override {
    tell<&Listener::access>(accesses_, *event.wave->workgroup, event);
    if (recorder_ && recorder_->wants_workgroup(*event.wave->workgroup))
      recorder_->access(event);
  }
  void step(const events::Step& event) override {
    tell<&Listener::step>(steps_, *event.wave->workgroup, event);
    if (recorder_ && recorder_->wants_workgroup(*event.wave->workgroup))
      recorder_->step(event);
  }
  void began(const events::Began& event) override { tell<&Listener::began>(waves_, *event.group, event); }
  void wave_ended(const events::WaveEnded& event) override {
    tell<&Listener::wave_ended>(waves_, *event.wave->workgroup, event);
  }
  void group_ended(const events::GroupEnded& event) override {
    tell<&Listener::group_ended>(waves_, *event.group, event);
  }
  void arrived(const events::Arrived& event) override {
    tell<&Listener::arrived>(barriers_, *event.wave->workgroup, event);
  }
  void released(const events::Released& event) override { tell<&Listener::released>(barriers_, *event.group, event); }
  void wait(const events::Wait& event) override { tell<&Listener::wait>(waits_, *event.wave->workgroup, event); }

  Entry& entry;
  std::optional<WorkgroupCosts> costs; // of a sample

private:
  using Listeners = std::vector<events::Listener*>;
  // The traced wave's workgroup may be none of the chosen ones, and other listeners may want all.
  bool for_views(const machine::Workgroup& group) const { return views_ && choice_.chosen(group.number); }
  template <auto Hears, class Event>
  void tell(const Listeners& to, const machine::Workgroup& of, const Event& event) const {
    if (for_views(of))
      for (events::Listener* listener : to)
        (listener->*Hears)(event);
  }
  void add(events::Listener& view) {
    const struct {
      bool wanted;
      Listeners& of;
    } kinds[] = {{view.wants_branches(), branches_}, {view.wants_issued(), issued_}, {view.wants_accesses(), accesses_},
                 {view.wants_steps(), steps_},       {view.wants_waves(), waves_},   {view.wants_barriers(), barriers_},
                 {view.wants_waits(), waits_}};
    for (const auto& kind : kinds)
      if (kind.wanted)
        kind.of.push_back(&view);
  }
  const Choice choice_;
  views::WaveRecorder* recorder_ = nullptr;
  const bool views_;
  Listeners branches_, issued_, accesses_, steps_, waves_, barriers_, waits_;
};

// What listens to a kernel for the views that were asked for. Executions are counted in any case.
std::vector<std::unique_ptr<report::Hearing>> hear(const findings::Views& wanted, const report::ViewOptions& options) {
  std::vector<std::unique_ptr<report::Hearing>> hearings;
  bool counted = false;
  for (const report::View& view : report::all_views())
    if (wanted.*view.on) {
      hearings.push_back(view.parts.hear(options));
      counted |= view.parts.counts_executions;
    }
  if (!hearings.empty() && !counted)
    hearings.push_back(report::count_executions());
  return hearings;
}

// What becomes of accesses that kernels have traced themselves.
std::vector<std::unique_ptr<report::Hearing>> hear_accesses(const report::ViewOptions& options) {
  std::vector<std::unique_ptr<report::Hearing>> hearings;
  for (const report::View& view : report::all_views())
    if (view.on == &findings::Views::memory || view.on == &findings::Views::lds)
      hearings.push_back(view.parts.hear(options));
  return hearings;
}

} // namespace

std::array<uint32_t, 3> workgroups_of(const engine::AqlPacket& packet) {
  std::array<uint32_t, 3> groups = {};
  for (size_t d = 0; d < 3; ++d)
    if (const uint32_t size = packet.workgroup_size[d])
      groups[d] = static_cast<uint32_t>((uint64_t(packet.grid_size[d]) + size - 1) / size);
  return groups;
}

rewrite::Grid grid_of(const engine::AqlPacket& packet) {
  rewrite::Grid grid;
  std::copy_n(packet.grid_size, 3, grid.items);
  std::copy_n(packet.workgroup_size, 3, grid.workgroup);
  return grid;
}

uint64_t workgroup_count(const engine::AqlPacket& packet) {
  const auto groups = workgroups_of(packet);
  uint64_t count = uint64_t(groups[0]) * groups[1];
  return __builtin_mul_overflow(count, groups[2], &count) ? UINT64_MAX : count; // which the engine refuses
}

struct Collector::Impl {
  const Options options;
  const std::string command, folder;
  SourceTexts texts;
  mutable std::mutex mutex; // guards what follows
  mutable std::condition_variable ended;
  std::vector<std::unique_ptr<Entry>> entries; // in the order of their first launch
  std::map<std::pair<const views::Image*, const codeobject::Kernel*>, Entry*> by_kernel;
  std::map<std::string, bool, std::less<>> wanted; // by the kernel's symbol
  TraceSearch search;
  std::unique_ptr<views::WaveRecorder> recorder; // of a launch that has the wave
  Entry* recorded = nullptr;
  uint64_t recorded_launch = 0;
  double cpu_seconds = 0, hook_seconds = 0; // of profiled launches
  std::string interrupted;
  std::optional<findings::Overhead> overhead;
  findings::FindBuffer find_buffer; // may be empty
  mutable std::vector<findings::Buffer> buffers;
  uint64_t changes = 0;
  mutable uint64_t changes_told = 0;

  Entry& entry(const LoadedKernel&);
  findings::KernelProfile kernel(const Entry&, bool heard, Sources&) const;
};

Entry& Collector::Impl::entry(const LoadedKernel& loaded) {
  Entry*& found = by_kernel[{loaded.image, loaded.kernel}];
  if (found)
    return *found;
  found = entries.emplace_back(std::make_unique<Entry>()).get();
  found->loaded = loaded;
  findings::KernelProfile& sums = found->sums;
  if (options.probes) {
    auto probes = std::make_unique<ProbeHearing>(loaded.plan, *loaded.image, options.per_wave);
    found->probes = probes.get();
    found->hearings.push_back(std::move(probes));
    if (options.probes->memory)
      for (auto& hearing : hear_accesses({.per_wave = options.per_wave})) {
        found->probes->pass_accesses_to(hearing->listener());
        found->hearings.push_back(std::move(hearing));
      }
    sums.not_measured = loaded.no_probes;
    sums.calls_unprobed = loaded.plan ? loaded.plan->calls_to_old : 0;
  } else {
    found->hearings = hear(options.views, {.per_wave = options.per_wave});
  }
  sums.name = loaded.kernel->name;
  sums.target = isa::info(loaded.image->target).name;
  sums.card = loaded.card;
  sums.vgprs = loaded.kernel->allocated_vgpr_count;
  sums.agprs = loaded.kernel->agpr_count;
  sums.sgprs = loaded.kernel->allocated_sgpr_count;
  return *found;
}

Collector::Collector(const Options& options, std::string command, std::string folder)
    : impl_(new Impl{.options = options,
                     .command = std::move(command),
                     .folder = std::move(folder),
                     .search = TraceSearch(options.trace)}) {}
Collector::~Collector() = default;

std::unique_ptr<Dispatch> Collector::begin(const LoadedKernel& loaded, const engine::AqlPacket& packet) {
  const std::lock_guard lock(impl_->mutex);
  const auto [wanted, unknown] = impl_->wanted.try_emplace(loaded.kernel->name, false);
  if (unknown)
    wanted->second = impl_->options.wants_kernel(loaded.kernel->name);
  if (!wanted->second)
    return nullptr;
  Entry& entry = impl_->entry(loaded);
  const uint64_t launch = entry.seen++;
  if (!impl_->options.launches.contains(launch))
    return nullptr;
  ++entry.running;
  auto running = std::make_unique<Running>(entry, impl_->options.sample, launch, workgroup_count(packet));
  if (const TracedWave* trace = impl_->search.take(packet)) {
    impl_->recorder = std::make_unique<views::WaveRecorder>(trace->workgroup_in(workgroups_of(packet)), trace->wave);
    impl_->recorded = &entry, impl_->recorded_launch = launch;
    running->set_recorder(*impl_->recorder);
  }
  return running;
}

void Collector::end(std::unique_ptr<Dispatch> dispatch, const engine::AqlPacket& packet, const engine::Stats& stats,
                    std::span<const uint8_t> records) {
  auto& running = static_cast<Running&>(*dispatch);
  const std::lock_guard lock(impl_->mutex);
  Entry& entry = running.entry;
  findings::KernelProfile& sums = entry.sums;
  uint32_t block[3];
  std::copy_n(packet.workgroup_size, 3, block);
  sums.varied |= sums.launches &&
                 (!std::equal(block, block + 3, sums.block) || !std::equal(sums.grid, sums.grid + 3, packet.grid_size));
  std::copy_n(block, 3, sums.block);
  std::copy_n(packet.grid_size, 3, sums.grid);
  ++sums.launches;
  sums.workgroups += stats.workgroups;
  sums.waves += stats.waves;
  sums.wave_instructions += stats.instructions;
  sums.seconds += stats.seconds;
  impl_->cpu_seconds += stats.cpu_seconds, impl_->hook_seconds += stats.hook_seconds;
  sums.lds_bytes = std::max({sums.lds_bytes, packet.group_segment_size, entry.loaded.kernel->group_segment_fixed_size});
  sums.scratch_bytes =
      std::max({sums.scratch_bytes, packet.private_segment_size, entry.loaded.kernel->private_segment_fixed_size});
  if (running.costs) {
    SampleSums sampled = running.costs->sums();
    sampled.of = stats.workgroups;
    entry.sampled += sampled;
  }
  if (running.records() && !impl_->recorder->trace().found) {
    impl_->recorder.reset(), impl_->recorded = nullptr;
    impl_->search.missed();
  }
  if (entry.probes)
    entry.probes->add(grid_of(packet), records);
  --entry.running;
  // Now, since the program may free them. Later launches seldom have a worse request in other memory.
  if (impl_->find_buffer && sums.launches == 1 && !entry.running)
    for (const auto& hearing : entry.hearings)
      hearing->add_reached(impl_->buffers, impl_->find_buffer);
  if (impl_->find_buffer && running.records() && impl_->recorder)
    findings::add_reached(impl_->buffers, impl_->recorder->trace(), impl_->find_buffer);
  ++impl_->changes;
  impl_->ended.notify_all();
}

void Collector::interrupt(const std::string& why) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->interrupted.empty())
    impl_->interrupted = why;
}

void Collector::set_source_texts(SourceTexts texts) { impl_->texts = std::move(texts); }

void Collector::set_buffers(findings::FindBuffer find) {
  const std::lock_guard lock(impl_->mutex);
  impl_->find_buffer = std::move(find);
}

void Collector::set_overhead(const findings::Overhead& overhead) {
  const std::lock_guard lock(impl_->mutex);
  impl_->overhead = overhead;
}

bool Collector::changed() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->changes != impl_->changes_told;
}

// `heard`: with what the views heard, which must not be read while a launch goes on.
findings::KernelProfile Collector::Impl::kernel(const Entry& entry, bool heard, Sources& sources) const {
  findings::KernelProfile kernel = entry.sums;
  if (!options.sample.all()) {
    findings::Sampled& sampled = kernel.sampled.emplace();
    sampled.workgroups = entry.sampled.workgroups, sampled.of = entry.sampled.of;
    sampled.error = entry.sampled.error();
  }
  kernel.occupancy = timing::occupancy({.target = entry.loaded.image->target,
                                        .vgprs = kernel.vgprs,
                                        .agprs = kernel.agprs,
                                        .sgprs = kernel.sgprs,
                                        .lds_bytes = kernel.lds_bytes,
                                        .workgroup_items = kernel.block[0] * kernel.block[1] * kernel.block[2]});
  const std::span<const std::unique_ptr<report::Hearing>> hearings = entry.hearings;
  fill_in_instructions(kernel, *entry.loaded.image, *entry.loaded.kernel, heard ? hearings : hearings.first(0),
                       sources);
  // The engine counts the instructions of waves that have ended; a launch that was cut short has others.
  uint64_t executed = 0;
  for (const auto& instruction : kernel.instructions)
    executed += instruction.executions;
  if (entry.probes && executed && kernel.waves_recorded == kernel.waves)
    kernel.wave_instructions = executed; // without those of probes
  else if (options.sample.all() && options.views.any() && !entry.probes)
    kernel.wave_instructions = std::max(kernel.wave_instructions, executed);
  return kernel;
}

findings::Profile Collector::profile() const {
  std::unique_lock lock(impl_->mutex);
  impl_->ended.wait_for(lock, std::chrono::seconds(1), [&] {
    return std::ranges::all_of(impl_->entries, [](const auto& entry) { return entry->running == 0; });
  });
  impl_->changes_told = impl_->changes;
  findings::Profile profile;
  profile.producer = "crosslane " CROSSLANE_VERSION;
  profile.command = impl_->command;
  profile.views = impl_->options.views;
  profile.by_probes = impl_->options.probes.has_value();
  profile.interrupted = impl_->interrupted;
  profile.selection = impl_->options.selection();
  profile.overhead = impl_->overhead;
  if (impl_->cpu_seconds > 0)
    profile.overhead_estimate = {impl_->cpu_seconds, std::min(impl_->hook_seconds, 0.99 * impl_->cpu_seconds)};
  Sources sources(impl_->folder, impl_->texts);
  // A wave that was recorded is there in any case, and so its kernel, if without counts.
  const views::WaveTrace wave = impl_->recorder ? impl_->recorder->trace() : views::WaveTrace();
  std::optional<size_t> without_counts;
  for (const auto& entry : impl_->entries) {
    const bool traced = wave.found && impl_->recorded == entry.get();
    if (entry->running && profile.interrupted.empty())
      profile.interrupted = "kernel '" + codeobject::demangle(entry->sums.name) + "' was still running";
    if ((entry->running || !entry->sums.launches) && !traced)
      continue;
    if (traced) {
      profile.trace = make_trace(wave, *entry->loaded.image, sources);
      profile.trace->kernel = static_cast<int>(profile.kernels.size());
      profile.trace->launch = impl_->recorded_launch;
      if (entry->running)
        without_counts = profile.kernels.size();
    }
    profile.kernels.push_back(impl_->kernel(*entry, !entry->running, sources));
    profile.seconds += entry->sums.seconds;
  }
  if (!wave.found)
    profile.untraced = impl_->search.why_none();
  profile.damaged = sources.problems();
  profile.sources = sources.take();
  if (impl_->find_buffer)
    for (const auto& kernel : profile.kernels)
      for (const auto& instruction : kernel.instructions)
        findings::add_reached(impl_->buffers, instruction.memory, impl_->find_buffer);
  profile.buffers = impl_->buffers;
  for (size_t i = 0; i < profile.kernels.size(); ++i)
    findings::derive(profile.kernels[i], profile.sources, i == without_counts ? findings::Views() : profile.views,
                     profile.buffers);
  return profile;
}

} // namespace crosslane::profile
