// The parameters of cards: complete, in their bounds, with a source each; numbers that others print (GFLOPS, GB/s)
// follow from them; TOML files and their mistakes.
#include "gpu/machine.h"
#include <gtest/gtest.h>
#include <set>

namespace crosslane::gpu {
namespace {

using enum Parameter;

void expect_sound(const Machine& m) {
  SCOPED_TRACE(m.name);
  for (size_t i = 0; i < parameter_count; ++i) {
    const Parameter p = Parameter(i);
    SCOPED_TRACE(info(p).name);
    EXPECT_GE(m[p], info(p).least);
    EXPECT_LE(m[p], info(p).most);
    if (info(p).whole) {
      EXPECT_EQ(m[p], double(m.whole(p)));
    }
    EXPECT_FALSE(m.setting(p).source.empty());
    EXPECT_NE(m.setting(p).status, Status::given);
  }
  EXPECT_LE(m[vgpr_granule], m[vgprs]);
  EXPECT_LE(m[l1_hit_latency], m[l2_hit_latency]);
}

TEST(Machine, EveryCardAndTargetHasAllParameters) {
  for (const Card& card : cards()) {
    const Machine m = machine(card);
    expect_sound(m);
    EXPECT_EQ(m[compute_units], card.compute_units) << card.name;
  }
  for (const isa::TargetInfo& t : isa::targets()) {
    const Machine& m = machine(t.target);
    expect_sound(m);
    EXPECT_EQ(m.target, t.target);
    EXPECT_EQ(m.setting(compute_units).status, Status::assumed) << m.name;
  }
}

TEST(Machine, ParametersHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < parameter_count; ++i) {
    EXPECT_TRUE(names.insert(info(Parameter(i)).name).second);
    EXPECT_EQ(find_parameter(info(Parameter(i)).name), Parameter(i));
  }
  EXPECT_FALSE(find_parameter("clock_mhz"));
}

Machine of(std::string_view name) { return machine(*find_card(name)); }

// AMD's product pages: peak TFLOPS of f32 and f64.
TEST(Machine, PeakRates) {
  struct Case {
    const char* card;
    double f32, f64;
  };
  for (const Case& c : std::initializer_list<Case>{{"tahiti", 3.79, 0.947},
                                                   {"hawaii", 5.24, 2.62},
                                                   {"r9-290x", 5.63, 0.704},
                                                   {"tonga", 3.97, 0.248},
                                                   {"fiji", 8.19, 0.512},
                                                   {"rx480", 5.83, 0.365},
                                                   {"vega10", 12.66, 0.792},
                                                   {"vega20", 13.44, 3.36},
                                                   {"mi50", 13.25, 6.62},
                                                   {"mi60", 14.75, 7.37},
                                                   {"mi100", 23.07, 11.54},
                                                   {"mi210", 22.63, 22.63},
                                                   {"mi250x", 23.94, 23.94}}) {
    const Machine m = of(c.card);
    const double f32 = m[clock] * 1e-6 * m[compute_units] * m[simds] * 64 * 2 / 4;
    EXPECT_NEAR(f32, c.f32, c.f32 * 0.01) << c.card;
    EXPECT_NEAR(f32 * 4 / (8 * m[dpfactor]), c.f64, c.f64 * 0.01) << c.card;
  }
}

// What is worked out from memory clock and width is what product pages say of those cards.
TEST(Machine, PeakBandwidth) {
  for (const auto& [card, gb] : std::initializer_list<std::pair<const char*, double>>{{"tahiti", 264},
                                                                                      {"pitcairn", 153.6},
                                                                                      {"bonaire", 104},
                                                                                      {"rx580", 256},
                                                                                      {"polaris11", 112},
                                                                                      {"vega56", 409.6},
                                                                                      {"vega12", 189.4},
                                                                                      {"raven", 46.9},
                                                                                      {"mi100", 1228.8},
                                                                                      {"mi250", 1638.4},
                                                                                      {"s7150", 160}})
    EXPECT_NEAR(of(card)[dram_bandwidth], gb, gb * 0.002) << card;
}

TEST(Machine, NarrowestRowHolds) {
  EXPECT_EQ(of("hawaii")[dpfactor], 1);
  EXPECT_EQ(of("r9-290x")[dpfactor], 4);
  EXPECT_EQ(of("vega20")[dpfactor], 2);
  EXPECT_EQ(machine(isa::Target::gfx906)[dpfactor], 1);
  EXPECT_EQ(of("mi50").setting(dpfactor).status, Status::measured);
  EXPECT_EQ(of("mi210")[l2_line], 128);
  EXPECT_EQ(of("vega10")[load_x2_contiguous], 16);
  EXPECT_EQ(of("fiji")[load_x2_contiguous], 18);
  EXPECT_EQ(of("fiji").setting(load_x2_contiguous).status, Status::measured);
  EXPECT_EQ(of("tonga").setting(load_x2_contiguous).status, Status::assumed);
}

TEST(Machine, File) {
  const auto parsed = parse_machine("base = \"vega10\"\nclock = 1200\nl2_hit_latency = 300 # measured\n", "mine.toml");
  ASSERT_TRUE(parsed.machine) << parsed.error;
  const Machine& m = *parsed.machine;
  EXPECT_EQ(m.target, isa::Target::gfx900);
  EXPECT_EQ(m[clock], 1200);
  EXPECT_EQ(m[l2_hit_latency], 300);
  EXPECT_EQ(m[compute_units], 64);
  EXPECT_EQ(m.setting(clock).status, Status::given);
  EXPECT_EQ(m.setting(clock).source, "mine.toml:2");
  EXPECT_EQ(m.name, "mine.toml (vega10)");
  EXPECT_EQ(parse_machine("name = \"mine\"\nbase = \"gfx906\"", "a").machine->name, "mine");
}

TEST(Machine, MistakesInFiles) {
  for (const auto& [text, error] : std::initializer_list<std::pair<std::string, const char*>>{
           {"clock = 1", "f: 'base' is missing"},
           {"base = 5", "f:1: 'base' is the name of a card"},
           {"base = \"vega11\"", "f:1: there is no card 'vega11'; did you mean vega1"},
           {"base = \"vega10\"\nclok = 5", "f:2: unknown key 'clok'; did you mean clock?"},
           {"base = \"vega10\"\nqqqqqqqqqq = 5",
            "f:2: unknown key 'qqqqqqqqqq'; 'crosslane timing --show-gpu' lists them"},
           {"base = \"vega10\"\n\nclock = \"fast\"", "f:3: 'clock' is a number from 1 to 10000 MHz"},
           {"base = \"vega10\"\nclock = -1", "f:2: 'clock' is a number from 1 to 10000 MHz"},
           {"base = \"vega10\"\nclock = nan", "f:2: 'clock' is a number"},
           {"base = \"vega10\"\nsimds = 2.5", "f:2: 'simds' is a whole number"},
           {"base = \"vega10\"\nname = 7", "f:2: 'name' is a text"},
           {"base = \"vega10\"\nl1_size = 1024\nl1_ways = 64",
            "f: 'l1_size' is less than 'l1_ways' lines of 'l1_line'"},
           {"base = \"vega10", "f:1:"},
           {"base = \"vega10\"\n" +
                [] {
                  std::string key = "a";
                  for (int i = 0; i < 100000; ++i)
                    key += ".a";
                  return key;
                }() +
                " = 1",
            "f:2: a key of many parts"}}) {
    const auto parsed = parse_machine(text, "f");
    EXPECT_FALSE(parsed.machine);
    EXPECT_EQ(parsed.error.rfind(error, 0), 0u) << parsed.error;
  }
}

TEST(Machine, TellsWhatIsAssumed) {
  Used used;
  used.add(dpfactor), used.add(l2_hit_latency), used.add(clock);
  EXPECT_EQ(used.assumed(of("fiji")), std::vector<Parameter>{l2_hit_latency});
  EXPECT_TRUE(used.assumed(of("mi210")).size() == 0);
}

} // namespace
} // namespace crosslane::gpu
