// Kernels to units, units to requests.
#include "jit/ask.h"
#include "engine/counts.h"
#include "jit/ways.h"
#include <algorithm>
#include <bit>
#include <cstdlib>

namespace crosslane::jit {

namespace {

// Units of more instructions are left to the interpreter.
constexpr size_t most_instructions = 4000;
// ... or of all but their loops, up to so many.
constexpr size_t most_around_loops = 16000;
// ... and around what has been executed.
constexpr size_t most_around_executed = 40000;

// Where work-item ids are in waves of a full workgroup, as lane numbers times something.
std::vector<LaunchLane> launch_lanes(const engine::CompileQuery& q) {
  const uint32_t x = q.workgroup_size[0], y = q.workgroup_size[1], z = q.workgroup_size[2];
  const auto bits = [](uint32_t size) { return std::bit_ceil(std::max(size, 1u)) - 1; };
  const auto up = [](uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }; // as if all waves were full
  const auto line = [&](uint16_t vgpr, uint32_t size) { return LaunchLane{vgpr, 1, 16, 32, bits(up(size, 64)), 6}; };
  const uint32_t lines = 64 / x; // of a wave, of which so many differ in y:
  const uint32_t of_y = z == 1 || y % std::max(lines, 1u) == 0 ? lines : std::has_single_bit(y) && y < lines ? y : 0;
  std::vector<LaunchLane> ids;
  if (x % 64 == 0 || (y == 1 && z == 1))
    ids = {line(0, x), {1, 0, 0, 0, bits(y)}, {2, 0, 0, 0, bits(z)}};
  else if (x == 1 && (y % 64 == 0 || z == 1)) // as GCC has it
    ids = {{0, 0, 0, 0, 0, 32}, line(1, y), {2, 0, 0, 0, bits(z)}};
  else if ((x == 8 || x == 16 || x == 32) && of_y) {
    const uint32_t of_z = lines / of_y;
    const auto far = [&](uint32_t lane) { // the work-item that is so many lanes on
      return std::array<int32_t, 3>{int32_t(lane % x), int32_t(lane / x % of_y), int32_t(lane / x / of_y)};
    };
    const auto half = far(8), odd = far(16), last = far(32);
    const auto low_bits = [](uint32_t n) { return n == 1 ? 0 : uint32_t(std::countr_zero(n)); };
    ids = {{0, 1, odd[0], last[0], bits(x), 32, half[0] - 8},
           {1, 0, odd[1], last[1], bits(up(y, of_y)), of_z == 1 ? low_bits(of_y) : 32, half[1]},
           {2, 0, odd[2], last[2], bits(up(z, of_z)), low_bits(of_z), half[2]}};
  } else
    return {};
  ids.resize(q.workitem_ids);
  if (!q.packed_ids)
    return ids;
  LaunchLane all{0, 0, 0, 0, 0, 32};
  for (uint32_t d = 0; d < ids.size(); ++d) {
    const LaunchLane& id = ids[d];
    all.column += id.column << 10 * d, all.odd += id.odd << 10 * d, all.last += id.last << 10 * d;
    all.half += id.half << 10 * d;
    all.may |= id.may << 10 * d, all.zeros = std::min(all.zeros, id.zeros + 10 * d);
  }
  return {all};
}

engine::Unit read(const engine::Code& code, const engine::CompileQuery& q, size_t most = most_instructions,
                  const engine::Coverage* coverage = nullptr) {
  const auto entry = uint32_t((q.entry - code.base()) / 4);
  const auto with = [&](const engine::Ways& ways) {
    return engine::unit_from(code.target(), code.base(), code.size(), entry, {q.decode_mode}, q.limits, most, ways);
  };
  engine::Unit unit = with({});
  if (wants_ways(unit))
    unit = with(find_ways(code, entry, most));
  if (q.counts)
    engine::find_sites(unit, code.size());
  constexpr uint8_t any = engine::Coverage::with_all_lanes | engine::Coverage::with_fewer;
  if (coverage)
    for (engine::UnitBlock& block : unit.blocks)
      block.cold = any & ~coverage->of(unit.instructions[block.first].pc);
  if (const char* every = std::getenv("CROSSLANE_JIT_COLD"); every && !q.counts) // for tests: one in so many
    for (uint32_t n = 0, of = uint32_t(std::strtoul(every, nullptr, 10)); of && n < unit.blocks.size(); ++n)
      if (const uint32_t hash = unit.instructions[unit.blocks[n].first].pc * 0x9e3779b9u % 65521;
          n != unit.entry_block && hash % of == 0)
        unit.blocks[n].cold = uint8_t(1 + hash / of % any);
  return unit;
}

} // namespace

std::string ask(const engine::CompileQuery& q, Request& request) {
  const std::string_view level = engine::host_level();
  if (q.decode_mode)
    return "the kernel starts in a mode that is not compiled (FP16_OVFL)";
  if (level == "v1")
    return "this host has no AVX2";
  request.level = level == "v4" ? "v4" : "v3";
  request.mode = q.mode, request.split_modes = q.split_modes;
  request.private_segment = q.private_segment;
  const uint32_t items = q.workgroup_size[0] * q.workgroup_size[1] * q.workgroup_size[2];
  if (items < 64 && q.counts)
    return "what waves with fewer than 64 work-items execute is counted by the interpreter";
  request.one_wave = items <= 64, request.full_waves = items >= 64;
  request.partial_waves = items % 64 && !q.counts; // tables do not tell lanes that diverge from those that never were
  request.launch = launch_lanes(q), request.arguments = q.arguments;
  request.ranges = q.alike && (request.partial_waves || items % 64 == 0) &&
                   request.launch.size() == (q.packed_ids ? 1 : q.workitem_ids);
  request.group_id = q.group_id;
  request.optimize = 2, request.counts = q.counts;
  if (const char* every = std::getenv("CROSSLANE_JIT_FAIL_GUARDS")) // for tests
    request.fail_every = uint32_t(std::strtoul(every, nullptr, 10));
  request.only_loops = std::getenv("CROSSLANE_JIT_LOOPS") != nullptr && !q.counts; // for tests
  request.wrong = std::getenv("CROSSLANE_JIT_WRONG") != nullptr;                   // for tests
  if (std::getenv("CROSSLANE_JIT_ENDLESS"))                                        // for tests
    request.endless = true, request.patience = 0.1;
  return {};
}

size_t size_of(const engine::Unit& unit) {
  size_t twice = 0; // for all lanes, and for any
  for (const engine::UnitBlock& block : unit.blocks)
    twice += block.count * size_t(2 - std::popcount(block.cold));
  return (twice + 1) / 2;
}

std::string ask(const engine::Code& code, const engine::CompileQuery& q, engine::Unit& unit, Request& request,
                const engine::Coverage* coverage) {
  if (std::string why = ask(q, request); !why.empty())
    return why;
  if (coverage && coverage->of(uint32_t((q.entry - code.base()) / 4)))
    unit = read(code, q, most_around_executed, coverage);
  else
    unit = read(code, q);
  request.only_loops = request.only_loops || size_of(unit) > most_instructions;
  if (unit.too_long && !q.counts) {
    unit = read(code, q, most_around_loops);
    request.only_loops = true;
  }
  if (unit.too_long)
    return "the kernel has more than " + std::to_string(q.counts ? most_instructions : most_around_loops) +
           " instructions";
  request.unit = &unit;
  return {};
}

bool is_too_long(const engine::Code& code, const engine::CompileQuery& q) { return read(code, q).too_long; }

bool read_again(const engine::Code& code, const engine::CompileQuery& q, const engine::CodeBytes& bytes,
                engine::Unit& unit) {
  for (const size_t most : {most_instructions, most_around_loops, most_around_executed})
    if ((unit = read(code, q, most)).bytes == bytes)
      return true;
  return false;
}

} // namespace crosslane::jit
