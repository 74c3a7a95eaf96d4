// What most neighbours are apart is the step, where most lanes of a row say that it begins is where it begins.
#include "findings/block_rows.h"
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace crosslane::findings {

namespace {

constexpr int64_t line_bytes = 64;

// Counts, and finds what there is most of; of several the least.
class Votes {
public:
  void add(int64_t value) { ++count_[value]; }
  std::pair<int64_t, uint32_t> most() const {
    std::pair<int64_t, uint32_t> best = {0, 0};
    for (const auto& [value, count] : count_)
      if (count > best.second)
        best = {value, count};
    return best;
  }

private:
  std::map<int64_t, uint32_t> count_;
};

int64_t modulo(int64_t value, int64_t by) { return (value % by + by) % by; }

double lines_of(int64_t begin, int64_t step, uint32_t lanes, uint32_t bytes) {
  std::set<int64_t> lines;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    for (int64_t at = begin + lane * step, line = at / line_bytes; line <= (at + bytes - 1) / line_bytes; ++line)
      lines.insert(line);
  return static_cast<double>(lines.size());
}

struct Row {
  std::vector<std::pair<int64_t, int64_t>> lanes; // column and address
  int64_t begin = 0;                              // address of column 0
};

std::map<uint32_t, Row> rows_of(const views::LaneExample& e, uint32_t width) {
  std::map<uint32_t, Row> rows;
  for (uint32_t lane = 0; lane < 64; ++lane)
    if (e.lanes >> lane & 1) {
      const uint32_t item = e.wave * 64 + lane;
      rows[item / width].lanes.emplace_back(item % width, static_cast<int64_t>(e.address[lane]));
    }
  return rows;
}

std::optional<int64_t> step_of(const std::map<uint32_t, Row>& rows) {
  Votes apart;
  uint32_t neighbours = 0;
  for (const auto& [number, row] : rows)
    for (size_t i = 1; i < row.lanes.size(); ++i)
      if (row.lanes[i].first == row.lanes[i - 1].first + 1) {
        apart.add(row.lanes[i].second - row.lanes[i - 1].second);
        ++neighbours;
      }
  const auto [step, agreeing] = apart.most();
  return neighbours >= 8 && agreeing * 3 >= neighbours * 2 ? std::optional(step) : std::nullopt;
}

} // namespace

std::optional<BlockRows> block_rows(const views::LaneExample& e, const Blocks& blocks, uint32_t bytes) {
  // Of the example's own block, which may be a smaller one.
  const auto extent = [&](int d) {
    const uint64_t before = uint64_t(e.workgroup[d]) * blocks.shape[d];
    const uint64_t left = blocks.grid[d] > before ? blocks.grid[d] - before : 1;
    return static_cast<uint32_t>(std::clamp<uint64_t>(blocks.shape[d], 1, left));
  };
  auto rows = rows_of(e, extent(0));
  const auto step = step_of(rows);
  if (!step)
    return {};
  BlockRows found{
      .width = std::clamp(blocks.shape[0], 1u, 64u), .step = *step, .rows = static_cast<uint32_t>(rows.size())};
  Votes pitches;
  for (auto& [number, row] : rows) {
    Votes begins;
    for (const auto& [column, address] : row.lanes)
      begins.add(address - column * found.step);
    row.begin = begins.most().first;
    if (const auto before = rows.find(number - 1); number && before != rows.end())
      pitches.add(row.begin - before->second.begin);
  }
  found.pitch = pitches.most().first;

  const auto first_column = static_cast<int64_t>(e.workgroup[0]) * blocks.shape[0];
  const auto first_row = static_cast<int64_t>(e.workgroup[1]) * blocks.shape[1];
  bool aligns = modulo(found.pitch, line_bytes) != 0;
  for (const auto& [number, row] : rows) {
    found.wide += lines_of(row.begin - first_column % 64 * found.step, found.step, 64, bytes);
    // The row itself, or one beside it that it reads: is it off the line by its number alone?
    const int64_t row_in_grid = first_row + number % extent(1), row_begin = row.begin - first_column * found.step;
    aligns = aligns && std::ranges::any_of(std::initializer_list<int64_t>{-1, 0, 1}, [&](int64_t beside) {
               return modulo(row_begin - (row_in_grid + beside) * found.pitch, line_bytes) == 0;
             });
  }
  found.wide /= found.rows;
  if (aligns)
    found.padded =
        64.0 / found.width * lines_of(modulo(first_column * found.step, line_bytes), found.step, found.width, bytes);
  return found;
}

} // namespace crosslane::findings
