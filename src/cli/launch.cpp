// crosslane launch: runs one kernel, prints its buffers, how they compare, and what was measured.
#include "launch/launch.h"
#include "cli/interrupt.h"
#include "cli/launch_options.h"
#include "cli/lint/judge.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "findings/text.h"
#include "jit/jit.h"
#include "lint/format/format.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace crosslane::cli {

namespace {

using launch::Buffer;
using launch::End;
using launch::Result;

void write_to_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// Of code written by hand, which no compiler has seen to it that waits and wait states are there: what is surely wrong
// does not show here, where every instruction ends before the next one.
void warn(const codeobject::CodeObject& object, const std::string& file) {
  const char* lint = std::getenv("CROSSLANE_LINT");
  const std::string extension = std::filesystem::path(file).extension();
  if ((lint && std::string_view(lint) == "off") || (extension != ".s" && extension != ".S" && extension != ".asm"))
    return;
  write_to_stderr(errors_of(object, file));
}

// A launch can be interrupted while its runs go on.
launch::Observer observer(Interrupt& interrupt) {
  launch::Observer observer;
  observer.note = [](const std::string& text) { write_to_stderr("crosslane: " + text + "\n"); };
  observer.loaded = warn;
  if (isatty(STDERR_FILENO))
    observer.progress = write_to_stderr;
  observer.runs_begin = [&interrupt](launch::Stop& stop) { interrupt.begin(stop); };
  observer.runs_end = [&interrupt] { interrupt.end(); };
  return observer;
}

Exit exit_of(End end, const Interrupt& interrupt) {
  switch (end) {
  case End::complete: return Exit::ok;
  case End::fault: return Exit::fault;
  case End::refused: return Exit::bad;
  case End::timeout: return Exit::timeout;
  case End::stopped: return static_cast<Exit>(128 + interrupt.signal()); // as a shell says it
  }
  return Exit::bad;
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

llvm::Error print_buffers(const Result& result) {
  for (const auto& wanted : result.prints) {
    auto buffer = result.buffer(wanted.buffer);
    if (!buffer)
      return buffer.takeError();
    print_buffer(wanted.buffer, *buffer, wanted.count);
  }
  return llvm::Error::success();
}

// Whether all is as expected.
bool print_comparisons(const Result& result) {
  bool equal = true;
  for (const auto& comparison : result.comparisons) {
    if (!comparison.different) {
      print(comparison.text + "\n");
      continue;
    }
    flush_printed();
    std::fprintf(stderr, "crosslane: wrong result: %s\n", comparison.text.c_str());
    equal = false;
  }
  return equal;
}

void print_stats(const Result& result, unsigned runs) {
  const engine::Stats& stats = result.outcome.stats;
  const double rate = result.best > 0 ? static_cast<double>(stats.instructions) / result.best * 1e-6 : 0;
  std::string text =
      fmt::format("{} wave-instructions, {} waves, {} workgroups, {:.3f} ms, {:.1f} M wave-instructions/s ({})\n",
                  stats.instructions, stats.waves, stats.workgroups, result.best * 1e3, rate, engine::host_level());
  if (runs > 1)
    text += fmt::format("best of {} runs; mean {:.3f} ms\n", runs, result.sum / runs * 1e3);
  print(text + jit::text(jit::stats()));
}

llvm::Expected<Exit> run(const LaunchOptions& options) {
  auto job = options.job();
  if (!job)
    return job.takeError();
  Interrupt interrupt;
  auto result = launch::launch(*job, observer(interrupt));
  if (!result)
    return result.takeError();
  const bool complete = result->end == End::complete;
  Exit exit = exit_of(result->end, interrupt);
  if (result->standard_output)
    leave_standard_output();
  print(findings::plain_lines(result->printed));
  flush_printed();
  if (!complete)
    write_to_stderr("crosslane: " + findings::plain_lines(result->why) + "\n");
  if (!result->written.empty())
    write_to_stderr("crosslane: " + result->written + "\n");
  if (complete) {
    if (auto error = print_buffers(*result))
      return std::move(error);
    if (!print_comparisons(*result))
      exit = Exit::wrong;
  }
  print(result->fidelity);
  print(result->timing);
  print(result->counters);
  print(result->summary);
  if (result->checked) {
    flush_printed();
    write_to_stderr(result->checked->text);
    for (const std::string& note : result->checked->notes)
      write_to_stderr("crosslane: " + note + "\n");
    if (result->checked->findings && exit == Exit::ok)
      exit = job->checked.status ? static_cast<Exit>(job->checked.status) : Exit::wrong;
  }
  if (job->stats && complete)
    print_stats(*result, job->runs);
  if (!result->unwritten.empty())
    return fail("{}", result->unwritten);
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
