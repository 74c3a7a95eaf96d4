// The options, and the two sources of a job made one.
#include "cli/launch_options.h"
#include "cli/code_options.h"
#include "cli/profile_options.h"
#include "files/read.h"
#include "launch/buffers.h"

namespace crosslane::cli {

namespace {

void append(std::vector<std::string>& base, const std::vector<std::string>& more) {
  base.insert(base.end(), more.begin(), more.end());
}

// An argument of the command line replaces the file's of the same name.
void drop_replaced(std::vector<std::string>& arguments, const std::vector<std::string>& given) {
  for (const auto& word : given)
    if (const std::string prefix = word.substr(0, word.find('=') + 1); !prefix.empty())
      std::erase_if(arguments, [&](const std::string& old) { return old.starts_with(prefix); });
}

template <class T> llvm::Error parse_into(T& place, llvm::Expected<T> parsed) {
  if (!parsed)
    return parsed.takeError();
  place = *parsed;
  return llvm::Error::success();
}

} // namespace

template <class Place>
CLI::Option* LaunchOptions::option(CLI::App& app, const char* name, Place place, const char* what) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Place, Job&>>;
  const auto remember = [this, place](const Value& value) {
    given_.emplace_back([=](Job& job) { return std::invoke(place, job) = value, llvm::Error::success(); });
  };
  return app.add_option_function<Value>(name, remember, what);
}

template <class Place> void LaunchOptions::flag(CLI::App& app, const char* name, Place place, const char* what) {
  const std::function<void(int64_t)> remember = [this, place](int64_t count) { // -1: --stats=false
    given_.emplace_back([=](Job& job) { return std::invoke(place, job) = count > 0, llvm::Error::success(); });
  };
  app.add_flag_function(name, remember, what);
}

CLI::Option* LaunchOptions::sizes(CLI::App& app, const char* name, Sizes Job::* place, const char* what) {
  const auto remember = [this, name, place](const std::string& text) {
    grid_ |= place != &Job::block;
    given_.emplace_back([=](Job& job) { return parse_into(job.*place, launch::parse_sizes(text, name)); });
  };
  return app.add_option_function<std::string>(name, remember, what)->type_name("X[,Y[,Z]]");
}

void LaunchOptions::add_to(CLI::App& app) {
  app.add_option("FILE", own_.file,
                 "kernel: .co .hsaco .so, offload bundle, .s, .cl or .hip; or a launch description: .toml")
      ->required()
      ->type_name("");
  app.add_option("ARGS", own_.arguments, "kernel arguments, see below")->type_name("");
  const auto target = [](Job& job) -> std::string& { return job.compile.target; };
  option(app, "--target", target, "GPU: gfx803, gfx900, gfx906, ... (default: the file's own, or gfx900)")
      ->type_name("GPU");
  option(app, "--kernel", &Job::kernel,
         "which kernel, if the file has several: its symbol, or as the source names it, 'ns::f<3, float>'")
      ->type_name("NAME");
  sizes(app, "--grid", &Job::grid, "work-items; need not be a multiple of the block");
  sizes(app, "--groups", &Job::groups, "workgroups instead");
  sizes(app, "--block", &Job::block, "work-items of a workgroup (default: what the kernel requires, or 256)");
  const auto remember_offset = [this](const std::string& text) {
    given_.emplace_back([=](Job& job) { return parse_into(job.offset, launch::parse_offset(text)); });
  };
  app.add_option_function<std::string>("--offset", remember_offset, "OpenCL global offset")->type_name("X[,Y[,Z]]");
  app.add_option("--arg", named_, "the same as an argument without --arg")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  option(app, "--lds", &Job::lds, "bytes of dynamic LDS beside those of local pointers")->type_name("BYTES");
  option(app, "--stack", &Job::stack, "bytes of scratch per work-item, at least")->type_name("BYTES");
  option(app, "--trap-handler", &Job::trap_handler,
         "code that s_trap enters, at its global symbol trap_handler: .s or .co")
      ->type_name("FILE");
  app.add_option("--out", own_.out, "write a buffer, as .npy or else raw")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  app.add_option("--print", own_.print, "print a buffer")->allow_extra_args(false)->type_name("NAME[:COUNT]");
  app.add_option("--expect", own_.expect,
                 "compare with a file or a buffer such as f32[9]:iota; exit status 1 if they differ")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  option(app, "--rtol", &Job::rtol, "relative tolerance of --expect (default 0: exact)")->type_name("X");
  option(app, "--atol", &Job::atol, "absolute tolerance of --expect")->type_name("X");
  flag(app, "--host-memory", &Job::host_memory,
       "let the kernel reach all memory of this process, not only what the device has");
  option(app, "--counters", &Job::counters, "write what probes counted, as JSON: of a file by 'crosslane instrument'")
      ->type_name("FILE");
  add_run_options(app);
  add_clang_option(app, own_.compile);
}

void LaunchOptions::add_replay_to(CLI::App& app) {
  app.add_option("FOLDER", own_.capture, "what 'crosslane run --capture' wrote")->required()->type_name("");
  option(app, "--dispatch", &Job::dispatch, "which of the captured dispatches, as --list tells (default: the first)")
      ->type_name("N");
  option(app, "--workgroups", &Job::workgroups,
         "run these alone, by their numbers in the order of launch, as they are in the whole grid")
      ->type_name("N..M");
  flag(app, "--expect", &Job::expect_captured,
       "compare all memory with what the captured dispatch left, or its fault with that one's; exit status 1 if they "
       "differ");
  add_run_options(app);
  app.get_option("--gpu")->description("the card of --time, or a TOML file of one (default: the captured one)");
}

void LaunchOptions::add_run_options(CLI::App& app) {
  option(app, "--threads", &Job::threads, "CPU threads (default: all)")->type_name("N");
  option(app, "--runs", &Job::runs, "run so often, from the same start each time")->type_name("N");
  option(app, "--bounds", &Job::bounds,
         "exact: what goes past the end of a buffer or of LDS faults; card: what a card's pages of 4 KiB let through "
         "goes on, with a warning (default: exact)")
      ->check(CLI::IsMember({"exact", "card"}))
      ->type_name("HOW");
  option(app, "--timeout", &Job::timeout,
         "stop a run that takes longer, say where its waves are, and exit with 124; so does Ctrl-C, with 130 (0: no "
         "limit)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS");
  flag(app, "--stats", &Job::stats, "print instructions, waves, time and rate");
  add_profile_options(
      app,
      [this](CLI::App& a, const char* name, std::string profile::Texts::* text, const char* what) {
        return option(a, name, [=](Job& job) -> std::string& { return job.profile.*text; }, what);
      },
      [this](CLI::App& a, const char* name, bool profile::Texts::* text, const char* what) {
        flag(a, name, [=](Job& job) -> bool& { return job.profile.*text; }, what);
      });
  flag(app, "--overhead", &Job::overhead,
       "run without the views too, and measure what they cost, which is else estimated");
  flag(app, "--fidelity", &Job::fidelity,
       "which executed instructions are approximations, and how often (in all --runs); also in --json");
  option(app, "--check", &Job::check,
         "what is watched while kernels run, with commas; all of it if nothing is named. waits: missing s_waitcnt and "
         "wait states, as 'crosslane lint' finds them, and lanes that are off where others ask for them; memory: "
         "accesses outside of a buffer, to the byte, and misaligned ones; sync: barriers that not all come to; race: "
         "accesses of several waves "
         "that nothing orders; init: branches, EXEC and "
         "addresses by what nothing has written (init-stores: stores too); numerics (not in all): infinities and NaNs "
         "that are made and stored, flushed denormals, addresses that overflowed. Exit status 1 if there are findings "
         "(docs/checking.md)")
      ->type_name("CHECKS");
  option(
      app, "--findings", [](Job& job) -> std::string& { return job.checked.file; },
      "--check: write what is found, as .json, .sarif or .xml (JUnit)")
      ->type_name("FILE");
  option(
      app, "--suppress", [](Job& job) -> std::string& { return job.checked.suppress; },
      "--check: leave out what this file names, a line each: RULE [WHERE], such as 'race-* k.cl:12'")
      ->type_name("FILE");
  option(
      app, "--max-findings", [](Job& job) -> size_t& { return job.checked.most; },
      "--check: show so many as text (all are counted, and in --findings)")
      ->type_name("N");
  option(
      app, "--error-exitcode", [](Job& job) -> int& { return job.checked.status; },
      "--check: exit status if there are findings (default: 1)")
      ->check(CLI::Range(1, 255))
      ->type_name("N");
  option(
      app, "--poison", &Job::poison,
      "let registers, LDS and scratch begin with a pattern, another one for each SEED (--poison alone: 1), and never "
      "with what was there before: results that change are made of something uninitialised (docs/checking.md)")
      ->type_name("SEED");
  flag(app, "--late", &Job::late,
       "let what is loaded arrive as late as s_waitcnt allows, and registers hold old values where wait states are "
       "missing: wrong results show both (docs/late-return.md)");
  flag(app, "--time", &Job::time,
       "how long it takes on a card, cycle by cycle, and where the time goes (docs/timing-model.md)");
  option(app, "--time-error", &Job::time_error,
         "--time: what the figures of large grids may be off by, as workgroups are sampled; 0: all are modelled "
         "(default: 2, and only where that would take long)")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
  option(app, "--gpu", &Job::gpu, "the card of --time, or a TOML file of one (default: the target's first)")
      ->type_name("CARD");
  option(app, "--time-files", &Job::time_files,
         "--time: write a new folder for other tools: statistics of rocprofv3, a folder for ROCprof Compute Viewer, a "
         "trace for Perfetto")
      ->type_name("FOLDER");
  flag(app, "--sandbox", &Job::sandbox,
       "run the kernel with no right but to compute and to write the files named here (docs/untrusted-kernels.md)");
  group_options(app);
  app.get_option("--gpu")->group("Time on a card");
}

llvm::Expected<Job> LaunchOptions::job() const {
  Job job;
  job.file = own_.file, job.capture = own_.capture;
  if (own_.file.ends_with(".toml")) {
    auto text = files::read(own_.file);
    if (!text)
      return text.takeError();
    auto described = launch::parse_job({reinterpret_cast<const char*>(text->data()), text->size()}, own_.file);
    if (!described)
      return described.takeError();
    job = std::move(*described);
  }
  if (grid_)
    job.grid = job.groups = {};
  for (const auto& lay : given_)
    if (auto error = lay(job))
      return std::move(error);
  for (const auto* words : {&own_.arguments, &named_})
    drop_replaced(job.arguments, *words);
  for (const auto* words : {&own_.arguments, &named_})
    append(job.arguments, *words);
  append(job.out, own_.out);
  append(job.print, own_.print);
  append(job.expect, own_.expect);
  append(job.compile.options, own_.compile.options);
  return job;
}

} // namespace crosslane::cli
