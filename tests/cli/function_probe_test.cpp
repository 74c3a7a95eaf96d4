// Probes of one's own in OpenCL C and HIP, and operands by name: what they get is what the program has there. That
// they count right at all places is tested in tests/rewrite.
#include "tests/cli/command.h"
#include "toolchain/temporary_folder.h"
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

using Json = nlohmann::json;

class FunctionProbe : public testing::Test {
protected:
  FunctionProbe() : folder_(llvm::cantFail(toolchain::TemporaryFolder::create())) {}
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  // Work-item i of 256 stores 3 i; the address that it stores to is in s[4:5] and v[0:1].
  std::string kernel() const {
    return write("kernel.cl", "kernel void times(global uint* out) { out[get_global_id(0)] = get_global_id(0) * 3; }");
  }
  // Sums over all waves of what a probe counts, at the places that it has.
  Json places(const std::string& probe, const std::string& at, const std::string& target = "gfx900") const {
    const std::string out = path("probed.co"), counters = path("counters.json");
    const Result made =
        crosslane({"instrument", kernel(), "--target", target, "--probe", probe, "--at", at, "-o", out});
    EXPECT_EQ(made.status, 0) << made.err;
    const Result run =
        crosslane({"launch", out, "--grid", "256", "--block", "64", "out=u32[256]", "--counters", counters});
    EXPECT_EQ(run.status, 0) << run.err;
    std::ifstream in(counters);
    return in ? Json::parse(in).at("user").at("places") : Json();
  }
  std::vector<uint64_t> at_store(const std::string& probe, const std::string& target = "gfx900") const {
    const Json all = places(probe, "memory", target);
    EXPECT_FALSE(all.empty());
    return all.empty() ? std::vector<uint64_t>() : all.back().at("values").get<std::vector<uint64_t>>();
  }
  toolchain::TemporaryFolder folder_;
};

// First lanes store 3 times 0, 64, 128 and 192.
constexpr uint64_t first_values = 3 * (64 + 128 + 192);

TEST_F(FunctionProbe, HasOperandsByName) {
  for (const std::string target : {"gfx600", "gfx803", "gfx900", "gfx90a"}) {
    const auto by_function = at_store(write("a.cl", "uint probe(uint vdata) { return vdata; }"), target);
    EXPECT_EQ(by_function, std::vector<uint64_t>{first_values}) << target;
    const auto by_assembly = at_store(write("a.s", "v_readfirstlane_b32 %s0, %vdata\nadd %c0, %s0\n"), target);
    EXPECT_EQ(by_assembly, std::vector<uint64_t>{first_values}) << target;
  }
}

// What is at the address, before the store: zeros; and behind other words of the buffer that waves have not written.
TEST_F(FunctionProbe, LoadsFromAddresses) {
  const auto values = at_store(write("a.hip", R"(#include <hip/hip_runtime.h>
struct Counts { unsigned was, next, lane; };
extern "C" __device__ Counts probe(const unsigned* address, uint64_t exec, unsigned vdata) {
  const unsigned lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  const uint64_t wrong = __ballot(vdata % 3 != 0);
  return {address[0] + unsigned(wrong), unsigned(__popcll(exec)), lane};
})"));
  EXPECT_EQ(values, (std::vector<uint64_t>{0, 256, 0}));
}

// Where it stands, and who runs it.
TEST_F(FunctionProbe, HasPlacesAndGroups) {
  const std::string probe = write("a.cl", "uint4 probe(uint place, ulong pc, uint group_x, uint group_y) {\n"
                                          "  return (uint4)(place, (uint)pc, group_x, group_y); }");
  const Json all = places(probe, "entry,block,exit");
  ASSERT_GE(all.size(), 3u);
  for (size_t n = 0; n < all.size(); ++n) {
    const auto values = all[n].at("values").get<std::vector<uint64_t>>();
    const uint64_t address = std::stoull(all[n].at("address").get<std::string>(), nullptr, 16);
    EXPECT_EQ(values, (std::vector<uint64_t>{4 * n, 4 * address, 0 + 1 + 2 + 3, 0})) << all[n];
  }
}

// SCC, VCC, M0 and EXEC of the program outlive a probe that writes all of them.
TEST_F(FunctionProbe, LeavesTheProgramsRegistersAlone) {
  const std::string probe = write("a.cl", R"(
uint2 probe(ulong exec, ulong vcc, uint scc, uint m0, uint v0) {
  uint sum = 0;
  for (uint i = 0; i < (v0 & 15); ++i)
    sum += __builtin_amdgcn_readlane(v0, i & 63) * (i + (uint)vcc + m0 + scc);
  return (uint2)(popcount(__builtin_amdgcn_ballot_w64(sum > 100)), popcount(exec));
})");
  for (const std::string target : {"gfx701", "gfx900", "gfx90a"}) {
    const std::string out = path("probed.co"), plain = path("plain.raw"), probed = path("probed.raw");
    const std::string file = EXAMPLES "/bitonic_sort.cl";
    const Result made = crosslane(
        {"instrument", file, "--target", target, "--probe", probe, "--at", "block,branch,edge,memory", "-o", out});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto run = [&](const std::string& code, const std::string& to) {
      const Result result = crosslane({"launch", code, "--target", target, "--kernel", "bitonic_local", "--grid", "256",
                                       "--block", "256", "keys=u32[512]:random:3", "--out", "keys=" + to});
      EXPECT_EQ(result.status, 0) << result.err;
      std::ifstream in(to, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string sorted = run(file, plain);
    EXPECT_EQ(sorted.size(), 2048u);
    EXPECT_EQ(run(out, probed), sorted) << target;
  }
}

TEST_F(FunctionProbe, SaysHowManyPlacesLackSomething) {
  const std::string probe = write("a.cl", "uint probe(uint vdata) { return vdata; }");
  const Result made =
      crosslane({"instrument", kernel(), "--probe", probe, "--at", "memory", "-o", path("a.co"), "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const Json done = Json::parse(made.out).at("kernels")[0];
  EXPECT_EQ(done.at("places"), 1);
  EXPECT_GE(done.at("places_left_out"), 1);
  EXPECT_HAS(crosslane({"instrument", kernel(), "--probe", probe, "--at", "entry", "-o", path("a.co")}).err,
             "none of the 1 places that --at names has what a.cl asks for");
}

TEST_F(FunctionProbe, ThatCannotBe) {
  const std::string out = path("refused.co");
  for (const auto& [text, why] : {
           std::pair("uint count(ulong exec) { return 1; }", "a.cl: has no function that is called probe"),
           std::pair("kernel void probe(global uint* vaddr) {}", "a.cl: probe is a kernel; write a function"),
           std::pair("void probe(ulong exec) {}", "probe returns what is added to the counters of its place"),
           std::pair("float probe(ulong exec) { return 1; }", "probe returns what is added to the counters"),
           std::pair("uint probe(uint exec) { return exec; }",
                     "parameter exec of probe: exec has 64 bits, and its type 32"),
           std::pair("uint probe(uint mask) { return mask; }", "'mask' is no name of what a probe can ask for"),
           std::pair("uint probe(ushort vdata) { return vdata; }", "types are of 32 and 64 bits"),
           std::pair("uint probe(global uint* address) { *address = 1; return 1; }", "it writes to memory"),
           std::pair("uint probe(global uint* address) { return atomic_inc(address); }", "it writes to memory"),
           std::pair("uint probe(uint v0) { barrier(CLK_LOCAL_MEM_FENCE); return v0; }", "when the wave goes on"),
           std::pair("constant uint table[64] = {3, 1, 4, 1, 5};\nuint probe(uint v0) { return table[v0 & 63]; }",
                     "has to stand alone"),
           std::pair("uint probe(uint v200) { return v200; }", "a.cl reads v200, and its code uses "),
           std::pair("uint probe(uint s90) { return s90; }", "a.cl reads s90, and its code uses "),
           std::pair("uint probe(ulong exec) { return 1 }", "error: "),
       }) {
    const Result result = crosslane(
        {"instrument", kernel(), "--target", "gfx900", "--probe", write("a.cl", text), "--at", "memory", "-o", out});
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_HAS(result.err, why) << text;
    EXPECT_FALSE(std::filesystem::exists(out)) << text;
  }
  EXPECT_HAS(crosslane({"instrument", kernel(), "--probe", path("none.cl"), "--at", "memory", "-o", out}).err,
             "none.cl");
}

} // namespace
} // namespace crosslane::cli::test
