// Names, and the writers of report/.
#include "profile/output.h"
#include "files/error.h"
#include "files/place.h"
#include "files/write.h"
#include "findings/branches.h"
#include "report/counter_csv.h"
#include "report/html.h"
#include "report/json.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace crosslane::profile {

namespace {

namespace fs = std::filesystem;

// The file that this name leads to, or would; none if it is anything else: a pipe or standard output has room for
// several processes.
std::optional<std::string> file_of(const std::string& name) {
  auto place = files::place_of(name);
  if (place && place->replaceable())
    return place->path;
  if (!place)
    llvm::consumeError(place.takeError()); // files::write() tells
  return {};
}

void remove(const std::string& name) {
  if (const auto file = file_of(name))
    unlink(file->c_str());
}

std::string numbered(const std::string& name, int number) {
  const fs::path path = name;
  const std::string mark = number > 1 ? fmt::format("{}.{}", getpid(), number) : fmt::format("{}", getpid());
  return (path.parent_path() / fmt::format("{}.{}{}", path.stem().string(), mark, path.extension().string())).string();
}

// Makes all of the files, or none if one of them is there. Other errors are files::write()'s to tell.
bool create_all(const std::vector<std::string>& paths) {
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto file = file_of(paths[i]);
    if (!file || files::create(*file) != std::errc::file_exists)
      continue;
    while (i-- > 0)
      remove(paths[i]);
    return false;
  }
  return true;
}

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
  for (const auto& use : uses())
    if (auto error = files::check_writable(use.name))
      return error;
  for (const auto& use : uses())
    if (const auto file = file_of(use.name); file && unlink(file->c_str()) != 0 && errno != ENOENT)
      return fail("{}: {}", use.name, std::strerror(errno));
  return llvm::Error::success();
}

// One number for all files of this process, so that they are seen to belong together.
void Output::claim() {
  if (std::exchange(claimed_, true))
    return;
  std::vector<std::string*> taken;
  for (std::string* file : {&json_, &csv_, &html_})
    if (!file->empty() && file_of(*file))
      taken.push_back(file);
  for (int number = 0; number < 100; ++number) {
    std::vector<std::string> names;
    names.reserve(taken.size());
    for (const std::string* file : taken)
      names.push_back(number ? numbered(*file, number) : *file);
    if (!create_all(names))
      continue;
    for (size_t i = 0; i < taken.size(); ++i)
      *taken[i] = names[i];
    return;
  }
}

llvm::Error Output::write(const findings::Profile& profile, const std::string& more) {
  claim();
  llvm::Error errors = llvm::Error::success();
  const auto write_one = [&](const std::string& path, const std::string& text) {
    auto error = files::write(path, text);
    // What was made to take the name is no report.
    if (std::error_code ignored; error && shared_ && fs::file_size(path, ignored) == 0)
      remove(path), claimed_ = false;
    errors = llvm::joinErrors(std::move(errors), std::move(error));
  };
  if (!json_.empty()) {
    std::string text = report::json(profile);
    if (!more.empty())
      text.insert(text.rfind('}'), "," + more);
    write_one(json_, text);
  }
  if (!csv_.empty())
    write_one(csv_, report::counter_csv(profile));
  if (!html_.empty())
    write_one(html_, report::html(profile, more));
  return errors;
}

std::string Output::written() const {
  std::vector<std::string> names;
  for (const std::string& name : {json_, csv_, html_})
    if (!name.empty() && file_of(name))
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
