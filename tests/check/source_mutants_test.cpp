// Example kernels are silent under all checks, and are told of with one of their bounds, barriers or initialisations
// less, a barrier that not all come to, or an operand that makes infinities.
#include "files/read.h"
#include "tests/check/kernel.h"
#include <cstring>

namespace crosslane::test {

namespace {

struct Mutant {
  const char* name;
  const char *file, *from, *to; // what is replaced in the source, once
  const char* rule;             // that is found then
};

struct Example {
  const char *kernel, *grid, *block;
  std::vector<std::string> arguments;
};

Example example_of(const std::string& file) {
  if (file == "vector_add.cl")
    return {"", "1024", "256", {"a=f32[1000]:1", "b=f32[1000]:2", "c=f32[1000]", "n=1000"}};
  if (file == "stencil5.cl")
    return {"", "32,32", "16,16", {"in=f32[576]:1", "out=f32[576]", "width=24", "height=24"}};
  if (file == "matmul_tiled.cl")
    return {"", "32,32", "16,16", {"a=f32[20,20]:1", "b=f32[20,20]:2", "c=f32[20,20]", "n=20"}};
  if (file == "nbody.cl")
    return {"",
            "512",
            "256",
            {"bodies=f32[1200]:random:1:-1:1", "velocities=f32[1200]", "moved=f32[1200]", "n=300", "dt=0.001"}};
  if (file == "histogram.cl")
    return {"histogram_local", "512", "256", {"values=u32[2000]:random:1", "counts=u32[256]", "n=2000"}};
  if (file == "prefix_sum.cl")
    return {"scan_groups", "512", "256", {"in=u32[500]:random:1", "out=u32[500]", "totals=u32[2]", "n=500"}};
  if (file == "bitonic_sort.cl")
    return {"bitonic_local", "256", "256", {"keys=u32[512]:random:1"}};
  return {"", "512", "256", {"in=f32[512]:1", "partial=f32[2]", "n=512", "scratch=lds:1024"}};
}

std::vector<std::string> rules_of(const std::string& file, const std::string& text) {
  const auto folder = std::filesystem::temp_directory_path() / ("source-mutants-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const Example example = example_of(file);
  launch::Job job;
  job.file = folder / file, job.check = "all,numerics", job.kernel = example.kernel, job.arguments = example.arguments;
  std::ofstream(job.file) << text;
  job.grid = value_of(launch::parse_sizes(example.grid, "grid"));
  job.block = value_of(launch::parse_sizes(example.block, "block"));
  const launch::Result result = value_of(launch::launch(job, {}));
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(result.judged);
  std::vector<std::string> rules;
  if (result.judged)
    for (const lint::PlacedFinding& f : result.judged->findings)
      rules.push_back(lint::id_of(f.rule));
  return rules;
}

void PrintTo(const Mutant& m, std::ostream* out) { *out << m.name; }

class SourceMutants : public testing::TestWithParam<Mutant> {};

} // namespace

TEST_P(SourceMutants, AreToldOfAndTheirOriginalsAreNot) {
  const auto& [name, file, from, to, rule] = GetParam();
  const auto bytes = value_of(files::read(CROSSLANE_EXAMPLES_FOLDER "/" + std::string(file)));
  std::string text(bytes.begin(), bytes.end());
  EXPECT_EQ(rules_of(file, text), std::vector<std::string>{});
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, std::string_view(from).size(), to);
  const auto rules = rules_of(file, text);
  EXPECT_NE(std::ranges::find(rules, rule), rules.end()) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Examples, SourceMutants,
    testing::Values(Mutant{"no_guard", "vector_add.cl", "if (i < n)", "", "memory-bounds"},
                    Mutant{"guard_one_off", "vector_add.cl", "i < n", "i <= n", "memory-bounds"},
                    Mutant{"no_right_edge", "stencil5.cl", "x >= width ||", "", "memory-bounds"},
                    Mutant{"no_lower_edge", "stencil5.cl", "|| y >= height", "", "memory-bounds"},
                    Mutant{"no_last_row", "stencil5.cl", "&& y + 1 < height", "", "memory-bounds"},
                    Mutant{"some_waves_go_around", "reduce_tree.cl", "barrier(", "if (get_local_id(0) < 64) barrier(",
                           "barrier-divergent"},
                    Mutant{"some_waves_return", "reduce_tree.cl", "barrier(",
                           "if (get_local_id(0) >= 64) return; barrier(", "barrier-missed"},
                    Mutant{"no_first_barrier", "reduce_tree.cl", "barrier(", "if (0) barrier(", "race-lds"},
                    Mutant{"no_barrier", "matmul_tiled.cl", "barrier(", "if (0) barrier(", "race-lds"},
                    Mutant{"no_barrier", "nbody.cl", "barrier(", "if (0) barrier(", "race-lds"},
                    Mutant{"no_barrier", "histogram.cl", "barrier(", "if (0) barrier(", "race-lds"},
                    Mutant{"no_barrier", "prefix_sum.cl", "barrier(", "if (0) barrier(", "race-lds"},
                    Mutant{"no_barrier", "bitonic_sort.cl", "barrier(", "if (0) barrier(", "race-lds"},
                    Mutant{"no_zeros", "histogram.cl", "mine[b] = 0", "", "undefined-exec"},
                    Mutant{"no_softening", "nbody.cl", "0.01f", "0.0f", "float-infinity"},
                    Mutant{"by_zero", "vector_add.cl", "a[i] + b[i]", "a[i] / (b[i] - b[i])", "float-infinity"},
                    Mutant{"zero_by_zero_by_its_reciprocal", "vector_add.cl", "a[i] + b[i]",
                           "(a[i] - a[i]) / (b[i] - b[i])", "float-infinity"}),
    [](const auto& info) {
      return std::string(info.param.name) + "_of_" + std::string(info.param.file, strcspn(info.param.file, "."));
    });

} // namespace crosslane::test
