// The order in which targets become code, which edges close loops, and what lies in these.
#include "isa/classify.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

// Reverse postorder of what is reached from `starts`.
static std::vector<uint32_t> in_order(std::span<const uint32_t> starts,
                                      const std::vector<std::vector<uint32_t>>& next) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(next.size());
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (const uint32_t start : starts) {
    if (!seen[start])
      seen[start] = true, stack.push_back({start, 0});
    while (!stack.empty()) {
      auto& [t, n] = stack.back();
      if (n < next[t].size()) {
        const uint32_t to = next[t][n++];
        if (!seen[to])
          seen[to] = true, stack.push_back({to, 0});
      } else {
        order.push_back(t);
        stack.pop_back();
      }
    }
  }
  std::ranges::reverse(order);
  return order;
}

// `next`: of each target. Loops are those of blocks: of each way round through versions of them, some edge goes back
// among the blocks. Among the versions there are more ways round, as each `if` comes back to full EXEC.
void Emitter::find_loops(std::span<const uint32_t> starts, const std::vector<std::vector<uint32_t>>& next) {
  order_ = in_order(starts, next);
  std::vector<std::vector<uint32_t>> next_block(unit_.blocks.size());
  for (const uint32_t t : order_)
    for (const uint32_t to : next[t])
      next_block[block_of(t)].push_back(block_of(to));
  for (uint32_t b = 0; b < unit_.blocks.size(); ++b)
    if (unit_.blocks[b].next != engine::no_block && unit_.blocks[unit_.blocks[b].next].comes_back)
      next_block[b].push_back(unit_.blocks[b].next); // by way of the interpreter
  std::vector<uint32_t> first_blocks;
  for (const uint32_t t : starts)
    first_blocks.push_back(block_of(t));
  const std::vector<uint32_t> blocks = in_order(first_blocks, next_block);
  block_position_.assign(unit_.blocks.size(), 0);
  for (uint32_t i = 0; i < blocks.size(); ++i)
    block_position_[blocks[i]] = i;
  // All edges to a target come before it, but for those that close loops: what is known of a value that several bring
  // would else be known of some of them alone.
  std::ranges::sort(order_, {},
                    [&](uint32_t t) { return std::tuple(block_position_[block_of(t)], !is_meeting(t), t); });
  // Loops that store nothing, and what lies between their blocks.
  const auto stores = [&](uint32_t b) {
    const engine::UnitBlock& block = unit_.blocks[b];
    return std::ranges::any_of(unit_.instructions.begin() + block.first,
                               unit_.instructions.begin() + block.first + block.count,
                               [](const auto& u) { return isa::memory_use(u.inst).stores; });
  };
  for (const uint32_t latch : order_)
    for (const uint32_t head : next[latch]) {
      if (!closes_loop(latch, head))
        continue;
      targets_[head].entered = targets_[head].loops = true; // where a wave that was preempted comes back
      const uint32_t first = block_position_[block_of(head)], last = block_position_[block_of(latch)];
      if (std::ranges::none_of(std::span(blocks).subspan(first, last + 1 - first), stores))
        for (const uint32_t t : order_)
          if (const uint32_t at = block_position_[block_of(t)]; at >= first && at <= last)
            targets_[t].in_reading_loop = true;
    }
  emitted_.assign(next.size(), true);
  for (uint32_t t = 0; t < next.size(); ++t)
    emitted_[t] = !is_cold(t);
  if (meets_.empty()) {
    meets_.resize(unsigned(unit_.blocks.size()));
    find_meetings(next);
  }
  if (request_.only_loops)
    leave_out_all_but_loops(next_block, next);
}

bool Emitter::closes_loop(uint32_t from, uint32_t to) const {
  const uint32_t at = block_position_[block_of(from)], head = block_position_[block_of(to)];
  return head < at || (head == at && !is_meeting(from));
}

// A loop whose waves come from one version of its head to the other and back would have two ways in everywhere, and all
// that the loop does not change would meet itself again in each block of it.
void Emitter::find_meetings(const std::vector<std::vector<uint32_t>>& next) {
  const auto reaches = [&](uint32_t from, uint32_t to) -> bool {
    std::vector<bool> seen(next.size());
    std::vector<uint32_t> open{from};
    while (!open.empty()) {
      const uint32_t t = open.back();
      open.pop_back();
      for (const uint32_t n : next[t])
        if (!seen[n])
          seen[n] = true, open.push_back(n);
    }
    return seen[to];
  };
  for (uint32_t b = 0; b < unit_.blocks.size(); ++b) {
    if (shared_.test(b))
      continue;
    const uint32_t full = version(b, true), other = version(b, false);
    if ((targets_[full].loops || targets_[other].loops) && reaches(full, other) && reaches(other, full))
      meets_.set(b);
  }
}

// A loop is its head and what leads back to it.
void Emitter::leave_out_all_but_loops(const std::vector<std::vector<uint32_t>>& next_block,
                                      const std::vector<std::vector<uint32_t>>& next) {
  std::vector<std::vector<uint32_t>> from_block(next_block.size()), from(next.size());
  for (uint32_t b = 0; b < next_block.size(); ++b)
    for (const uint32_t to : next_block[b])
      from_block[to].push_back(b);
  for (const uint32_t t : order_)
    for (const uint32_t to : next[t])
      from[to].push_back(t);
  std::vector<bool> in_loops(next_block.size());
  for (uint32_t latch = 0; latch < next_block.size(); ++latch)
    for (const uint32_t head : next_block[latch]) {
      if (block_position_[head] > block_position_[latch])
        continue;
      std::vector<bool> in_loop(next_block.size());
      in_loop[head] = true;
      std::vector<uint32_t> pending{latch};
      while (!pending.empty()) {
        const uint32_t b = pending.back();
        pending.pop_back();
        if (in_loop[b] || block_position_[b] < block_position_[head]) // of several entries, what leads to another one
          continue;
        in_loop[b] = true;
        pending.insert(pending.end(), from_block[b].begin(), from_block[b].end());
      }
      for (uint32_t b = 0; b < next_block.size(); ++b)
        in_loops[b] = in_loops[b] || in_loop[b];
    }
  for (uint32_t t = 0; t < next.size(); ++t)
    emitted_[t] = in_loops[block_of(t)];
  // What is reached from no head.
  for (bool changed = true; changed;) {
    changed = false;
    for (const uint32_t t : order_)
      if (emitted_[t] && !targets_[t].entered && std::ranges::none_of(from[t], [&](uint32_t f) { return emitted_[f]; }))
        emitted_[t] = false, changed = true;
  }
  std::erase_if(order_, [&](uint32_t t) { return !emitted_[t]; });
}

} // namespace crosslane::jit
