// crosslane permute. What the CPU's half says follows the cost tables of lanes/plan, which have tests of their own:
// here it is cut out of the goldens, and asked only for being there.
#include "cli/permute/lane_expression.h"
#include "tests/cli/command.h"
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace crosslane::cli::test {
namespace {

const char* const swap = R"(i ^ 1: 64 lanes of 32 bits
  within groups of 2: 1 0
   0-15:  1  0  3  2  5  4  7  6  9  8 11 10 13 12 15 14
  16-31: 17 16 19 18 21 20 23 22 25 24 27 26 29 28 31 30
  32-47: 33 32 35 34 37 36 39 38 41 40 43 42 45 44 47 46
  48-63: 49 48 51 50 53 52 55 54 57 56 59 58 61 60 63 62

GPU gfx900, one element a lane: v0 = the elements of v1
  1. DPP quad_perm:[1,0,3,2]
    s_nop 1
    v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
    (on a VOP1 or VOP2 instruction that uses the result, the modifier costs 4 bytes and no instruction)
  all ways, the cheapest first:
     cycles  again  instr  bytes  waits        VGPRs  SGPRs  other      way
  1  12      12     2      12     2 states     0      0      -          DPP quad_perm:[1,0,3,2]
  2  72      72     2      12     1 s_waitcnt  0      0      -          ds_swizzle_b32 swizzle(SWAP,1)
  3  92      76     6      36     1 s_waitcnt  2      0      -          ds_bpermute_b32, address from lane ^ 1
  4  92      76     6      36     1 s_waitcnt  2      0      -          ds_permute_b32, address from lane ^ 1
  5  96      80     7      44     1 s_waitcnt  3      0      LDS 256 B  LDS round trip, address from lane ^ 1
)";

const char* const mirror = R"(i < 16 ? 15 - i : i: 64 lanes of 32 bits
  lanes 0-15 read 15 down to 0; lanes 16-63 stay
   0-15: 15 14 13 12 11 10  9  8  7  6  5  4  3  2  1  0
  16-31:  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
  32-47:  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
  48-63:  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .

GPU gfx900, one element a lane: v0 = the elements of v1
  1. DPP v_mov_b32, then row_mirror row_mask:0x1
    v_mov_b32 v0, v1
    s_nop 0
    v_mov_b32_dpp v0, v1 row_mirror row_mask:0x1 bank_mask:0xf
  all ways, the cheapest first:
     cycles  again  instr  bytes  waits        VGPRs  SGPRs  other           way
  1  12      12     3      16     1 state      0      0      -               DPP v_mov_b32, then row_mirror row_mask:0x1
  2  104     76     9      52     1 s_waitcnt  4      0      VCC             ds_bpermute_b32, address from lane, in 16 lanes lane ^ 15
  3  104     76     9      52     1 s_waitcnt  4      0      VCC             ds_permute_b32, address from lane, in 16 lanes lane ^ 15
  4  108     80     10     60     1 s_waitcnt  4      0      VCC, LDS 256 B  LDS round trip, address from lane, in 16 lanes lane ^ 15
  5  132     132    33     256    -            0      16     -               v_readlane_b32 and v_writelane_b32, 16 lanes
)";

// Without the CPU's half and the last lines, which explain.
std::string golden_part(const std::string& out, std::string& cpu) {
  const size_t from = out.find("CPU "), gpu = out.find("GPU "), end = out.find("  cycles: one wavefront");
  if (from == std::string::npos || gpu == std::string::npos || end == std::string::npos)
    return "incomplete: " + out;
  cpu = out.substr(from, gpu - from);
  return out.substr(0, from) + out.substr(gpu, end - gpu);
}

TEST(PermuteCommand, TheTwoExamplesOfTheHelp) {
  std::string cpu;
  const Result one = crosslane({"permute", "i ^ 1", "--cpu", "icelake"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(golden_part(one.out, cpu), swap);
  EXPECT_HAS(cpu, "CPU icelake, avx512_gfni: zmm0 and on hold the source, 64 bytes each\n");
  EXPECT_HAS(cpu, "registers 0, 1, 2, 3 alike: ");
  EXPECT_HAS(cpu, "; 1 instruction");
  const Result two = crosslane({"permute", "i < 16 ? 15 - i : i", "--target", "gfx900", "--cpu", "zen4"});
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(golden_part(two.out, cpu), mirror);
  EXPECT_HAS(cpu, "registers 1, 2, 3 alike: identity\n    nothing to do\n");
  EXPECT_HAS(cpu, "15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0");
}

TEST(PermuteCommand, Options) {
  const Result all =
      crosslane({"permute", "[1,0,3,2]", "--target", "gfx600", "--all", "--cpu", "zen4", "--level", "avx2"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_HAS(all.out, "ymm0");
  EXPECT_HAS(all.out, "  1. ds_swizzle_b32 swizzle(SWAP,1)\n    ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)\n");
  EXPECT_HAS(all.out, "  2. LDS round trip, address from lane ^ 1\n    s_mov_b32 m0, -1\n");
  const Result wide = crosslane({"permute", "i ^ 1", "--lanes", "32", "--element", "64", "--ready", "--cpu", "zen4"});
  EXPECT_HAS(wide.out, "v[0:1] = the elements of v[2:3]");
  EXPECT_HAS(
      wide.out,
      "    v_mov_b32_dpp v0, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n    v_mov_b32_dpp v1, v3 quad_perm");
  EXPECT_FALSE(contains(wide.out, "s_nop ")) << wide.out;
  const Result bytes = crosslane({"permute", "rev(i, 8)", "--lanes", "256", "--element", "8", "--cpu", "icelake"});
  EXPECT_EQ(bytes.status, 0) << bytes.err;
  EXPECT_HAS(bytes.out, "a wavefront has 64 lanes, so there is no way for 256");
  EXPECT_HAS(crosslane({"permute", "-i + n - 1", "--cpu", "zen4"}).out, "reversed: lane i reads lane n - 1 - i");
  EXPECT_HAS(crosslane({"permute", "--help"}).out,
             "crosslane permute 'i < 16 ? 15 - i : i' --target gfx900 --cpu zen4");
}

// "Cross-Lane Operations", "Other Notes on DPP Usage": two wait states after the source, five after EXEC.
TEST(PermuteCommand, WaitStatesByWhatCameBefore) {
  struct Case {
    std::vector<const char*> options;
    const char *states, *why;
  } const cases[] = {
      {{}, "    s_nop 1\n", "as a VALU instruction may have written the source just before.\n"},
      {{"--exec-written"},
       "    s_nop 4\n",
       "as a VALU instruction may have written the source, and one EXEC, just before.\n"},
      {{"--ready", "--exec-written"}, "    s_nop 4\n", "as a VALU instruction may have written EXEC just before.\n"},
      {{"--ready"},
       "  1. DPP quad_perm:[1,0,3,2]\n    v_mov_b32_dpp",
       "States: s_nop, between these instructions alone, as told.\n"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> words = {"permute", "i ^ 1", "--target", "gfx803", "--cpu", "zen4"};
    words.insert(words.end(), c.options.begin(), c.options.end());
    const Result result = crosslane(words);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_HAS(result.out, c.states);
    EXPECT_HAS(result.out, c.why);
  }
  const auto json =
      nlohmann::json::parse(crosslane({"permute", "i ^ 1", "--cpu", "zen4", "--exec-written", "--json"}).out);
  EXPECT_EQ(json["gpu"]["exec_just_written"], true);
  EXPECT_EQ(json["gpu"]["ways"][0]["cost"]["wait_states"], 5);
}

TEST(PermuteCommand, Json) {
  const Result result =
      crosslane({"permute", "i == 0 ? zero : i > 60 ? any : i - 1", "--target", "gfx803", "--cpu", "zen4", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["from"][0], "zero");
  EXPECT_EQ(json["from"][5], 4);
  EXPECT_EQ(json["from"][63], "any");
  EXPECT_EQ(json["cpu"]["parts"][0]["registers"][0], 0);
  EXPECT_EQ(json["gpu"]["target"], "gfx803");
  const auto& best = json["gpu"]["ways"][0];
  EXPECT_EQ(best["method"], "dpp");
  EXPECT_EQ(best["assembly"][1], "v_mov_b32_dpp v0, v1 wave_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0");
  EXPECT_EQ(best["cost"]["wait_states"], 2);
}

TEST(PermuteCommand, Svg) {
  const Folder folder;
  const Result result = crosslane({"permute", "i < 16 ? 15 - i : zero", "--cpu", "zen4", "--svg", folder / "x.svg"});
  ASSERT_EQ(result.status, 0) << result.err;
  std::ifstream file(folder / "x.svg");
  std::stringstream text;
  text << file.rdbuf();
  const std::string svg = text.str();
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_HAS(svg, ">i &lt; 16 ? 15 - i : zero</text>");
  const auto count = [&](const std::string& what) {
    size_t n = 0;
    for (size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1))
      ++n;
    return n;
  };
  EXPECT_EQ(count("class=\"move\""), 16u);
  EXPECT_EQ(count("class=\"zero\""), 48u);
  EXPECT_EQ(count("<rect class"), 128u);
}

// Both halves of bytes taken apart: two permutes of one register and two joins, where a permute of two registers each
// would hold up the stores.
TEST(PermuteCommand, SeveralExpressionsTogether) {
  const std::vector<std::string> unzip = {
      "permute", "2 * i < n ? 2 * i : any", "2 * i < n ? 2 * i + 1 : any", "--element", "8", "--lanes", "128", "--cpu",
      "zen5"};
  const Result text = crosslane(unzip);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_HAS(text.out, "2 results of one source: 128 lanes of 8 bits\n  1. 2 * i < n ? 2 * i : any\n");
  EXPECT_HAS(text.out, "cycles (with stores of the results ");
  EXPECT_HAS(text.out, "\n  one by one: ");
  EXPECT_HAS(text.out, "\n  result 2 is left in zmm");
  std::vector<std::string> words = unzip;
  words.push_back("--json");
  const auto json = nlohmann::json::parse(crosslane(words).out);
  EXPECT_EQ(json["results"].size(), 2u);
  EXPECT_EQ(json["results"][1]["from"][1], 3);
  EXPECT_EQ(json["results"][1]["from"][64], "any");
  EXPECT_EQ(json["cpu"]["shared"], true);
  EXPECT_EQ(json["cpu"]["together"]["instructions"], 4);
  EXPECT_EQ(json["cpu"]["one_by_one"]["instructions"], 2);
  EXPECT_LT(json["cpu"]["together"]["with_stores"], json["cpu"]["one_by_one"]["with_stores"]);
  EXPECT_EQ(json["cpu"]["results"][0].size(), 2u);
  EXPECT_HAS(crosslane({"permute", "--help"}).out, "crosslane permute '2 * i < n ? 2 * i : any' '2 * i < n ?");
}

TEST(PermuteCommand, BadInput) {
  const std::pair<std::vector<std::string>, const char*> mistakes[] = {
      {{"permute", "i / (i - 5) * 0"}, "crosslane: lane 5: divides by zero\n  i / (i - 5) * 0\n    ^\n"},
      {{"permute", "lane ^ 1"}, "crosslane: there is no 'lane'; did you mean i?\n  lane ^ 1\n  ^\n"},
      {{"permute", "i", "--target", "gfx42"}, "'gfx42' is not a target"},
      {{"permute", "i", "--cpu", "z80"},
       "--cpu: there is no 'z80'; there are host, icelake, zen3, zen4, zen5, sapphirerapids, alderlake"},
      {{"permute", "i", "--cpu", "zen3", "--level", "avx512"}, "--level: zen3 has no avx512, only avx2"},
      {{"permute", "i", "--level", "sse"}, "--level: there is no 'sse'"},
      {{"permute", "i", "--element", "12"}, "--element 12: an element has 8, 16, 32 or 64 bits"},
      {{"permute", "i", "--lanes", "48"}, "--lanes 48: use a power of two from 2 to 256"},
      {{"permute", "i", "--element", "64"},
       "64 lanes of 64 bits are 512 bytes, and plans are for at most 256: use --lanes 32 or fewer"},
      {{"permute", "i", "--svg", "/no/such/folder/x.svg"}, "/no/such/folder/x.svg"},
      {{"permute"}, "EXPR is required"},
      {{"permute", ""}, "crosslane: "},
      {{"permute", "i", "", "i ^ 1"}, "crosslane: expected a number, a name or '(', not the end"},
      {{"permute", "i", "i ^ 1", "--svg", "x.svg"}, "--svg draws one expression, and here are 2"},
      {{"permute", "i", "lane ^ 1"}, "crosslane: there is no 'lane'; did you mean i?\n  lane ^ 1\n  ^\n"},
      {{"permute", "i", "i ^ 1", "i ^ 2", "--lanes", "256", "--element", "8", "--cpu", "zen4", "--level", "avx2"},
       "3 expressions of 256 lanes of 8 bits are 768 bytes in 24 registers, and at most 1024 bytes in 16 registers"},
  };
  for (const auto& [words, message] : mistakes) {
    const Result result = crosslane(words);
    EXPECT_EQ(result.status, 2) << words.back();
    EXPECT_HAS(result.err, message);
    EXPECT_EQ(result.out, "");
  }
}

} // namespace
} // namespace crosslane::cli::test
