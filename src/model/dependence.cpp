// Blocks that can be reached, one by one.
#include "model/dependence.h"
#include "analysis/code_image.h"
#include "analysis/graph.h"
#include "isa/classify.h"
#include "isa/op.h"
#include "isa/row.h"
#include <algorithm>

namespace crosslane::model {

namespace {

Dependence of(const isa::Instruction& i) {
  if (!isa::depends_on_time(i))
    return Dependence::none;
  return isa::row(i.op).access == isa::Access::time ? Dependence::clock : Dependence::memory;
}

// Each instruction that the kernel can reach.
template <class F>
void each_reached(const codeobject::CodeObject& object, isa::Target target, const uint8_t* memory, uint64_t entry,
                  const F& f) {
  const auto each = [&](const analysis::Code& code, const analysis::Graph& graph) {
    for (const analysis::Block& block : graph.blocks)
      analysis::each_instruction(code, block, [&](uint64_t, const isa::Instruction& i) { f(i); });
  };
  const auto image = analysis::describe_image(object, target, memory);
  const analysis::Entry kernel{entry, true};
  analysis::Code code = image->code;
  code.entries = {&kernel, 1};
  const analysis::Graph graph = analysis::build(code);
  each(code, graph);
  if (!graph.unknowns.empty())
    each(image->code, analysis::build(image->code));
}

} // namespace

Dependence dependence(const codeobject::CodeObject& object, isa::Target target, const uint8_t* memory, uint64_t entry) {
  Dependence most = Dependence::none;
  each_reached(object, target, memory, entry, [&](const isa::Instruction& i) { most = std::max(most, of(i)); });
  return most;
}

bool uses_global_share(const codeobject::CodeObject& object, isa::Target target, const uint8_t* memory,
                       uint64_t entry) {
  bool uses = false;
  each_reached(object, target, memory, entry,
               [&](const isa::Instruction& i) { uses |= isa::unit(i) == isa::Unit::gds; });
  return uses;
}

} // namespace crosslane::model
