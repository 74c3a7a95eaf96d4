// Names, and the writers of report/.
#include "profile/output.h"
#include "files/claim.h"
#include "files/write.h"
#include "findings/branches.h"
#include "report/counter_csv.h"
#include "report/html.h"
#include "report/json.h"
#include <fmt/format.h>
#include <utility>

namespace crosslane::profile {

namespace {

std::vector<views::BranchSite> branches_of(const findings::KernelProfile& kernel, const findings::Profile& profile) {
  std::vector<views::BranchSite> sites;
  for (const auto& instruction : kernel.instructions) {
    if (!instruction.branch)
      continue;
    views::BranchSite& site = sites.emplace_back(*instruction.branch);
    site.instruction = instruction.text;
    if (const auto& place = instruction.source; place.known()) {
      site.source = fmt::format("{}:{}", profile.sources[static_cast<size_t>(place.file)].path, place.line);
      if (place.column)
        site.source += fmt::format(":{}", place.column);
    }
  }
  return sites;
}

} // namespace

Output::Output(const Options& options, bool shared)
    : json_(options.json), csv_(options.csv), html_(options.html), shared_(shared), claimed_(!shared) {}

std::vector<files::Use> Output::uses() const {
  std::vector<files::Use> uses;
  for (const auto& [path, name] :
       {std::pair{&json_, option_names.json}, {&csv_, option_names.csv}, {&html_, option_names.html}})
    if (!path->empty())
      uses.push_back({*path, name});
  return uses;
}

llvm::Error Output::clear() const {
  std::vector<std::string> names;
  for (const auto& use : uses())
    names.push_back(use.name);
  return files::clear(names);
}

void Output::claim() {
  if (std::exchange(claimed_, true))
    return;
  std::string* const names[] = {&json_, &csv_, &html_};
  files::claim(names);
}

llvm::Error Output::write(const findings::Profile& profile, const std::string& more) {
  claim();
  llvm::Error errors = llvm::Error::success();
  const auto write_one = [&](const std::string& path, const std::string& text) {
    auto error = files::write(path, text);
    // What was made to take the name is no report.
    if (error && shared_)
      files::unclaim(path), claimed_ = false;
    errors = llvm::joinErrors(std::move(errors), std::move(error));
  };
  if (!json_.empty())
    write_one(json_, report::json(profile, more));
  if (!csv_.empty())
    write_one(csv_, report::counter_csv(profile));
  if (!html_.empty())
    write_one(html_, report::html(profile, more));
  return errors;
}

std::string Output::written() const {
  std::vector<std::string> names;
  for (const std::string& name : {json_, csv_, html_})
    if (!name.empty() && files::is_file_name(name))
      names.push_back(fmt::format("'{}'", name));
  if (names.empty())
    return "";
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("wrote {}{}{}", fmt::join(names, ", "), names.empty() ? "" : " and ", last);
}

std::string kernels_json(std::span<const report::KernelStats> kernels, const findings::Profile& profile) {
  std::vector<std::vector<views::BranchSite>> sites;
  std::vector<findings::BranchReport> branches;
  for (const auto& kernel : profile.kernels)
    if (profile.views.branches)
      branches.push_back({kernel.name, kernel.target, sites.emplace_back(branches_of(kernel, profile)), {}});
  return report::json(kernels, branches);
}

} // namespace crosslane::profile
