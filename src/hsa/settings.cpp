// Each variable once, with what is said of a value that it cannot have.
#include "hsa/settings.h"
#include "files/size.h"
#include "findings/text.h"
#include "profile/watchdog.h"
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <set>

namespace crosslane::hsa {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool flag(const char* name) {
  const std::string value = variable(name);
  return !value.empty() && value != "0";
}

// Whether all of the text is one.
template <class Number> bool number_of(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// What chooses launches of a profile chooses them here.
profile::Options chosen_of(const profile::Names& names, std::string& error) {
  auto chosen =
      profile::parse({.views = "all", .kernels = variable(names.kernels), .launches = variable(names.launches)}, names);
  if (chosen)
    return *chosen;
  error = llvm::toString(chosen.takeError());
  return {};
}

void read_check_choice(Settings& settings, std::string& error) {
  profile::Names names = profile::variable_names;
  names.kernels = "CROSSLANE_CHECK_KERNEL", names.launches = "CROSSLANE_CHECK_LAUNCH";
  const bool kernels = !variable(names.kernels).empty();
  if (settings.checks.any())
    settings.check_chosen = chosen_of(names, error);
  else if (kernels || !variable(names.launches).empty())
    error = fmt::format("{} needs CROSSLANE_CHECK, which it is about", kernels ? names.kernels : names.launches);
}

void read_capture(Settings& settings, std::string& error) {
  Settings::Capture& capture = settings.capture;
  capture.folder = variable("CROSSLANE_CAPTURE");
  profile::Names names = profile::variable_names;
  names.kernels = "CROSSLANE_CAPTURE_KERNEL", names.launches = "CROSSLANE_CAPTURE_LAUNCH";
  const std::string kernels = variable(names.kernels), launches = variable(names.launches),
                    limit = variable("CROSSLANE_CAPTURE_LIMIT");
  if (capture.folder.empty()) {
    if (!kernels.empty() || !launches.empty() || !limit.empty())
      error = fmt::format("{} needs CROSSLANE_CAPTURE, the folder that is captured into",
                          !kernels.empty()    ? names.kernels
                          : !launches.empty() ? names.launches
                                              : "CROSSLANE_CAPTURE_LIMIT");
    return;
  }
  capture.chosen = chosen_of(names, error);
  if (!limit.empty())
    capture.limit = files::bytes_of(limit);
  if (!capture.limit)
    error = fmt::format("CROSSLANE_CAPTURE_LIMIT is '{}'; it must be a number of bytes such as 512M or 8G", limit);
  if (settings.profile.probes)
    error = "CROSSLANE_CAPTURE and CROSSLANE_INSTRUMENT: capture the program as it is, and replay it with probes";
  if (settings.host_memory)
    error = "CROSSLANE_CAPTURE and CROSSLANE_HOST_MEMORY: what kernels reach is to be kept, and that would be all "
            "memory of the program";
}

} // namespace

Settings read_settings(std::string& error) {
  Settings settings;
  std::string gpus = variable("CROSSLANE_GPU");
  if (gpus.empty())
    gpus = "vega10";
  for (size_t begin = 0; begin <= gpus.size();) {
    const size_t end = std::min(gpus.find(',', begin), gpus.size());
    settings.gpus.push_back(gpus.substr(begin, end - begin));
    begin = end + 1;
  }
  if (const char* visible = std::getenv("ROCR_VISIBLE_DEVICES"))
    settings.visible = visible;
  if (const std::string vram = variable("CROSSLANE_VRAM"); !vram.empty()) {
    settings.vram = files::bytes_of(vram);
    if (!settings.vram)
      error = fmt::format("CROSSLANE_VRAM is '{}'; it must be a number of bytes such as 512M or 8G", vram);
  }
  const profile::Names& names = profile::variable_names;
  auto options = profile::parse({.views = variable(names.views),
                                 .kernels = variable(names.kernels),
                                 .launches = variable(names.launches),
                                 .sample = variable(names.sample),
                                 .by = variable(names.by),
                                 .json = variable(names.json),
                                 .csv = variable(names.csv),
                                 .html = variable(names.html),
                                 .trace = variable(names.trace),
                                 .instrument = variable(names.instrument),
                                 .at = variable(names.at),
                                 .trace_bytes = variable(names.trace_bytes),
                                 .per_wave = flag(names.per_wave)},
                                names);
  if (options)
    settings.profile = *options;
  else
    error = llvm::toString(options.takeError());
  if (const std::string threads = variable("CROSSLANE_THREADS"); !threads.empty()) {
    const uint64_t number = files::bytes_of(threads);
    settings.threads = unsigned(number);
    if (!number || number > 4096)
      error = fmt::format("CROSSLANE_THREADS is '{}'; it must be a number from 1 to 4096", threads);
  }
  if (const std::string bounds = variable("CROSSLANE_BOUNDS"); bounds == "card")
    settings.bounds = machine::Bounds::card;
  else if (bounds == "exact")
    settings.exact = true;
  else if (!bounds.empty())
    error = fmt::format("CROSSLANE_BOUNDS is '{}'; it must be exact or card", bounds);
  if (const std::string timeout = variable("CROSSLANE_TIMEOUT"); !timeout.empty()) {
    settings.timeout = profile::parse_seconds(timeout);
    if (settings.timeout <= 0)
      error = fmt::format("CROSSLANE_TIMEOUT is '{}'; it must be a number of seconds above 0", timeout);
  }
  if (const std::string time_error = variable("CROSSLANE_TIME_ERROR"); !time_error.empty()) {
    char* end = nullptr;
    settings.time_error = std::strtod(time_error.c_str(), &end) / 100;
    if (*end || !(*settings.time_error >= 0 && *settings.time_error <= 1))
      error = fmt::format("CROSSLANE_TIME_ERROR is '{}'; it must be a number of percent, 0 to 100", time_error);
  }
  settings.quiet = flag("CROSSLANE_QUIET");
  settings.stats = flag("CROSSLANE_STATS");
  settings.fine_grain_pcie = variable("HSA_FORCE_FINE_GRAIN_PCIE") == "1"; // ROCr's own test
  if (const std::string checks = variable("CROSSLANE_CHECK"); !checks.empty()) {
    const auto wanted = check::wanted_of(checks);
    if (wanted)
      settings.checks = *wanted;
    else
      error = fmt::format("CROSSLANE_CHECK is '{}'; it must be {}, or several with commas", checks, check::check_names);
  }
  read_check_choice(settings, error);
  settings.checked.file = variable("CROSSLANE_FINDINGS");
  settings.checked.suppress = variable("CROSSLANE_SUPPRESS");
  if (const std::string most = variable("CROSSLANE_MAX_FINDINGS");
      !most.empty() && !number_of(most, settings.checked.most))
    error = fmt::format("CROSSLANE_MAX_FINDINGS is '{}'; it must be a number", most);
  if (const std::string status = variable("CROSSLANE_ERROR_EXITCODE"); !status.empty())
    if (!number_of(status, settings.checked.status) || settings.checked.status < 1 || settings.checked.status > 255)
      error = fmt::format("CROSSLANE_ERROR_EXITCODE is '{}'; it must be a number from 1 to 255", status);
  if (settings.checks.any()) {
    if (auto wrong = settings.checked.judge())
      error = llvm::toString(std::move(wrong));
  } else if (const check::Telling& t = settings.checked; t != check::Telling()) {
    error =
        fmt::format("{} needs CROSSLANE_CHECK, whose findings are meant", !t.file.empty()       ? "CROSSLANE_FINDINGS"
                                                                          : !t.suppress.empty() ? "CROSSLANE_SUPPRESS"
                                                                          : t.status ? "CROSSLANE_ERROR_EXITCODE"
                                                                                     : "CROSSLANE_MAX_FINDINGS");
  }
  if (const std::string poison = variable("CROSSLANE_POISON"); !poison.empty()) {
    settings.poison = files::bytes_of(poison);
    if (!settings.poison)
      error = fmt::format("CROSSLANE_POISON is '{}'; it must be a number above 0", poison);
  }
  settings.late = flag("CROSSLANE_LATE");
  settings.time = flag("CROSSLANE_TIME");
  settings.time_files = variable("CROSSLANE_TIME_FILES");
  if (!settings.time_files.empty() && !settings.time)
    error = "CROSSLANE_TIME_FILES needs CROSSLANE_TIME=1, whose files they are";
  settings.host_memory = flag("CROSSLANE_HOST_MEMORY") || flag("HSA_XNACK"); // the latter is the real runtime's
  read_capture(settings, error);
  settings.cu_mask = variable("HSA_CU_MASK");
  settings.cu_mask_skip_init = variable("HSA_CU_MASK_SKIP_INIT") == "1";
  settings.output = variable("CROSSLANE_OUTPUT");
  return settings;
}

void say(const std::string& message) {
  std::fprintf(stderr, "crosslane: %s\n", findings::plain_lines(message).c_str());
}

void say_once(const std::string& what, const std::string& message) {
  static const bool quiet = flag("CROSSLANE_QUIET");
  static std::mutex mutex;
  static auto& said = *new std::set<std::string>; // outlives static destruction: clients call until the very end
  if (quiet)
    return;
  const std::lock_guard lock(mutex);
  if (said.insert(what).second)
    say(message);
}

} // namespace crosslane::hsa
