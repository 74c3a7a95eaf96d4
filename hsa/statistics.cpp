#include "hsa/statistics.h"
#include "hsa/agent.h"
#include "report/branches.h"
#include "report/kernels.h"
#include "report/names.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <mutex>

namespace crosslane::hsa {

namespace {

// What is kept of a kernel; the code stays loaded for the names and source lines of its branches.
struct Entry {
  std::shared_ptr<LoadedCode> code;
  report::KernelStats stats;
  std::unique_ptr<views::Branches> branches;
};

} // namespace

struct Statistics::Impl {
  const Settings settings;
  std::mutex mutex;
  std::vector<std::unique_ptr<Entry>> entries; // in the order of their first launch
  std::map<const codeobject::Kernel*, Entry*> by_kernel;
  uint64_t launches = 0, launches_printed = UINT64_MAX;

  Entry& entry(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel);
  std::string text() const;
};

Entry& Statistics::Impl::entry(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel) {
  Entry*& found = by_kernel[&kernel];
  if (!found) {
    auto& added = *entries.emplace_back(std::make_unique<Entry>());
    added.code = code;
    added.stats.name = kernel.name;
    added.stats.target = isa::info(code->image.target).name;
    added.stats.card = code->agent->card->name;
    added.stats.vgprs = kernel.allocated_vgpr_count;
    added.stats.agprs = kernel.agpr_count;
    added.stats.sgprs = kernel.allocated_sgpr_count;
    if (settings.profile_branches)
      added.branches = std::make_unique<views::Branches>();
    found = &added;
  }
  return *found;
}

Statistics::Statistics(const Settings& settings) : impl_(new Impl{.settings = settings}) {}
Statistics::~Statistics() = default;

bool Statistics::wanted() const { return impl_->settings.stats || impl_->settings.profile_branches; }

events::Listener* Statistics::listener(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel) {
  if (!impl_->settings.profile_branches)
    return nullptr;
  const std::lock_guard lock(impl_->mutex);
  return impl_->entry(code, kernel).branches.get();
}

void Statistics::add(const std::shared_ptr<LoadedCode>& code, const codeobject::Kernel& kernel,
                     const engine::AqlPacket& packet, const engine::Stats& stats) {
  const std::lock_guard lock(impl_->mutex);
  report::KernelStats& sum = impl_->entry(code, kernel).stats;
  uint32_t block[3];
  std::copy_n(packet.workgroup_size, 3, block);
  sum.varied |= sum.launches && (!std::equal(block, block + 3, sum.block) || !std::equal(sum.grid, sum.grid + 3, packet.grid_size));
  std::copy_n(block, 3, sum.block);
  std::copy_n(packet.grid_size, 3, sum.grid);
  ++sum.launches;
  ++impl_->launches;
  sum.instructions += stats.instructions;
  sum.waves += stats.waves;
  sum.workgroups += stats.workgroups;
  sum.seconds += stats.seconds;
  sum.lds_bytes = std::max(sum.lds_bytes, packet.group_segment_size);
  sum.scratch_bytes = std::max(sum.scratch_bytes, packet.private_segment_size);
}

std::string Statistics::Impl::text() const {
  std::vector<report::KernelStats> kernels;
  std::vector<std::vector<views::BranchSite>> sites;
  std::vector<report::BranchReport> profiles;
  for (const auto& entry : entries) {
    if (settings.stats)
      kernels.push_back(entry->stats);
    if (settings.profile_branches) {
      sites.push_back(entry->branches->sites()); // the reports point to what these own, which stays
      views::locate(sites.back(), entry->code->image);
      profiles.push_back({entry->stats.name, entry->stats.target, sites.back(), {}});
    }
  }
  if (settings.output.ends_with(".json"))
    return report::json(kernels, profiles);
  std::string text = settings.stats ? report::table(kernels) : "";
  for (auto& profile : profiles) {
    profile.kernel = report::readable_name(profile.kernel);
    text += report::table(profile);
  }
  return text;
}

void Statistics::print() {
  if (!wanted())
    return;
  const std::lock_guard lock(impl_->mutex);
  if (std::exchange(impl_->launches_printed, impl_->launches) == impl_->launches)
    return;
  const std::string text = impl_->text();
  const std::string& path = impl_->settings.output;
  // Programs start others, which have kernels of their own to tell of.
  std::FILE* file = path.empty() ? stderr : std::fopen(path.c_str(), "a");
  if (!file)
    return say(fmt::format("CROSSLANE_OUTPUT: cannot write '{}': {}", path, std::strerror(errno)));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if ((path.empty() ? std::fflush(file) : std::fclose(file)) != 0 || !written)
    say(fmt::format("CROSSLANE_OUTPUT: cannot write '{}': {}", path, std::strerror(errno)));
}

} // namespace crosslane::hsa
