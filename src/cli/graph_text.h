// Owns a control-flow graph as text, JSON and DOT, with addresses of the code object.
#pragma once
#include "analysis/code_image.h"
#include "analysis/liveness.h"
#include "analysis/loops.h"
#include <string>

namespace crosslane::cli {

struct AnalysedCode {
  const codeobject::CodeObject& object;
  const analysis::CodeImage& image;
  const analysis::Graph& graph;
  const analysis::Dominators& dominators;
  const analysis::Loops& loops;
  const analysis::Liveness& liveness;
};

// `parts`: which of the graph's; empty: all.
std::string graph_text(const AnalysedCode&, const std::vector<uint32_t>& parts);
std::string graph_json(const AnalysedCode&, const std::vector<uint32_t>& parts);
std::string graph_dot(const AnalysedCode&, const std::vector<uint32_t>& parts);

} // namespace crosslane::cli
