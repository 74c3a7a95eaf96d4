// Temporary files, names, and the writers of report/.
#include "profile/output.h"
#include "profile/error.h"
#include "profile/redirect.h"
#include "report/branches.h"
#include "report/counter_csv.h"
#include "report/html.h"
#include "report/json.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace crosslane::profile {

namespace {

namespace fs = std::filesystem;

llvm::Error failed(const std::string& path) { return fail("{}: {}", path, std::strerror(errno)); }

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(file, text.data(), text.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    text.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

// Makes the file; fails if it is there.
bool create(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0)
    close(file);
  return file >= 0;
}

// The file that a path leads to through symbolic links.
fs::path target_of(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? fs::path(path) : target;
}

fs::path beside(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}.new", path.filename().string(), getpid());
}

bool special(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_regular_file(path, error);
}

std::string numbered(const std::string& name, int number) {
  const fs::path path = name;
  const std::string mark = number > 1 ? fmt::format("{}.{}", getpid(), number) : fmt::format("{}", getpid());
  return (path.parent_path() / fmt::format("{}.{}{}", path.stem().string(), mark, path.extension().string())).string();
}

// Makes all of the files, or none if one of them is there. Other errors are write_whole()'s to tell.
bool create_all(const std::vector<std::string>& paths) {
  for (size_t i = 0; i < paths.size(); ++i) {
    if (create(paths[i]) || errno != EEXIST)
      continue;
    while (i-- > 0)
      unlink(paths[i].c_str());
    return false;
  }
  return true;
}

std::vector<views::BranchSite> branches_of(const report::KernelProfile& kernel, const report::Profile& profile) {
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

llvm::Error write_whole(const std::string& path, const std::string& text) {
  if (const auto& other = redirected_files())
    return other(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  const fs::path target = target_of(path);
  const bool direct = special(target);
  const std::string place = (direct ? target : beside(target)).string();
  const int file = open(place.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (direct ? 0 : O_TRUNC), 0666);
  if (file < 0)
    return failed(path);
  const bool written = write_all(file, text);
  const int error = errno;
  if (close(file) == 0 && written && (direct || rename(place.c_str(), target.c_str()) == 0))
    return llvm::Error::success();
  if (!written)
    errno = error;
  auto result = failed(path);
  if (!direct)
    unlink(place.c_str());
  return result;
}

Output::Output(const Options& options, bool shared)
    : json_(options.json), csv_(options.csv), html_(options.html), claimed_(!shared) {}

llvm::Error Output::check() const {
  // Three reports in one file are the last of them.
  for (const auto& [one, other] : {std::pair{&json_, &csv_}, {&json_, &html_}, {&csv_, &html_}})
    if (!one->empty() && !special(target_of(*one)) && target_of(*one) == target_of(*other))
      return fail("{}: is asked for as the file of two reports: give each a name of its own", *one);
  for (const std::string& path : {json_, csv_, html_}) {
    if (path.empty())
      continue;
    const fs::path target = target_of(path);
    std::error_code error;
    if (fs::is_directory(target, error))
      return fail("{}: is a folder", path);
    if (special(target))
      continue;
    const std::string place = beside(target).string();
    if (!create(place))
      return failed(path);
    unlink(place.c_str());
  }
  return llvm::Error::success();
}

llvm::Error Output::clear() const {
  if (auto error = check())
    return error;
  for (const std::string& path : {json_, csv_, html_})
    if (!path.empty() && !special(target_of(path)) && unlink(path.c_str()) != 0 && errno != ENOENT)
      return failed(path);
  return llvm::Error::success();
}

// One number for all files of this process, so that they are seen to belong together.
void Output::claim() {
  if (std::exchange(claimed_, true))
    return;
  std::vector<std::string*> files;
  for (std::string* file : {&json_, &csv_, &html_})
    if (!file->empty() && !special(target_of(*file)))
      files.push_back(file);
  for (int number = 0; number < 100; ++number) {
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const std::string* file : files)
      names.push_back(number ? numbered(*file, number) : *file);
    if (!create_all(names))
      continue;
    for (size_t i = 0; i < files.size(); ++i)
      *files[i] = names[i];
    return;
  }
}

llvm::Error Output::write(const report::Profile& profile, const std::string& more) {
  claim();
  llvm::Error errors = llvm::Error::success();
  const auto write_one = [&](const std::string& path, const std::string& text) {
    errors = llvm::joinErrors(std::move(errors), write_whole(path, text));
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
    write_one(html_, report::html(profile));
  return errors;
}

std::string kernels_json(std::span<const report::KernelStats> kernels, const report::Profile& profile) {
  std::vector<std::vector<views::BranchSite>> sites;
  std::vector<report::BranchReport> branches;
  for (const auto& kernel : profile.kernels)
    if (profile.views.branches)
      branches.push_back({kernel.name, kernel.target, sites.emplace_back(branches_of(kernel, profile)), {}});
  return report::json(kernels, branches);
}

} // namespace crosslane::profile
