// Addresses to places, for what was found alone.
#include "lint/placed.h"
#include "isa/decode.h"
#include "isa/print.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

class Placing {
public:
  Placing(const Subject& subject, const Origin& origin)
      : s_(subject), origin_(origin), functions_(subject.object->functions()) {}

  Place place(uint64_t pc) const {
    const uint64_t address = pc - s_.image->bias;
    Place p{.file = origin_.file};
    const auto function = std::ranges::upper_bound(functions_, address, {}, &codeobject::Function::begin);
    if (function != functions_.begin() && address < std::prev(function)->end)
      p.function = std::prev(function)->name, p.offset = address - std::prev(function)->begin;
    else if (const codeobject::Kernel* kernel = empty_kernel(address))
      p.function = kernel->name;
    else
      p.offset = address;
    if (origin_.assembly && origin_.position)
      if (const auto at = origin_.position(address)) {
        p.file = at->file, p.line = at->line, p.column = at->column;
        if (const auto text = origin_.texts.find(at->file); text != origin_.texts.end())
          p.code = text->second.line(at->line);
        return p;
      }
    p.code = instruction(pc);
    if (!origin_.assembly)
      if (const auto frames = s_.object->source_frames(address); !frames.empty() && frames[0].line) {
        p.source = text_of(frames[0]);
        for (const codeobject::SourceLine& call : std::span(frames).subspan(1))
          p.inlined_by.push_back(text_of(call));
      }
    return p;
  }

  std::vector<Place> places(std::span<const uint64_t> pcs) const {
    std::vector<Place> all;
    for (const uint64_t pc : pcs)
      all.push_back(place(pc));
    return all;
  }

  std::string instruction(uint64_t pc) const {
    isa::Instruction in;
    if (isa::decode(s_.target(), analysis::bytes_at(s_.code(), pc), in) <= 0)
      return {};
    return isa::print(in);
  }

private:
  static std::string text_of(const codeobject::SourceLine& at) {
    return at.column ? fmt::format("{}:{}:{}", at.file, at.line, at.column) : fmt::format("{}:{}", at.file, at.line);
  }
  const codeobject::Kernel* empty_kernel(uint64_t address) const {
    const auto kernels = s_.object->empty_kernels();
    const auto found = std::ranges::find(kernels, address, &codeobject::Kernel::entry);
    return found == kernels.end() ? nullptr : &*found;
  }

  const Subject& s_;
  const Origin& origin_;
  std::vector<codeobject::Function> functions_;
};

} // namespace

Judged place(const Subject& subject, const Report& report, const Origin& origin) {
  const Placing placing(subject, origin);
  Judged judged{.file = origin.file, .target = subject.object->target_id(), .assembly = origin.assembly};
  for (const Finding& f : report.findings) {
    PlacedFinding placed{.rule = f.rule,
                         .severity = f.severity,
                         .said = f.said,
                         .place = placing.place(f.pc),
                         .message = f.message,
                         .instruction = placing.instruction(f.pc),
                         .seen = f.seen,
                         .callers = placing.places(f.callers)};
    for (const Note& n : f.notes)
      placed.notes.push_back({placing.place(n.pc), n.text, placing.places(n.callers)});
    if (f.fix)
      placed.fix = PlacedFix{f.fix->kind, placing.place(f.fix->pc), f.fix->text};
    judged.findings.push_back(std::move(placed));
  }
  for (const NotJudged& n : report.not_judged)
    judged.not_judged.push_back({placing.place(n.pc), n.reason});
  judged.kernels = subject.object->kernels().size();
  judged.functions = subject.graph.functions.size();
  for (const auto& block : subject.graph.blocks)
    judged.instructions += block.instructions;
  for (const auto& region : subject.image->regions)
    if (region.kind == analysis::RegionKind::code)
      judged.bytes += region.bytes.size();
  return judged;
}

std::string address_of(const Place& p) {
  if (p.function.empty())
    return fmt::format("{:#x}", p.offset);
  return p.offset ? fmt::format("{}+{:#x}", p.function, p.offset) : p.function;
}

std::string text_of(const Place& p) {
  if (p.line && p.column)
    return fmt::format("{}:{}:{}", p.file, p.line, p.column);
  if (p.line)
    return fmt::format("{}:{}", p.file, p.line);
  if (p.function.empty() && !p.offset) // of the whole file
    return p.file;
  return fmt::format("{}({})", p.file, address_of(p));
}

} // namespace crosslane::lint
