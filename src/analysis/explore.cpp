// A worklist of addresses; straight-line code is followed until something has been there before.
#include "analysis/explore.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::analysis {

Explorer::Explorer(const Code& code) : code_(code) {
  for (const Region& region : code.regions)
    if (region.kind == RegionKind::code && region.bytes.size() >= 4)
      maps_.push_back({region.address, region.bytes, std::vector<uint8_t>(region.bytes.size() / 4)});
  std::ranges::sort(maps_, {}, &Map::address);
}

Explorer::Map* Explorer::map_at(uint64_t address) {
  if (recent_ && address >= recent_->address && address < recent_->limit())
    return recent_;
  auto after = std::ranges::upper_bound(maps_, address, {}, &Map::address);
  if (after == maps_.begin())
    return nullptr;
  --after;
  return address < after->limit() ? recent_ = &*after : nullptr;
}

bool Explorer::is_code(uint64_t address) const {
  return address % 4 == 0 && const_cast<Explorer*>(this)->map_at(address) != nullptr;
}

void Explorer::enter(uint64_t address) {
  Map* map = address % 4 ? nullptr : map_at(address);
  if (!map)
    return;
  uint8_t& mark = map->marks[(address - map->address) / 4];
  if (!(mark & start))
    work_.push_back(address);
  mark |= leader;
}

bool Explorer::reach(uint64_t address) {
  if (!is_code(address))
    return false;
  enter(address);
  while (!work_.empty()) {
    const uint64_t pc = work_.back();
    work_.pop_back();
    go(*map_at(pc), pc);
  }
  return true;
}

void Explorer::go(Map& map, uint64_t pc) {
  isa::Instruction in;
  for (bool first = true;; first = false) {
    if (pc >= map.limit())
      return; // blocks() finds that out from the marks
    uint8_t& mark = map.marks[(pc - map.address) / 4];
    if (mark & start) {
      if (!first)
        mark |= leader;
      return;
    }
    const int size = isa::decode(code_.target, map.bytes.subspan(pc - map.address), in);
    Site site;
    site.pc = pc, site.next = pc + uint64_t(std::max(size, 4));
    if (size <= 0) {
      mark |= start | end | illegal | 1 << size_shift;
      site.illegal = true, site.flow.falls_through = false;
      sites.push_back(std::move(site));
      return;
    }
    mark |= start | uint8_t(size / 4) << size_shift;
    if (in.op == isa::Op::s_getpc_b64)
      made_addresses.push_back(pc);
    skips_vectors |= in.op == isa::Op::s_setvskip || writes_mode_bit(in, vskip_bit);
    indexes_vgprs |= in.op == isa::Op::s_set_gpr_idx_on || writes_mode_bit(in, gpr_index_bit);
    site.flow = isa::flow(in);
    if (site.flow.ends_basic_block()) {
      mark |= end;
      sites.push_back(site);
      if (site.direct())
        enter(site.flow.target(pc));
      if (site.flow.falls_through)
        enter(site.next);
      return;
    }
    pc += uint64_t(size);
  }
}

std::vector<Block> Explorer::blocks() const {
  std::vector<Block> result;
  for (const Map& map : maps_)
    for (size_t i = 0; i < map.marks.size(); ++i) {
      if (!(map.marks[i] & leader))
        continue;
      Block block;
      block.begin = map.address + i * 4;
      size_t at = i;
      while (true) {
        const uint8_t mark = map.marks[at];
        block.last = map.address + at * 4;
        if (!(mark & illegal))
          ++block.instructions;
        at += std::max<size_t>(mark >> size_shift, 1);
        if (mark & end)
          break;
        if (at >= map.marks.size()) {
          block.exit = Exit::stops;
          break;
        }
        if (map.marks[at] & leader)
          break;
      }
      block.end = map.address + at * 4;
      result.push_back(block);
    }
  return result;
}

} // namespace crosslane::analysis
