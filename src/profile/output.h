// Owns writing a profile to the files that were asked for (files/write.h: whole or not at all), and which process has
// their names.
#pragma once
#include "files/collisions.h"
#include "profile/options.h"
#include "report/kernels.h"
#include <span>
#include <vector>

namespace crosslane::profile {

class Output {
public:
  // `shared`: other processes may write reports of the same names (those that a program starts). Whoever comes first
  // has the name; another process adds its number: "report.1234.html". A process that writes again replaces its own.
  Output(const Options& options, bool shared);
  // The files as they are called now, by the options that asked for them.
  std::vector<files::Use> uses() const;
  // Takes away files of an earlier run, whose names would else be taken; first checks that all can be written.
  llvm::Error clear() const;
  // All files, also after one that could not be written; the error tells of all that could not.
  // `more`: members that are added to the JSON, of the page too, as "\"key\":value" with commas between; may be empty.
  llvm::Error write(const findings::Profile&, const std::string& more = "");
  // "wrote 'p.json' and 'p.html'", for a person: what is no regular file is left out. Empty: nothing of that kind.
  std::string written() const;
  // The files as they are called now.
  const std::string& json() const { return json_; }
  const std::string& csv() const { return csv_; }
  const std::string& html() const { return html_; }

private:
  void claim();
  std::string json_, csv_, html_;
  bool shared_, claimed_;
};

// The kernels' costs on the host, and the branches of the profile, if there are any: {"kernels": [...], "profiles":
// [...]}.
std::string kernels_json(std::span<const report::KernelStats>, const findings::Profile&);

} // namespace crosslane::profile
