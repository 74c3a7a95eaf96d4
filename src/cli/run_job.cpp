// Runs, and prints buffers, how they compare, and what was measured.
#include "cli/run_job.h"
#include "cli/colour.h"
#include "cli/interrupt.h"
#include "cli/lint/judge.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"
#include "files/error.h"
#include "findings/text.h"
#include "jit/jit.h"
#include "launch/launch.h"
#include "lint/format/format.h"
#include "rewrite/probe_cache.h"
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

// Of code written by hand, which no compiler has seen to it that waits and wait states are there: what is surely wrong
// does not show here, where every instruction ends before the next one.
void judge(const codeobject::CodeObject& object, const std::string& file) {
  const char* lint = std::getenv("CROSSLANE_LINT");
  const std::string extension = std::filesystem::path(file).extension();
  if ((lint && std::string_view(lint) == "off") || (extension != ".s" && extension != ".S" && extension != ".asm"))
    return;
  write_to_stderr(errors_of(object, file));
}

// A launch can be interrupted while its runs go on.
launch::Observer observer(Interrupt& interrupt) {
  launch::Observer observer;
  observer.note = [](const std::string& text) { note(text); };
  observer.loaded = judge;
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
      print(findings::plain_lines(comparison.text) + "\n");
      continue;
    }
    complain("wrong result: " + findings::plain_lines(comparison.text));
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
  print(text + jit::text(jit::stats()) + rewrite::text(rewrite::probe_cache().stats()));
}

} // namespace

llvm::Expected<Exit> run_job(launch::Job job) {
  job.colour = is_coloured(STDERR_FILENO);
  Interrupt interrupt;
  auto result = launch::launch(job, observer(interrupt));
  if (!result)
    return result.takeError();
  const bool complete = result->end == End::complete;
  Exit exit = exit_of(result->end, interrupt);
  if (result->standard_output)
    leave_standard_output();
  print(findings::plain_lines(result->printed));
  flush_printed();
  if (!complete)
    complain(findings::plain_lines(result->why));
  if (!result->written.empty())
    note(result->written);
  if (complete) {
    if (auto error = print_buffers(*result))
      return std::move(error);
  }
  // Of a captured dispatch it is a fault too that is expected.
  if (const bool equal = print_comparisons(*result); !result->comparisons.empty() && (!equal || job.expect_captured))
    exit = equal ? Exit::ok : Exit::wrong;
  for (const std::string* report : {&result->fidelity, &result->timing, &result->counters, &result->summary})
    print_report(*report);
  if (result->checked) {
    write_to_stderr(result->checked->text);
    for (const std::string& text : result->checked->notes)
      note(text);
    if (result->checked->findings && exit == Exit::ok)
      exit = job.checked.status ? static_cast<Exit>(job.checked.status) : Exit::wrong;
  }
  if (job.stats && complete)
    print_stats(*result, job.runs);
  if (!result->unwritten.empty())
    return fail("{}", result->unwritten);
  return exit;
}

} // namespace crosslane::cli
