// crosslane launch: runs one kernel, prints, writes and compares its buffers.
#include "cli/arguments.h"
#include "cli/compare.h"
#include "cli/launch_options.h"
#include "cli/launch_profile.h"
#include "cli/sandbox.h"
#include "cli/session.h"
#include "cli/shape.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/collisions.h"
#include "files/error.h"
#include "files/write.h"
#include "findings/fidelity.h"
#include "findings/text.h"
#include "semantics/fidelity.h"
#include "views/instructions.h"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

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
    wanted.outs.push_back({resolve_output(job.folder, pair->second), *buffer});
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

// All that this launch writes, each found to have a place: rather now than after a long run.
llvm::Expected<std::vector<files::Use>> outputs_of(const Job& job) {
  const auto& names = profile::option_names;
  std::vector<files::Use> outputs = {
      {job.profile.json, names.json}, {job.profile.csv, names.csv}, {job.profile.html, names.html}};
  std::erase_if(outputs, [](const files::Use& report) { return report.name.empty(); });
  for (const auto& text : job.out) {
    auto pair = parse_pair(text, "--out");
    if (!pair)
      return pair.takeError();
    outputs.push_back({resolve_output(job.folder, pair->second), "--out " + pair->first});
  }
  for (const auto& output : outputs)
    if (auto error = files::check_writable(output.name))
      return std::move(error);
  return outputs;
}

// All that it reads.
std::vector<files::Use> inputs_of(const LaunchOptions& options, const Job& job, const Arguments& arguments,
                                  const Wanted& wanted) {
  std::vector<files::Use> inputs = {{resolve_path(job.folder, job.file), "the kernel's file"}};
  if (options.file() != job.file)
    inputs.push_back({options.file(), "the launch description"});
  if (!job.trap_handler.empty())
    inputs.push_back({resolve_path(job.folder, job.trap_handler), "the trap handler"});
  for (const auto& buffer : arguments.buffers)
    if (!buffer.initial.file.empty())
      inputs.push_back({buffer.initial.file, fmt::format("argument '{}'", buffer.name)});
  for (const auto& expect : wanted.expects)
    if (!expect.value.file.empty())
      inputs.push_back({expect.value.file, fmt::format("what is expected of '{}'", expect.name)});
  return inputs;
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
  print(text + "\n");
}

void print_stats(const engine::Stats& stats, double best, double sum, unsigned runs) {
  const double rate = best > 0 ? static_cast<double>(stats.instructions) / best * 1e-6 : 0;
  std::string text =
      fmt::format("{} wave-instructions, {} waves, {} workgroups, {:.3f} ms, {:.1f} M wave-instructions/s ({})\n",
                  stats.instructions, stats.waves, stats.workgroups, best * 1e3, rate, engine::host_level());
  if (runs > 1)
    text += fmt::format("best of {} runs; mean {:.3f} ms\n", runs, sum / runs * 1e3);
  print(text);
}

struct FidelityTexts {
  std::string table, json;
};

FidelityTexts fidelity_of(const codeobject::CodeObject& object, const std::string& kernel,
                          const views::Instructions& instructions, isa::Target target) {
  std::vector<findings::ApproximateUse> uses;
  for (const auto& [op, count] : instructions.operations())
    if (const auto fidelity = semantics::fidelity(isa::row(op).mnemonic); !fidelity.exact)
      uses.push_back(
          {std::string(isa::mnemonic(op, target)), count.waves, semantics::bound(fidelity), std::string(fidelity.why)});
  const findings::FidelityReport report{kernel, object.processor(), uses, instructions.total().waves};
  return {findings::table(report), findings::json(report)};
}

// All files, also after one that could not be written; the error tells of all that could not.
llvm::Error write_files(const Wanted& wanted, const Session& session, const Job& job, LaunchProfile& profile,
                        bool complete, const std::string& fidelity) {
  llvm::Error errors = llvm::Error::success();
  if (complete)
    for (const auto& out : wanted.outs)
      errors = llvm::joinErrors(std::move(errors), write_buffer(out.path, session.contents(out.buffer)));
  if (profile.wanted()) {
    const auto member = [&] { return "\"fidelity\":" + nlohmann::json::parse(fidelity)["fidelity"].dump(); };
    errors = llvm::joinErrors(std::move(errors), profile.write(fidelity.empty() ? "" : member()));
  } else if (!job.profile.json.empty()) {
    errors = llvm::joinErrors(std::move(errors), files::write(job.profile.json, fidelity));
  }
  return errors;
}

llvm::Expected<Exit> print_and_compare(const Wanted& wanted, const Session& session, const Job& job) {
  for (const auto& print : wanted.prints)
    print_buffer(print.name, session.contents(print.buffer), print.count);
  Exit exit = Exit::ok;
  for (const auto& expect : wanted.expects) {
    auto comparison = compare(expect.name, session.contents(expect.buffer), expect.value, job.rtol, job.atol);
    if (!comparison)
      return comparison.takeError();
    if (!comparison->different) {
      print(comparison->text + "\n");
      continue;
    }
    flush_printed();
    std::fprintf(stderr, "crosslane: wrong result: %s\n", comparison->text.c_str());
    exit = Exit::wrong;
  }
  return exit;
}

// Nothing, unless the job asks for it.
llvm::Expected<std::unique_ptr<Sandbox>> prepare_sandbox(const Job& job, const std::vector<files::Use>& outputs) {
  if (!job.sandbox)
    return nullptr;
  std::vector<std::string> paths;
  for (const auto& output : outputs)
    paths.push_back(output.name);
  return Sandbox::prepare(std::move(paths));
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

// All runs; ends at the first that faults or is stopped, and says why.
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
    if (const Exit exit = profile.exit(*outcome); exit != Exit::ok) {
      flush_printed();
      std::fprintf(stderr, "crosslane: %s\n", findings::plain_lines(profile.why(*outcome)).c_str());
      return exit;
    }
    times.add(outcome->stats);
  }
  return Exit::ok;
}

llvm::Expected<Exit> run(const LaunchOptions& options) {
  auto job = options.job();
  if (!job)
    return job.takeError();
  if (job->runs == 0)
    return fail("--runs must be at least 1");
  auto profiling = profile_options(*job);
  if (!profiling)
    return profiling.takeError();
  auto outputs = outputs_of(*job);
  if (!outputs)
    return outputs.takeError();

  auto sandbox = prepare_sandbox(*job, *outputs);
  if (!sandbox)
    return sandbox.takeError();

  auto object = toolchain::load_code(resolve_path(job->folder, job->file), job->compile);
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
  if (auto error = files::refuse_collisions(inputs_of(options, *job, *arguments, *wanted), *outputs))
    return std::move(error);
  if (files::uses_standard_output(*outputs))
    leave_standard_output();
  auto session = Session::create(**object, **kernel, *arguments, *shape, job->stack);
  if (!session)
    return session.takeError();
  if (job->host_memory)
    std::fprintf(stderr, "crosslane: the kernel reaches all memory of this process (--host-memory)\n");
  if (job->bounds == "card")
    (*session)->use_card_bounds();
  std::unique_ptr<codeobject::CodeObject> handler;
  if (!job->trap_handler.empty()) {
    auto loaded = toolchain::load_code(resolve_path(job->folder, job->trap_handler),
                                       {.target = std::string((*object)->processor())});
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
  FidelityTexts fidelity;
  if (job->fidelity)
    fidelity = fidelity_of(**object, signature.kernel, instructions, (*session)->image().target);
  // The files first: 'head' behind the text ends this process.
  auto unwritten = write_files(*wanted, **session, *job, **profile, complete, fidelity.json);
  if (complete)
    exit = print_and_compare(*wanted, **session, *job);
  print(fidelity.table);
  if ((*profile)->wanted())
    print((*profile)->summary());
  if (job->stats && complete)
    print_stats(times.stats, times.best, times.sum, job->runs);
  if (!unwritten)
    return exit;
  return exit ? std::move(unwritten) : llvm::joinErrors(exit.takeError(), std::move(unwritten));
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
  crosslane launch examples/vector_add.cl --grid 1000 --block 256 f32[1000]:iota f32[1000]:1 f32[1000] 1000 --print c:4 --out c=c.npy
  crosslane launch examples/vector_add.cl --grid 1000 a=@c.npy b=[1000]:-1 c=[1000] n=1000 --expect c=[1000]:iota --rtol 1e-6
  crosslane launch examples/if_else.cl --target gfx906 --grid 256 in=u32[256]:iota out=u32[768] limit=32 n=256 --profile branches
  crosslane launch examples/matmul_tiled.cl --grid 80,80 f32[75,75]:random f32[75,75]:random f32[75,75] 75 --html m.html
  crosslane launch examples/vector_add.cl --grid 1000000 a=[1000000] b=[1000000] c=[1000000] n=1000000 --profile memory --sample 1%
  crosslane launch examples/vector_add.cl --grid 1000 a=[1000]:iota b=[1000]:1 c=[1000] n=1000 --trace-wave 0:0 --html steps.html
  crosslane launch examples/nbody.cl --grid 512 f32[2000]:random f32[2000] f32[2000] 500 0.001 --fidelity --timeout 60
  crosslane launch examples/vector_add.cl --grid 1000 a=[1000] b=[1000] c=[1000] n=1000 --out c=out.npy --sandbox
  crosslane launch examples/vector_add.toml --stats)";

} // namespace

Run add_launch(CLI::App& app) {
  auto options = std::make_shared<LaunchOptions>();
  options->add_to(app);
  app.footer(footer);
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
