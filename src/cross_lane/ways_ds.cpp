// Ways through the LDS hardware: ds_swizzle_b32, ds_bpermute_b32 and ds_permute_b32, which use its crossbar alone, and
// the round trip through its memory.
#include "cross_lane/address.h"
#include "cross_lane/ways.h"
#include "isa/parse.h"
#include "isa/print.h"
#include <optional>

namespace crosslane::cross_lane {
namespace {

constexpr const char* ready = "s_waitcnt lgkmcnt(0)";

// Zero lanes are made afterwards, so they are free here.
Pattern pulled(const Pattern& p) {
  Pattern free = p;
  for (int8_t& from : free)
    from = from == zero_lane ? any_lane : from;
  return free;
}

bool fits(const Pattern& p, const Sources& from) {
  for (size_t i = 0; i < lane_count; ++i)
    if (p[i] >= 0 && p[i] != from[i])
      return false;
  return true;
}

std::optional<uint32_t> bit_mask_offset(const Pattern& p) {
  uint32_t offset = 0;
  for (int b = 0; b < 5; ++b) {
    bool same = true, inverted = true, zero = true, one = true;
    for (int i = 0; i < lane_count; ++i) {
      const int from = p[size_t(i)];
      if (from < 0)
        continue;
      if ((from ^ i) & 32)
        return std::nullopt;
      const bool is = from >> b & 1, has = i >> b & 1;
      same &= is == has, inverted &= is != has, zero &= !is, one &= is;
    }
    if (same)
      offset |= 1u << b;
    else if (inverted)
      offset |= 1u << b | 1u << (10 + b);
    else if (one)
      offset |= 1u << (5 + b);
    else if (!zero)
      return std::nullopt;
  }
  return offset;
}

std::optional<uint32_t> quad_offset(const Pattern& p) {
  uint32_t offset = 0x8000;
  for (int k = 0; k < 4; ++k) {
    int source = -1;
    for (int i = k; i < lane_count; i += 4) {
      const int from = p[size_t(i)];
      if (from < 0)
        continue;
      if (from / 4 != i / 4 || (source >= 0 && from % 4 != source))
        return std::nullopt;
      source = from % 4;
    }
    offset |= uint32_t(source < 0 ? k : source) << (2 * k);
  }
  return offset;
}

std::optional<uint32_t> gfx9_offset(const Pattern& p) {
  static const std::vector<std::pair<uint32_t, Sources>> all = [] {
    std::vector<std::pair<uint32_t, Sources>> made;
    const auto add = [&](uint32_t offset) {
      made.emplace_back(offset, swizzle_sources(offset, isa::Generation::gfx9));
    };
    for (uint32_t mask = 0; mask < 32; ++mask)
      for (uint32_t by = 0; by < 32; ++by)
        for (uint32_t down : {0u, 1u})
          add(0xc000 | down << 10 | by << 5 | mask);
    for (uint32_t mask = 0; mask < 32; ++mask)
      add(0xe000 | mask);
    return made;
  }();
  for (const auto& [offset, from] : all)
    if (fits(p, from))
      return offset;
  return std::nullopt;
}

// As the disassembler names it: "swizzle(SWAP,1)" where it has a name for it.
std::string swizzle_text(isa::Target target, uint32_t offset) {
  const std::string line = "ds_swizzle_b32 v0, v1 offset:" + hex(offset);
  const isa::Parsed parsed = isa::parse(target, line);
  const std::string text = parsed ? isa::print(parsed.instruction) : line;
  const size_t at = text.find("offset:");
  return at == std::string::npos ? hex(offset) : text.substr(at + 7);
}

void swizzle_way(const Question& q, Ways& ways) {
  const Pattern p = pulled(q.pattern);
  auto offset = bit_mask_offset(p);
  if (!offset)
    offset = quad_offset(p);
  if (!offset && q.generation() >= isa::Generation::gfx9)
    offset = gfx9_offset(p);
  if (!offset)
    return;
  Sequence s = q.sequence();
  const std::string text = swizzle_text(q.target, *offset);
  for (int d = 0; d < s.dwords(); ++d)
    s.memory("ds_swizzle_b32 " + vgpr(s.dst(d)) + ", " + vgpr(s.src(d)) + " offset:" + text);
  s.scalar(ready);
  s.clear(zero_lanes(q.pattern));
  add_way(ways, Method::swizzle, s, "ds_swizzle_b32 " + text);
}

std::string offset_text(int offset) { return offset ? " offset:" + std::to_string(offset) : ""; }

void use(Sequence& s, const char* name, const Address& at) {
  for (int d = 0; d < s.dwords(); ++d)
    s.memory(std::string(name) + " " + vgpr(s.dst(d)) + ", " + vgpr(at.vgpr) + ", " + vgpr(s.src(d)) +
             offset_text(at.offset));
  s.scalar(ready);
}

void bpermute_ways(const Question& q, Ways& ways) {
  const Pattern p = pulled(q.pattern);
  Sequence s = q.sequence();
  const Address at = make_address(s, p, AddressBits::bits_7_2);
  use(s, "ds_bpermute_b32", at);
  s.clear(zero_lanes(q.pattern));
  add_way(ways, Method::bpermute, s, "ds_bpermute_b32, address from " + at.shape);
  if (s.lines().size() < 12)
    return; // short enough that a load is no alternative
  Sequence loaded = q.sequence();
  std::vector<uint32_t> table;
  if (const auto from_memory = load_address(loaded, p, table)) {
    use(loaded, "ds_bpermute_b32", *from_memory);
    loaded.clear(zero_lanes(q.pattern));
    add_way(ways, Method::bpermute, loaded, "ds_bpermute_b32, address from " + from_memory->shape,
            "s[2:3] holds the address of the 64 dwords below", table);
  }
}

// Whether the pattern is what arrives when each lane pushes to `to`: of several the highest lane, of none 0.
bool arrives(const Pattern& p, const Pattern& to) {
  Pattern got;
  got.fill(zero_lane);
  for (int i = 0; i < lane_count; ++i)
    got[size_t(to[size_t(i)])] = int8_t(i);
  for (size_t i = 0; i < lane_count; ++i)
    if (p[i] != any_lane && p[i] != got[i])
      return false;
  return true;
}

// Where each lane's data goes. Nothing if some lane's data goes to two places, or if what nobody wants is in the way.
std::optional<Pattern> destinations(const Pattern& p) {
  Pattern to;
  to.fill(any_lane);
  int highest = -1, open = -1; // the highest lane that is read; a lane that may hold anything
  for (int i = 0; i < lane_count; ++i) {
    const int8_t from = p[size_t(i)];
    if (from == any_lane)
      open = i;
    if (from < 0)
      continue;
    if (to[size_t(from)] >= 0)
      return std::nullopt;
    to[size_t(from)] = int8_t(i);
    highest = std::max(highest, int(from));
  }
  // A lane that nobody reads may go where a simple address happens to send it, if that does no harm. Else it goes to a
  // lane that may hold anything, or below a higher one, which wins.
  if (arrives(p, addressed(to, AddressBits::bits_7_2)))
    return to;
  if (open < 0 && highest < 0)
    return std::nullopt;
  for (int8_t& lane : to)
    if (lane < 0)
      lane = open >= 0 ? int8_t(open) : to[size_t(highest)];
  return arrives(p, to) ? std::optional(to) : std::nullopt;
}

void permute_way(const Question& q, Ways& ways) {
  const auto to = destinations(q.pattern);
  if (!to)
    return;
  Sequence s = q.sequence();
  const Address at = make_address(s, *to, AddressBits::bits_7_2);
  use(s, "ds_permute_b32", at);
  add_way(ways, Method::permute, s, "ds_permute_b32, address from " + at.shape,
          zero_lanes(q.pattern) ? "lanes that no one sends to become 0" : "");
}

void lds_way(const Question& q, Ways& ways) {
  Sequence s = q.sequence();
  const int bytes = lane_count * 4 * s.dwords();
  if (q.generation() < isa::Generation::gfx9)
    s.scalar("s_mov_b32 m0, -1", true);
  const int lane = lane_number(s), own = times_4(s, lane);
  const Address at = make_address(s, pulled(q.pattern), AddressBits::all, lane);
  for (int d = 0; d < s.dwords(); ++d)
    s.memory("ds_write_b32 " + vgpr(own) + ", " + vgpr(s.src(d)) + offset_text(256 * d));
  for (int d = 0; d < s.dwords(); ++d)
    s.memory("ds_read_b32 " + vgpr(s.dst(d)) + ", " + vgpr(at.vgpr) + offset_text(at.offset + 256 * d));
  s.scalar(ready);
  s.clear(zero_lanes(q.pattern));
  s.uses_lds(bytes);
  add_way(ways, Method::lds, s, "LDS round trip, address from " + at.shape,
          "uses the first " + std::to_string(bytes) +
              " bytes of LDS: a workgroup of several waves adds each wave's own base");
}

} // namespace

void ds_ways(const Question& q, Ways& ways) {
  swizzle_way(q, ways);
  if (q.generation() >= isa::Generation::gfx8) {
    bpermute_ways(q, ways);
    permute_way(q, ways);
  }
  lds_way(q, ways);
}

} // namespace crosslane::cross_lane
