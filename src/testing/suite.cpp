// The file system, and the patterns.
#include "testing/suite.h"
#include "files/collisions.h"
#include "files/error.h"
#include "files/read.h"
#include "isa/enum_name.h"
#include "launch/buffers.h"
#include "launch/wanted.h"
#include <algorithm>
#include <filesystem>
#include <fnmatch.h>
#include <set>

namespace crosslane::testing {

namespace {

namespace fs = std::filesystem;

bool matches(const std::string& name, const std::vector<std::string>& patterns) {
  const std::string file = fs::path(name).filename();
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 || fnmatch(pattern.c_str(), file.c_str(), 0) == 0;
  });
}

llvm::Error add_folder(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(folder, error);
  std::vector<fs::path> found;
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code unknown; // what vanished meanwhile is none
    if (path.filename().string().starts_with('.'))
      entry.disable_recursion_pending();
    else if (path.extension() == ".toml" && entry->is_regular_file(unknown))
      found.push_back(path);
  }
  if (error)
    return fail("{}: {}", folder.string(), error.message());
  std::ranges::sort(found);
  for (const std::string path : found)
    names.push_back(path.starts_with("./") ? path.substr(2) : path);
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (!fs::exists(status))
      return fail("{}: {}", path, error ? error.message() : "No such file or directory");
    if (!fs::is_directory(status))
      names.push_back(path);
    else if (auto trouble = add_folder(path, names))
      return std::move(trouble);
  }
  // What is named twice, or by two ways, is one test.
  std::set<fs::path> seen;
  std::erase_if(names, [&](const std::string& name) {
    std::error_code error;
    return !seen.insert(fs::weakly_canonical(name, error)).second;
  });
  return names;
}

llvm::Expected<launch::Job> job_of(const std::string& name) {
  auto text = files::read(name);
  if (!text)
    return text.takeError();
  auto job = launch::parse_job({reinterpret_cast<const char*>(text->data()), text->size()}, name);
  if (!job)
    return job.takeError();
  auto outputs = launch::outputs_of(*job);
  if (!outputs)
    return fail("{}: {}", name, llvm::toString(outputs.takeError()));
  if (files::uses_standard_output(*outputs))
    return fail("{}: a test has no standard output that a file could go to ('-')", name);
  return job;
}

// "k.toml:3:1: unknown key" as a place and what is wrong there.
Complaint complaint_of(const std::string& name, const std::string& error) {
  size_t end = name.size();
  if (!error.starts_with(name + ":"))
    return {name + ":1:1", error};
  const auto digit = [&](size_t at) { return at < error.size() && error[at] >= '0' && error[at] <= '9'; };
  for (int number = 0; number < 2 && error[end] == ':' && digit(end + 1); ++number)
    for (++end; digit(end); ++end)
      ;
  const std::string place = end == name.size() ? name + ":1:1" : error.substr(0, end);
  return {place, error.substr(std::min(error.size(), error.find_first_not_of(": ", end)))};
}

// No test may change what another one reads or writes.
void part(std::vector<Case>& tests) {
  std::vector<files::Use> taken;
  for (const Case& test : tests) {
    taken.push_back({test.name, fmt::format("the test {}", test.name)});
    if (test.job)
      taken.push_back({launch::resolve_path(test.job->folder, test.job->file), "a test's kernel"});
  }
  for (Case& test : tests) {
    if (!test.job)
      continue;
    auto outputs = launch::outputs_of(*test.job);
    if (!outputs) { // it was there before
      test.why = complaint_of(test.name, llvm::toString(outputs.takeError())), test.job.reset();
      continue;
    }
    if (outputs->empty())
      continue;
    for (files::Use& output : *outputs)
      output.what += " of " + test.name;
    if (auto error = files::refuse_collisions(taken, *outputs))
      test.why = complaint_of(test.name, llvm::toString(std::move(error))), test.job.reset();
    else
      taken.insert(taken.end(), outputs->begin(), outputs->end());
  }
}

} // namespace

llvm::Expected<std::vector<Case>> collect(const Selection& selection) {
  auto names = names_of(selection.paths);
  if (!names)
    return names.takeError();
  std::vector<Case> tests;
  for (const std::string& name : *names) {
    if ((!selection.filter.empty() && !matches(name, selection.filter)) || matches(name, selection.exclude))
      continue;
    Case& test = tests.emplace_back(Case{name, {}});
    if (auto job = job_of(name))
      test.job = std::move(*job);
    else
      test.why = complaint_of(name, llvm::toString(job.takeError()));
  }
  part(tests);
  return tests;
}

std::string expectations_of(const launch::Job& job) {
  std::vector<std::string> all;
  for (const std::string& text : job.expect)
    all.push_back(text.substr(0, text.find('=')));
  if (job.expect_fault)
    all.push_back(fmt::format("fault {}", isa::enum_name(*job.expect_fault)));
  if (!job.expect_findings.empty())
    all.push_back(fmt::format("findings {}", fmt::join(job.expect_findings, "; ")));
  else if (!job.check.empty())
    all.push_back(fmt::format("no findings of {}", job.check));
  return fmt::format("{}", fmt::join(all, ", "));
}

} // namespace crosslane::testing
