// Assembles with LLVM, links, and asks the line table where findings are.
#include "tests/lint/linted.h"
#include "tests/expected.h"
#include "toolchain/compile.h"
#include <fmt/format.h>

namespace crosslane::test {

namespace {

constexpr std::string_view head = ".text\n.globl k\n.p2align 8\n.type k,@function\nk:\n";
constexpr uint32_t head_lines = 5;

std::string source(const std::string& body, const LintCase& c) {
  const bool gfx90a = c.target.starts_with("gfx90a");
  const bool lds = c.descriptor.find("group_segment") != std::string::npos;
  return fmt::format("{}{}\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr {}\n"
                     ".amdhsa_next_free_sgpr 90\n{}{}{}\n.end_amdhsa_kernel\n",
                     head, body, gfx90a ? 256 : 128, gfx90a ? ".amdhsa_accum_offset 128\n" : "",
                     lds ? "" : ".amdhsa_group_segment_fixed_size 1024\n", c.descriptor);
}

} // namespace

lint::Report report_of(const std::string& body, const LintCase& c) {
  const auto object = value_of(toolchain::assemble(source(body, c), "case.s", c.target));
  if (object.empty())
    return {};
  const auto linked = value_of(toolchain::link_code_object(object));
  const auto code = value_of(codeobject::CodeObject::read(linked, "case.s"));
  auto subject = lint::make_subject(*code);
  if (!subject) {
    ADD_FAILURE() << llvm::toString(subject.takeError());
    return {};
  }
  lint::Options options;
  options.rules = c.rules;
  if (c.performance)
    options.selected.set();
  if (!c.undefined)
    for (const lint::Rule r : {lint::Rule::uninit, lint::Rule::m0_lds, lint::Rule::flat_scratch_init,
                               lint::Rule::lds_size, lint::Rule::sendmsg})
      options.selected.reset(size_t(r));
  lint::Report report = lint::lint(*subject, options);
  const auto line = [&](uint64_t& pc) {
    const auto at = code->source_line(pc - subject->image->bias);
    pc = at ? at->line - head_lines : 0;
  };
  for (lint::Finding& f : report.findings) {
    line(f.pc);
    for (lint::Note& n : f.notes)
      line(n.pc);
    if (f.fix)
      line(f.fix->pc);
  }
  for (lint::NotJudged& n : report.not_judged)
    line(n.pc);
  return report;
}

std::vector<std::string> found(const std::string& body, const LintCase& c) {
  std::vector<std::string> lines;
  for (const lint::Finding& f : report_of(body, c).findings)
    lines.push_back(fmt::format("{} {}", f.pc, lint::id_of(f.rule)));
  return lines;
}

} // namespace crosslane::test
