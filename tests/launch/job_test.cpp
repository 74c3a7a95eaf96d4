// Launch descriptions in TOML, and the small texts of the options.
#include "launch/job.h"
#include "tests/expected.h"

namespace crosslane::launch {
namespace {

using test::error_of;
using test::value_of;

std::string error(const char* toml) { return error_of(parse_job(toml, "jobs/j.toml")); }

TEST(Job, WholeDescription) {
  const Job job = value_of(parse_job(R"(
    file = "vadd.cl"
    target = "gfx906"
    kernel = "vadd"
    grid = [64, 32]
    block = 16
    offset = [1, 2]
    lds = 1024
    threads = 2
    runs = 3
    stats = true
    fidelity = true
    sandbox = true
    profile = ["branches", "lds"]
    launch = 2
    sample = 0.25
    by = "instruction"
    json = "p.json"
    html = "/tmp/p.html"
    csv = "p.csv"
    trace_wave = "1,2:0"
    per_wave = true
    overhead = true
    rtol = 1e-6
    clang = ["-O3", "-DN=4"]
    print = "c:4"
    [args]
    a = "f32[10]:iota"
    n = 5
    x = 2.5
    v = [1, 2, 3, 4]
    [out]
    c = "c.npy"
    [expect]
    c = "ref.npy"
  )",
                                     "jobs/j.toml"));
  EXPECT_EQ(job.file, "vadd.cl");
  EXPECT_EQ(job.folder, "jobs");
  EXPECT_EQ(job.compile.target, "gfx906");
  EXPECT_EQ(job.grid.value, (Size3{64, 32, 1}));
  EXPECT_EQ(job.grid.dims, 2);
  EXPECT_EQ(job.block.value, (Size3{16, 1, 1}));
  EXPECT_EQ(job.offset[1], 2u);
  EXPECT_EQ(job.lds, 1024u);
  EXPECT_EQ(job.runs, 3u);
  EXPECT_TRUE(job.stats);
  EXPECT_TRUE(job.fidelity);
  EXPECT_TRUE(job.sandbox);
  EXPECT_EQ(job.profile, (profile::Texts{.views = "branches,lds",
                                         .launches = "2",
                                         .sample = "0.25",
                                         .by = "instruction",
                                         .json = "jobs/p.json",
                                         .csv = "jobs/p.csv",
                                         .html = "/tmp/p.html",
                                         .trace = "1,2:0",
                                         .per_wave = true}));
  EXPECT_TRUE(job.overhead);
  EXPECT_EQ(job.rtol, 1e-6);
  EXPECT_EQ(job.compile.options, (std::vector<std::string>{"-O3", "-DN=4"}));
  EXPECT_EQ(job.print, (std::vector<std::string>{"c:4"}));
  EXPECT_EQ(job.arguments, (std::vector<std::string>{"a=f32[10]:iota", "n=5", "v=1,2,3,4", "x=2.5"}));
  EXPECT_EQ(job.out, (std::vector<std::string>{"c=c.npy"}));
  EXPECT_EQ(job.expect, (std::vector<std::string>{"c=ref.npy"}));
}

TEST(Job, ArgumentsByPosition) {
  EXPECT_EQ(value_of(parse_job("file = 'k.s'\nargs = ['f32[4]', 5, -1.5, true]", "j.toml")).arguments,
            (std::vector<std::string>{"f32[4]", "5", "-1.5", "true"}));
}

TEST(Job, ErrorsNameFileAndLine) {
  EXPECT_HAS(error("file = 'x.cl'\ngird = 5"),
             "jobs/j.toml:2:1: unknown key 'gird'; did you mean grid? Known are file, target");
  EXPECT_HAS(error("grid = [1,\n"), "jobs/j.toml:");
  EXPECT_HAS(error("grid = 5"), "'file' is missing");
  EXPECT_HAS(error("file = 5"), "'file' must be text");
  EXPECT_HAS(error("file = 'x'\ngrid = [1, 2, 3, 4]"), "more than three sizes");
  EXPECT_HAS(error("file = 'x'\ngrid = -1"), "'-1' is not a size");
  EXPECT_HAS(error("file = 'x'\nlds = -1"), "'lds' must be a whole number");
  EXPECT_HAS(error("file = 'x'\nstats = 1"), "'stats' must be true or false");
  EXPECT_HAS(error("file = 'x'\nout = 'c.npy'"), "'out' must be a table");
  EXPECT_HAS(error("file = 'x'\nargs = 5"), "'args' must be a table");
  EXPECT_HAS(error("file = 'x'\n[args]\na = {b = 1}"), "'a' is neither");
}

TEST(Job, KeysOfManyParts) {
  std::string deep = "file = \"x.cl\"\n";
  for (int i = 0; i < 100000; ++i)
    deep += "a.";
  EXPECT_EQ(error((deep + "b = 1").c_str()).substr(0, 49), "jobs/j.toml:2: a key of more than 256 parts; know");
  EXPECT_EQ(error(("[" + deep.substr(deep.find("a.")) + "b]").c_str()).substr(0, 14), "jobs/j.toml:1:");
  std::string floats = "file = \"x.cl\"\nargs = [\"f32[999]:0.5";
  for (int i = 1; i < 999; ++i)
    floats += ",1.5";
  EXPECT_EQ(error((floats + "\"]").c_str()), ""); // dots, but no key
}

TEST(Job, Sizes) {
  EXPECT_EQ(value_of(parse_sizes("4,5,6", "--grid")).value, (Size3{4, 5, 6}));
  for (const char* bad : {"", "x", "1,", "1;2", "4294967296", "1 "})
    EXPECT_HAS(error_of(parse_sizes(bad, "--grid")), "--grid: ");
}

TEST(Job, PrintsAndPairs) {
  EXPECT_EQ(value_of(parse_print("c")).second, UINT64_MAX);
  EXPECT_EQ(value_of(parse_print("c:5")), (std::pair<std::string, uint64_t>("c", 5)));
  EXPECT_HAS(error_of(parse_print("c:x")), "--print c:x");
  EXPECT_EQ(value_of(parse_pair("c=a=b", "--out")), (std::pair<std::string, std::string>("c", "a=b")));
  EXPECT_HAS(error_of(parse_pair("c", "--out")), "write NAME=FILE");
}

} // namespace
} // namespace crosslane::launch
