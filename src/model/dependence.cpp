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

Dependence most(const analysis::Code& code, const analysis::Graph& graph) {
  Dependence most = Dependence::none;
  for (const analysis::Block& block : graph.blocks)
    analysis::each_instruction(code, block, [&](uint64_t, const isa::Instruction& i) { most = std::max(most, of(i)); });
  return most;
}

} // namespace

Dependence dependence(const codeobject::CodeObject& object, isa::Target target, const uint8_t* memory, uint64_t entry) {
  const auto image = analysis::describe_image(object, target, memory);
  const analysis::Entry kernel{entry, true};
  analysis::Code code = image->code;
  code.entries = {&kernel, 1};
  const analysis::Graph graph = analysis::build(code);
  const Dependence found = most(code, graph);
  if (graph.unknowns.empty())
    return found;
  return std::max(found, most(image->code, analysis::build(image->code)));
}

} // namespace crosslane::model
