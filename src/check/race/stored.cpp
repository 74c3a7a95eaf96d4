// Registers as the handlers of stores read them: one dword of a lane after the other, each 256 bytes from the last.
#include "check/race/stored.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/op.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>

namespace crosslane::check::race {

namespace {

constexpr uint32_t most_bytes = 16;

// Calls f(lane, address, second) of each place, until it says false.
template <class F> bool each_place(const events::Access& e, F f) {
  for (const bool second : {false, true}) {
    const uint64_t* address = second ? e.second : e.address;
    for (uint64_t left = address ? e.lanes : 0; left; left &= left - 1)
      if (const int lane = std::countr_zero(left); !f(lane, address[lane], second))
        return false;
  }
  return true;
}

} // namespace

Stored::Stored(const events::Access& e, bool second) {
  using enum isa::Access;
  const isa::Instruction& in = *e.site.instruction;
  const isa::Row& row = isa::row(in.op);
  const bool plain = row.access == store || row.access == store_d16_hi || row.access == store2 ||
                     row.access == store2_st64 || row.access == lds_add_tid_store;
  const uint16_t code = second ? in.data1 : in.data;
  if (!plain || in.lds || isa::has_operand_in_lds(row) || e.bytes > most_bytes || code == isa::code::none)
    return;
  uint32_t number = 0;
  if (isa::is_vgpr(code))
    number = code - isa::code::vgpr0;
  else if (code >= isa::code::agpr0)
    number = machine::max_vgprs + (code - isa::code::agpr0); // they lie behind the others
  else
    return;
  shift_ = row.access == store_d16_hi ? 2 : 0;
  registers_ = reinterpret_cast<const uint8_t*>(e.wave) + machine::vgpr_offset(number);
}

void Stored::copy(int lane, uint32_t from, uint32_t count, uint8_t* to) const {
  for (uint32_t n = from; n < from + count; ++n)
    *to++ = registers_[size_t(n / 4) * machine::vgpr_bytes + size_t(lane) * 4 + n % 4 + shift_];
}

void Stored::copy_run(uint64_t lanes, uint32_t bytes, uint64_t from, uint64_t count, uint8_t* to) const {
  if (const int first = std::countr_zero(lanes); bytes == 4 && lanes == ~uint64_t(0) << first) {
    std::memcpy(to, registers_ + size_t(first) * 4 + from, count);
    return;
  }
  for (uint64_t skipped = from / bytes; skipped && lanes; --skipped)
    lanes &= lanes - 1;
  for (auto at = uint32_t(from % bytes); count && lanes; lanes &= lanes - 1, at = 0) {
    const auto now = uint32_t(std::min<uint64_t>(bytes - at, count));
    copy(std::countr_zero(lanes), at, now, to);
    to += now, count -= now;
  }
}

bool writes_what_is_there(const events::Access& e, const Bytes& there) {
  const Stored data[] = {{e, false}, {e, true}};
  return each_place(e, [&](int lane, uint64_t address, bool second) {
    const uint64_t from = std::max(address, there.begin), to = std::min(address + e.bytes, there.end);
    if (from >= to)
      return true;
    std::array<uint8_t, most_bytes> bytes;
    if (!data[second].known())
      return false;
    data[second].copy(lane, uint32_t(from - address), uint32_t(to - from), bytes.data());
    return std::memcmp(bytes.data(), there.at + (from - there.begin), to - from) == 0;
  });
}

std::optional<Clash> clash_of(const events::Access& e) {
  struct Place {
    uint64_t address;
    int lane;
    bool second;
  };
  std::array<Place, 128> places;
  size_t count = 0;
  each_place(e, [&](int lane, uint64_t address, bool second) {
    places[count++] = {address, lane, second};
    return true;
  });
  std::sort(places.begin(), places.begin() + ptrdiff_t(count), [](const Place& a, const Place& b) {
    return std::tie(a.address, a.lane, a.second) < std::tie(b.address, b.lane, b.second);
  });
  const Stored data[] = {{e, false}, {e, true}};
  const auto same = [&](const Place& a, const Place& b) {
    if (a.address != b.address || !data[a.second].known() || !data[b.second].known())
      return false;
    std::array<uint8_t, most_bytes> da{}, db{};
    data[a.second].copy(a.lane, 0, e.bytes, da.data());
    data[b.second].copy(b.lane, 0, e.bytes, db.data());
    return da == db;
  };
  for (size_t n = 1; n < count; ++n)
    if (const Place &a = places[n - 1], &b = places[n]; b.address < a.address + e.bytes && !same(a, b))
      return Clash{std::min(a.lane, b.lane), std::max(a.lane, b.lane), b.address};
  return std::nullopt;
}

} // namespace crosslane::check::race
