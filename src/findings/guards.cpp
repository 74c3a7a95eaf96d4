// A forward walk over the blocks of each part, until nothing changes: which regions an instruction is in, by the masks
// that EXEC goes through.
#include "findings/guards.h"
#include "analysis/forward.h"
#include "analysis/masks.h"
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace crosslane::findings {

using analysis::all_lanes;
using analysis::BlockId;
using analysis::MaskId;
using analysis::MaskStep;

namespace {

constexpr int most_rounds = 8; // loops settle after one for each level of nesting

// The bytes of the instructions, and where functions begin.
struct Bytes {
  std::vector<std::vector<uint8_t>> runs; // without gaps
  std::vector<analysis::Region> regions;
  std::vector<analysis::Entry> entries;

  explicit Bytes(const std::vector<ProfiledInstruction>& instructions) {
    const ProfiledInstruction* before = nullptr;
    std::vector<uint64_t> begins;
    for (const auto& i : instructions) {
      if (!before || before->address + before->instruction.size != i.address)
        runs.emplace_back(), begins.push_back(i.address);
      if (!before || before->function != i.function)
        entries.push_back({i.address, false});
      const auto* bytes = reinterpret_cast<const uint8_t*>(i.words.data());
      runs.back().insert(runs.back().end(), bytes, bytes + i.instruction.size);
      before = &i;
    }
    for (size_t r = 0; r < runs.size(); ++r)
      regions.push_back({begins[r], runs[r], analysis::RegionKind::code});
  }
};

// Where EXEC holds a mask, in the region around. Regions are told apart by how control came to them.
struct Region {
  int guard = -1; // what narrowed EXEC; -1: nothing, it has another name here
  int parent = 0;
  MaskId mask = all_lanes;
  bool again = false; // the guard is also one further out: a loop is gone round
  int told = 0;       // the innermost of it and those around that has a guard to tell of, in Guards::nodes_
};

} // namespace

class GuardBuilder {
public:
  GuardBuilder(const std::vector<ProfiledInstruction>& instructions, Guards& out)
      : instructions_(instructions), out_(out), bytes_(instructions) {
    out_.at_.assign(instructions.size(), 0);
  }

  void run() {
    if (instructions_.empty())
      return;
    code_ = {instructions_[0].instruction.target, bytes_.regions, bytes_.entries};
    graph_ = analysis::build(code_);
    places_ = analysis::places_in_parts(graph_);
    const auto indexed = analysis::indexed_blocks(code_, graph_);
    for (const analysis::Part& part : graph_.parts) {
      analysis::decode_part(code_, graph_, part, indexed, part_code_);
      analysis::find_masks(graph_, part, part_code_, masks_);
      regions_.assign(1, {}), children_.clear();
      behind_.assign(part.count, -1);
      for (int round = 0; round < most_rounds && walk(graph_.blocks_of(part)); ++round) {
      }
    }
  }

private:
  const std::vector<ProfiledInstruction>& instructions_;
  Guards& out_;
  const Bytes bytes_;
  analysis::Code code_;
  analysis::Graph graph_;
  analysis::PartCode part_code_;
  std::vector<uint32_t> places_; // of blocks
  // Of the part:
  analysis::PartMasks masks_;
  std::vector<Region> regions_; // regions_[0]: all lanes
  std::map<std::tuple<int, int, MaskId>, int> children_;
  std::vector<int> behind_; // region behind each block; -1: not known yet
  // Of the round:
  std::map<MaskId, int> last_; // region of each mask
  std::map<int, int> ended_;   // by region: the guard of the one in it that an unknown mask ended last

  const Region& at(int region) const { return regions_[static_cast<size_t>(region)]; }

  // Shared, so that rounds agree on it.
  int child(int parent, int guard, MaskId mask) {
    const auto [entry, added] = children_.emplace(std::tuple(parent, guard, mask), static_cast<int>(regions_.size()));
    if (!added)
      return entry->second;
    Region region{guard, parent, mask, outermost(parent, guard) >= 0, at(parent).told};
    if (guard >= 0 && !region.again) {
      out_.nodes_.push_back({guard, region.told});
      region.told = static_cast<int>(out_.nodes_.size()) - 1;
    }
    regions_.push_back(region);
    return entry->second;
  }
  // Of the region and those around it, the last with that guard; -1: none.
  int outermost(int region, int guard) const {
    int found = -1;
    for (; guard >= 0 && region > 0; region = at(region).parent)
      if (at(region).guard == guard)
        found = region;
    return found;
  }
  // Of the region and those around it, the first that f holds for; -1: none. All are in regions_[0].
  template <class F> int innermost(int region, F f) const {
    for (; !f(at(region)); region = at(region).parent)
      if (region == 0)
        return -1;
    return region;
  }
  int common(int a, int b) const {
    // Parents come before their children.
    while (a != b)
      (a > b ? a : b) = at(std::max(a, b)).parent;
    return a;
  }

  // True: something changed.
  bool walk(std::span<const BlockId> blocks) {
    bool changed = false;
    last_.clear(), ended_.clear();
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      const int end = through(i, blocks[i], enter(i, blocks[i]));
      changed |= behind_[i] != end;
      behind_[i] = end;
    }
    return changed;
  }

  // What all ways into the block are in. If it is a loop's, lanes that others left are missing from the second round
  // on.
  int enter(uint32_t i, BlockId block) {
    const MaskId mask = masks_.begin[i];
    const bool entry = graph_.blocks[block].entry; // functions start anew, whatever falls into them
    int around = entry ? 0 : -1;
    std::vector<int> rounds;
    for (const BlockId p : graph_.predecessors_of(block)) {
      const uint32_t from = places_[p];
      if (graph_.blocks[p].part != graph_.blocks[block].part || behind_[from] < 0)
        continue;
      if (from >= i) {
        rounds.push_back(behind_[from]);
      } else if (!entry) {
        if (at(behind_[from]).mask == mask)
          return behind_[from];
        around = around < 0 ? behind_[from] : common(around, behind_[from]);
      }
    }
    around = std::max(around, 0);
    std::vector<int> left;
    for (const int end : rounds)
      if (const int begin = innermost(end, [&](const Region& r) { return r.mask == mask; }); begin > 0)
        for (int r = end; r != begin; r = at(r).parent)
          if (at(r).guard >= 0 && std::ranges::find(left, at(r).guard) == left.end())
            left.push_back(at(r).guard);
    if (left.empty())
      return child(around, -1, mask);
    for (auto guard = left.rbegin(); guard != left.rend(); ++guard)
      around = child(around, *guard, mask);
    return around;
  }

  int through(uint32_t i, BlockId block, int region) {
    uint32_t change = masks_.first_change[i], step = part_code_.first_step[i], n = 0;
    auto profiled = instructions_.begin();
    last_[at(region).mask] = region;
    analysis::each_instruction(code_, graph_.blocks[block], [&](uint64_t pc, const isa::Instruction&) {
      profiled =
          std::lower_bound(profiled, instructions_.end(), pc, [](const auto& x, uint64_t a) { return x.address < a; });
      // Somebody may have jumped into the middle of an instruction: what he finds there is not listed.
      const bool listed = profiled != instructions_.end() && profiled->address == pc;
      const int index = listed ? static_cast<int>(profiled - instructions_.begin()) : -1;
      if (listed)
        out_.at_[static_cast<size_t>(index)] = at(region).told;
      MaskStep::Kind kind = MaskStep::other;
      for (; step < part_code_.first_step[i + 1] && part_code_.steps[step].instruction == n; ++step)
        kind = part_code_.steps[step].kind;
      for (; change < masks_.first_change[i + 1] && masks_.changes[change].instruction == n; ++change)
        region = behind(region, masks_.changes[change], index, kind);
      last_[at(region).mask] = region;
      ++n;
    });
    return region;
  }

  // The region behind an instruction that may change EXEC.
  int behind(int region, const analysis::MaskChange& change, int instruction, MaskStep::Kind kind) {
    const MaskId mask = change.after;
    if (const int same = innermost(region, [&](const Region& r) { return r.mask == mask; }); same >= 0)
      return same;
    if (at(region).mask == all_lanes && change.defines != mask) // behind whole wave mode
      if (const auto found = last_.find(mask); found != last_.end())
        return found->second;
    const int outer = innermost(region, [&](const Region& r) { return masks_.part_of(mask, r.mask); });
    if (outer == region)
      return child(region, blamed(region, mask, instruction, kind), mask);
    if (masks_.masks[mask].parent == all_lanes)
      return behind_unknown(region, mask, instruction, kind);
    return child(outer, kind == MaskStep::or_ ? -1 : blamed(outer, mask, instruction, kind), mask);
  }

  // Of lanes that an `if` left over, the `if`.
  int blamed(int region, MaskId mask, int instruction, MaskStep::Kind kind) const {
    if (const MaskId minus = masks_.masks[mask].minus; minus != all_lanes)
      if (const auto other = last_.find(minus); other != last_.end() && at(other->second).guard >= 0)
        return at(other->second).guard;
    if (const auto ended = ended_.find(region); kind == MaskStep::xor_ && ended != ended_.end())
      return ended->second;
    return instruction;
  }

  // Behind what makes EXEC of a mask that nothing is known of: see guards.h.
  int behind_unknown(int region, MaskId mask, int instruction, MaskStep::Kind kind) {
    const int inner = innermost(region, [](const Region& r) { return r.guard >= 0; });
    if (inner >= 0 && (kind == MaskStep::or_ || kind == MaskStep::andn2)) {
      const int guard = at(inner).guard, around = at(outermost(inner, guard)).parent;
      if (kind == MaskStep::andn2)
        return child(around, guard, mask);
      const int behind = child(around, -1, mask);
      ended_[behind] = guard;
      return behind;
    }
    return child(region, kind == MaskStep::or_ ? -1 : blamed(region, mask, instruction, kind), mask);
  }
};

Guards::Guards(const std::vector<ProfiledInstruction>& instructions) { GuardBuilder(instructions, *this).run(); }

} // namespace crosslane::findings
