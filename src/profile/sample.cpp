// A Feistel network permutes numbers of an even number of bits; those outside of the range go round again until they
// are inside ("cycle walking"), which is a permutation of the range.
#include "profile/sample.h"
#include <bit>
#include <cmath>

namespace crosslane::profile {

namespace {

// Every bit of the result depends on every bit of the value. Source: Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators" (SplitMix64).
uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

} // namespace

Choice::Choice(const SampleRate& rate, uint64_t launch, uint64_t of)
    : of_(of), key_(mix(mix(rate.seed) + launch)), all_(rate.all()) {
  const uint64_t wanted = uint64_t(std::llround(rate.fraction * static_cast<double>(of)));
  count_ = all_ ? of : std::min(of, std::max<uint64_t>(wanted, 2));
  half_bits_ = static_cast<uint32_t>(std::max<int>(1, (static_cast<int>(std::bit_width(of ? of - 1 : 0)) + 1) / 2));
}

uint64_t Choice::place(uint64_t workgroup) const {
  const uint64_t mask = (uint64_t(1) << half_bits_) - 1;
  uint64_t value = workgroup;
  do {
    uint64_t left = value >> half_bits_, right = value & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      const uint64_t next = left ^ (mix(key_ + (round << 60) + right) & mask);
      left = right, right = next;
    }
    value = left << half_bits_ | right;
  } while (value >= of_);
  return value;
}

SampleSums& SampleSums::operator+=(const SampleSums& other) {
  workgroups += other.workgroups, of += other.of, sum += other.sum, squares += other.squares;
  return *this;
}

std::optional<double> SampleSums::error() const {
  if (workgroups < 2 || sum <= 0)
    return {};
  const auto n = static_cast<double>(workgroups), all = static_cast<double>(of);
  const double mean = sum / n, variance = std::max(0.0, (squares - sum * mean) / (n - 1));
  return std::sqrt(std::max(0.0, 1 - n / all) / n * variance) / mean;
}

void WorkgroupCosts::issued(const events::Issued& event) {
  Table& table = tables_.mine();
  if (const uint64_t number = event.wave->workgroup->number; number != table.last) {
    table.last = number;
    table.cost = &table.costs[number]; // stays where it is when others are added
  }
  *table.cost += event.block->sites.size();
}

SampleSums WorkgroupCosts::sums() const {
  SampleSums sums;
  tables_.for_each([&](const Table& table) {
    for (const auto& [number, cost] : table.costs)
      sums.add(static_cast<double>(cost));
  });
  return sums;
}

} // namespace crosslane::profile
