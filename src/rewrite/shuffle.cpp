// By a generator of its own, so that a seed means the same everywhere.
#include "rewrite/shuffle.h"
#include "analysis/graph.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace crosslane::rewrite {

namespace {

class Shuffler {
public:
  Shuffler(Listing& listing, const LayoutOptions& options, uint64_t seed, const analysis::Code& code)
      : listing_(listing), code_(code), branch_reach_(options.branch_reach), state_(seed) {}

  void run() {
    // With less reach only among neighbours: elsewhere more branches would cross a place than it has room for islands.
    const size_t n = listing_.order.size(), window = branch_reach_ < 0x7fff ? 4 : n;
    for (size_t i = 0; i + 1 < n; ++i)
      std::swap(listing_.order[i], listing_.order[i + below(uint32_t(std::min(window, n - i)))]);
    keep_tied();
    for (Chunk& chunk : listing_.chunks) {
      std::vector<Item> items;
      for (const Item& item : std::exchange(chunk.items, {})) {
        if (item.kind == Item::Kind::copy)
          run_of(items, item);
        else
          put(items, item);
      }
      chunk.items = std::move(items);
    }
  }

private:
  Listing& listing_;
  const analysis::Code& code_;
  const uint32_t branch_reach_;
  uint64_t state_;

  void keep_tied() {
    std::vector<bool> follows(listing_.chunks.size());
    for (const Label label : listing_.order)
      if (listing_.chunks[label].tied)
        follows[listing_.chunks[label].next] = true;
    std::vector<Label> order;
    for (Label label : listing_.order) {
      if (follows[label])
        continue;
      for (order.push_back(label); listing_.chunks[label].tied; order.push_back(label))
        label = listing_.chunks[label].next;
    }
    listing_.order = std::move(order);
  }

  uint32_t below(uint32_t n) { // Knuth's multiplier, MMIX
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return uint32_t((state_ >> 32) % n);
  }

  void put(std::vector<Item>& items, const Item& item) {
    if (below(8) == 0)
      append(items, listing_.target, fmt::format("s_nop {}", below(8)));
    items.push_back(item);
  }

  // Instruction by instruction.
  void run_of(std::vector<Item>& items, const Item& run) {
    const auto bytes = analysis::bytes_at(code_, run.origin);
    for (uint32_t at = 0; at < run.size;) {
      isa::Instruction in;
      const int size = isa::decode(listing_.target, bytes.subspan(at, run.size - at), in);
      Item item = run;
      item.origin = run.origin + at, item.size = size > 0 ? uint32_t(size) : run.size - at;
      put(items, item);
      at += item.size;
    }
  }
};

} // namespace

void shuffle(Listing& listing, const LayoutOptions& options, uint64_t seed, const analysis::Code& code) {
  Shuffler(listing, options, seed, code).run();
}

} // namespace crosslane::rewrite
