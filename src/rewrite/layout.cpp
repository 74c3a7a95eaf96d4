// Addresses until every branch reaches its target.
#include "rewrite/layout.h"
#include "files/error.h"
#include "isa/decode.h"
#include <algorithm>
#include <cstring>
#include <map>

namespace crosslane::rewrite {

namespace {

using Kind = Item::Kind;

class Layout {
public:
  using BytesAt = std::function<const uint8_t*(uint64_t, uint32_t)>;
  Layout(Listing& listing, const LayoutOptions& options, const BytesAt& bytes_at)
      : listing_(listing), options_(options), bytes_at_(bytes_at) {}

  llvm::Expected<LaidOut> run() {
    widen_loads();
    if (auto error = split())
      return std::move(error);
    make_falls_explicit();
    // Each round brings every branch that is too far as far as it can be brought, so a few do.
    // Where more branches cross one place than islands have room in reach of it, there is no end.
    const size_t most = chunks().size() * 16 + 1024;
    for (uint32_t round = 0; place(), add_islands(); ++round)
      if (round == 1000 || chunks().size() > most)
        return fail("branches cannot be laid out within {} dwords", options_.branch_reach);
    if (auto error = emit())
      return std::move(error);
    return std::move(out_);
  }

private:
  Listing& listing_;
  const LayoutOptions& options_;
  const BytesAt& bytes_at_;
  LaidOut out_;
  std::map<Label, Label> leads_to_;                // of islands: where in the end
  std::map<Label, std::vector<Label>> islands_of_; // the other way

  int64_t reach() const { return int64_t(options_.branch_reach) * 4; }
  std::vector<Chunk>& chunks() { return listing_.chunks; }

  static uint32_t size(const Chunk& chunk) {
    uint32_t sum = 0;
    for (const Item& item : chunk.items)
      sum += item.size;
    return sum;
  }

  // Loads reach a megabyte backwards. Islands, and what settling puts in, may make all of it longer.
  void widen_loads() {
    uint64_t bytes = 0, first = options_.address;
    for (const Chunk& chunk : chunks()) {
      bytes += size(chunk) + chunk.alignment;
      for (const Item& item : chunk.items)
        if (item.kind == Kind::load)
          first = std::min(first, item.value);
    }
    if (options_.address - first + bytes * 2 <= uint64_t(1) << 20)
      return;
    for (Chunk& chunk : chunks()) {
      std::vector<Item> items;
      for (const Item& item : chunk.items)
        if (item.kind == Kind::load)
          std::ranges::copy(load_from_afar(item), std::back_inserter(items));
        else
          items.push_back(item);
      chunk.items = std::move(items);
    }
  }

  // No chunk is so long that a branch could not go past it to an island: an eighth of what branches reach.
  llvm::Error split() {
    const uint32_t most = std::max<uint32_t>(uint32_t(reach()) / 8, 32);
    std::vector<Label> order;
    order.reserve(listing_.order.size());
    for (const Label label : listing_.order) {
      order.push_back(label);
      if (size(chunks()[label]) <= most)
        continue;
      std::vector<Item> items = std::move(chunks()[label].items);
      chunks()[label].items.clear();
      Label to = label;
      uint32_t have = 0;
      const auto push = [&](const Item& item) {
        if (have + item.size > most && have) {
          const Label more = listing_.add();
          chunks()[more].next = chunks()[to].next, chunks()[more].tied = chunks()[to].tied;
          chunks()[to].next = more;
          order.push_back(to = more), have = 0;
        }
        chunks()[to].items.push_back(item), have += item.size;
      };
      for (const Item& item : items) {
        if (item.kind != Kind::copy || have + item.size <= most) {
          push(item);
          continue;
        }
        for (uint32_t at = 0; at < item.size;) { // a run of instructions, in pieces
          uint32_t piece = 0;
          while (at + piece < item.size && (piece == 0 || have + piece + 8 <= most)) {
            const uint8_t* bytes = bytes_at_(item.origin + at + piece, item.size - at - piece);
            isa::Instruction instruction;
            const int n = bytes ? isa::decode(listing_.target, {bytes, item.size - at - piece}, instruction) : 0;
            if (n <= 0)
              return fail("code at {:#x} cannot be read again", item.origin + at + piece);
            piece += uint32_t(n);
          }
          Item part = item;
          part.origin = item.origin + at, part.size = piece;
          push(part);
          at += piece;
        }
      }
    }
    listing_.order = std::move(order);
    return llvm::Error::success();
  }

  void make_falls_explicit() {
    for (size_t i = 0; i < listing_.order.size(); ++i) {
      Chunk& chunk = chunks()[listing_.order[i]];
      if (chunk.next == no_label || (i + 1 < listing_.order.size() && listing_.order[i + 1] == chunk.next))
        continue;
      chunk.items.push_back(branch_to(listing_.target, chunk.next));
      chunk.next = no_label;
    }
  }

  void place() {
    out_.chunks.assign(chunks().size(), 0);
    uint64_t at = options_.address;
    for (const Label label : listing_.order) {
      const uint64_t alignment = chunks()[label].alignment;
      at = (at + alignment - 1) / alignment * alignment;
      out_.chunks[label] = at;
      at += size(chunks()[label]);
    }
  }

  Label ultimate(Label target) const {
    const auto island = leads_to_.find(target);
    return island == leads_to_.end() ? target : island->second;
  }
  static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

  // For branches that do not reach: by way of an island, another branch between chunks, as near to the target as is
  // reached. One that is there already does for all who want to go to the same place. False: all do reach.
  bool add_islands() {
    bool changed = false;
    std::vector<std::vector<Label>> after(listing_.order.size());
    std::map<std::pair<size_t, Label>, Label> made; // in this round, by place and target
    for (const Label label : listing_.order) {
      uint64_t at = out_.chunks[label];
      for (size_t i = 0; i < chunks()[label].items.size(); ++i) {
        at += chunks()[label].items[i].size;
        if (chunks()[label].items[i].kind != Kind::branch || fits(at, out_.chunks[chunks()[label].items[i].target]))
          continue;
        const Label target = ultimate(chunks()[label].items[i].target);
        const uint64_t goal = out_.chunks[target];
        changed = true;
        Label best = no_label;
        for (const Label island : islands_of_[target])
          if (const uint64_t there = out_.chunks[island];
              island != label && distance(at, there) <= uint64_t(reach()) * 7 / 8 &&
              distance(there, goal) + 64 < distance(at, goal) &&
              (best == no_label || distance(there, goal) < distance(out_.chunks[best], goal)))
            best = island;
        if (best == no_label) {
          const size_t behind = place_for(at, goal);
          Label& island = made.try_emplace({behind, target}, no_label).first->second;
          if (island == no_label) {
            island = listing_.add();
            chunks()[island].items.push_back(branch_to(listing_.target, target));
            leads_to_[island] = target;
            after[behind].push_back(island);
            ++out_.islands;
          }
          best = island;
        }
        chunks()[label].items[i].target = best;
      }
    }
    if (!changed)
      return false;
    for (const auto& [key, island] : made)
      islands_of_[key.second].push_back(island);
    std::vector<Label> order;
    order.reserve(chunks().size());
    for (size_t i = 0; i < listing_.order.size(); ++i) {
      const Label label = listing_.order[i];
      order.push_back(label);
      if (after[i].empty())
        continue;
      if (const Label next = chunks()[label].next; next != no_label) { // around them
        chunks()[label].items.push_back(branch_to(listing_.target, next));
        chunks()[label].next = no_label;
      }
      order.insert(order.end(), after[i].begin(), after[i].end());
    }
    listing_.order = std::move(order);
    return true;
  }

  // A distance that the islands of this round may still make longer.
  bool fits(uint64_t from, uint64_t to) const {
    const int64_t distance = int64_t(to) - int64_t(from);
    return distance <= reach() && distance >= -reach();
  }

  // The place in the order behind whose chunk an island lies best.
  size_t place_for(uint64_t from, uint64_t to) const {
    const int64_t room = reach() * 3 / 4; // islands push one another away
    const uint64_t goal = to > from ? from + uint64_t(room) : from - std::min<uint64_t>(uint64_t(room), from);
    const auto at = std::ranges::upper_bound(listing_.order, goal, {}, [&](Label l) { return out_.chunks[l]; });
    size_t i = size_t(at - listing_.order.begin());
    i = i >= 2 ? i - 2 : 0; // behind the chunk whose end is at or before the goal
    while (chunks()[listing_.order[i]].tied)
      ++i;
    // Rather where nothing falls through.
    for (size_t back = 0; back < 4 && back <= i; ++back) {
      const Label label = listing_.order[i - back];
      if (chunks()[label].next == no_label && !chunks()[label].tied && fits(from, out_.chunks[label]) &&
          closer(from, to, i - back))
        return i - back;
    }
    return i;
  }
  bool closer(uint64_t from, uint64_t to, size_t place) const {
    const uint64_t at = out_.chunks[listing_.order[place]];
    return to > from ? at > from + uint64_t(reach()) / 4 : at + uint64_t(reach()) / 4 < from;
  }
  const std::vector<Chunk>& chunks() const { return listing_.chunks; }

  llvm::Error emit() {
    uint64_t end = options_.address;
    for (const Label label : listing_.order)
      end = std::max(end, out_.chunks[label] + size(chunks()[label]));
    out_.bytes.reserve(end - options_.address + prefetched);
    for (const Label label : listing_.order) {
      fill(out_.chunks[label] - options_.address);
      for (const Item& item : chunks()[label].items)
        if (auto error = emit(item))
          return error;
    }
    fill(out_.bytes.size() + prefetched);
    return llvm::Error::success();
  }

  static constexpr uint32_t prefetched = 256; // bytes behind the end of code that the hardware may ask for
  static constexpr uint32_t s_nop = 0xbf800000;

  void fill(uint64_t size) {
    while (out_.bytes.size() < size)
      append_word(s_nop);
  }
  void append_word(uint32_t word) {
    const size_t at = out_.bytes.size();
    out_.bytes.resize(at + 4);
    std::memcpy(out_.bytes.data() + at, &word, 4);
  }
  uint64_t here() const { return options_.address + out_.bytes.size(); }

  llvm::Error emit(const Item& item) {
    if (item.origin)
      moved(item);
    switch (item.kind) {
    case Kind::copy: {
      const uint8_t* bytes = bytes_at_(item.origin, item.size);
      if (!bytes)
        return fail("code at {:#x} cannot be read again", item.origin);
      out_.bytes.insert(out_.bytes.end(), bytes, bytes + item.size);
      break;
    }
    case Kind::words:
      for (uint32_t i = 0; i < item.size / 4; ++i)
        append_word(item.words[i]);
      break;
    case Kind::branch: {
      const int64_t distance = (int64_t(out_.chunks[item.target]) - int64_t(here() + 4)) / 4;
      if (distance > 0x7fff || distance < -0x8000)
        return fail("a branch of {} dwords", distance);
      append_word((item.words[0] & 0xffff0000) | uint16_t(distance));
      break;
    }
    case Kind::address: return emit_address(item);
    case Kind::load: return emit_load(item);
    }
    return llvm::Error::success();
  }

  llvm::Error emit_address(const Item& item) {
    const uint64_t to = item.target == no_label ? item.value : out_.chunks[item.target];
    const int64_t distance = int64_t(to - (here() + 4));
    if (distance != int32_t(distance))
      return fail("data {} bytes from code", distance);
    std::vector<Item> items;
    const unsigned s = item.scalar;
    const bool vcc = s == isa::code::vcc;
    const std::string both = vcc ? "vcc" : fmt::format("s[{}:{}]", s, s + 1),
                      low = vcc ? "vcc_lo" : fmt::format("s{}", s), high = vcc ? "vcc_hi" : fmt::format("s{}", s + 1);
    append(items, listing_.target,
           fmt::format("s_getpc_b64 {0}\ns_add_u32 {1}, {1}, 0x7fffffff\ns_addc_u32 {2}, {2}, {3}", both, low, high,
                       distance < 0 ? -1 : 0));
    items[1].words[1] = uint32_t(distance);
    for (const Item& i : items)
      for (uint32_t w = 0; w < i.size / 4; ++w)
        append_word(i.words[w]);
    return llvm::Error::success();
  }

  llvm::Error emit_load(const Item& item) {
    const unsigned s = item.scalar;
    std::vector<Item> items;
    append(items, listing_.target, fmt::format("s_getpc_b64 s[{0}:{1}]", s, s + 1));
    append_word(items[0].words[0]);
    constexpr int64_t reach = int64_t(1) << 20; // 21 bits, signed
    const int64_t distance = int64_t(item.value - here());
    if (distance < -reach || distance >= reach)
      return fail("data {} bytes from code", distance);
    append_word(item.words[0]);
    append_word((item.words[1] & ~0x1fffffu) | (uint32_t(distance) & 0x1fffffu));
    return llvm::Error::success();
  }

  // Runs that stay together are told as one.
  void moved(const Item& item) {
    const uint64_t size = item.kind == Kind::copy ? item.size : 4;
    if (!out_.moved.empty()) {
      codeobject::MovedCode& last = out_.moved.back();
      if (last.from + last.size == item.origin && last.to + last.size == here()) {
        last.size += size;
        return;
      }
    }
    out_.moved.push_back({item.origin, size, here()});
  }
};

} // namespace

llvm::Expected<LaidOut> lay_out(Listing& listing, const LayoutOptions& options, const Layout::BytesAt& bytes_at) {
  return Layout(listing, options, bytes_at).run();
}

} // namespace crosslane::rewrite
