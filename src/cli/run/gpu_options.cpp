// The options of crosslane run and crosslane env.
#include "cli/run/gpu_options.h"
#include "cli/profile_options.h"
#include "files/error.h"
#include "files/folder.h"
#include "gpu/choice.h"
#include "hsa/settings.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace crosslane::cli {

void add_gpu_options(CLI::App& app, GpuOptions& options) {
  app.add_option(
         "--gpu", options.gpus,
         "cards or gfx names, see below, or FILE.toml of a card of your own; several, separated by commas, for as many "
         "GPUs (default: vega10)")
      ->type_name("CARDS");
  app.add_option("--vram", options.vram, "memory of each GPU, such as 512M or 8G (default: the card's)")
      ->type_name("SIZE");
  app.add_option("--threads", options.threads, "most threads that a kernel runs on (default: all cores)")
      ->type_name("N");
  app.add_option(
         "--bounds", options.bounds,
         "exact: what goes past the end of device memory or of LDS faults; card: what a card's pages of 4 KiB let "
         "through goes on, with a warning (default: exact)")
      ->check(CLI::IsMember({"exact", "card"}))
      ->type_name("HOW");
  app.add_option(
         "--check", options.check,
         "what is watched while kernels run, with commas; all of it if nothing is named. waits: missing s_waitcnt and "
         "wait states, as 'crosslane lint' finds them, and lanes that are off where others ask for them; memory: "
         "accesses and copies outside of a buffer, to the byte, and misaligned ones; sync: barriers that not all come "
         "to; race: "
         "accesses of several "
         "waves "
         "that nothing orders; init: branches, EXEC and "
         "addresses by what nothing has written (init-stores: stores too); numerics (not in all): infinities and NaNs "
         "that are made and stored, flushed denormals, addresses that overflowed; leaks (not in all): memory of "
         "devices "
         "that the program never frees. Told at the end of the process "
         "(docs/checking.md)")
      ->type_name("CHECKS");
  app.add_option("--check-kernel", options.check_kernels,
                 "--check: only kernels whose name or symbol has this regular expression")
      ->type_name("REGEX");
  app.add_option("--check-launch", options.check_launches,
                 "--check: only these launches of each kernel, from 0: 0, 2..5, 2..")
      ->type_name("N..M");
  app.add_option("--findings", options.findings, "--check: write what is found, as .json, .sarif or .xml (JUnit)")
      ->type_name("FILE");
  app.add_option("--suppress", options.suppress,
                 "--check: leave out what this file names, a line each: RULE [WHERE], such as 'race-* k.cl:12'")
      ->type_name("FILE");
  app.add_option("--max-findings", options.max_findings,
                 "--check: show so many as text (all are counted, and in --findings)")
      ->type_name("N");
  app.add_option("--error-exitcode", options.error_exitcode,
                 "--check: the program's exit status if there are findings (default: its own)")
      ->type_name("N");
  app.add_option("--poison", options.poison,
                 "let registers, LDS and scratch of kernels begin with a pattern, another one for each SEED (--poison "
                 "alone: 1), and never with what was there before (docs/checking.md)")
      ->type_name("SEED");
  app.add_flag(
      "--late", options.late,
      "let what kernels load arrive as late as s_waitcnt allows, and registers hold old values where wait states "
      "are missing: wrong results show both (docs/late-return.md)");
  app.add_flag("--host-memory", options.host_memory,
               "let kernels reach all memory of the program, as with XNACK, not only what a card reaches");
  app.add_option("--timeout", options.timeout,
                 "a kernel that takes longer ends the program with exit status 124, and it is told where its waves are")
      ->type_name("SECONDS");
  app.add_flag("--stats", options.stats,
               "at the program's end: a line for each kernel with launches, registers and speed");
  app.add_flag("--time", options.time,
               "model every kernel on the card, cycle by cycle: at the program's end a line for each with its times; "
               "clocks, events and the times of signals are the card's (docs/timing-model.md)");
  app.add_option(
         "--time-error", options.time_error,
         "--time: what the times of large kernels may be off by, as workgroups are sampled; 0: all are modelled "
         "(default: 2, and only where that would take long)")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
  app.add_option("--time-files", options.time_files,
                 "--time: write a new folder for other tools, with a folder for each process and in it one for each of "
                 "its first 100 dispatches: statistics of rocprofv3, a folder for ROCprof Compute Viewer, a trace for "
                 "Perfetto")
      ->type_name("FOLDER");
  app.add_option(
         "--capture", options.capture,
         "keep dispatches whole in a new folder, to be run again by 'crosslane replay': code, arguments, and all "
         "memory that kernels reach, before and after (docs/capturing.md)")
      ->type_name("FOLDER");
  app.add_option("--capture-kernel", options.capture_kernels,
                 "--capture: only kernels whose name or symbol has this regular expression")
      ->type_name("REGEX");
  app.add_option("--capture-launch", options.capture_launches,
                 "--capture: only these launches of each kernel, from 0: 0, 2..5, 2..")
      ->type_name("N..M");
  app.add_option("--capture-limit", options.capture_limit,
                 "--capture: what the folder may have; dispatches that do not fit are told and left out (default: 4G)")
      ->type_name("SIZE");
  add_profile_options(app, options.profile);
  app.add_option("--kernel", options.profile.kernels,
                 "profile: only kernels whose name or symbol has this regular expression")
      ->type_name("REGEX");
  app.add_option("--output", options.output,
                 "the file for --stats, --time and the profile's summary; JSON if its name ends in .json (default: "
                 "standard error)")
      ->type_name("FILE");
  app.add_flag("--quiet", options.quiet, "no warnings and no messages about functions that are not supported");
  group_options(app);
  app.get_option("--kernel")->group("Profile");
}

std::string card_names() {
  std::string text = "Cards of --gpu, by gfx name, which stands for the first of them:";
  const auto cards = gpu::cards();
  for (auto card = cards.begin(); card != cards.end(); ++card)
    text += card == cards.begin() || card->target != card[-1].target
                ? fmt::format("\n  {}: {}", isa::info(card->target).name, card->name)
                : fmt::format(" {}", card->name);
  return text + "\n";
}

std::string card_table() {
  size_t width = 0;
  for (const auto& card : gpu::cards())
    width = std::max(width, card.name.size());
  std::string text =
      fmt::format("{:<{}}  target  units     clock  memory     LDS        registers  product\n", "card", width);
  for (const auto& card : gpu::cards())
    text += fmt::format("{:<{}}  {:<6}  {:>5}  {:>4} MHz  {:>5} MiB  {:>4.1f} TB/s  {:>5.1f} TB/s  {}\n", card.name,
                        width, isa::info(card.target).name, card.compute_units, card.clock_mhz, card.vram_bytes >> 20,
                        gpu::lds_bandwidth(card) * 1e-12, gpu::register_bandwidth(card) * 1e-12, card.product);
  return text +
         "LDS, registers: most bytes that all compute units together read in a second. Emulation is not as fast.\n";
}

llvm::Expected<std::vector<Variable>> set_environment(const GpuOptions& options, const Program* program) {
  if (!options.time_files.empty() && !options.time)
    return fail("--time-files {} needs --time, which it is of", options.time_files);
  if (!options.time_files.empty())
    if (auto wrong = files::check_new_folder(options.time_files))
      return fail("--time-files {}", llvm::toString(std::move(wrong)));
  if (!options.capture.empty())
    if (auto wrong = files::check_new_folder(options.capture))
      return fail("--capture {}", llvm::toString(std::move(wrong)));
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return fail("/proc/self/exe: {}", error.message());
  auto runtime = find_runtime(self);
  if (!runtime)
    return runtime.takeError();
  auto variables = environment(options, *runtime, program);
  for (const auto& [name, value] : variables)
    setenv(name.c_str(), value.c_str(), 1);
  std::string wrong;
  const hsa::Settings settings = hsa::read_settings(wrong);
  if (!wrong.empty()) {
    // Rather in the words of the command line, if it is to blame.
    if (auto given = profile::parse(options.profile); !given)
      return given.takeError();
    return fail("{}", wrong);
  }
  for (const auto& gpu : settings.gpus)
    if (auto choice = gpu::choose(gpu); !choice)
      return gpu::is_file(gpu) ? choice.takeError() : fail("{}\n{}", llvm::toString(choice.takeError()), card_names());
  if (!options.output.empty() && !settings.stats && !settings.time && !settings.profile.any())
    return fail("--output needs --stats, --time or --profile: there is nothing else to write to {}", options.output);
  return variables;
}

} // namespace crosslane::cli
