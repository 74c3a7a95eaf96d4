// The parameters of a card: the narrowest row of machine_rows.inc for each, over what the card and its target tell
// themselves.
#include "gpu/machine.h"
#include <algorithm>
#include <cassert>
#include <map>

namespace crosslane::gpu {

namespace {

using enum isa::Generation;
using isa::Target::gfx600, isa::Target::gfx701, isa::Target::gfx702, isa::Target::gfx801, isa::Target::gfx802,
    isa::Target::gfx803, isa::Target::gfx900;

enum class Kind : uint8_t { real, whole };
using enum Kind;

constexpr ParameterInfo infos[] = {
#define PARAMETER(name, unit, kind, least, most, about) {#name, unit, Kind::kind == whole, least, most, about},
#include "gpu/parameters.inc"
#undef PARAMETER
};

// Whom a row speaks of. Narrower ones have a greater rank.
struct Whom {
  int rank = 0;
  isa::Generation first = gfx6, last = isa::Generation::gfx90a;
  isa::Target target{};
  std::string_view card;
  bool holds(isa::Target t, std::string_view name) const {
    const isa::Generation g = isa::info(t).generation;
    return rank == 3 ? card == name : rank == 2 ? target == t : first <= g && g <= last;
  }
};
constexpr Whom all{};
constexpr Whom from(isa::Generation g) { return {.rank = 1, .first = g}; }
constexpr Whom until(isa::Generation g) { return {.rank = 1, .last = g}; }
constexpr Whom on(isa::Generation g) { return {.rank = 1, .first = g, .last = g}; }
constexpr Whom target(isa::Target t) { return {.rank = 2, .target = t}; }
constexpr Whom card(std::string_view name) { return {.rank = 3, .card = name}; }

struct Row {
  Whom whom;
  Parameter parameter;
  double value;
  Status status;
  std::string_view source;
};

// Sources that many rows have.
constexpr std::string_view llvm = "LLVM 19: AMDGPUBaseInfo (IsaInfo), AMDGPUUsage",
                           rocm_compute = "AMD: documentation of rocprofiler-compute",
                           clpeak_f64 = "clpeak's stored results: f64 beside f32",
                           clpeak_mad = "clpeak's stored results: integer mad less an add",
                           nano = "MGPUSim's microbenchmarks on a R9 Nano",
                           mt4g = "mt4g's stored results, s_memtime, median",
                           of_card = "AMD's product page (gpu/card.cpp)";

constexpr Row rows[] = {
#define ROW(whom, parameter, value, status, source) {whom, Parameter::parameter, value, Status::status, source},
#include "gpu/machine_rows.inc"
#undef ROW
};

double as_double(uint64_t n) { return double(n); }

// What every target tells.
void set_target(Machine& m) {
  const isa::TargetInfo& t = isa::info(m.target);
  const auto put = [&](Parameter p, double value, std::string_view source) {
    m.set(p, {value, Status::published, std::string(source)});
  };
  put(Parameter::waves_per_simd, t.waves_per_simd, llvm);
  put(Parameter::vgprs, t.vgprs, llvm);
  put(Parameter::vgpr_granule, t.vgpr_granule, llvm);
  put(Parameter::sgprs, t.sgprs, llvm);
  put(Parameter::sgpr_granule, t.sgpr_granule, llvm);
  put(Parameter::lds_per_workgroup, t.lds_per_workgroup, llvm);
  put(Parameter::lds_granule, t.generation == gfx6 ? 256 : 512, llvm);
  put(Parameter::dpfactor, t.f64_rate / 2.0, "AMD's peak rates by target; LLVM: FeatureHalfRate64Ops");
  // FeatureFastFMAF32 is part of gfx9.
  const bool fast_fma = t.generation >= gfx9 || t.f64_rate <= 8;
  put(Parameter::fma_f32_cycles, fast_fma ? 4 : 16, "LLVM: FeatureFastFMAF32; CLRX: by DPFACTOR before gfx9");
}

// Bits a clock and pin: GDDR5 sends 4, HBM and the memory of an APU 2.
double peak_bandwidth(const Card& c) {
  const int bits = c.apu || c.memory_width_bits >= 1024 ? 2 : 4;
  return as_double(c.memory_clock_mhz) * 1e-3 * bits * c.memory_width_bits / 8;
}

void set_card(Machine& m, const Card& c, bool assumed) {
  const auto put = [&](Parameter p, double value, Status status, std::string source) {
    m.set(p, assumed ? Setting{value, Status::assumed, "as " + std::string(c.name)}
                     : Setting{value, status, std::move(source)});
  };
  put(Parameter::clock, c.clock_mhz, Status::published, std::string(of_card));
  put(Parameter::compute_units, c.compute_units, Status::published, std::string(of_card));
  put(Parameter::shader_engines, c.shader_engines, Status::published, "Linux: max_shader_engines (gpu/card.cpp)");
  put(Parameter::dram_bandwidth, peak_bandwidth(c), Status::derived,
      "the card's memory clock and width (gpu/card.cpp)");
  constexpr std::string_view described[] = {"tahiti", "hawaii", "r9-290x",   "fiji",     "polaris10",
                                            "rx480",  "rx580",  "polaris11", "polaris12"};
  const bool known = isa::info(c.target).generation >= gfx9 || std::ranges::count(described, c.name);
  put(Parameter::l2_size, c.l2_bytes, known ? Status::published : Status::assumed,
      known ? "AMD's descriptions; Linux: kfd_crat.c (gpu/card.cpp)" : "64 KiB for each of max_texture_channel_caches");
}

void set_rows(Machine& m) {
  int rank[parameter_count];
  std::ranges::fill(rank, -1);
  for (const Row& row : rows)
    if (int& best = rank[size_t(row.parameter)]; row.whom.rank >= best && row.whom.holds(m.target, m.name)) {
      best = row.whom.rank;
      m.set(row.parameter, {row.value, row.status, std::string(row.source)});
    }
}

Machine of_target(isa::Target t) {
  Machine m;
  m.name = m.base = m.product = isa::info(t).name;
  m.target = t;
  set_target(m);
  set_card(m, *find_card(m.name), true);
  set_rows(m);
  return m;
}

} // namespace

const ParameterInfo& info(Parameter p) { return infos[size_t(p)]; }

std::optional<Parameter> find_parameter(std::string_view name) {
  for (size_t i = 0; i < parameter_count; ++i)
    if (infos[i].name == name)
      return Parameter(i);
  return std::nullopt;
}

std::string_view name_of(Status s) {
  constexpr std::string_view names[] = {"measured", "published", "derived", "assumed", "given"};
  return names[size_t(s)];
}

Machine machine(const Card& c) {
  Machine m;
  m.name = m.base = c.name, m.product = c.product, m.target = c.target;
  set_target(m);
  set_card(m, c, false);
  set_rows(m);
  return m;
}

const Machine& machine(isa::Target t) {
  static const std::vector<Machine> all_targets = [] {
    std::vector<Machine> machines;
    for (const isa::TargetInfo& target : isa::targets())
      machines.push_back(of_target(target.target));
    return machines;
  }();
  return all_targets[size_t(t)];
}

namespace {

std::vector<Parameter> those_of(const Machine& m, Status status, const std::bitset<parameter_count>& among) {
  std::vector<Parameter> out;
  for (size_t i = 0; i < parameter_count; ++i)
    if (among.test(i) && m.setting(Parameter(i)).status == status)
      out.push_back(Parameter(i));
  return out;
}

} // namespace

std::vector<Parameter> Used::assumed(const Machine& m) const { return those_of(m, Status::assumed, set_); }
std::vector<Parameter> Used::unused(const Machine& m) const { return those_of(m, Status::given, ~set_); }

} // namespace crosslane::gpu
