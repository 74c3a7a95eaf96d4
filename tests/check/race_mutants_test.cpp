// Kernels as compilers make them are silent, and lose that with any barrier, wait, fence or atomic less.
#include "tests/check/kernel.h"
#include "toolchain/compile.h"
#include <algorithm>
#include <cstring>

namespace crosslane::test {

namespace {

using Code = std::vector<uint8_t>;

constexpr uint32_t s_barrier = 0xbf8a0000, s_nop = 0xbf800000, s_waitcnt = 0xbf8c0000;

class Folder {
public:
  Folder() { std::filesystem::create_directory(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  template <class Bytes> std::string write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return path_ / name;
  }

private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() / ("mutants-" + std::to_string(getpid()));
};

struct Kernel {
  std::string file, name, grid, block;
  std::vector<std::string> arguments;
  uint32_t lds = 0;
  int needless = 0; // barriers behind which each work-item goes on with what is its own
};

// The rules found, without those of waits.
std::vector<std::string> found(const Kernel& k, const std::string& file) {
  launch::Job job;
  job.file = file, job.kernel = k.name, job.check = "race", job.lds = k.lds, job.arguments = k.arguments;
  job.grid = value_of(launch::parse_sizes(k.grid, "grid")), job.block = value_of(launch::parse_sizes(k.block, "block"));
  const launch::Result result = value_of(launch::launch(job, {}));
  EXPECT_TRUE(result.judged);
  std::vector<std::string> rules;
  if (result.judged)
    for (const lint::PlacedFinding& f : result.judged->findings)
      rules.push_back(lint::id_of(f.rule));
  return rules;
}

uint32_t dword(const Code& code, size_t at) {
  uint32_t value;
  std::memcpy(&value, &code[at], 4);
  return value;
}

// Where code has this dword, in the kernel's own bytes.
std::vector<size_t> places(const Code& code, const codeobject::CodeObject& object, const std::string& kernel,
                           uint32_t mask, uint32_t value) {
  std::vector<size_t> at;
  for (const codeobject::Kernel& k : object.kernels())
    if (k.name == kernel) {
      const auto bytes = object.bytes_at(k.entry, k.code_size);
      const size_t begin = size_t(bytes.data() - object.bytes().data());
      for (size_t n = begin; n + 4 <= begin + bytes.size(); n += 4)
        if ((dword(code, n) & mask) == value)
          at.push_back(n);
    }
  return at;
}

class Mutants : public testing::TestWithParam<Kernel> {};

const std::string examples = CROSSLANE_EXAMPLES_FOLDER "/";

} // namespace

TEST_P(Mutants, OfBarriersAndWaitsAreFound) {
  const Kernel& k = GetParam();
  const Folder folder;
  const auto object = value_of(toolchain::load_code(examples + k.file, {}));
  const Code code(object->bytes().begin(), object->bytes().end());
  EXPECT_EQ(found(k, folder.write("k.co", code)), std::vector<std::string>{});
  const auto barriers = places(code, *object, k.name, ~0u, s_barrier);
  EXPECT_FALSE(barriers.empty());
  int waits = 0, silent = 0;
  for (const size_t at : barriers) {
    Code without = code;
    std::memcpy(&without[at], &s_nop, 4);
    const auto rules = found(k, folder.write("k.co", without));
    if (!std::ranges::count(rules, "race-lds")) {
      ++silent;
      continue;
    }
    // What waits for LDS in front of it, if nothing else was done since.
    if ((dword(code, at - 4) & 0xffff0f00) == s_waitcnt) {
      without = code;
      std::memcpy(&without[at - 4], &s_nop, 4);
      const auto unwaited = found(k, folder.write("k.co", without));
      EXPECT_TRUE(std::ranges::count(unwaited, "race-lds"))
          << "without the wait before the barrier at " << std::hex << at;
      ++waits;
    }
  }
  EXPECT_GT(waits, 0);
  EXPECT_EQ(silent, k.needless);
}

INSTANTIATE_TEST_SUITE_P(All, Mutants,
                         testing::Values(Kernel{"matmul_tiled.cl",
                                                "matmul_tiled",
                                                "32,32",
                                                "16,16",
                                                {"a=f32[32,32]:1", "b=f32[32,32]:2", "c=f32[32,32]", "n=32"}},
                                         Kernel{"reduce_tree.cl",
                                                "reduce_tree",
                                                "512",
                                                "256",
                                                {"in=f32[512]:1", "partial=f32[2]", "n=512", "scratch=lds:1024"}},
                                         Kernel{"prefix_sum.cl",
                                                "scan_groups",
                                                "512",
                                                "256",
                                                {"in=u32[512]:1", "out=u32[512]", "totals=u32[2]", "n=512"},
                                                0,
                                                1},
                                         Kernel{"histogram.cl",
                                                "histogram_local",
                                                "512",
                                                "256",
                                                {"values=u32[1000]:random", "counts=u32[256]", "n=1000"}},
                                         Kernel{"transpose.hip",
                                                "transpose",
                                                "32,32",
                                                "16,16",
                                                {"in=u32[32,32]:iota", "out=u32[32,32]", "width=32", "height=32"},
                                                1088}),
                         [](const auto& i) { return i.param.name; });

namespace {

// The sum of all workgroups' sums by the last one of them to come.
const char* const last_block = R"(
kernel void k(global const float* in, global float* parts, global atomic_uint* arrived, global float* out) {
  local float sums[128];
  local uint last;
  uint l = get_local_id(0), groups = get_num_groups(0);
  sums[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 64; s; s >>= 1) {
    if (l < s) sums[l] += sums[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) {
    parts[get_group_id(0)] = sums[0];
    RELEASE;
    last = COUNT == groups - 1;
    ACQUIRE;
  }
  BARRIER;
  if (!last) return;
  float sum = 0;
  for (uint g = l; g < groups; g += 128) sum += parts[g];
  sums[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 64; s; s >>= 1) {
    if (l < s) sums[l] += sums[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) { out[0] = sums[0]; *(global uint*)arrived = 0; }
}
)";

// A scan in one pass: each workgroup looks back at what those before it have published, until one knows all before it.
const char* const look_back = R"(
kernel void k(global const uint* in, global uint* out, global atomic_uint* states, global uint* sums, global uint* prefixes) {
  local uint scan[128];
  local uint before;
  uint l = get_local_id(0), tile = get_group_id(0);
  scan[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < 128; d *= 2) {
    uint add = l >= d ? scan[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    scan[l] += add;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 127) {
    uint sum = scan[127], prefix = 0;
    sums[tile] = sum;
    RELEASE;
    atomic_store_explicit(&states[tile], 1, memory_order_relaxed, memory_scope_device);
    for (int t = (int)tile - 1; t >= 0; --t) {
      uint state = LOOK;
      while (state == 0) state = LOOK;
      ACQUIRE;
      if (state == 2) { prefix += prefixes[t]; break; }
      prefix += sums[t];
    }
    prefixes[tile] = prefix + sum;
    RELEASE;
    atomic_store_explicit(&states[tile], 2, memory_order_relaxed, memory_scope_device);
    before = prefix;
  }
  BARRIER;
  out[get_global_id(0)] = scan[l] + before;
}
)";

// For gfx90a LLVM leaves out the waits before these barriers, whose fence is of LDS alone.
const char* const halving = R"(
kernel void k(global const uint* in, global uint* out) {
  local uint sums[128];
  uint l = get_local_id(0);
  sums[l] = in[get_global_id(0)];
  for (uint s = 64; s > 0; s /= 2) {
    BARRIER;
    if (l < s) sums[l] += sums[l + s];
  }
  if (l == 0) out[get_group_id(0)] = sums[0];
}
)";

struct Pattern {
  const char* name;
  const char* source;
  std::vector<std::string> arguments;
};
class Patterns : public testing::TestWithParam<std::tuple<Pattern, const char*>> {};

} // namespace

TEST_P(Patterns, AreSilentAndTheirMutantsAreNot) {
  const auto& [pattern, target] = GetParam();
  const std::pair<std::string, std::string> macros[] = {
      {"RELEASE", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device)"},
      {"ACQUIRE", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device)"},
      {"BARRIER", "barrier(CLK_LOCAL_MEM_FENCE)"},
      {"COUNT", "atomic_fetch_add_explicit(arrived, 1, memory_order_relaxed, memory_scope_device)"},
      {"LOOK", "atomic_load_explicit(&states[t], memory_order_relaxed, memory_scope_device)"}};
  const std::pair<std::string, std::string> without[] = {{"RELEASE", ""},
                                                         {"ACQUIRE", ""},
                                                         {"BARRIER", ""},
                                                         {"COUNT", "(*(global uint*)arrived)++"},
                                                         {"LOOK", "*(global uint*)&states[t]"}};
  const Folder folder;
  const auto rules = [&](const std::string& changed, unsigned threads) {
    std::string text;
    for (size_t n = 0; n < std::size(macros); ++n)
      text += "#define " + macros[n].first + " " + (macros[n].first == changed ? without[n] : macros[n]).second + "\n";
    launch::Job job;
    job.file = folder.write("k.cl", text + pattern.source), job.check = "race", job.arguments = pattern.arguments;
    job.threads = threads, job.compile.target = target;
    job.grid = value_of(launch::parse_sizes("2048", "grid")), job.block = value_of(launch::parse_sizes("128", "block"));
    job.timeout = 60;
    const launch::Result result = value_of(launch::launch(job, {}));
    std::vector<std::string> all;
    for (const lint::PlacedFinding& f : result.judged->findings)
      all.push_back(lint::id_of(f.rule));
    return all;
  };
  for (const unsigned threads : {1, 2, 2})
    EXPECT_EQ(rules("", threads), std::vector<std::string>{}) << pattern.name;
  for (const auto& [macro, what] : macros)
    if (std::string(pattern.source).find(macro) != std::string::npos)
      EXPECT_NE(rules(macro, 1), std::vector<std::string>{}) << pattern.name << " without " << macro;
}

INSTANTIATE_TEST_SUITE_P(
    All, Patterns,
    testing::Combine(testing::Values(Pattern{"last_block",
                                             last_block,
                                             {"in=f32[2048]:1", "parts=f32[16]", "arrived=u32[1]", "out=f32[1]"}},
                                     Pattern{"halving", halving, {"in=u32[2048]:1", "out=u32[16]"}},
                                     Pattern{"look_back",
                                             look_back,
                                             {"in=u32[2048]:1", "out=u32[2048]", "states=u32[16]", "sums=u32[16]",
                                              "prefixes=u32[16]"}}),
                     testing::Values("gfx900", "gfx90a")),
    [](const auto& i) { return std::string(std::get<0>(i.param).name) + "_" + std::get<1>(i.param); });

} // namespace crosslane::test
