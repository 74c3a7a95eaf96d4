// crosslane timing, as a user runs it. Numbers are those of CLRX's document and of the rows of cards; what instructions
// cost is tested in tests/timing.
#include "tests/cli/command.h"
#include <fstream>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

using Json = nlohmann::json;
const std::string examples = EXAMPLES "/";

Json json_of(const std::vector<std::string>& words) {
  std::vector<std::string> all = {"timing", "--json"};
  all.insert(all.end(), words.begin(), words.end());
  const Result result = crosslane(all);
  EXPECT_EQ(result.status, 0) << result.err;
  Json json = Json::parse(result.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << result.out;
  return json;
}

TEST(TimingCommand, Summary) {
  const Result result = crosslane({"timing", examples + "matmul_tiled.cl", "--gpu", "vega10", "--block", "16,16"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "; card vega10 (AMD Radeon RX Vega)\n");
  EXPECT_HAS(result.out, "kernel matmul_tiled(");
  EXPECT_HAS(result.out, "in workgroups of 256 (--block)");
  EXPECT_HAS(result.out, "loop at L");
  EXPECT_HAS(result.out, "matmul_tiled.cl:");
  EXPECT_HAS(result.out, "bound by LDS");
  EXPECT_HAS(result.out, "assumed of vega10");
  EXPECT_HAS(result.out, "l2_hit_latency");
}

TEST(TimingCommand, Instructions) {
  const Result result = crosslane({"timing", examples + "if_else.s", "--kernel", "if_else", "--instructions"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "if_else.s:67\n");
  EXPECT_HAS(result.out, "s_and_saveexec_b64 s[2:3], vcc");
  EXPECT_HAS(result.out, "the first of its target; --gpu names another");
  EXPECT_FALSE(contains(result.out, "if_else_above"));
}

// The card decides, not the target: double precision of one code on a Radeon VII, by default, and on an MI50.
TEST(TimingCommand, CardsOfOneTarget) {
  const auto fma = [](const std::vector<std::string>& words) {
    std::vector<std::string> all = {examples + "f64.cl", "--target", "gfx906", "--instructions"};
    all.insert(all.end(), words.begin(), words.end());
    const Json objects = json_of(all);
    for (const Json& kernel : objects[0]["kernels"])
      for (const Json& row : kernel["rows"])
        if (row["text"].get<std::string>().starts_with("v_fma_f64"))
          return row["cycles"].get<int>();
    return 0;
  };
  EXPECT_EQ(fma({}), 16);
  EXPECT_EQ(fma({"--gpu", "mi50"}), 8);
}

TEST(TimingCommand, Json) {
  const Json all = json_of({examples + "matmul_tiled.cl", "--gpu", "mi100", "--waves", "4", "--latency", "500"});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0]["card"], "mi100");
  EXPECT_EQ(all[0]["target"], "gfx908");
  const Json& kernel = all[0]["kernels"][0];
  EXPECT_EQ(kernel["waves"], 4);
  EXPECT_EQ(kernel["vmem_latency"]["cycles"], 500);
  ASSERT_FALSE(kernel["loops"].empty());
  const Json& loop = kernel["loops"][0];
  EXPECT_GT(loop["units"]["VALU"], 0);
  EXPECT_TRUE(loop["bound"]["by"].is_string());
  EXPECT_FALSE(loop["path"].empty());
  EXPECT_FALSE(kernel.contains("rows"));
  for (const Json& assumed : all[0]["assumed"])
    EXPECT_NE(assumed["parameter"], "l2_hit_latency"); // --latency says it
}

TEST(TimingCommand, Document) {
  const auto loads = [](const char* model) {
    const Json all = json_of({examples + "vector_add.cl", "--gpu", "vega10", "--model", model, "--instructions"});
    std::vector<Json> cycles;
    for (const Json& row : all[0]["kernels"][0]["rows"])
      if (row["text"].get<std::string>().starts_with("global_load_dword "))
        cycles.push_back(row["cycles"]);
    return cycles;
  };
  EXPECT_EQ(loads("document"), (std::vector<Json>{8, 8}));
  EXPECT_EQ(loads("card"), (std::vector<Json>{4, 4})); // proven to lie in a row
  const Result result = crosslane({"timing", examples + "saxpy.cl", "--model", "document"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "numbers of the document alone (--model document)");
}

TEST(TimingCommand, Profile) {
  const Folder folder;
  const std::string profile = folder / "run.json";
  const std::string kernel = examples + "mandelbrot.cl";
  const Result launch =
      crosslane({"launch", kernel, "--grid", "256,64", "iterations=u32[16384]", "width=256", "height=64", "x0=-2",
                 "y0=-1", "step=0.01", "limit=100", "--profile", "all", "--json", profile});
  ASSERT_EQ(launch.status, 0) << launch.err;
  const Json all = json_of({kernel, "--profile", profile});
  const Json& run = all[0]["kernels"][0]["run"];
  EXPECT_EQ(run["waves"], 256);
  EXPECT_EQ(run["workgroups"], 64);
  EXPECT_EQ(run["launches"], 1);
  std::ifstream file(profile);
  EXPECT_EQ(run["wave_instructions"], Json::parse(file)["kernels"][0]["wave_instructions"]);
  EXPECT_GT(run["cycles"]["VALU"], 0);
  EXPECT_EQ(run["launch"], 256); // 64 workgroups of 4 waves, 4 cycles each
  // A profile of some workgroups speaks of all of them.
  const std::string sampled = folder / "sampled.json";
  const Result some =
      crosslane({"launch", kernel, "--grid", "256,64", "iterations=u32[16384]", "width=256", "height=64", "x0=-2",
                 "y0=-1", "step=0.01", "limit=100", "--profile", "all", "--sample", "25%", "--json", sampled});
  ASSERT_EQ(some.status, 0) << some.err;
  const Json of_some = json_of({kernel, "--profile", sampled});
  for (const char* key : {"waves", "workgroups", "launch"})
    EXPECT_EQ(of_some[0]["kernels"][0]["run"][key], run[key]) << key;
  const Result text = crosslane({"timing", kernel, "--profile", profile});
  EXPECT_HAS(text.out, "static costs times counts:");
  EXPECT_HAS(text.out, "roofline and launch:");
  EXPECT_HAS(text.out, "in workgroups of 256 (the profile)");
}

TEST(TimingCommand, OwnCard) {
  const Folder folder;
  const auto with = [&](const std::string& toml) {
    const std::string path = folder / "mine.toml";
    std::ofstream(path) << toml;
    return crosslane({"timing", examples + "saxpy.cl", "--gpu", path});
  };
  const Result good = with("base = \"vega10\"\nname = \"mine\"\nclock = 1000\n");
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_HAS(good.out, "; card mine (");
  const Result unknown = with("base = \"vega10\"\nclok = 1000\n");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_HAS(unknown.err, "mine.toml:2: unknown key 'clok'; did you mean clock?");
  const Result wrong = with("base = \"vega10\"\n\nsimds = 0\n");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_HAS(wrong.err, "mine.toml:3: 'simds' is a whole number from 1 to 4");
}

// --show-gpu CARD --toml, changed, is a card wherever --gpu is.
TEST(TimingCommand, PrintedCard) {
  const Folder folder;
  const Result printed = crosslane({"timing", "--show-gpu", "mi50", "--toml"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  const std::string path = folder / "mine.toml";
  std::ofstream(path) << printed.out;
  EXPECT_EQ(crosslane({"timing", "--show-gpu", path, "--toml"}).out, printed.out);
  const auto estimate = [&](const std::string& card) {
    Json json = json_of({examples + "matmul_tiled.cl", "--gpu", card});
    return json;
  };
  EXPECT_EQ(estimate(path), estimate("mi50"));
  EXPECT_EQ(crosslane({"timing", "--toml"}).status, 2);
}

// The page has the estimate beside each instruction, and the loops.
TEST(TimingCommand, Page) {
  const Folder folder;
  const std::string kernel = examples + "matmul_tiled.cl", page = folder / "page.html", profile = folder / "run.json";
  const auto document = [&](std::vector<std::string> options) {
    std::vector<std::string> words = {"timing", kernel, "--gpu", "vega10", "--block", "16,16", "--html", page};
    words.insert(words.end(), options.begin(), options.end());
    const Result result = crosslane(words);
    EXPECT_EQ(result.status, 0) << result.err;
    std::stringstream text;
    text << std::ifstream(page).rdbuf();
    const std::string whole = text.str();
    const size_t begin = whole.find("{\"format\":\"crosslane-profile\""), end = whole.find("</script>", begin);
    EXPECT_NE(begin, std::string::npos);
    return Json::parse(whole.substr(begin, end - begin));
  };
  const Json rows = json_of({kernel, "--gpu", "vega10", "--block", "16,16", "--instructions"})[0]["kernels"][0]["rows"];
  const Json still = document({});
  EXPECT_HAS(still["estimated"].get<std::string>(), "Estimated for vega10 from code alone");
  const Json& k = still["kernels"][0];
  ASSERT_EQ(k["instructions"].size(), rows.size());
  const Json& figures = k["figures"][0];
  EXPECT_EQ(figures["beside_code"], true);
  EXPECT_EQ(figures["columns"][0]["name"], "cycles");
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(k["instructions"][i]["address"], rows[i]["address"]);
    EXPECT_EQ(k["instructions"][i]["text"], rows[i]["text"]);
    const Json& wave = rows[i]["wave"];
    EXPECT_EQ(figures["rows"][i][1], wave.is_array() ? wave[0] : wave);
  }
  EXPECT_EQ(k["figures"][1]["rows"].size(), 1u); // one loop
  ASSERT_EQ(crosslane({"launch", kernel, "--target", "gfx900", "--grid", "64,64", "f32[64,64]:1", "f32[64,64]:1",
                       "f32[64,64]", "64", "--profile", "all", "--json", profile})
                .status,
            0);
  const Json ran = document({"--profile", profile});
  EXPECT_EQ(ran["kernels"][0]["waves"], 64);
  EXPECT_EQ(ran["kernels"][0]["figures"][0]["columns"][0]["name"], "all");
  EXPECT_GT(ran["kernels"][0]["instructions"][0]["executions"], 0);
  EXPECT_EQ(crosslane({"timing", kernel, "--html", kernel}).status, 2); // not over the source
}

TEST(TimingCommand, Cards) {
  const Result list = crosslane({"timing", "--list-gpus"});
  EXPECT_EQ(list.status, 0);
  EXPECT_HAS(list.out, "mi250x");
  const Result show = crosslane({"timing", "--show-gpu", "fiji"});
  EXPECT_EQ(show.status, 0);
  EXPECT_HAS(show.out, "MGPUSim's microbenchmarks on a R9 Nano");
  const Json json = Json::parse(crosslane({"timing", "--show-gpu", "mi50", "--json"}).out);
  EXPECT_EQ(json["parameters"]["dpfactor"]["value"], 1);
  EXPECT_EQ(json["parameters"]["dpfactor"]["status"], "measured");
}

TEST(TimingCommand, Mistakes) {
  const auto error = [](std::vector<std::string> words) {
    words.insert(words.begin(), "timing");
    const Result result = crosslane(words);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_HAS(error({}), "timing needs a file");
  EXPECT_HAS(error({"/nothing.co"}), "/nothing.co: No such file");
  EXPECT_HAS(error({examples + "saxpy.cl", "--gpu", "vega11"}), "there is no card 'vega11'; did you mean");
  EXPECT_HAS(error({examples + "saxpy.cl", "--gpu", "mi50", "--target", "gfx900"}), "what the card mi50 runs: gfx906");
  EXPECT_HAS(error({examples + "saxpy.cl", "--kernel", "sax"}), "there is no kernel 'sax'; there are saxpy");
  EXPECT_HAS(error({examples + "saxpy.cl", "--latency", "soon"}), "give cycles, or l1, l2 or dram");
  EXPECT_HAS(error({examples + "saxpy.cl", "--profile", examples + "saxpy.cl"}), "is no profile");
  const Folder folder;
  const std::string other = folder / "other.json";
  std::ofstream(other) << R"({"format": "crosslane-profile", "version": 1, "kernels": [{"name": "f", "launches": 1,
    "instructions": [{"address": "0x100", "executions": 3}]}]})";
  EXPECT_HAS(error({examples + "saxpy.cl", "--profile", other}), "has none of the kernels that");
  std::ofstream(other) << R"({"format": "crosslane-profile", "version": 1, "kernels": [{"name": "f", "launches": 1}]})";
  EXPECT_HAS(error({examples + "saxpy.cl", "--profile", other}), "counts no instructions of f");
  // A code object of another card's.
  const std::string object = folder / "if_else.co";
  ASSERT_EQ(crosslane({"asm", examples + "if_else.s", "--target", "gfx803", "-o", object}).status, 0);
  EXPECT_HAS(error({object, "--gpu", "vega10"}), "is for gfx803, and the card vega10 runs gfx900");
}

} // namespace
} // namespace crosslane::cli::test
