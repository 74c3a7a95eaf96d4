// Rows, then blocks, then loops.
#include "timing/estimate.h"
#include "codeobject/first_instruction.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/op.h"
#include "timing/fetch.h"
#include "timing/wait_states.h"
#include <algorithm>
#include <set>

namespace crosslane::timing {

namespace {

using analysis::BlockId;
using analysis::none;
using gpu::Parameter;

class Estimator {
public:
  Estimator(const AnalysedObject& in, const codeobject::Kernel& kernel, const gpu::Machine& machine,
            const EstimateOptions& options, const Counts& counts)
      : in_(in), machine_(machine), options_(options), counts_(counts) {
    out_.kernel = &kernel;
  }

  KernelEstimate run() {
    find_blocks();
    find_occupancy();
    for (const BlockId b : block_ids_)
      add_block(b);
    latencies_.vmem = options_.vmem_latency > 0 ? options_.vmem_latency : machine_[Parameter::l2_hit_latency];
    latencies_.lds = machine_[Parameter::lds_latency];
    latencies_.smem = machine_[Parameter::scalar_hit_latency];
    latencies_.memtime = machine_[Parameter::memtime_latency];
    note_used();
    for (BlockEstimate& b : out_.blocks) {
      const std::vector<Step> steps = steps_of(std::span(&b, 1));
      b.alone = path_range(steps, walk(true), false);
      b.among = path_range(steps, walk(false), false);
    }
    add_loops();
    return std::move(out_);
  }

private:
  const AnalysedObject& in_;
  const gpu::Machine& machine_;
  const EstimateOptions& options_;
  const Counts& counts_;
  KernelEstimate out_;
  std::vector<BlockId> block_ids_;
  std::map<BlockId, uint32_t> index_; // in out_.blocks
  Latencies latencies_;

  Walk walk(bool alone) const { return {machine_, latencies_, options_.model, alone}; }

  // What can be reached from the kernel's entry, callees included.
  void find_blocks() {
    const auto& graph = in_.graph;
    const uint32_t f = graph.function_at(codeobject::first_instruction(*out_.kernel) + in_.image.bias);
    std::set<BlockId> seen;
    std::vector<BlockId> work;
    const auto reach = [&](BlockId b) {
      if (b != none && seen.insert(b).second)
        work.push_back(b);
    };
    if (f != none)
      reach(graph.functions[f].block);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (const analysis::Edge& e : graph.successors(b))
        reach(e.to);
      if (const analysis::Call* call = graph.call_of(b)) {
        out_.calls = true;
        for (const uint32_t callee : graph.callees_of(*call))
          reach(graph.functions[callee].block);
      }
    }
    for (const analysis::Unknown& u : graph.unknowns)
      out_.unknown |= seen.contains(u.block);
    block_ids_.assign(seen.begin(), seen.end()); // ids are in the order of addresses
  }

  void find_occupancy() {
    const codeobject::Kernel& k = *out_.kernel;
    out_.occupancy = occupancy({.target = machine_.target,
                                .vgprs = k.allocated_vgpr_count,
                                .agprs = k.agpr_count,
                                .sgprs = k.allocated_sgpr_count,
                                .lds_bytes = k.group_segment_fixed_size,
                                .workgroup_items = options_.workgroup_items,
                                .machine = &machine_});
    out_.waves = options_.waves ? options_.waves : std::max(1u, out_.occupancy.waves_per_simd);
  }

  const analysis::ValueFact* fact(uint64_t pc, uint16_t code) const {
    if (!isa::is_vgpr(code))
      return nullptr;
    const auto key = std::pair(pc, uint16_t(code - isa::code::vgpr0));
    const auto& facts = in_.facts(options_.whole_rows);
    const auto found =
        std::ranges::lower_bound(facts, key, {}, [](const analysis::ValueFact& f) { return std::pair(f.pc, f.vgpr); });
    return found != facts.end() && std::pair(found->pc, found->vgpr) == key ? &*found : nullptr;
  }

  // By the register that addresses begin in: the low half of those of 64 bits, whose carry is taken for regular.
  Lanes lanes_of(uint64_t pc, const isa::Instruction& i) const {
    Lanes lanes;
    const isa::Unit unit = isa::unit(i);
    if (unit != isa::Unit::vmem && unit != isa::Unit::flat && unit != isa::Unit::lds)
      return lanes;
    const bool buffer = i.encoding == isa::Encoding::MUBUF || i.encoding == isa::Encoding::MTBUF;
    using enum Lanes::Pattern;
    if (i.encoding == isa::Encoding::MIMG)
      return lanes;
    if ((buffer && !i.offen && !i.idxen && !i.addr64) ||
        (i.encoding == isa::Encoding::SCRATCH && i.addr == isa::code::off)) {
      lanes.pattern = uniform;
    } else if (const analysis::ValueFact* f = fact(pc, i.addr)) {
      if (f->stride == 0)
        lanes.pattern = uniform;
      else if (!i.idxen) // what an index means, the resource says
        lanes.pattern = affine, lanes.stride = f->stride;
    }
    return lanes;
  }

  void add_block(BlockId id) {
    const analysis::Block& block = in_.graph.blocks[id];
    BlockEstimate b;
    b.id = id, b.begin = block.begin, b.end = block.end;
    b.first = uint32_t(out_.rows.size());
    SchedulingDelays delays;
    WaitStates wait_states;
    double now = 0;
    const Row* before = nullptr;
    out_.rows.reserve(out_.rows.size() + block.instructions);
    analysis::each_instruction(in_.image.code, block, [&](uint64_t pc, const isa::Instruction& i) {
      Row row;
      row.pc = pc, row.instruction = i;
      Lanes lanes = lanes_of(pc, i);
      if (const auto counted = counts_.find(pc); counted != counts_.end())
        lanes.measured = isa::unit(i) == isa::Unit::lds ? counted->second.lds_cycles : counted->second.vmem_cycles;
      row.cost = cost(i, machine_, options_.model, lanes);
      if (has_fetch_penalties(i.target)) {
        const bool behind_long = before && before->instruction.size == 8 && before->cost.wave.least >= 16;
        row.fetch = size_penalty(pc - in_.image.bias, i.size, row.cost.wave.least, behind_long);
      }
      row.delay = delays.before(i, now);
      now += row.delay + row.cost.wave.least;
      delays.issued(i, now);
      row.missing_wait_states = wait_states.missing(i);
      add(b.sums, row), add(out_.sums, row);
      out_.used.add(row.cost.used);
      out_.rows.push_back(std::move(row));
      before = &out_.rows.back();
    });
    b.count = uint32_t(out_.rows.size()) - b.first;
    index_[id] = uint32_t(out_.blocks.size());
    out_.blocks.push_back(std::move(b));
  }

  void note_used() {
    const auto any = [&](auto is) { return std::ranges::any_of(out_.rows, is); };
    const auto of = [&](Resource r) { return any([&](const Row& row) { return row.cost.resource == r; }); };
    gpu::Used& used = out_.used;
    if (of(Resource::vmem) && options_.vmem_latency <= 0)
      used.add(Parameter::l2_hit_latency);
    if (of(Resource::lds))
      used.add(Parameter::lds_latency);
    if (of(Resource::smem))
      used.add(Parameter::scalar_hit_latency);
    if (any([](const Row& row) { return isa::row(row.instruction.op).access == isa::Access::time; }))
      used.add(Parameter::memtime_latency);
    if (of(Resource::valu) && options_.model == Model::card)
      used.add(Parameter::lone_wave_valu_period);
    if (any([](const Row& row) { return row.instruction.op == isa::Op::s_barrier; }))
      used.add(Parameter::barrier_waits_for_counters);
    used.add(Parameter::waves_per_simd);
  }

  // The instructions of blocks that are gone through one after the other, the first again after the last.
  std::vector<Step> steps_of(std::span<const BlockEstimate> one) const {
    std::vector<const BlockEstimate*> path;
    for (const BlockEstimate& b : one)
      path.push_back(&b);
    return steps_of(path, false);
  }
  std::vector<Step> steps_of(const std::vector<const BlockEstimate*>& path, bool around) const {
    std::vector<Step> steps;
    for (size_t p = 0; p < path.size(); ++p) {
      const BlockEstimate& b = *path[p];
      const bool last = p + 1 == path.size();
      const BlockEstimate* next = last ? around ? path.front() : nullptr : path[p + 1];
      const BlockEstimate* previous = p ? path[p - 1] : nullptr;
      for (uint32_t n = 0; n < b.count; ++n) {
        Step step{&out_.rows[b.first + n]};
        step.jumped_to = n == 0 && previous && previous->end < b.begin;
        step.jumps = n + 1 == b.count && next && next->begin != b.end && step.row->cost.taken > 0;
        steps.push_back(step);
      }
    }
    return steps;
  }

  // Of the blocks of a loop: the longest way from its header to one of its ends, inner loops gone through once.
  std::vector<uint32_t> longest_path(BlockId header, const std::set<BlockId>& body) const {
    const auto& graph = in_.graph;
    struct Best {
      double cycles = -1;
      BlockId from = none;
    };
    std::map<BlockId, Best> best;
    best[header].cycles = 0;
    BlockId end = header;
    double longest = -1;
    const analysis::Part& part = graph.parts[graph.blocks[header].part];
    for (const BlockId b : graph.blocks_of(part)) {
      if (!body.contains(b) || !best.contains(b))
        continue;
      const double here = best[b].cycles + length(b);
      bool leads_back = false;
      for (const analysis::Edge& e : graph.successors(b)) {
        leads_back |= e.to == header;
        if (e.to == header || !body.contains(e.to) || place(e.to) <= place(b))
          continue;
        if (Best& to = best[e.to]; here > to.cycles)
          to = {here, b};
      }
      if (leads_back && here > longest)
        longest = here, end = b;
    }
    std::vector<uint32_t> path;
    for (BlockId b = end; b != none; b = b == header ? none : best[b].from)
      path.push_back(index_.at(b));
    std::ranges::reverse(path);
    return path;
  }
  double length(BlockId b) const {
    const BlockEstimate& block = out_.blocks[index_.at(b)];
    return block.alone.least.cycles + block.sums.instructions * 1e-3;
  }
  uint32_t place(BlockId b) const { return in_.places[b]; }

  void add_loops() {
    const auto& graph = in_.graph;
    const auto& all = in_.loops;
    std::map<uint32_t, std::set<BlockId>> bodies;
    for (const BlockId b : block_ids_)
      for (uint32_t l = all.of[b]; l != none; l = all.loops[l].parent)
        bodies[l].insert(b);
    std::vector<uint32_t> order;
    for (const auto& [l, body] : bodies)
      order.push_back(l);
    std::ranges::sort(
        order, {}, [&](uint32_t l) { return std::pair(graph.blocks[all.loops[l].header].begin, all.loops[l].depth); });
    std::map<uint32_t, uint32_t> numbers;
    for (uint32_t i = 0; i < order.size(); ++i)
      numbers[order[i]] = i;
    for (const uint32_t l : order)
      add_loop(all.loops[l], bodies[l], numbers);
    for (BlockEstimate& b : out_.blocks)
      if (const uint32_t l = all.of[b.id]; l != none)
        b.loop = numbers.at(l);
  }

  void add_loop(const analysis::Loop& loop, const std::set<BlockId>& body,
                const std::map<uint32_t, uint32_t>& numbers) {
    LoopEstimate e;
    e.header = in_.graph.blocks[loop.header].begin;
    e.depth = loop.depth, e.blocks = uint32_t(body.size());
    e.parent = loop.parent == none ? none : numbers.at(loop.parent);
    for (const BlockId b : body)
      e.has_inner |= in_.loops.loops[in_.loops.of[b]].header != loop.header;
    e.path = longest_path(loop.header, body);
    std::vector<const BlockEstimate*> path;
    for (const uint32_t b : e.path) {
      path.push_back(&out_.blocks[b]);
      for (uint32_t n = 0; n < out_.blocks[b].count; ++n)
        add(e.sums, out_.rows[out_.blocks[b].first + n]);
    }
    const std::vector<Step> steps = steps_of(path, true);
    e.alone = path_range(steps, walk(true), true);
    e.among = path_range(steps, walk(false), true);
    const PathRange& way = out_.waves > 1 ? e.among : e.alone;
    e.bounds = bounds(e.sums, out_.waves, machine_);
    e.bound = largest(e.bounds, {way.least.cycles, way.most.cycles});
    e.waves_to_hide = waves_to_hide(e.sums, {e.among.least.cycles, e.among.most.cycles},
                                    machine_.whole(Parameter::waves_per_simd), machine_);
    out_.loops.push_back(std::move(e));
  }
};

} // namespace

namespace {

std::vector<uint32_t> places_of(const analysis::Graph& graph) {
  std::vector<uint32_t> places(graph.blocks.size());
  for (uint32_t i = 0; i < graph.order.size(); ++i)
    places[graph.order[i]] = i;
  return places;
}

} // namespace

AnalysedObject::AnalysedObject(const codeobject::CodeObject& o, const analysis::CodeImage& i)
    : object(o), image(i), graph(analysis::build(i.code)), loops(analysis::loops(graph, analysis::dominators(graph))),
      places(places_of(graph)) {}

const std::vector<analysis::ValueFact>& AnalysedObject::facts(bool whole_rows) const {
  auto& known = facts_[whole_rows];
  if (!known)
    known = analysis::value_facts(image.code, graph, {.whole_rows = whole_rows});
  return *known;
}

KernelEstimate estimate(const AnalysedObject& in, const codeobject::Kernel& kernel, const gpu::Machine& machine,
                        const EstimateOptions& options, const Counts& counts) {
  return Estimator(in, kernel, machine, options, counts).run();
}

double vmem_latency(const gpu::Machine& m, std::string_view from) {
  if (from == "l1")
    return m[Parameter::l1_hit_latency];
  const double l2 = m[Parameter::l2_hit_latency];
  return from == "l2" ? l2 : l2 + m[Parameter::dram_latency] * m[Parameter::clock] * 1e-3;
}

} // namespace crosslane::timing
