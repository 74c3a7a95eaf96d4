// Where control goes that it should not: off the end of a kernel, into the middle of an instruction, into what is no
// code. What the graph does not know is told as not judged, with its reason.
#include "isa/flow.h"
#include "isa/op.h"
#include "lint/checks.h"
#include "lint/path.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

using analysis::Block;
using analysis::BlockId;
using analysis::EdgeKind;
using analysis::Exit;
using analysis::UnknownKind;

class Control {
public:
  Control(const Subject& subject, Report& report) : subject_(subject), graph_(subject.graph), report_(report) {}

  void run() {
    find_symbols();
    for (const analysis::Unknown& u : graph_.unknowns)
      unknown(u);
    for (BlockId b = 0; b < graph_.blocks.size(); ++b)
      run_off(b);
    overlaps();
    for (const codeobject::Kernel& kernel : subject_.object->empty_kernels())
      add(Rule::end_missing, kernel.entry + subject_.image->bias,
          fmt::format("kernel {} has no instruction, and no s_endpgm", kernel.name));
  }

private:
  struct Bounds {
    uint64_t begin = 0, end = 0; // loaded
    std::string_view name;
    bool kernel = false;
    bool sized = false; // its symbol says where it ends
  };
  const Subject& subject_;
  const analysis::Graph& graph_;
  Report& report_;
  std::vector<Bounds> functions_; // by address

  Finding& add(Rule rule, uint64_t pc, std::string message) {
    report_.findings.push_back({.rule = rule,
                                .severity = Severity::error,
                                .said = Said::manual | Said::llvm,
                                .pc = pc,
                                .message = std::move(message)});
    return report_.findings.back();
  }

  void find_symbols() {
    const uint64_t bias = subject_.image->bias;
    for (const codeobject::Function& f : subject_.object->functions()) {
      const codeobject::Symbol* symbol = subject_.object->symbol_at(f.begin);
      const bool sized = symbol && symbol->address == f.begin && symbol->size > 0 &&
                         symbol->kind == codeobject::Symbol::Kind::function;
      functions_.push_back({f.begin + bias, f.end + bias, f.name, f.kernel, sized});
    }
  }

  const Bounds* around(uint64_t pc) const {
    auto at = std::ranges::upper_bound(functions_, pc, {}, &Bounds::begin);
    return at == functions_.begin() || (--at)->end <= pc ? nullptr : &*at;
  }

  // The instruction itself: its name, or the bytes where there is none.
  std::string name_at(uint64_t pc) const {
    const auto bytes = analysis::bytes_at(subject_.code(), pc);
    isa::Instruction in;
    if (isa::decode(subject_.target(), bytes, in) > 0)
      return std::string(isa::mnemonic(in.op, subject_.target()));
    uint32_t word = 0;
    if (bytes.size() >= 4)
      std::memcpy(&word, bytes.data(), 4);
    return fmt::format("{:#010x}", word);
  }

  // A call that does not come back, and a trap that ends the wave, have nothing behind them.
  bool only_behind_calls(BlockId b) const {
    const auto before = graph_.predecessors_of(b);
    return !graph_.blocks[b].entry && !before.empty() && std::ranges::all_of(before, [&](BlockId p) {
      return graph_.blocks[p].exit == Exit::call || graph_.blocks[p].exit == Exit::trap;
    });
  }

  void unknown(const analysis::Unknown& u) {
    const auto skip = [&](std::string reason) { report_.not_judged.push_back({u.pc, std::move(reason)}); };
    switch (u.kind) {
    case UnknownKind::indirect_jump: return skip("where this jump goes is not known");
    case UnknownKind::indirect_call: return skip("what this call reaches is not known");
    case UnknownKind::indirect_fork: return skip("where this fork goes is not known");
    case UnknownKind::trap_return: return skip("where a trap handler returns to is not known");
    case UnknownKind::illegal_instruction:
      if (u.block != analysis::none && u.pc == graph_.blocks[u.block].begin && only_behind_calls(u.block))
        return skip("no instruction is here: the call or trap before it may not come back");
      add(Rule::reserved, u.pc,
          fmt::format("{} is no instruction of {}", name_at(u.pc), isa::info(subject_.target()).name));
      return;
    case UnknownKind::left_code: return left(u);
    }
  }

  // A section without a symbol, in which there is nothing but what compilers fill up with.
  bool is_filling(BlockId b) const {
    const Block& block = graph_.blocks[b];
    if (!graph_.predecessors_of(b).empty() || subject_.object->symbol_at(block.begin - subject_.image->bias))
      return false;
    for (uint64_t pc = block.begin; pc <= block.last; pc += 4) {
      isa::Instruction in;
      if (isa::decode(subject_.target(), analysis::bytes_at(subject_.code(), pc), in) != 4 || in.op != isa::Op::s_nop)
        return false;
    }
    return true;
  }

  void left(const analysis::Unknown& u) {
    if (u.block != analysis::none && is_filling(u.block))
      return;
    isa::Instruction in;
    const auto bytes = analysis::bytes_at(subject_.code(), u.pc);
    const int size = isa::decode(subject_.target(), bytes, in);
    const isa::Flow flow = size > 0 ? isa::flow(in) : isa::Flow{};
    const auto is_code = [&](uint64_t pc) { return !analysis::bytes_at(subject_.code(), pc).empty(); };
    if (flow.direct && (flow.target(u.pc) % 4 || !is_code(flow.target(u.pc)))) {
      add(Rule::branch_target, u.pc,
          fmt::format("{} goes to {}, where there is no code", name_at(u.pc), place_name(subject_, flow.target(u.pc))));
      if (!flow.falls_through || is_code(u.pc + uint64_t(size)))
        return;
    }
    if (flow.kind == isa::FlowKind::call || flow.kind == isa::FlowKind::trap)
      return report_.not_judged.push_back({u.pc, "the code ends here: the call or trap may not come back"});
    add(Rule::end_missing, u.pc, fmt::format("the code ends behind {}, without s_endpgm", name_at(u.pc)));
  }

  // From the last instruction of a function into the next one, or into what lies between.
  void run_off(BlockId b) {
    const Block& block = graph_.blocks[b];
    for (const analysis::Edge& e : graph_.successors(b)) {
      if (e.kind != EdgeKind::fall_through || block.exit == Exit::trap || only_behind_calls(b))
        continue;
      const uint64_t to = graph_.blocks[e.to].begin;
      const Bounds* from = around(block.last);
      if (!from || to < from->end || to <= from->begin)
        continue;
      const Bounds* next = around(to);
      const bool into_kernel = next && next->begin == to && next->kernel;
      if (!from->sized && !into_kernel)
        continue; // a label that hand-written code goes through
      Finding& f = add(Rule::end_missing, block.last,
                       fmt::format("{} runs off its end behind {}, without s_endpgm", from->name, name_at(block.last)));
      if (next)
        f.notes.push_back({to, fmt::format("into {}", place_name(subject_, to))});
      f.fix = Fix{Fix::Kind::insert, to, "s_endpgm"};
    }
  }

  // Blocks that begin inside an instruction of another: the same bytes are two things.
  void overlaps() {
    uint64_t end = 0;
    BlockId last = analysis::none;
    for (BlockId b = 0; b < graph_.blocks.size(); ++b) {
      const Block& block = graph_.blocks[b];
      if (block.begin < end)
        overlap(b, last);
      if (block.end > end)
        end = block.end, last = b;
    }
  }

  void overlap(BlockId b, BlockId other) {
    const uint64_t pc = graph_.blocks[b].begin;
    uint64_t around = 0;
    int offset = 0;
    analysis::each_instruction(subject_.code(), graph_.blocks[other], [&](uint64_t at, const isa::Instruction& in) {
      if (at < pc && pc < at + in.size)
        around = at, offset = int(pc - at);
    });
    if (!around)
      return; // behind the overlap, where both read the same
    const auto tell = [&](uint64_t at, const std::string& who) {
      Finding& f = add(Rule::branch_target, at,
                       fmt::format("{} goes to {}, which is {} bytes inside {}", who, place_name(subject_, pc), offset,
                                   name_at(around)));
      f.notes.push_back({around, "the instruction around it"});
    };
    bool told = false;
    for (const BlockId p : graph_.predecessors_of(b))
      if (graph_.blocks[p].end != pc)
        tell(graph_.blocks[p].last, name_at(graph_.blocks[p].last)), told = true;
    if (!told)
      add(Rule::branch_target, pc, fmt::format("{} begins inside {}", place_name(subject_, pc), name_at(around)));
  }
};

} // namespace

void check_control(const Subject& subject, Report& report) { Control(subject, report).run(); }

} // namespace crosslane::lint
