// Owns the environment in which programs find the emulated GPU: the variables of the runtime library (hsa/settings.h),
// and those by which the system's loader finds that library.
#pragma once
#include "cli/run/program.h"
#include "profile/options.h"
#include <llvm/Support/Error.h>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::cli {

// What `crosslane run` and `crosslane env` are told. Empty: the variable stays as it is.
struct GpuOptions {
  std::string gpus, vram, output, threads, bounds, timeout, time_error, time_files, check, findings, suppress,
      max_findings, error_exitcode, check_kernels, check_launches, poison, capture, capture_kernels, capture_launches,
      capture_limit;
  bool host_memory = false, late = false, time = false;
  profile::Texts profile;
  bool stats = false, quiet = false;
};

struct Variable {
  std::string name, value;
  bool operator==(const Variable&) const = default;
};

// Folders of the libraries that go with the executable `crosslane`: of an installation, or of a build tree.
llvm::Expected<std::string> find_runtime(const std::string& crosslane);

// The variables to set, over those of this process. `program`: what is to run, if it is known; some need more than
// others.
std::vector<Variable> environment(const GpuOptions& options, const std::string& runtime, const Program* program);

// A search path with `folder` in front, and only there.
std::string prepend_path(const std::string& folder, const std::string& path);
// A list of libraries to preload with `library` at its end, and only there: what is preloaded already may have to be
// first.
std::string append_preload(const std::string& list, const std::string& library);
// Where LLVM keeps its OpenMP runtime, below `root`, if the program needs one that the loader would not find; else
// empty.
std::string llvm_folder(const Program& program, const std::string& search_path, const std::string& root = "/usr/lib");

enum class Shell { sh, fish, json };
// Commands that set the variables.
std::string shell_text(const std::vector<Variable>& variables, Shell shell);

} // namespace crosslane::cli
