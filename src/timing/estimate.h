// Owns the estimate of a kernel from its code and its card alone: what each instruction costs, and for blocks and loops
// the sums of each unit, the way of one wave, the bound of several. What a run counted makes an estimate of the whole
// kernel of it (timing/whole.h).
#pragma once
#include "analysis/code_image.h"
#include "analysis/graph.h"
#include "analysis/loops.h"
#include "analysis/values.h"
#include "timing/bounds.h"
#include "timing/occupancy.h"
#include <array>
#include <map>
#include <optional>

namespace crosslane::timing {

struct EstimateOptions {
  Model model = Model::card;
  double vmem_latency = 0; // cycles; 0: a hit of L2
  uint32_t waves = 0;      // of a SIMD; 0: what fits
  uint32_t workgroup_items = 256;
  bool whole_rows = true; // a workgroup's rows of work-items are a multiple of a wave
};

// What a run counted of an instruction.
struct Counted {
  double executions = 0;                  // of waves
  double vmem_cycles = 0, lds_cycles = 0; // of its unit in each; 0: not known
};
using Counts = std::map<uint64_t, Counted>; // by pc in loaded code

struct BlockEstimate {
  analysis::BlockId id = analysis::none;
  uint64_t begin = 0, end = 0;
  uint32_t first = 0, count = 0;  // in KernelEstimate::rows
  uint32_t loop = analysis::none; // innermost, in KernelEstimate::loops
  Sums sums;
  PathRange alone, among; // from nothing under way; what it leaves under way is not waited for
};

struct LoopEstimate {
  uint64_t header = 0; // in loaded code
  uint32_t depth = 1;
  uint32_t parent = analysis::none; // in KernelEstimate::loops
  std::vector<uint32_t> path;       // of one iteration, in KernelEstimate::blocks: the longest way
  uint32_t blocks = 0;              // of the loop, those of inner loops included
  bool has_inner = false;           // inner loops count as gone through once
  Sums sums;                        // of the path
  PathRange alone, among;           // an iteration of a wave that is alone on its SIMD, and of one among others
  Bounds bounds{};                  // with `waves` of the kernel
  Bound bound;
  uint32_t waves_to_hide = 0; // 0: more than the SIMD holds
};

struct KernelEstimate {
  const codeobject::Kernel* kernel = nullptr;
  Occupancy occupancy;
  uint32_t waves = 1;                // of a SIMD, that bounds are given for
  std::vector<Row> rows;             // by pc
  std::vector<BlockEstimate> blocks; // by address
  std::vector<LoopEstimate> loops;   // outer ones before inner ones, by address
  Sums sums;                         // each instruction once
  bool calls = false;                // it has calls: callees are among the blocks, loops do not count them
  bool unknown = false;              // ... or ways that the analysis cannot tell
  gpu::Used used;
};

// A code object with what is asked of it for each of its kernels.
class AnalysedObject {
public:
  AnalysedObject(const codeobject::CodeObject&, const analysis::CodeImage&);
  const std::vector<analysis::ValueFact>& facts(bool whole_rows) const; // worked out when first asked for

  const codeobject::CodeObject& object;
  const analysis::CodeImage& image;
  const analysis::Graph graph;
  const analysis::Loops loops;
  const std::vector<uint32_t> places; // of blocks in the order of the graph

private:
  mutable std::array<std::optional<std::vector<analysis::ValueFact>>, 2> facts_;
};

// `counts` empty: of code alone.
KernelEstimate estimate(const AnalysedObject&, const codeobject::Kernel&, const gpu::Machine&, const EstimateOptions&,
                        const Counts& counts = {});

// `l1`, `l2` and `dram`: cycles until a load has its value from there.
double vmem_latency(const gpu::Machine&, std::string_view from);

} // namespace crosslane::timing
