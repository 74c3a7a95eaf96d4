// The parameters of cards: complete, in their bounds, with a source each; numbers that others print (GFLOPS, GB/s)
// follow from them; TOML files and their mistakes.
#include "gpu/choice.h"
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
           {"base = \"vega10\"\nsimds = 2.5", "f:2: 'simds' is a whole number from 1 to 4"},
           {"base = \"vega10\"\nname = 7", "f:2: 'name' is a text of one line"},
           {"base = \"vega10\"\nproduct = \"a\\nb\"", "f:2: 'product' is a text of one line"},
           {"base = \"vega10\"\nclock = { status = \"given\" }",
            "f:2: 'clock' has no 'value'; 'clock' is a number from 1 to 10000 MHz"},
           {"base = \"vega10\"\nclock = { value = 0 }", "f:2: 'clock' is a number from 1 to 10000 MHz"},
           {"base = \"vega10\"\nclock = { value = 5, status = \"sure\" }",
            "f:2: 'status' is \"measured\", \"published\", \"derived\", \"assumed\" or \"given\""},
           {"base = \"vega10\"\nclock = { value = 5, source = 5 }", "f:2: 'source' is a text"},
           {"base = \"vega10\"\nclock = { value = 5, by = \"me\" }",
            "f:2: unknown key 'by' of 'clock'; there are value, status and source"},
           {"base = \"vega10\"\n\nvgpr_granule = 64\nvgprs = 64\nsgpr_granule = 128\nsgprs = 64",
            "f:6: 'sgprs' is less than a granule, 'sgpr_granule': 64 < 128"},
           {"base = \"vega10\"\nsimds = 5", "f:2: 'simds' is a whole number from 1 to 4"},
           {"base = \"vega10\"\nl1_size = 1024\nl1_ways = 64",
            "f:2: 'l1_size' is less than 'l1_ways' lines of 'l1_line': 1024 < 64 x 64"},
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

bool same(const Setting& a, const Setting& b) {
  return a.value == b.value && a.status == b.status && a.source == b.source;
}

// What is printed of a card, read back, is that card: to programs, and to whatever times it.
TEST(Machine, FileOfACardIsThatCard) {
  for (const Card& card : cards()) {
    const Machine m = machine(card);
    const auto parsed = parse_machine(toml_of(m), "f");
    ASSERT_TRUE(parsed.machine) << card.name << ": " << parsed.error;
    const Machine& again = *parsed.machine;
    EXPECT_EQ(again.name, m.name);
    EXPECT_EQ(again.base, m.base);
    EXPECT_EQ(again.product, m.product);
    EXPECT_EQ(again.target, m.target);
    for (size_t i = 0; i < parameter_count; ++i)
      EXPECT_TRUE(same(again.setting(Parameter(i)), m.setting(Parameter(i))))
          << card.name << ": " << info(Parameter(i)).name;
    const Card seen = card_of(again, card);
    EXPECT_EQ(seen.name, card.name);
    EXPECT_EQ(seen.product, card.product);
    for (const auto field : {&Card::compute_units, &Card::simds_per_unit, &Card::shader_engines, &Card::clock_mhz,
                             &Card::memory_clock_mhz, &Card::l1_bytes, &Card::l2_bytes, &Card::max_waves_per_unit})
      EXPECT_EQ(seen.*field, card.*field) << card.name;
  }
}

TEST(Machine, FileSaysWhoSaysIt) {
  const auto parsed = parse_machine("base = \"mi50\"\nname = \"a \\\"b\\\" \\\\\"\n"
                                    "clock = { value = 1700, status = \"measured\", source = \"rocm-smi\" }\n"
                                    "l2_hit_latency = { value = 250 }\n",
                                    "f");
  ASSERT_TRUE(parsed.machine) << parsed.error;
  EXPECT_TRUE(same(parsed.machine->setting(clock), {1700, Status::measured, "rocm-smi"}));
  EXPECT_TRUE(same(parsed.machine->setting(l2_hit_latency), {250, Status::given, "f:4"}));
  const auto again = parse_machine(toml_of(*parsed.machine), "g");
  ASSERT_TRUE(again.machine) << again.error;
  EXPECT_EQ(again.machine->name, "a \"b\" \\");
  EXPECT_EQ(again.machine->base, "mi50");
  EXPECT_TRUE(same(again.machine->setting(l2_hit_latency), {250, Status::given, "f:4"}));
}

// Programs see what the file changes, and else the card that it starts from.
TEST(Machine, ProgramsSeeTheFile) {
  const Card& base = *find_card("mi50");
  const auto parsed = parse_machine("base = \"mi50\"\nname = \"mine\"\ncompute_units = 30\nclock = 1000\n"
                                    "dram_bandwidth = 512\nwaves_per_simd = 8\n",
                                    "f");
  ASSERT_TRUE(parsed.machine) << parsed.error;
  const Card card = card_of(*parsed.machine, base);
  EXPECT_EQ(card.name, "mine");
  EXPECT_EQ(card.compute_units, 30u);
  EXPECT_EQ(card.clock_mhz, 1000u);
  EXPECT_EQ(card.memory_clock_mhz, base.memory_clock_mhz / 2);
  EXPECT_EQ(card.max_waves_per_unit, 32u);
  EXPECT_EQ(card.l2_bytes, base.l2_bytes); // what the driver tells of it, not what it has
  EXPECT_EQ(card.vram_bytes, base.vram_bytes);
}

TEST(Machine, TellsWhatIsAssumed) {
  Used used;
  used.add(dpfactor), used.add(l2_hit_latency), used.add(clock);
  EXPECT_EQ(used.assumed(of("fiji")), std::vector<Parameter>{l2_hit_latency});
  EXPECT_TRUE(used.assumed(of("mi210")).size() == 0);
  EXPECT_TRUE(used.unused(of("mi210")).empty());
  const auto own = parse_machine("base = \"fiji\"\nclock = 900\nl1_line = 128", "f");
  EXPECT_EQ(used.unused(*own.machine), std::vector<Parameter>{l1_line});
}

} // namespace
} // namespace crosslane::gpu
