// What has to be expected is compared with what was seen, kind by kind.
#include "testing/verdict.h"
#include "check/suppressions.h"
#include "isa/enum_name.h"
#include "lint/format/format.h"
#include "machine/diagnostic.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace crosslane::testing {

namespace {

using launch::Job;
using launch::Result;

class Judging {
public:
  Judging(const Job& job, const Result& result) : job_(job), result_(result) {}

  Outcome judge() {
    end();
    if (result_.end == launch::End::complete)
      buffers();
    findings();
    if (!result_.unwritten.empty())
      complain("", result_.unwritten);
    outcome_.output = result_.printed;
    outcome_.end = !outcome_.complaints.empty()    ? End::failed
                   : expectations_of(job_).empty() ? End::no_claim
                                                   : End::passed;
    return std::move(outcome_);
  }

private:
  // Where the description has a key; its first line, if it has not.
  std::string place(const std::string& key) const {
    const auto found = job_.positions.find(key);
    const Job::Position p = found == job_.positions.end() ? Job::Position{1, 1} : found->second;
    return fmt::format("{}:{}:{}", job_.description, p.line, p.column);
  }
  void complain(std::string place, std::string text) {
    outcome_.complaints.push_back({std::move(place), std::move(text)});
  }

  void end() {
    const auto& fault = result_.outcome.fault;
    if (result_.end == launch::End::complete) {
      if (job_.expect_fault)
        complain(place("expect_fault"),
                 fmt::format("the kernel ended without the fault '{}'", isa::enum_name(*job_.expect_fault)));
      return;
    }
    const bool expected = job_.expect_fault && fault && fault->kind == *job_.expect_fault;
    if (expected)
      return;
    if (job_.expect_fault)
      complain(place("expect_fault"),
               fmt::format("expected the fault '{}', not {}", isa::enum_name(*job_.expect_fault),
                           fault ? fmt::format("'{}'", isa::enum_name(fault->kind)) : "what came instead"));
    std::string why = result_.why;
    if (const std::string last = fault ? "\n" + machine::diagnostic(*fault) : "";
        last.size() > 1 && why.ends_with(last))
      why.resize(why.size() - last.size()); // it is where this is told
    complain(fault && !fault->source.empty() ? fault->source : place("file"), why);
  }

  void buffers() {
    for (size_t i = 0; i < result_.comparisons.size(); ++i)
      if (const auto& comparison = result_.comparisons[i]; comparison.different)
        complain(place("expect." + job_.expect[i].substr(0, job_.expect[i].find('='))), comparison.text);
  }

  void findings() {
    if (!result_.judged)
      return;
    lint::Judged judged = *result_.judged;
    auto expected =
        check::Suppressions::parse(fmt::format("{}", fmt::join(job_.expect_findings, "\n")), "expect_findings");
    if (!expected) // it could be read before
      return complain(place("expect_findings"), llvm::toString(expected.takeError()));
    expected->apply({&judged, 1});
    for (const lint::PlacedFinding& f : judged.findings)
      complain(lint::where_of(f.place), text_of(f));
    for (const std::string& line : expected->unused())
      complain(place("expect_findings"), fmt::format("not found: {}", line.substr(line.find(": ") + 2)));
  }

  static std::string text_of(const lint::PlacedFinding& f) {
    std::string text =
        fmt::format("{} [{}]\n{} at {}", f.message, lint::id_of(f.rule), f.instruction, lint::address_of(f.place));
    if (f.seen)
      text += fmt::format("\nin {}", lint::text_of(*f.seen));
    for (const lint::PlacedNote& n : f.notes)
      text += fmt::format("\n{}: {}", lint::where_of(n.place), n.text);
    return text;
  }

  const Job& job_;
  const Result& result_;
  Outcome outcome_;
};

} // namespace

Outcome judge(const Job& job, const Result& result) { return Judging(job, result).judge(); }

Outcome refuse(const Job& job, const std::string& why) {
  return {.end = End::error, .complaints = {{fmt::format("{}:1:1", job.description), why}}};
}

} // namespace crosslane::testing
