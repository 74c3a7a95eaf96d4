// One request at a time, as often as the kernel executes memory instructions: patterns that were seen before are known;
// full wavefronts whose addresses are a constant stride apart, which most are, have closed forms; the others go through
// a hash table of lines.
#include "views/memory_request.h"
#include "isa/access.h"
#include "isa/op.h"
#include "timing/l1_banks.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace crosslane::views {

namespace {

constexpr uint64_t all_lanes = ~uint64_t(0);
constexpr uint32_t line_bytes = 64;
constexpr uint64_t line_of(uint64_t address) { return address / line_bytes; }
constexpr uint64_t lines_for(uint64_t bytes) { return (bytes + line_bytes - 1) / line_bytes; }
uint64_t popcount(uint64_t m) { return static_cast<uint64_t>(std::popcount(m)); }

// The active lanes' addresses, one after the other, and what holds of them all.
struct Active {
  const uint64_t* address;
  int count;
  uint64_t lanes;
  uint64_t lowest, highest;
  std::array<uint64_t, 64> dense;
};

// Consecutive elements are `stride` apart.
bool has_stride(const uint64_t* address, int count, uint64_t stride) {
  if (count > 2 && address[2] - address[1] != stride)
    return false;
  if (count == 64)
    return lane_loops().are_in_steps(address, all_lanes, address[0], stride);
  uint64_t wrong = 0, expected = address[0];
  for (int i = 0; i < count; ++i, expected += stride)
    wrong |= address[i] ^ expected;
  return wrong == 0;
}

// The stride from each lane number to the next, where inactive lanes leave holes.
bool lane_stride(const Active& a, int64_t& stride) {
  const int first = std::countr_zero(a.lanes), second = std::countr_zero(a.lanes & (a.lanes - 1));
  const int64_t delta = static_cast<int64_t>(a.address[1] - a.address[0]);
  if (second <= first || delta % (second - first) != 0)
    return false;
  stride = delta / (second - first);
  int i = 0;
  for (uint64_t left = a.lanes; left; left &= left - 1, ++i) {
    const auto steps = static_cast<uint64_t>(std::countr_zero(left) - first);
    if (a.address[i] != a.address[0] + steps * static_cast<uint64_t>(stride))
      return false;
  }
  return true;
}

struct Stride {
  bool constant = false;
  int64_t bytes = 0;
  // From active lane to active lane, whichever way the above is.
  bool dense = false;
  int64_t dense_bytes = 0;
};

// `element`: bytes from a lane to the next where nothing is left out. Of the two ways to see a stride through inactive
// lanes, by lane number and by active lane, the one that makes it contiguous, else the first.
Stride find_stride(const Active& a, uint32_t element) {
  const auto dense = static_cast<int64_t>(a.address[1] - a.address[0]);
  const bool by_active = has_stride(a.address, a.count, static_cast<uint64_t>(dense));
  if (a.lanes == all_lanes)
    return {by_active, dense, by_active, dense};
  const auto contiguous = [&](int64_t s) { return s == element || s == -int64_t(element); };
  int64_t numbered = 0;
  const bool by_number = lane_stride(a, numbered);
  if (by_active && (!by_number || (contiguous(dense) && !contiguous(numbered))))
    return {true, dense, true, dense};
  return {by_number, numbered, by_active, dense};
}

Pattern pattern_of(const Active& a, const Stride& stride, uint32_t element) {
  if (a.count == 1)
    return Pattern::single;
  if (stride.constant) {
    if (stride.bytes == 0)
      return Pattern::broadcast;
    if (stride.bytes == element)
      return Pattern::contiguous;
    if (stride.bytes == -int64_t(element))
      return Pattern::reversed;
    if (a.count > 2) // any two are a stride apart
      return Pattern::strided;
  }
  // Inactive lanes count: a permutation with holes is one all the same.
  const uint64_t dense_lines =
      lines_for(uint64_t(64 - std::countl_zero(a.lanes) - std::countr_zero(a.lanes)) * element);
  return line_of(a.highest + element - 1) - line_of(a.lowest) <= dense_lines ? Pattern::block : Pattern::random;
}

// ---- Lines and distinct bytes.

struct Touched {
  uint64_t lines, bytes, starts;
};

// A constant stride over `count` lanes.
Touched touch_strided(uint64_t lowest, uint64_t stride, uint32_t bytes, uint64_t count) {
  Touched t;
  t.bytes = stride >= bytes ? count * bytes : (count - 1) * stride + bytes;
  t.starts = stride == 0 ? 1 : count;
  if (stride <= line_bytes) { // no line is skipped
    t.lines = line_of(lowest + (count - 1) * stride + bytes - 1) - line_of(lowest) + 1;
    return t;
  }
  t.lines = 0;
  if (stride >= line_bytes + bytes - 1) { // no line is shared
    if (std::has_single_bit(bytes) && ((lowest | stride) & (bytes - 1)) == 0)
      t.lines = count;
    else
      for (uint64_t i = 0, a = lowest; i < count; ++i, a += stride)
        t.lines += line_of(a + bytes - 1) - line_of(a) + 1;
    return t;
  }
  uint64_t next = 0; // the first line not yet counted
  for (uint64_t i = 0, a = lowest; i < count; ++i, a += stride) {
    const uint64_t end = line_of(a + bytes - 1) + 1;
    t.lines += end - std::max(next, line_of(a));
    next = end;
  }
  return t;
}

} // namespace

// ---- LineSet.

inline LineSet::Line& LineSet::line(uint64_t number) {
  if (number == last_number_) // neighbours mostly share lines
    return table_[last_];
  constexpr size_t mask = (size_t(1) << bits) - 1;
  size_t i = number * 0x9e3779b97f4a7c15u >> (64 - bits);
  while (table_[i].stamp == stamp_ && table_[i].number != number)
    i = (i + 1) & mask;
  Line& line = table_[i];
  if (line.stamp != stamp_) {
    line = {number, stamp_, 0, 0};
    ++lines_;
  }
  last_number_ = number;
  last_ = i;
  return line;
}

// `count`: of the bits of `bytes`, or 0: unknown.
inline void LineSet::touch(Line& line, uint64_t bytes, uint32_t count) {
  distinct_bytes_ += count && (line.bytes & bytes) == 0 ? count : popcount(bytes & ~line.bytes);
  line.bytes |= bytes;
}

inline void LineSet::add(uint64_t address, uint32_t bytes, bool start) {
  assert(bytes >= 1 && bytes <= 64);
  const uint32_t at = address % line_bytes;
  const uint64_t mask = ~uint64_t(0) >> (64 - bytes);
  Line& first = line(line_of(address));
  distinct_starts_ += start && (first.starts >> at & 1) == 0;
  first.starts |= uint64_t(start) << at;
  if (at + bytes <= line_bytes)
    return touch(first, mask << at, bytes);
  touch(first, mask << at, line_bytes - at);
  touch(line(line_of(address) + 1), mask >> (line_bytes - at), at + bytes - line_bytes);
}

// Neighbours mostly share lines: those are gathered before they go into the table.
inline void LineSet::add_all(const uint64_t* address, int count, uint32_t bytes) {
  const uint64_t mask = ~uint64_t(0) >> (64 - bytes);
  for (int i = 0; i < count;) {
    const uint64_t number = line_of(address[i]);
    uint64_t touched = 0, starts = 0;
    const int first = i;
    for (; i < count && line_of(address[i]) == number; ++i) {
      const uint32_t at = address[i] % line_bytes;
      if (at + bytes > line_bytes)
        break;
      touched |= mask << at;
      starts |= uint64_t(1) << at;
    }
    if (i == first) { // in two lines
      add(address[i++], bytes);
      continue;
    }
    Line& here = line(number);
    touch(here, touched, i == first + 1 ? bytes : 0);
    distinct_starts_ += i == first + 1 && (here.starts & starts) == 0 ? 1 : popcount(starts & ~here.starts);
    here.starts |= starts;
  }
}

namespace {

// Byte i of a lane's access lies in dword (address % 4 + i) / 4 from the first on, and dwords of a lane are 256 bytes
// apart.
void touch_scratch(uint64_t address, uint32_t bytes, LineSet& lines) {
  for (uint32_t done = 0; done < bytes;) {
    const uint32_t piece = std::min(bytes - done, 4 - uint32_t(address % 4));
    lines.add(address, piece, done == 0);
    address = address - address % 4 + 256;
    done += piece;
  }
}

Touched touch(const Active& a, const Stride& stride, const events::Access& event, LineSet& lines) {
  const bool scratch = event.space == events::Space::scratch, full = a.lanes == all_lanes;
  if (stride.dense && !scratch)
    return touch_strided(a.lowest, static_cast<uint64_t>(std::abs(stride.dense_bytes)), event.bytes, uint64_t(a.count));
  if (full && scratch && stride.constant && stride.bytes == 4) { // all lanes at one offset
    const uint64_t in_dword = a.lowest % 4 + event.bytes;
    if (in_dword <= 4 || a.lowest % 4 == 0)
      return {line_of(a.lowest / 4 * 4 + (in_dword + 3) / 4 * 256 - 1) - line_of(a.lowest) + 1,
              uint64_t(64) * event.bytes, 64};
  }
  lines.clear();
  if (scratch)
    for (int i = 0; i < a.count; ++i)
      touch_scratch(a.address[i], event.bytes, lines);
  else
    lines.add_all(a.address, a.count, event.bytes);
  return {lines.lines(), lines.distinct_bytes(), lines.distinct_starts()};
}

// An image sample reads several texels for each lane: the lines of all of them together.
Touched touch_texels(const Active& a, const events::Access& event, LineSet& lines) {
  lines.clear();
  lines.add_all(a.address, a.count, event.bytes);
  for (const events::Places& texels : event.more)
    for (uint64_t left = texels.lanes; left; left &= left - 1)
      lines.add(texels.address[std::countr_zero(left)], event.bytes);
  return {lines.lines(), lines.distinct_bytes(), lines.distinct_starts()};
}

// ---- Alignment.

void count_alignment(const Active& a, const Stride& stride, const events::Access& event, MemoryCounts& c) {
  const uint32_t bytes = event.bytes;
  const uint64_t low = bytes >= 4 ? 3 : bytes == 2 ? 1 : 0;
  uint64_t any = 0;
  if (stride.constant)
    any = a.address[0] | static_cast<uint64_t>(stride.bytes); // of its multiples, too
  else
    for (int i = 0; i < a.count; ++i)
      any |= a.address[i];
  if (std::has_single_bit(bytes) && (any & (bytes - 1)) == 0)
    return;
  const bool may_split = event.space != events::Space::scratch;
  for (int i = 0; i < a.count; ++i) {
    c.misaligned_lanes += (a.address[i] & low) != 0;
    c.split_lanes += may_split && a.address[i] % line_bytes + bytes > line_bytes;
  }
}

// ---- L1.

struct Group {
  uint64_t low = ~uint64_t(0), high = 0;
  bool same = true, block = true;
  void add_quad(uint64_t quad_low, uint64_t quad_high, uint32_t element) {
    same &= quad_low == quad_high;
    block &= quad_high - quad_low <= 3 * element;
    low = std::min(low, quad_low);
    high = std::max(high, quad_high);
  }
};

L1Case group_case(const uint64_t* address, uint16_t lanes, uint32_t element) {
  Group g;
  for (int quad = 0; quad < 16; quad += 4) {
    const uint64_t* x = address + quad;
    uint32_t m = lanes >> quad & 15;
    if (m == 15) {
      g.add_quad(std::min(std::min(x[0], x[1]), std::min(x[2], x[3])),
                 std::max(std::max(x[0], x[1]), std::max(x[2], x[3])), element);
    } else if (m) {
      uint64_t low = ~uint64_t(0), high = 0;
      for (; m; m &= m - 1) {
        low = std::min(low, x[std::countr_zero(m)]);
        high = std::max(high, x[std::countr_zero(m)]);
      }
      g.add_quad(low, high, element);
    }
  }
  return g.low == g.high ? L1Case::same_address
         : g.same        ? L1Case::quads_same_address
         : g.block       ? L1Case::quads_one_block
                         : L1Case::separate_quads;
}

// Clocks for groups of 4: one for each that has a lane.
uint64_t quads_in(uint64_t lanes) {
  lanes |= lanes >> 1;
  lanes |= lanes >> 2;
  return popcount(lanes & 0x1111111111111111u);
}
uint64_t sixteens_in(uint64_t lanes) {
  uint64_t n = 0;
  for (; lanes; lanes >>= 16)
    n += (lanes & 0xffff) != 0;
  return n;
}

void count_l1(const Active& a, const Stride& stride, const events::Access& event, L1Path path, uint32_t element,
              MemoryCounts& c) {
  if (path == L1Path::none)
    return;
  const uint64_t groups = sixteens_in(a.lanes);
  if (path != L1Path::sixteens || event.bytes > 4) {
    const uint64_t dwords = (event.bytes + 3) / 4;
    c.l1_groups[int(L1Case::wide)] = groups;
    c.clocks = c.ideal_clocks = quads_in(a.lanes) * (path == L1Path::filtered ? std::bit_ceil(dwords) : 1);
    return;
  }
  c.ideal_clocks = groups;
  if (a.lanes == all_lanes && stride.constant) { // all groups are alike
    const L1Case which = stride.bytes == 0                   ? L1Case::same_address
                         : std::abs(stride.bytes) <= element ? L1Case::quads_one_block
                                                             : L1Case::separate_quads;
    c.l1_groups[int(which)] = 4;
    c.clocks = which == L1Case::separate_quads ? 16 : 4;
    return;
  }
  for (int row = 0; row < 64; row += 16) {
    const auto lanes = uint16_t(a.lanes >> row);
    if (!lanes)
      continue;
    const L1Case which = group_case(event.address + row, lanes, element);
    ++c.l1_groups[int(which)];
    c.clocks += which == L1Case::separate_quads ? quads_in(lanes) : 1;
  }
}

// Sixteens that coalesce take one clock, others those of their banks. Scratch, whose dwords lie apart, is not looked
// at.
uint32_t bank_clocks(const events::Access& event, L1Path path, const MemoryCounts& c) {
  if (path != L1Path::sixteens || (event.bytes > 4 && event.space == events::Space::scratch))
    return uint32_t(c.clocks);
  uint32_t clocks = 0;
  for (int row = 0; row < 64; row += 16)
    if (const auto lanes = uint16_t(event.lanes >> row)) {
      const bool coalesces =
          event.bytes <= 4 && group_case(event.address + row, lanes, event.bytes) != L1Case::separate_quads;
      clocks += coalesces ? 1 : timing::l1_bank_clocks(event.address + row, lanes, event.bytes);
    }
  return std::max(clocks, uint32_t(c.clocks));
}

// Of most groups of 4, the lanes are not next to each other, whatever their order.
bool quads_apart(const events::Access& event) {
  int apart = 0, all = 0;
  for (int quad = 0; quad < 64; quad += 4) {
    uint64_t low = ~uint64_t(0), high = 0;
    for (uint32_t m = event.lanes >> quad & 15; m; m &= m - 1) {
      const uint64_t address = event.address[quad + std::countr_zero(m)];
      low = std::min(low, address), high = std::max(high, address);
    }
    all += low <= high;
    apart += low <= high && high - low > 3 * event.bytes;
  }
  return 2 * apart > all;
}

void gather(const events::Access& event, Active& a) {
  a.lanes = event.lanes;
  if (event.lanes == all_lanes) {
    a.address = event.address;
    a.count = 64;
  } else {
    a.count = 0;
    for (uint64_t left = event.lanes; left; left &= left - 1)
      a.dense[size_t(a.count++)] = event.address[std::countr_zero(left)];
    a.address = a.dense.data();
  }
}

void find_bounds(Active& a, const Stride& stride) {
  a.lowest = std::min(a.address[0], a.address[a.count - 1]);
  a.highest = std::max(a.address[0], a.address[a.count - 1]);
  if (stride.constant)
    return;
  for (int i = 1; i < a.count; ++i) {
    a.lowest = std::min(a.lowest, a.address[i]);
    a.highest = std::max(a.highest, a.address[i]);
  }
}

} // namespace

L1Path l1_path(const isa::Instruction& instruction, events::Space space) {
  if (space == events::Space::scalar)
    return L1Path::none;
  const isa::Row& row = isa::row(instruction.op);
  if (row.encoding == isa::Encoding::MIMG)
    return L1Path::quads;
  // The row's memory type has 32 bits for each channel of a format.
  return isa::is_format(row.access) && row.memory != isa::Type::B32 ? L1Path::quads : L1Path::sixteens;
}

const MemoryRequest& MemoryReader::read_anew(const events::Access& event, L1Path path) {
  MemoryRequest& r = anew_ = {};
  MemoryCounts& c = r.counts;
  // Dwords of scratch are interleaved: those of neighbouring lanes are neighbours, however wide the access is.
  const uint32_t element = event.space == events::Space::scratch ? 4 : event.bytes;
  Active a;
  gather(event, a);
  const Stride stride = a.count > 1 ? find_stride(a, element) : Stride{true, 0, true, 0};
  find_bounds(a, stride);

  r.pattern = pattern_of(a, stride, element);
  r.stride = r.pattern == Pattern::strided ? stride.bytes : 0;
  r.lowest = a.lowest;
  r.highest = a.highest;

  const Touched t = event.more.empty() ? touch(a, stride, event, lines_) : touch_texels(a, event, lines_);
  const auto active = static_cast<uint64_t>(a.count);
  uint64_t items = active;
  for (const events::Places& texels : event.more) {
    items += popcount(texels.lanes);
    for (uint64_t left = texels.lanes; left; left &= left - 1)
      r.lowest = std::min(r.lowest, texels.address[std::countr_zero(left)]);
  }
  c.requests = 1;
  c.lanes = active;
  c.lines = t.lines;
  c.ideal_lines = lines_for(t.bytes);
  c.bytes_asked = items * event.bytes;
  c.bytes_moved = t.lines * line_bytes;
  const bool atomic = event.kind == events::AccessKind::atomic;
  c.l2_operations = atomic ? active : t.lines;
  c.address_collisions = atomic ? active - t.starts : 0;
  count_alignment(a, stride, event, c);
  count_l1(a, stride, event, path, element, c);
  r.bank_clocks = bank_clocks(event, path, c);
  r.quads_apart = path == L1Path::quads && event.bytes > 4 && quads_apart(event);
  return r;
}

// A request depends on how its addresses lie to each other, and where in a line they begin: nothing looks at larger
// blocks, and a line's number is only compared. Their order must not change either: no address may pass the largest
// number.
MemoryReader::Read MemoryReader::read(const events::Access& event, L1Path path, const Known*& last) {
  const uint64_t base = event.address[std::countr_zero(event.lanes)];
  if (!event.more.empty()) // image samples
    return {read_anew(event, path), anew_.lowest};
  const PatternKey key{.lanes = event.lanes,
                       .others = base % line_bytes | uint64_t(event.kind) << 8 | uint64_t(event.space) << 16 |
                                 uint64_t(path) << 24 | uint64_t(event.bytes) << 32};
  const auto far = [](uint64_t address) { return address >> 62 != 0; };
  if (const Relative* known = memo_.find(key, event.address, last)) {
    if (far(base) || far(base + known->low) || far(base + known->high))
      return {read_anew(event, path), anew_.lowest};
    return {known->request, base + known->low};
  }
  const MemoryRequest& r = read_anew(event, path);
  if (!far(r.highest))
    memo_.learn(key, event.address, {r, r.lowest - base, r.highest - base});
  return {r, r.lowest};
}

} // namespace crosslane::views
