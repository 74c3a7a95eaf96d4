// What users write for the options of a profile, and what they are told when it makes no sense.
#include "profile/options.h"
#include "report/view.h"
#include <gtest/gtest.h>

namespace crosslane::profile {
namespace {

std::string error_of(const Texts& texts, const Names& names = option_names) {
  auto options = parse(texts, names);
  return options ? "" : llvm::toString(options.takeError());
}
Options options_of(const Texts& texts) {
  auto options = parse(texts);
  EXPECT_TRUE(bool(options)) << llvm::toString(options.takeError());
  return options ? *options : Options();
}

TEST(ProfileOptions, NothingIsNothing) {
  const Options options = options_of({});
  EXPECT_FALSE(options.any());
  EXPECT_TRUE(options.launches.all());
  EXPECT_TRUE(options.sample.all());
  EXPECT_TRUE(options.wants_kernel("anything"));
}

TEST(ProfileOptions, Views) {
  EXPECT_EQ(options_of({.views = "branches"}).views, (findings::Views{.branches = true}));
  EXPECT_EQ(options_of({.views = "lds,memory"}).views, (findings::Views{.memory = true, .lds = true}));
  EXPECT_EQ(options_of({.views = "divergence,divergence"}).views, (findings::Views{.divergence = true}));
  EXPECT_EQ(options_of({.views = "all"}).views, (findings::Views{true, true, true, true}));
  for (const Texts& file : {Texts{.json = "x"}, Texts{.csv = "x"}, Texts{.html = "x"}})
    EXPECT_EQ(options_of(file).views, (findings::Views{true, true, true, true}));
  EXPECT_EQ(options_of({.views = "lds", .html = "x"}).views, (findings::Views{.lds = true}));
}

TEST(ProfileOptions, Launches) {
  const struct {
    const char* text;
    uint64_t first, last;
    const char* shown;
  } cases[] = {
      {"0", 0, 0, "0"}, {"7", 7, 7, "7"}, {"2..5", 2, 5, "2..5"}, {"2..", 2, UINT64_MAX, "2.."}, {"..5", 0, 5, "0..5"}};
  for (const auto& c : cases) {
    const LaunchRange range = options_of({.views = "all", .launches = c.text}).launches;
    EXPECT_EQ(range, (LaunchRange{c.first, c.last})) << c.text;
    EXPECT_EQ(range.text(), c.shown);
  }
  const LaunchRange range{2, 5};
  EXPECT_FALSE(range.contains(1));
  EXPECT_TRUE(range.contains(2));
  EXPECT_TRUE(range.contains(5));
  EXPECT_FALSE(range.contains(6));
}

TEST(ProfileOptions, Sample) {
  EXPECT_EQ(options_of({.views = "all", .sample = "1%"}).sample, (SampleRate{0.01, 1}));
  EXPECT_EQ(options_of({.views = "all", .sample = "0.25"}).sample, (SampleRate{0.25, 1}));
  EXPECT_EQ(options_of({.views = "all", .sample = "12.5%:7"}).sample, (SampleRate{0.125, 7}));
  EXPECT_TRUE(options_of({.views = "all", .sample = "100%"}).sample.all());
}

TEST(ProfileOptions, TracedWave) {
  const auto by_number = options_of({.html = "x", .trace = "12:3"}).trace;
  ASSERT_TRUE(by_number);
  EXPECT_EQ(by_number->wave, 3u);
  // Workgroup 12 of a grid of 5 x 2 x 2: 12 = 2 + 5 * (0 + 2 * 1).
  EXPECT_EQ(by_number->workgroup_in({5, 2, 2}), (std::array<uint32_t, 3>{2, 0, 1}));
  const auto by_place = options_of({.json = "x", .trace = "3,1:0"}).trace;
  ASSERT_TRUE(by_place);
  EXPECT_EQ(by_place->workgroup_in({5, 2, 2}), (std::array<uint32_t, 3>{3, 1, 0}));
}

TEST(ProfileOptions, Kernels) {
  const Options options = options_of({.views = "all", .kernels = "^vadd|axpy<float>"});
  EXPECT_TRUE(options.wants_kernel("vadd_wide"));
  EXPECT_FALSE(options.wants_kernel("my_vadd"));
  EXPECT_TRUE(options.wants_kernel("_Z4axpyIfEvT_PKS0_PS0_i")); // void axpy<float>(float, float const*, float*, int)
  EXPECT_FALSE(options.wants_kernel("_Z4axpyIdEvT_PKS0_PS0_i"));
}

TEST(ProfileOptions, Mistakes) {
  const struct {
    Texts texts;
    std::string message;
  } cases[] = {
      {{.views = "branch"},
       "--profile branch: there is no view 'branch'; there are " + report::view_names(" and ") + ", or all"},
      {{.views = "lds,"}, "--profile lds,: there is no view ''"},
      {{.views = "all", .launches = "1-3"}, "--launch 1-3: which launches of each kernel?"},
      {{.views = "all", .launches = ".."}, "--launch ..: which launches"},
      {{.views = "all", .launches = "-1"}, "--launch -1: which launches"},
      {{.views = "all", .launches = "5..2"}, "--launch 5..2: the range ends before it begins"},
      {{.views = "all", .sample = "half"}, "--sample half: write a part of the workgroups, such as 1% or 0.01"},
      {{.views = "all", .sample = "0"}, "--sample 0: the part must be above 0 and at most 1 (or write 1%)"},
      {{.views = "all", .sample = "5"}, "--sample 5: the part must be above 0 and at most 1 (or write 1%)"},
      {{.views = "all", .sample = "101%"}, "--sample 101%: the part must be above 0 and at most 100%"},
      {{.views = "all", .sample = "nan"}, "--sample nan: write a part"},
      {{.views = "all", .sample = "1%:x"}, "--sample 1%:x: the seed behind the colon must be a whole number"},
      {{.views = "all", .by = "file"}, "--by file: there are line, instruction and kernel"},
      {{.views = "all", .kernels = "a("}, "--kernel a(: is no regular expression: "},
      {{.views = "all", .trace = "0:0"}, "--trace-wave needs --html or --json"},
      {{.html = "x", .trace = "0"}, "--trace-wave 0: write WORKGROUP:WAVE"},
      {{.html = "x", .trace = "1,2,3,4:0"}, "--trace-wave 1,2,3,4:0: write WORKGROUP:WAVE"},
      {{.html = "x", .trace = "1,:0"}, "--trace-wave 1,:0: write WORKGROUP:WAVE"},
      {{.launches = "0"}, "--launch needs --profile"},
      {{.sample = "1%"}, "--sample needs --profile"},
      {{.by = "line"}, "--by needs --profile"},
      {{.kernels = "x"}, "--kernel needs --profile"},
      {{.per_wave = true}, "--per-wave needs --profile"},
      {{.views = "lds", .per_wave = true}, "--per-wave needs --profile branches"},
      {{.instrument = "none"}, "--instrument none: counts nothing; there are divergence, blocks, lanes, time, memory"},
      {{.instrument = "document-lds"}, "--instrument document-lds: these know only some branches"},
      {{.instrument = "calls"}, "--instrument calls: there are divergence, blocks, lanes, time, memory, FILE.s"},
      {{.instrument = "blocks", .at = "entry"}, "--at entry: says where a probe of your own goes, --instrument FILE.s"},
      {{.instrument = "blocks,/none.s", .at = "entry"}, "/none.s: No such file or directory"},
      {{.instrument = "/none.cl", .at = "entry"}, "/none.cl: No such file or directory"},
      {{.instrument = "blocks", .trace_bytes = "1M"}, "--trace-bytes 1M: is room for what --instrument memory traces"},
      {{.instrument = "memory", .trace_bytes = "1G"}, "--trace-bytes 1G: write a size from 1K to 256M"},
      {{.views = "lds", .at = "entry"}, "--at needs --instrument"},
      {{.trace_bytes = "1M"}, "--trace-bytes needs --instrument"},
  };
  for (const auto& [texts, message] : cases)
    EXPECT_TRUE(error_of(texts).starts_with(message)) << error_of(texts) << "\nnot: " << message;
  EXPECT_TRUE(error_of({.views = "x"}, variable_names).starts_with("CROSSLANE_PROFILE x: there is no view 'x'"));
  EXPECT_TRUE(
      error_of({.html = "x", .trace = "7"}, variable_names).starts_with("CROSSLANE_PROFILE_TRACE_WAVE 7: write"));
  EXPECT_TRUE(error_of({.views = "all", .sample = "x"}, variable_names).starts_with("CROSSLANE_PROFILE_SAMPLE x: "));
  EXPECT_TRUE(error_of({.at = "x"}, variable_names).starts_with("CROSSLANE_INSTRUMENT_AT needs CROSSLANE_INSTRUMENT"));
}

TEST(ProfileOptions, OfAddressesByProbesThereAreViews) {
  auto options = parse({.instrument = "memory", .trace_bytes = "1M"});
  ASSERT_TRUE(bool(options));
  EXPECT_TRUE(options->views.memory && options->views.lds && !options->views.branches);
  EXPECT_TRUE(options->probes->blocks); // which tell executions
  EXPECT_EQ(options->probes->trace_bytes, 1u << 20);
}

} // namespace
} // namespace crosslane::profile
