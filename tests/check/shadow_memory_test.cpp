// Pieces of shadow memory: aligned, apart from each other and kept, of all sizes and threads.
#include "check/shadow_memory.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

namespace crosslane::check {
namespace {

struct Piece {
  uint8_t* at;
  size_t bytes;
  uint8_t content;
};

void allocate_some(ShadowMemory& memory, size_t count, uint8_t seed, std::vector<Piece>& pieces) {
  for (size_t n = 0; n < count; ++n) {
    const size_t bytes = n % 500 == 499 ? size_t(3) << 20 : 1 + n * 97 % 3000;
    pieces.push_back({static_cast<uint8_t*>(memory.allocate(bytes)), bytes, uint8_t(n * 31 + seed)});
    std::memset(pieces.back().at, pieces.back().content, bytes);
  }
}

TEST(ShadowMemory, PiecesLieApartAndKeepTheirContents) {
  ShadowMemory memory;
  for (int round = 0; round < 2; ++round) {
    std::vector<Piece> pieces, others;
    std::thread other([&] { allocate_some(memory, 4000, 1, others); });
    allocate_some(memory, 4000, 2, pieces);
    other.join();
    pieces.insert(pieces.end(), others.begin(), others.end());
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.at < b.at; });
    for (size_t n = 0; n < pieces.size(); ++n) {
      const Piece& p = pieces[n];
      EXPECT_EQ(reinterpret_cast<uintptr_t>(p.at) % alignof(std::max_align_t), 0u);
      EXPECT_TRUE(std::all_of(p.at, p.at + p.bytes, [&](uint8_t b) { return b == p.content; })) << n;
      EXPECT_TRUE(n == 0 || pieces[n - 1].at + pieces[n - 1].bytes <= p.at) << n;
    }
    memory.clear();
  }
}

} // namespace
} // namespace crosslane::check
