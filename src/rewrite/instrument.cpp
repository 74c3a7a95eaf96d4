// Kernels that share code are instrumented together; all copies lie in one new segment.
#include "rewrite/instrument.h"
#include "analysis/liveness.h"
#include "analysis/loops.h"
#include "codeobject/first_instruction.h"
#include "codeobject/write.h"
#include "files/error.h"
#include "rewrite/document_probes.h"
#include "rewrite/lane_probes.h"
#include "rewrite/layout.h"
#include "rewrite/memory_probes.h"
#include "rewrite/poison_probes.h"
#include "rewrite/record.h"
#include "rewrite/settle.h"
#include "rewrite/sgpr_allocation.h"
#include "rewrite/shuffle.h"
#include "rewrite/sites.h"
#include "rewrite/time_probes.h"
#include "rewrite/user_probes.h"
#include "rewrite/vgpr_indexing.h"
#include <algorithm>
#include <numeric>

namespace crosslane::rewrite {

using analysis::BlockId;

namespace {

constexpr uint64_t control_bytes = 64; // of each kernel: a Control and zeros behind it, a cache line

uint64_t page_up(uint64_t n) { return (n + 4095) / 4096 * 4096; }

class Instrumenter {
public:
  Instrumenter(const codeobject::CodeObject& object, const Options& options, lint::Subject subject)
      : object_(object), options_(options), subject_(std::move(subject)),
        status_{PlacesLive(subject_.graph.blocks.size()), PlacesLive(subject_.graph.blocks.size())} {
    listing_.target = subject_.target();
  }

  llvm::Expected<Result> run() {
    find_kernels();
    find_liveness();
    if (auto error = compile_probe())
      return std::move(error);
    control_ = additions_.data_address = codeobject::free_address(object_);
    std::vector<std::vector<size_t>> rest;
    for (auto& group : groups())
      if (!instrument(group))
        rest.push_back(std::move(group));
    find_live_sgprs(rest);
    for (auto& group : rest)
      instrument(group);
    if (options_.probes.divergence) {
      std::vector<BlockId> all(subject_.graph.blocks.size());
      std::iota(all.begin(), all.end(), BlockId(0));
      result_.branches.of = find_sites(subject_, all).size();
    }
    if (std::ranges::all_of(result_.kernels, [](const auto& k) { return !k.refused.empty(); }))
      return std::move(result_);
    additions_.data_size = control_ - additions_.data_address;
    if (additions_.data_size == 0)
      additions_.data_address = 0;
    additions_.code_address = page_up(std::max(control_, codeobject::free_address(object_)));
    if (probes())
      additions_.note = to_note(plan_);
    const LayoutOptions layout{code_address(), options_.branch_reach};
    if (options_.shuffle)
      shuffle(listing_, layout, options_.shuffle, subject_.code());
    auto bytes = settle(subject_, listing_, layout, [&](const LaidOut& laid_out) { return finish(laid_out); });
    if (!bytes)
      return bytes.takeError();
    result_.bytes = std::move(*bytes);
    return std::move(result_);
  }

private:
  const codeobject::CodeObject& object_;
  const Options& options_;
  lint::Subject subject_;
  StatusLiveness status_;
  const VgprIndexing indexing_{subject_};
  LiveSets live_;                       // if they are to be proved
  std::optional<LiveSgprs> live_sgprs_; // of groups whose probes have none of their own
  std::optional<analysis::Loops> loops_;
  const analysis::Loops no_loops_;
  std::vector<CopiedKernel> kernels_;
  std::optional<ProbeFunction> function_;
  Listing listing_;
  struct Entry { // of a kernel's copy
    Label label;
    size_t change; // in additions_.kernels
  };
  std::vector<Entry> entries_;
  codeobject::Additions additions_;
  uint64_t control_ = 0; // where the next Control lies
  Plan plan_;
  Result result_;

  bool probes() const { return options_.probes.any(); }

  std::vector<std::unique_ptr<ProbeKind>> kinds_of(const CopiedCode& code) const {
    const Probes& probes = options_.probes;
    std::vector<std::unique_ptr<ProbeKind>> kinds;
    if (probes.time) // first, so that its counters are in SGPRs
      kinds.push_back(std::make_unique<TimeProbes>(code));
    if (probes.divergence || probes.blocks)
      kinds.push_back(std::make_unique<SiteProbes>(code, probes.divergence, probes.blocks));
    if (probes.lanes)
      kinds.push_back(std::make_unique<LaneProbes>(code));
    if (probes.user)
      kinds.push_back(std::make_unique<UserProbes>(code, *probes.user, function_ ? &*function_ : nullptr));
    if (probes.memory)
      kinds.push_back(std::make_unique<MemoryProbes>(code, probes.trace_bytes));
    if (probes.document_lds || probes.document_global)
      kinds.push_back(
          std::make_unique<DocumentProbes>(code, probes.document_lds ? DocumentHome::lds : DocumentHome::global));
    if (probes.poison) // last: behind those that read what the program does not
      kinds.push_back(std::make_unique<PoisonProbes>(code, live_));
    return kinds;
  }

  void find_kernels() {
    for (const codeobject::Kernel& kernel : object_.kernels())
      if (!options_.wanted || options_.wanted(kernel)) {
        kernels_.push_back(find_code(subject_, kernel));
        Instrumented done;
        done.kernel = kernel.name, done.refused = kernels_.back().refused;
        done.calls_to_old = kernels_.back().calls_to_old.size();
        result_.kernels.push_back(std::move(done));
      }
  }

  llvm::Error compile_probe() {
    const auto& user = options_.probes.user;
    if (!user || user->source.empty())
      return llvm::Error::success();
    const isa::Target target = subject_.target();
    auto ir = options_.compiler.ir(user->source, target);
    if (!ir)
      return ir.takeError();
    auto wrapped = wrap_probe(*ir, user->name);
    if (!wrapped)
      return wrapped.takeError();
    auto code = options_.compiler.code(wrapped->text, wrapper_symbol, target, user->name);
    if (!code)
      return code.takeError();
    auto function = ProbeFunction::read(*wrapped, *code, target, user->name);
    if (!function)
      return function.takeError();
    function_ = std::move(*function);
    return llvm::Error::success();
  }

  void find_liveness() {
    std::vector<bool> wanted(subject_.graph.blocks.size());
    for (const CopiedKernel& k : kernels_)
      for (const BlockId b : k.blocks)
        wanted[b] = k.refused.empty() || wanted[b];
    if (options_.probes.poison)
      live_.resize(subject_.graph.blocks.size());
    analysis::liveness(subject_.code(), subject_.graph, wanted,
                       [&](BlockId b, uint32_t n, const analysis::RegisterSet& live) {
                         status_.scc.set(b, n, live.has(analysis::slot::scc));
                         status_.vcc.set(b, n, live.has(analysis::slot::vcc) || live.has(analysis::slot::vcc + 1));
                         if (live_.empty())
                           return;
                         live_[b].resize(std::max<size_t>(live_[b].size(), n + 1));
                         live_[b][n] = live;
                       });
    if (probes())
      loops_ = analysis::loops(subject_.graph, analysis::dominators(subject_.graph));
  }

  void find_live_sgprs(const std::vector<std::vector<size_t>>& groups) {
    if (groups.empty())
      return;
    std::vector<bool> wanted(subject_.graph.blocks.size());
    for (const auto& group : groups)
      for (const size_t k : group)
        for (const BlockId b : kernels_[k].blocks)
          wanted[b] = true;
    live_sgprs_.emplace(subject_.graph.blocks.size());
    analysis::liveness(subject_.code(), subject_.graph, wanted,
                       [&](BlockId b, uint32_t n, const analysis::RegisterSet& live) { live_sgprs_->set(b, n, live); });
  }

  // Indices of kernels that share blocks.
  std::vector<std::vector<size_t>> groups() const {
    std::vector<size_t> parent(kernels_.size());
    std::iota(parent.begin(), parent.end(), size_t(0));
    const auto root = [&](size_t n) {
      while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
      return n;
    };
    std::vector<size_t> owner(subject_.graph.blocks.size(), kernels_.size());
    for (size_t k = 0; k < kernels_.size(); ++k)
      if (kernels_[k].refused.empty())
        for (const BlockId b : kernels_[k].blocks) {
          if (owner[b] == kernels_.size())
            owner[b] = k;
          else
            parent[root(k)] = root(owner[b]);
        }
    std::vector<std::vector<size_t>> all(kernels_.size());
    for (size_t k = 0; k < kernels_.size(); ++k)
      if (kernels_[k].refused.empty())
        all[root(k)].push_back(k);
    std::erase_if(all, [](const auto& g) { return g.empty(); });
    return all;
  }

  bool refuse(const std::vector<size_t>& group, const std::string& why) {
    for (const size_t k : group)
      result_.kernels[k].refused = why;
    return true;
  }

  void add_plan(KernelPlan plan, const codeobject::Kernel& kernel, uint32_t record_bytes) {
    plan.kernel = kernel.name, plan.control = "crosslane.control." + kernel.name;
    plan.record_bytes = record_bytes;
    additions_.symbols.push_back({plan.control, control_, sizeof(Control), false});
    plan_.kernels.push_back(std::move(plan));
    control_ += control_bytes;
  }

  // Kernels that share code, and what is decided for them step by step.
  struct Group {
    const std::vector<size_t>& numbers; // of kernels_
    std::vector<const CopiedKernel*> kernels;
    CopiedCode code;
    std::vector<std::unique_ptr<ProbeKind>> kinds = {};
    ProbeNeeds needs = {};
    WaveShape shape = {};
    Budget budget = {};
    ProbeRegisters registers = {};
    Insertions insertions = {};
    std::optional<SgprAllocator> allocator = {}; // of virtual SGPRs

    uint32_t record_shift() const {
      return std::max(rewrite::record_shift(needs.counters), rewrite::record_shift(needs.record_bytes / 4));
    }
    KernelPlan plan(const CopiedKernel& kernel) const {
      KernelPlan plan;
      plan.counters = needs.counters, plan.calls_to_old = kernel.calls_to_old.size();
      for (const auto& kind : kinds)
        kind->plan(kernel, plan);
      return plan;
    }
  };

  // False: what is in SGPRs must be known first.
  bool instrument(const std::vector<size_t>& numbers) {
    std::vector<const CopiedKernel*> kernels;
    for (const size_t k : numbers)
      kernels.push_back(&kernels_[k]);
    Group group{numbers, kernels, CopiedCode(subject_, kernels, status_, loops_ ? *loops_ : no_loops_)};
    if (auto error = choose(group))
      return refuse(numbers, llvm::toString(std::move(error)));
    if (group.registers.virtual_sgprs && !live_sgprs_ && probes())
      return false;
    for (const auto& kind : group.kinds)
      kind->insert(group.registers, group.insertions);
    const KernelPlan first = group.plan(*kernels[0]);
    if (probes())
      put_records(group, first.powers);
    if (group.registers.virtual_sgprs && live_sgprs_)
      if (auto error = allocate_sgprs(group))
        return refuse(numbers, llvm::toString(std::move(error)));
    const size_t chunks = listing_.chunks.size(), order = listing_.order.size();
    auto copied = copy(group);
    if (!copied || !*copied) {
      listing_.chunks.resize(chunks), listing_.order.resize(order);
      return copied ? false : refuse(numbers, llvm::toString(copied.takeError()));
    }
    if (options_.probes.divergence)
      result_.branches.probed += first.sites.size();
    add(group, **copied);
    for (size_t i = 0; i < kernels.size(); ++i)
      tell(result_.kernels[numbers[i]], *kernels[i], first, group.insertions);
    return true;
  }

  // Sites, counters and registers.
  llvm::Error choose(Group& group) const {
    group.kinds = kinds_of(group.code);
    for (const auto& kind : group.kinds)
      if (auto error = kind->choose(group.needs))
        return error;
    ProbeNeeds& needs = group.needs;
    group.shape = wave_shape(group.kernels);
    needs.item_sgprs = group.shape.item_sgprs(isa::info(subject_.target()).generation);
    // What waves do at their end, kernels that share code do together.
    needs.control_may_come_late = group.kernels.size() == 1 && !needs.record_sgpr && !needs.in_memory;
    group.budget = budget_of(subject_, group.kernels);
    auto registers = probes() ? assign_registers(group.budget, needs) : registers_of_copy(group.budget);
    if (!registers)
      return registers.takeError();
    group.registers = *registers;
    return llvm::Error::success();
  }

  // What waves do for their records, where they begin and end. `powers`: KernelPlan's.
  void put_records(Group& group, std::span<const uint32_t> powers) const {
    uint64_t control = control_ + subject_.image->bias;
    const ProbeNeeds& needs = group.needs;
    RecordInput record{.subject = subject_,
                       .registers = group.registers,
                       .counters = needs.in_memory ? 0 : needs.counters,
                       .record_shift = group.record_shift(),
                       .powers = powers,
                       .shape = group.shape,
                       .late_control = control};
    if (needs.record_sgpr)
      record.record_sgpr = uint16_t(group.registers.own_sgprs + *needs.record_sgpr);
    Insertions& insertions = group.insertions;
    RecordEnd end = end_record(record, group.code.ends_plainly());
    insertions.at_end.insert(insertions.at_end.end(), end.usual.begin(), end.usual.end());
    insertions.seldom_at_end = std::move(end.seldom);
    for (const CopiedKernel* copied : group.kernels) {
      auto& at_entry = insertions.at_entry[copied->function];
      const auto begin = begin_record(record, *copied->kernel, control, at_entry.empty());
      at_entry.insert(at_entry.begin(), begin.begin(), begin.end());
      if (codeobject::preloaded_entry(copied->kernel->descriptor))
        insertions.at_old_entry[copied->function] = restore_entry(record, *copied->kernel);
      control += control_bytes;
    }
  }

  llvm::Error allocate_sgprs(Group& group) const {
    const Budget& budget = group.budget;
    group.allocator.emplace(group.code, group.registers, budget.first_sgpr + budget.most_sgprs, *live_sgprs_);
    if (!group.allocator->run(group.insertions))
      return fail("it leaves {} SGPRs, and a probe needs too many at a time", budget.most_sgprs);
    return llvm::Error::success();
  }

  // Nothing: what is in SGPRs must be known first. Then, as after an error, what is in the listing by now is of no use.
  llvm::Expected<std::optional<Copied>> copy(Group& group) {
    ProbeRegisters& registers = group.registers;
    SgprAllocator* allocator = group.allocator ? &*group.allocator : nullptr;
    CopyInput input{subject_,          group.kernels,
                    group.insertions,  [&](BlockId b, uint32_t n) { return status_.scc.at(b, n); },
                    registers.scratch, {}};
    bool indexed = indexing_.is_in_the_way(group.code, group.insertions);
    if (allocator)
      input.with_registers = [&](BlockId b, uint32_t n, std::span<const Item> items) {
        CopyInput::Piece piece = allocator->place(b, n, items);
        indexed |= indexing_.is_in_the_way(b, n, piece.items);
        return piece;
      };
    Copied copied = rewrite::copy(listing_, input);
    if (allocator)
      registers.sgprs = std::max(registers.sgprs, uint16_t(allocator->used()));
    if (registers.virtual_sgprs && copied.uses_scratch && !allocator)
      return std::nullopt;
    if (indexed)
      return fail("a probe with vector instructions stands where VGPRs are indexed");
    if (!probes() && allocator && allocator->uses_lanes() && group.budget.most_vgprs == 0)
      return fail("it leaves neither SGPRs nor VGPRs, and a copy needs some");
    return copied;
  }

  // What becomes of the kernels' descriptors, and their plans.
  void add(const Group& group, const Copied& copied) {
    const ProbeRegisters& registers = group.registers;
    for (size_t i = 0; i < group.kernels.size(); ++i) {
      const codeobject::Kernel& kernel = *group.kernels[i]->kernel;
      entries_.push_back({copied.entries[i], additions_.kernels.size()});
      codeobject::KernelChange change{.symbol = kernel.symbol};
      if (probes()) {
        change.sgprs = registers.sgprs, change.vgprs = registers.vgprs;
        change.compute_pgm_rsrc2 = entry_registers(kernel, group.shape).rsrc2;
        change.group_segment = group.needs.lds;
        add_plan(group.plan(*group.kernels[i]), kernel, 1u << group.record_shift());
      } else if (copied.uses_scratch) {
        change.sgprs = registers.sgprs;
        change.vgprs = group.allocator && group.allocator->uses_lanes() ? registers.vgprs : 0;
      }
      additions_.kernels.push_back(std::move(change));
    }
  }

  void tell(Instrumented& to, const CopiedKernel& kernel, const KernelPlan& plan, const Insertions& in) const {
    to.sites = plan.sites.size(), to.counters = plan.counters;
    if (plan.user)
      to.places = plan.user->places.size(), to.left_out = plan.user->left_out;
    for (const BlockId b : kernel.blocks)
      to.instructions += subject_.graph.blocks[b].instructions;
    for (const auto& [at, items] : in.before)
      to.added += items.size();
    for (const auto& [at, items] : in.on_edge)
      to.added += items.size();
    for (const auto& [at, items] : in.on_call)
      to.added += items.size();
    to.added += in.at_end.size();
    for (const FunctionBlock& block : in.functions)
      to.added += block.items.size();
    if (const auto found = in.at_entry.find(kernel.function); found != in.at_entry.end())
      for (const Item& item : found->second)
        to.added += instructions_of(item);
  }

  // The whole file, with the code as it lies now.
  llvm::Expected<std::vector<uint8_t>> finish(const LaidOut& laid_out) {
    const uint64_t bias = subject_.image->bias;
    additions_.code = laid_out.bytes;
    additions_.moved = laid_out.moved;
    for (auto& moved : additions_.moved)
      moved.from -= bias, moved.to -= bias;
    for (const Entry& entry : entries_) {
      const uint64_t at = laid_out.chunks[entry.label] - bias;
      codeobject::KernelChange& change = additions_.kernels[entry.change];
      change.entry = at;
      uint64_t end = additions_.code_address + laid_out.bytes.size();
      for (const Entry& other : entries_)
        if (const uint64_t next = laid_out.chunks[other.label] - bias; next > at)
          end = std::min(end, next);
      change.code_size = end - at;
    }
    return codeobject::write(object_, additions_);
  }

  uint64_t code_address() const { return additions_.code_address + subject_.image->bias; }
};

} // namespace

std::string text(const BranchShare& share) {
  return fmt::format("{} of {} branches ({:.1f} %)", share.probed, share.of,
                     share.of ? 100.0 * double(share.probed) / double(share.of) : 100.0);
}

llvm::Expected<Result> instrument(const codeobject::CodeObject& object, const Options& options) {
  auto subject = lint::make_subject(object);
  if (!subject)
    return subject.takeError();
  return Instrumenter(object, options, std::move(*subject)).run();
}

} // namespace crosslane::rewrite
