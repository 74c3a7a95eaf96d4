// crosslane launch: runs one kernel, prints, writes and compares its buffers.
#include "cli/arguments.h"
#include "cli/compare.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/job.h"
#include "cli/launch_profile.h"
#include "cli/profile_options.h"
#include "cli/sandbox.h"
#include "cli/session.h"
#include "cli/shape.h"
#include "cli/verb.h"
#include "report/fidelity.h"
#include "report/text.h"
#include "semantics/fidelity.h"
#include "views/instructions.h"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

// What the command line said, before it is laid over a TOML file.
struct LaunchOptions {
  Job job;
  std::string grid, groups, block, offset;
  std::vector<std::string> named;
};

void print_text(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

template <class T> void replace(T& base, const T& given, const T& unset) {
  if (given != unset)
    base = given;
}
void append(std::vector<std::string>& base, const std::vector<std::string>& more) {
  base.insert(base.end(), more.begin(), more.end());
}

// Options of the command line win over the file; lists are joined.
void lay_over(Job& base, const Job& given) {
  const Job unset;
  replace(base.kernel, given.kernel, unset.kernel);
  replace(base.compile.target, given.compile.target, unset.compile.target);
  append(base.compile.options, given.compile.options);
  if (given.grid.dims || given.groups.dims)
    base.grid = given.grid, base.groups = given.groups;
  if (given.block.dims)
    base.block = given.block;
  replace(base.offset, given.offset, unset.offset);
  replace(base.rtol, given.rtol, unset.rtol);
  replace(base.atol, given.atol, unset.atol);
  replace(base.lds, given.lds, unset.lds);
  replace(base.stack, given.stack, unset.stack);
  replace(base.threads, given.threads, unset.threads);
  replace(base.runs, given.runs, unset.runs);
  replace(base.stats, given.stats, unset.stats);
  replace(base.trap_handler, given.trap_handler, unset.trap_handler);
  replace(base.fidelity, given.fidelity, unset.fidelity);
  replace(base.sandbox, given.sandbox, unset.sandbox);
  replace(base.overhead, given.overhead, unset.overhead);
  replace(base.host_memory, given.host_memory, unset.host_memory);
  replace(base.bounds, given.bounds, unset.bounds);
  for (auto member : {&profile::Texts::views, &profile::Texts::launches, &profile::Texts::sample, &profile::Texts::by,
                      &profile::Texts::json, &profile::Texts::csv, &profile::Texts::html, &profile::Texts::trace})
    replace(base.profile.*member, given.profile.*member, std::string());
  replace(base.profile.per_wave, given.profile.per_wave, false);
  // An argument of the command line replaces the file's of the same name.
  for (const auto& word : given.arguments) {
    const std::string prefix = word.substr(0, word.find('=') + 1);
    if (!prefix.empty())
      std::erase_if(base.arguments, [&](const std::string& old) { return old.starts_with(prefix); });
    base.arguments.push_back(word);
  }
  append(base.out, given.out);
  append(base.print, given.print);
  append(base.expect, given.expect);
}

llvm::Expected<Job> complete(const LaunchOptions& options) {
  Job job = options.job;
  append(job.arguments, options.named);
  struct {
    const std::string& text;
    Sizes& sizes;
    const char* name;
  } const sizes[] = {{options.grid, job.grid, "--grid"},
                     {options.groups, job.groups, "--groups"},
                     {options.block, job.block, "--block"}};
  for (const auto& row : sizes) {
    if (row.text.empty())
      continue;
    auto parsed = parse_sizes(row.text, row.name);
    if (!parsed)
      return parsed.takeError();
    row.sizes = *parsed;
  }
  if (!options.offset.empty()) {
    auto parsed = parse_offset(options.offset);
    if (!parsed)
      return parsed.takeError();
    job.offset = *parsed;
  }
  if (!job.file.ends_with(".toml"))
    return job;
  auto text = read_file(job.file);
  if (!text)
    return text.takeError();
  auto base = parse_job({reinterpret_cast<const char*>(text->data()), text->size()}, job.file);
  if (!base)
    return base.takeError();
  lay_over(*base, job);
  return base;
}

// What is done with the buffers afterwards; checked before anything runs.
struct Wanted {
  struct Print {
    std::string name;
    int buffer;
    uint64_t count;
  };
  struct Out {
    std::string path;
    int buffer;
  };
  struct Expect {
    std::string name;
    int buffer;
    Buffer value;
  };
  std::vector<Print> prints;
  std::vector<Out> outs;
  std::vector<Expect> expects;
};

llvm::Expected<Wanted> resolve(const Job& job, const Arguments& arguments, const Signature& signature) {
  Wanted wanted;
  for (const auto& text : job.print) {
    auto print = parse_print(text);
    if (!print)
      return print.takeError();
    auto buffer = arguments.find_buffer(print->first, signature);
    if (!buffer)
      return fail("--print: {}", llvm::toString(buffer.takeError()));
    wanted.prints.push_back({print->first, *buffer, print->second});
  }
  for (const auto& text : job.out) {
    auto pair = parse_pair(text, "--out");
    if (!pair)
      return pair.takeError();
    auto buffer = arguments.find_buffer(pair->first, signature);
    if (!buffer)
      return fail("--out: {}", llvm::toString(buffer.takeError()));
    wanted.outs.push_back({resolve_path(job.folder, pair->second), *buffer});
  }
  for (const auto& text : job.expect) {
    auto pair = parse_pair(text, "--expect");
    if (!pair)
      return pair.takeError();
    auto buffer = arguments.find_buffer(pair->first, signature);
    if (!buffer)
      return fail("--expect: {}", llvm::toString(buffer.takeError()));
    const Buffer& given = arguments.buffers[static_cast<size_t>(*buffer)].initial;
    auto value =
        make_buffer(looks_like_buffer(pair->second) ? pair->second : "@" + pair->second, given.type, job.folder);
    if (!value)
      return fail("--expect {}: {}", pair->first, llvm::toString(value.takeError()));
    // Found out now rather than after a long run.
    if (auto comparable = compare(pair->first, given, *value, 0, 0); !comparable)
      return fail("--expect: {}", llvm::toString(comparable.takeError()));
    wanted.expects.push_back({pair->first, *buffer, std::move(*value)});
  }
  return wanted;
}

void print_buffer(const std::string& name, const Buffer& buffer, uint64_t limit) {
  const uint64_t count = std::min(limit, buffer.count());
  // A matrix prints by rows, all else sixteen to a line.
  const uint64_t columns = buffer.shape.size() > 1 && buffer.shape.back() ? buffer.shape.back() : 16;
  std::string text = fmt::format("{} = {}", name, describe(buffer));
  for (uint64_t i = 0; i < count; ++i) {
    text += i % columns == 0 ? "\n  " : " ";
    text += format(buffer.type, buffer.bytes.data() + i * size_of(buffer.type));
  }
  if (count < buffer.count())
    text += " ...";
  print_text(text + "\n");
}

void print_stats(const engine::Stats& stats, double best, double sum, unsigned runs) {
  const double rate = best > 0 ? static_cast<double>(stats.instructions) / best * 1e-6 : 0;
  std::string text =
      fmt::format("{} wave-instructions, {} waves, {} workgroups, {:.3f} ms, {:.1f} M wave-instructions/s ({})\n",
                  stats.instructions, stats.waves, stats.workgroups, best * 1e3, rate, engine::host_level());
  if (runs > 1)
    text += fmt::format("best of {} runs; mean {:.3f} ms\n", runs, sum / runs * 1e3);
  print_text(text);
}

// Prints the table; what it returns is the JSON.
std::string report_fidelity(const codeobject::CodeObject& object, const std::string& kernel,
                            const views::Instructions& instructions, isa::Target target) {
  std::vector<report::ApproximateUse> uses;
  for (const auto& [op, count] : instructions.operations())
    if (const auto fidelity = semantics::fidelity(isa::row(op).mnemonic); !fidelity.exact)
      uses.push_back(
          {std::string(isa::mnemonic(op, target)), count.waves, semantics::bound(fidelity), std::string(fidelity.why)});
  const report::FidelityReport report{kernel, object.processor(), uses, instructions.total().waves};
  print_text(report::table(report));
  return report::json(report);
}

llvm::Expected<Exit> finish(const Wanted& wanted, const Session& session, const Job& job) {
  for (const auto& print : wanted.prints)
    print_buffer(print.name, session.contents(print.buffer), print.count);
  for (const auto& out : wanted.outs)
    if (auto error = write_buffer(out.path, session.contents(out.buffer)))
      return std::move(error);
  Exit exit = Exit::ok;
  for (const auto& expect : wanted.expects) {
    auto difference = compare(expect.name, session.contents(expect.buffer), expect.value, job.rtol, job.atol);
    if (!difference)
      return difference.takeError();
    if (!*difference)
      continue;
    std::fflush(stdout);
    std::fprintf(stderr, "crosslane: wrong result: %s\n", (*difference)->text.c_str());
    exit = Exit::wrong;
  }
  return exit;
}

// Nothing, unless the job asks for it.
llvm::Expected<std::unique_ptr<Sandbox>> prepare_sandbox(const Job& job, const profile::Options& profiling) {
  if (!job.sandbox)
    return nullptr;
  std::vector<std::string> files;
  for (const std::string& report : {profiling.json, profiling.csv, profiling.html, job.profile.json})
    if (!report.empty())
      files.push_back(report);
  for (const auto& text : job.out) {
    auto pair = parse_pair(text, "--out");
    if (!pair)
      return pair.takeError();
    files.push_back(resolve_path(job.folder, pair->second));
  }
  return Sandbox::prepare(std::move(files));
}

struct Times {
  engine::Stats stats; // of the last run
  double best = 0, sum = 0;
  void add(const engine::Stats& run) {
    best = sum > 0 ? std::min(best, run.seconds) : run.seconds;
    sum += run.seconds;
    stats = run;
  }
};

// All runs; ends at the first fault, which is printed, or signal.
llvm::Expected<Exit> run_all(const Job& job, Session& session, LaunchProfile& profile, events::Listener* fidelity,
                             Times& times) {
  engine::Options options;
  options.threads = job.threads;
  options.reach = job.host_memory ? machine::everything : machine::device_reach();
  options.lds_faults = job.bounds != "card", options.register_faults = true;
  for (unsigned i = 0; i < job.runs; ++i) {
    if (i > 0)
      if (auto error = session.reset())
        return error;
    auto outcome = profile.run(options, fidelity);
    if (!outcome)
      return outcome.takeError();
    if (profile.signal())
      return static_cast<Exit>(128 + profile.signal()); // as a shell says it
    if (outcome->fault) {
      std::fflush(stdout);
      std::fprintf(stderr, "crosslane: %s\n", report::plain_lines(machine::describe(*outcome->fault)).c_str());
      return Exit::wrong;
    }
    times.add(outcome->stats);
  }
  return Exit::ok;
}

llvm::Expected<Exit> run(const LaunchOptions& options) {
  auto job = complete(options);
  if (!job)
    return job.takeError();
  if (job->runs == 0)
    return fail("--runs must be at least 1");
  auto profiling = profile_options(*job);
  if (!profiling)
    return profiling.takeError();

  auto sandbox = prepare_sandbox(*job, *profiling);
  if (!sandbox)
    return sandbox.takeError();

  auto object = load_code(resolve_path(job->folder, job->file), job->compile);
  if (!object)
    return object.takeError();
  auto kernel = choose_kernel(**object, job->kernel);
  if (!kernel)
    return kernel.takeError();
  const Signature signature = signature_of(**kernel);
  auto arguments = bind_arguments(signature, job->arguments, job->folder);
  if (!arguments)
    return arguments.takeError();
  auto shape = make_shape(*job, **kernel);
  if (!shape)
    return shape.takeError();
  auto wanted = resolve(*job, *arguments, signature);
  if (!wanted)
    return wanted.takeError();
  auto session = Session::create(**object, **kernel, *arguments, *shape, job->stack);
  if (!session)
    return session.takeError();
  if (job->host_memory)
    std::fprintf(stderr, "crosslane: the kernel reaches all memory of this process (--host-memory)\n");
  if (job->bounds == "card")
    (*session)->use_card_bounds();
  std::unique_ptr<codeobject::CodeObject> handler;
  if (!job->trap_handler.empty()) {
    auto loaded =
        load_code(resolve_path(job->folder, job->trap_handler), {.target = std::string((*object)->processor())});
    if (!loaded)
      return loaded.takeError();
    handler = std::move(*loaded);
    if (auto error = (*session)->set_trap_handler(*handler))
      return std::move(error);
  }

  auto profile = LaunchProfile::create(*job, *profiling, **session, **kernel);
  if (!profile)
    return profile.takeError();
  if (*sandbox)
    if (auto error = (*sandbox)->enter())
      return std::move(error);
  views::Instructions instructions;
  Times times;
  auto exit = run_all(*job, **session, **profile, job->fidelity ? &instructions : nullptr, times);
  (*profile)->end_of_runs();
  if (!exit)
    return exit;
  const bool complete = *exit == Exit::ok;
  if (complete)
    if (exit = finish(*wanted, **session, *job); !exit)
      return exit;
  std::string fidelity;
  if (job->fidelity)
    fidelity = report_fidelity(**object, signature.kernel, instructions, (*session)->image().target);
  if ((*profile)->wanted()) {
    const auto member = [&] { return "\"fidelity\":" + nlohmann::json::parse(fidelity)["fidelity"].dump(); };
    if (auto error = (*profile)->report(fidelity.empty() ? "" : member()))
      return std::move(error);
  } else if (!job->profile.json.empty()) {
    if (auto error = write_file(job->profile.json, fidelity))
      return std::move(error);
  }
  if (job->stats && complete)
    print_stats(times.stats, times.best, times.sum, job->runs);
  return exit;
}

constexpr const char* footer = R"(Arguments, by position or as NAME=...:
  5  -3  1.5  0xff  true      scalar, of the type that the kernel has; i32:5 says it (needed where there is no metadata)
  1,2,3,4  f32x4:1,2,3,4      vector
  hex:0011aabb                bytes of a struct passed by value
  f32[1000]  f32[64,64]:iota  buffer; after the colon: zeros, iota[:START[:STEP]], random[:SEED[:LOW:HIGH]], uninit,
                              one value, or all of them (1,2,3)
  [1000]:random:7             ... with the element type that the kernel has
  @x.npy  @x.raw:f32          buffer from a file
  &a  null                    the buffer of parameter a once more; a null pointer
  lds:1024  f32[256]          dynamic LDS for a local pointer
Types: f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 b1.

Examples:
  crosslane launch vadd.cl --grid 1000 --block 256 f32[1000]:iota f32[1000]:1 f32[1000] 1000 --print c:4
  crosslane launch vadd.cl --grid 1000 a=@a.npy b=@b.npy c=[1000] n=1000 --out c=c.npy --expect c=ref.npy --rtol 1e-6
  crosslane launch div.cl --target gfx906 --grid 64 x=i32[64]:iota --profile branches
  crosslane launch matmul.cl --grid 256,256 --block 16,16 f32[65536]:random f32[65536]:random f32[65536] 256 --html m.html
  crosslane launch vadd.cl --grid 1000000 a=[1000000] b=[1000000] c=[1000000] n=1000000 --profile memory --sample 1%
  crosslane launch vadd.cl --grid 1000 a=[1000]:iota b=[1000]:1 c=[1000] n=1000 --trace-wave 0:0 --html steps.html
  crosslane launch native.cl --grid 64 x=f32[64]:random y=f32[64] --fidelity
  crosslane launch examples/vector_add.cl --grid 1000 a=[1000]:iota b=[1000]:1 c=[1000] n=1000 --out c=c.npy --sandbox
  crosslane launch job.toml --stats)";

} // namespace

Run add_launch(CLI::App& app) {
  auto options = std::make_shared<LaunchOptions>();
  Job& job = options->job;
  app.add_option("FILE", job.file,
                 "kernel: .co .hsaco .so, offload bundle, .s, .cl or .hip; or a launch description: .toml")
      ->required()
      ->type_name("");
  app.add_option("ARGS", job.arguments, "kernel arguments, see below")->type_name("");
  app.add_option("--target", job.compile.target,
                 "GPU: gfx803, gfx900, gfx906, ... (default: the file's own, or gfx900)")
      ->type_name("GPU");
  app.add_option("--kernel", job.kernel, "which kernel, if the file has several")->type_name("NAME");
  app.add_option("--grid", options->grid, "work-items; need not be a multiple of the block")->type_name("X[,Y[,Z]]");
  app.add_option("--groups", options->groups, "workgroups instead")->type_name("X[,Y[,Z]]");
  app.add_option("--block", options->block, "work-items of a workgroup (default: what the kernel requires, or 256)")
      ->type_name("X[,Y[,Z]]");
  app.add_option("--offset", options->offset, "OpenCL global offset")->type_name("X[,Y[,Z]]");
  app.add_option("--arg", options->named, "the same as an argument without --arg")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  app.add_option("--lds", job.lds, "bytes of dynamic LDS beside those of local pointers")->type_name("BYTES");
  app.add_option("--stack", job.stack, "bytes of scratch per work-item, at least")->type_name("BYTES");
  app.add_option("--trap-handler", job.trap_handler,
                 "code that s_trap enters, at its global symbol trap_handler: .s or .co")
      ->type_name("FILE");
  app.add_option("--out", job.out, "write a buffer, as .npy or else raw")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  app.add_option("--print", job.print, "print a buffer")->allow_extra_args(false)->type_name("NAME[:COUNT]");
  app.add_option("--expect", job.expect,
                 "compare with a file or a buffer such as f32[9]:iota; exit status 1 if they differ")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  app.add_option("--rtol", job.rtol, "relative tolerance of --expect (default 0: exact)")->type_name("X");
  app.add_option("--atol", job.atol, "absolute tolerance of --expect")->type_name("X");
  app.add_option("--threads", job.threads, "CPU threads (default: all)")->type_name("N");
  app.add_option("--runs", job.runs, "run so often, from the same start each time")->type_name("N");
  app.add_option(
         "--bounds", job.bounds,
         "exact: what goes past the end of a buffer or of LDS faults; card: what a card's pages of 4 KiB let through "
         "goes on, with a warning (default: exact)")
      ->check(CLI::IsMember({"exact", "card"}))
      ->type_name("HOW");
  app.add_flag("--host-memory", job.host_memory,
               "let the kernel reach all memory of this process, not only what the device has");
  app.add_flag("--stats", job.stats, "print instructions, waves, time and rate");
  add_profile_options(app, job.profile);
  app.add_flag("--overhead", job.overhead,
               "run without the views too, and measure what they cost, which is else estimated");
  app.add_flag("--fidelity", job.fidelity,
               "which executed instructions are approximations, and how often (in all --runs); also in --json");
  app.add_flag(
      "--sandbox", job.sandbox,
      "run the kernel with no right but to compute and to write the files named here (docs/untrusted-kernels.md)");
  app.add_option("--clang", job.compile.options, "one more option for clang, may be repeated: --clang=-O0")
      ->allow_extra_args(false)
      ->type_name("OPTION");
  app.footer(footer);
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
