// Tuples one after the other, longest first; for each the place where the program has least to lose.
#include "rewrite/sgpr_allocation.h"
#include "isa/operands.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>

namespace crosslane::rewrite {

using analysis::BlockId;

void LiveSgprs::set(BlockId b, uint32_t n, const analysis::RegisterSet& live) {
  if (live_[b].size() <= n)
    live_[b].resize(n + 1, ~SgprSet());
  live_[b][n] = SgprSet(live.words[1]) << 64 | SgprSet(live.words[0]);
}

namespace {

using Numbers = std::array<uint16_t, first_virtual_sgpr>;

constexpr Numbers numbers_from(uint16_t first) {
  Numbers n{};
  std::iota(n.begin(), n.end(), first);
  return n;
}

SgprSet range(uint32_t first, uint32_t n) {
  SgprSet set;
  for (uint32_t i = first; i < first + n && i < set.size(); ++i)
    set.set(i);
  return set;
}

bool calls_function(const Item& item) {
  return item.kind == Item::Kind::address && item.target != no_label && item.target >= function_label;
}

} // namespace

void SgprAllocator::Demand::add(const Item& item, isa::Target target) {
  SgprSet reads, writes;
  const auto tuple = [&](uint32_t first, uint32_t dwords) {
    used |= range(first, dwords), joined |= range(first, dwords - 1);
    align[first] = std::max<uint8_t>(align[first], dwords > 2 ? 4 : uint8_t(dwords));
  };
  if (item.kind == Item::Kind::address || item.kind == Item::Kind::load) {
    if (is_virtual(item.scalar)) {
      tuple(item.scalar - first_virtual_sgpr, 2);
      written |= range(item.scalar - first_virtual_sgpr, 2);
    } else {
      program |= range(item.scalar, 2);
    }
  }
  if (item.kind == Item::Kind::words || item.kind == Item::Kind::load) {
    static constexpr Numbers from_0 = numbers_from(0), from_4 = numbers_from(4);
    const auto operands = isa::operands(instruction_of(item, target, from_0)),
               others = isa::operands(instruction_of(item, target, from_4));
    for (size_t i = 0; i < operands.size(); ++i) {
      const isa::Operand& o = operands[i];
      if (o.file != isa::RegisterFile::scalar)
        continue;
      if (o.first == others[i].first) {
        program |= range(o.first, o.dwords);
        continue;
      }
      tuple(o.first, o.dwords);
      if (o.read || o.partial)
        reads |= range(o.first, o.dwords);
      if (o.written)
        writes |= range(o.first, o.dwords);
    }
  }
  read |= reads & ~written, written |= writes;
}

void SgprAllocator::Demand::join(const Demand& o) {
  program |= o.program, used |= o.used, written |= o.written, joined |= o.joined, calls |= o.calls;
  for (size_t i = 0; i < align.size(); ++i)
    align[i] = std::max(align[i], o.align[i]);
}

SgprAllocator::Demand SgprAllocator::demand_of(std::span<const Item> items) const {
  Demand d;
  for (const Item& item : items) {
    d.add(item, code_.target());
    if (!calls_function(item))
      continue;
    d.join(functions_demand_);
    d.written |= functions_demand_.used, d.calls = true;
  }
  return d;
}

std::optional<SgprAllocator::Map> SgprAllocator::choose(const Demand& d, const SgprSet& live) const {
  struct Run {
    uint32_t first, count, align;
  };
  std::vector<Run> runs;
  for (uint32_t v = 0; v < d.used.size(); ++v) {
    if (!d.used[v])
      continue;
    Run run{v, 1, std::max<uint32_t>(d.align[v], 1)};
    for (; d.joined[v] && v + 1 < d.used.size(); ++v, ++run.count)
      run.align = std::max<uint32_t>(run.align, d.align[v + 1]);
    runs.push_back(run);
  }
  std::ranges::sort(runs, std::greater{}, [](const Run& r) { return std::pair(r.count, r.first); });
  Map map{};
  SgprSet taken = d.program;
  for (const Run& run : runs) {
    size_t least = SIZE_MAX;
    uint32_t best = 0;
    for (uint32_t at = sgprs_ - std::min(sgprs_, run.count) + 1; at-- > 0;) {
      const SgprSet there = range(at, run.count);
      if (at % run.align != run.first % run.align || at + run.count > sgprs_ || (there & taken).any())
        continue;
      if (const size_t lost = (there & live).count(); lost < least)
        least = lost, best = at;
    }
    if (least == SIZE_MAX)
      return std::nullopt;
    taken |= range(best, run.count);
    for (uint32_t i = 0; i < run.count; ++i)
      map[run.first + i] = uint16_t(best + i);
  }
  return map;
}

std::optional<size_t> SgprAllocator::instance_for(const Demand& d, const SgprSet& live) {
  for (size_t i = 0; i < instances_.size(); ++i) {
    bool free = true;
    for (uint32_t v = 0; v < calls_.used.size(); ++v)
      free &= !calls_.used[v] || !d.program[instances_[i][v]];
    if (free)
      return i;
  }
  Demand all = calls_;
  all.program = d.program;
  const auto map = choose(all, live);
  if (!map)
    return std::nullopt;
  instances_.push_back(*map);
  return instances_.size() - 1;
}

std::vector<Item> SgprAllocator::with_map(std::span<const Item> items, const Map& map, size_t instance) const {
  std::vector<Item> out;
  for (const Item& item : items) {
    out.push_back(with_registers(item, code_.target(), map));
    if (item.target != no_label && item.target >= function_label)
      out.back().target += Label(instance * functions_.size());
  }
  return out;
}

std::optional<SgprAllocator::Piece> SgprAllocator::given(std::span<const Item> items, const Demand& d,
                                                         const SgprSet& live) {
  size_t instance = 0;
  std::optional<Map> map;
  if (!d.calls)
    map = choose(d, live);
  else if (const auto found = instance_for(d, live))
    map = instances_[instance = *found];
  if (!map)
    return std::nullopt;
  std::string before, behind;
  uint32_t saved = 0;
  const auto move = [&](std::string& text, std::string_view line, uint32_t sgpr, uint32_t slot) {
    const uint32_t lane = registers_.slots + slot;
    text += fmt::format(fmt::runtime(line), fmt::arg("s", sgpr), fmt::arg("v", registers_.vgpr_of(lane)),
                        fmt::arg("lane", lane % 64));
  };
  static constexpr std::string_view keep = "v_writelane_b32 v{v}, s{s}, {lane}\n",
                                    fetch = "v_readlane_b32 s{s}, v{v}, {lane}\n";
  std::string restore;
  for (uint32_t v = 0; v < d.used.size(); ++v)
    if (d.used[v]) {
      const uint32_t s = (*map)[v];
      used_ = std::max(used_, s + 1);
      if (!live[s])
        continue;
      const uint32_t slot = registers_.virtual_sgprs + saved++;
      move(before, keep, s, slot), move(restore, fetch, s, slot);
    }
  for (uint32_t v = 0; v < d.used.size(); ++v) {
    if (kept_[v] && d.read[v])
      move(before, fetch, (*map)[v], v);
    if (kept_[v] && d.written[v])
      move(behind, keep, (*map)[v], v);
  }
  uses_lanes_ |= !before.empty() || !behind.empty();
  Piece piece;
  append(piece.items, code_.target(), before);
  const std::vector<Item> own = with_map(items, *map, instance);
  piece.items.insert(piece.items.end(), own.begin(), own.end());
  append(piece.behind, code_.target(), behind + restore);
  return piece;
}

bool SgprAllocator::place(std::vector<Item>& items, const SgprSet& live) {
  const Demand d = demand_of(items);
  if (d.used.none())
    return true;
  auto piece = given(items, d, live);
  if (!piece)
    return false;
  items = std::move(piece->items);
  items.insert(items.end(), piece->behind.begin(), piece->behind.end());
  return true;
}

// Nothing is anybody's any more. Both ways have the same registers.
bool SgprAllocator::place_end(Insertions& in) {
  std::vector<Item> all = in.at_end;
  all.insert(all.end(), in.seldom_at_end.begin(), in.seldom_at_end.end());
  const auto piece = given(all, demand_of(all), {});
  if (!piece)
    return false;
  const auto seldom = piece->items.end() - ptrdiff_t(in.seldom_at_end.size());
  in.at_end.assign(piece->items.begin(), seldom);
  in.seldom_at_end.assign(seldom, piece->items.end());
  return true;
}

bool SgprAllocator::run(Insertions& in) {
  functions_ = in.functions;
  for (const FunctionBlock& block : functions_)
    for (const Item& item : block.items)
      functions_demand_.add(item, code_.target());
  functions_demand_.read.reset(), functions_demand_.program.reset();
  const auto look = [&](const Demand& d) {
    kept_ |= d.read;
    if (d.calls)
      calls_.join(d);
    return true;
  };
  code_.each_piece(in, [&](std::vector<Item>& items, BlockId, uint32_t) { return look(demand_of(items)); });
  std::vector<Item> end = in.at_end;
  end.insert(end.end(), in.seldom_at_end.begin(), in.seldom_at_end.end());
  look(demand_of(end));
  const auto place = [&](std::vector<Item>& items, BlockId b, uint32_t n) {
    return this->place(items, live_.at(b, n));
  };
  if (!code_.each_piece(in, place) || !place_end(in))
    return false;
  in.functions.clear();
  for (size_t i = 0; i < instances_.size(); ++i)
    for (const FunctionBlock& block : functions_) {
      const Label next = block.next == no_label ? no_label : block.next + Label(i * functions_.size());
      in.functions.push_back({with_map(block.items, instances_[i], i), next});
    }
  return true;
}

SgprAllocator::Piece SgprAllocator::place(BlockId b, uint32_t n, std::span<const Item> items) {
  auto piece = given(items, demand_of(items), live_.at(b, n));
  if (!piece)
    throw std::logic_error("more SGPRs than there are, for a copy");
  return std::move(*piece);
}

} // namespace crosslane::rewrite
