// crosslane disasm.
#include "tests/cli/command.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

using Json = nlohmann::json;

TEST(DisasmCommand, FileWithLabelsLinesAndDescriptor) {
  const Result result = crosslane({"disasm", input("twice.s")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "for gfx906");
  EXPECT_HAS(result.out, "\ntwice:\n");
  EXPECT_HAS(result.out,
             "s[0:3] private_segment_buffer, s[4:5] kernarg_segment_ptr, s6 workgroup_id_x, v0 work-item id");
  EXPECT_HAS(result.out, "twice.s:15\n  s_and_saveexec_b64 s[6:7], vcc ");
  EXPECT_HAS(result.out, "// 001324: be86206a\n");
  // The label of the branch is the label before its target.
  const size_t branch = result.out.find("s_cbranch_execz L");
  ASSERT_NE(branch, std::string::npos);
  const std::string label = result.out.substr(branch + 16, result.out.find(' ', branch + 16) - branch - 16);
  const size_t target = result.out.find("\n" + label + ":\n");
  ASSERT_NE(target, std::string::npos) << label;
  EXPECT_LT(target, result.out.find("s_or_b64 exec"));
}

TEST(DisasmCommand, Options) {
  const Result result = crosslane({"disasm", input("math.cl"), "--kernel", "atomics", "--target", "gfx803",
                                   "--no-addresses", "--no-source", "--no-descriptors"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "\natomics:\n");
  EXPECT_HAS(result.out, "\n  s_endpgm\n");
  for (const char* absent : {"native:", "//", "math.cl:4", "; kernel"})
    EXPECT_FALSE(contains(result.out, absent)) << absent;
  EXPECT_HAS(crosslane({"disasm", input("math.cl"), "--kernel", "x"}).err, "has no kernel 'x'");
}

TEST(DisasmCommand, SourceLinesWithTheirText) {
  const Folder folder;
  std::ofstream(folder / "k.cl")
      << "kernel void twice(global int* x) {\n\tx[get_global_id(0)] *= 2; // \x1b[31m\r\n}\n";
  const Result result = crosslane({"disasm", folder / "k.cl", "-S"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "k.cl:2 | \tx[get_global_id(0)] *= 2; // \\x1b[31m\n  ");
  EXPECT_HAS(result.out, "k.cl:3 | }\n  s_endpgm");
  // Of a code object whose source is gone, it is said once.
  ASSERT_EQ(crosslane({"instrument", folder / "k.cl", "--probe", "none", "-o", folder / "k.co"}).status, 0);
  std::filesystem::remove(folder / "k.cl");
  const std::string gone = crosslane({"disasm", folder / "k.co", "-S"}).out;
  const size_t at = gone.find("  (the file is not there)\n");
  ASSERT_NE(at, std::string::npos) << gone;
  EXPECT_EQ(gone.find("(the file is not there)", at + 20), std::string::npos);
  EXPECT_HAS(crosslane({"disasm", folder / "k.co", "-S", "--no-source"}).err, "--no-source leaves out");
}

TEST(DisasmCommand, Uops) {
  const Result result = crosslane({"disasm", input("twice.s"), "--uops", "--no-addresses", "--no-source"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "\n  s_and_saveexec_b64 s[6:7], vcc\n    ; save_exec dst=s6 a=vcc_lo");
  EXPECT_HAS(result.out, "\n  s_endpgm\n    ; end\n");
}

TEST(DisasmCommand, FunctionsOfCppAreDemangled) {
  const Result all = crosslane({"disasm", input("templates.hip"), "--no-source"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_HAS(all.out, "\n; kernel shapes::scale<3, shapes::Box>(shapes::Box* data, float by)\n");
  EXPECT_HAS(all.out, "\n; kernel (anonymous namespace)::hidden(float* out)\n");
  EXPECT_HAS(all.out, "\n_Z5twicefi:  ; twice(float, int)\n");
  for (const char* name : {"twice", "twice(float,int)", "_Z5twicefi"}) {
    const Result one = crosslane({"disasm", input("templates.hip"), "--kernel", name});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_HAS(one.out, "\n_Z5twicefi:  ; twice(float, int)\n");
    EXPECT_FALSE(contains(one.out, "hidden")) << one.out;
  }
}

TEST(DisasmCommand, Gfx6AndGfx7) {
  for (const char* target : {"gfx602", "gfx704"}) {
    const Result result = crosslane({"disasm", input("math.cl"), "--kernel", "atomics", "--target", target});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_HAS(result.out, std::string("for ") + target);
    EXPECT_HAS(result.out, "\n  s_load_dwordx2 s[0:1], s[4:5], 0x0 ");
    EXPECT_HAS(result.out, "\n  s_endpgm ");
    EXPECT_FALSE(contains(result.out, ".long")) << result.out;
    EXPECT_EQ(crosslane({"disasm", "--target", target, "--hex"}, "c0c20d04\n").out,
              "s_load_dwordx8 s[4:11], s[12:13], 0x4\n");
  }
}

TEST(DisasmCommand, OneLineOutForEachLineIn) {
  const Result result = crosslane({"disasm", "--target", "gfx900", "--hex"},
                                  "7e000280\n0x80,0x02,0x00,0x7e\r\n\nzz\nd8ec0000 00000000\n0xbf810000");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.err,
            "crosslane: 2 of 6 lines are no instruction of gfx900, the first one line 3: see 'error:' in the output\n");
  ASSERT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 6) << result.out;
  EXPECT_TRUE(result.out.starts_with("v_mov_b32_e32 v0, 0\nv_mov_b32_e32 v0, 0\nerror: ")) << result.out;
  EXPECT_TRUE(result.out.ends_with("\ns_endpgm\n")) << result.out;
}

TEST(DisasmCommand, HexOfManyLines) {
  std::string in, expected;
  for (int i = 0; i < 50000; ++i)
    in += "0xbf810000\n", expected += "s_endpgm\n";
  const Result result = crosslane({"disasm", "--target", "gfx906", "--hex"}, in);
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.out == expected);
  EXPECT_EQ(crosslane({"disasm", "--target", "gfx906", "--hex"}, "").out, "");
}

TEST(DisasmCommand, ListOfWhatThereIs) {
  const Result result = crosslane({"disasm", input("lds.cl"), "--list"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "code object v5 for gfx900");
  EXPECT_HAS(result.out, "  scratch  kernarg  code  kernel\n");
  EXPECT_HAS(result.out, "  descriptor  ");
  EXPECT_FALSE(contains(result.out, "s_endpgm"));
  // As JSON, what the code object says of itself, by another reader of it.
  const Folder folder;
  ASSERT_EQ(crosslane({"instrument", input("vadd.cl"), "--probe", "none", "-o", folder / "k.co"}).status, 0);
  const Json list = Json::parse(crosslane({"disasm", folder / "k.co", "--list", "--json"}).out);
  EXPECT_EQ(list["crosslane_contents"], 1);
  ASSERT_EQ(list["code_objects"].size(), 1u);
  const Json& object = list["code_objects"][0];
  EXPECT_EQ(object["bytes"], std::filesystem::file_size(folder / "k.co"));
  const Json& kernel = object["kernels"][0];
  EXPECT_HAS(kernel["signature"].get<std::string>(), "(");
  EXPECT_EQ(kernel["arguments"][0]["kind"], "global_buffer");
  size_t kernarg = 0;
  for (const Json& a : kernel["arguments"])
    kernarg = std::max(kernarg, a["offset"].get<size_t>() + a["bytes"].get<size_t>());
  EXPECT_LE(kernarg, kernel["kernarg_bytes"].get<size_t>());
  std::vector<std::string> symbols;
  for (const Json& s : object["symbols"])
    symbols.push_back(s["name"]);
  EXPECT_TRUE(std::ranges::count(symbols, kernel["descriptor"]["symbol"].get<std::string>()));
  EXPECT_TRUE(std::ranges::count(symbols, kernel["symbol"].get<std::string>()));
}

// A program with an offload bundle of two targets, as HIP's compiler makes one, and what is no program.
TEST(DisasmCommand, ListOfAProgramAndOfBadInput) {
  const Folder folder;
  std::ofstream(folder / "k.hip")
      << "#include <hip/hip_runtime.h>\n__global__ void twice(int* x) { x[threadIdx.x] *= 2; }\n";
  for (const char* target : {"gfx900", "gfx906"})
    ASSERT_EQ(crosslane({"instrument", folder / "k.hip", "--target", target, "--probe", "none", "-o",
                         folder / (target + std::string(".co"))})
                  .status,
              0);
  // A bundle by hand, as clang's documentation has its layout: a host entry without bytes, and two code objects.
  const auto bytes_of = [](const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::pair<std::string, std::string> entries[] = {
      {"host-x86_64-unknown-linux-gnu-", ""},
      {"hipv4-amdgcn-amd-amdhsa--gfx900", bytes_of(folder / "gfx900.co")},
      {"hipv4-amdgcn-amd-amdhsa--gfx906", bytes_of(folder / "gfx906.co")}};
  std::string header = "__CLANG_OFFLOAD_BUNDLE__", body;
  const auto number = [&](uint64_t n) { header.append(reinterpret_cast<const char*>(&n), 8); };
  number(3);
  for (const auto& [id, bytes] : entries) {
    body.resize((body.size() + 4095) / 4096 * 4096);
    number(4096 + body.size()), number(bytes.size()), number(id.size());
    header += id, body += bytes;
  }
  header.resize(4096);
  std::ofstream(folder / "k.bundle", std::ios::binary) << header << body;
  const Result text = crosslane({"disasm", folder / "k.bundle", "--list"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_HAS(text.out, "k.bundle: 3 entries\n");
  EXPECT_HAS(text.out, "k.bundle:gfx906: code object v5 for gfx906");
  const Json all = Json::parse(crosslane({"disasm", folder / "k.bundle", "--list", "--json"}).out);
  EXPECT_EQ(all["entries"][0]["holds"], "nothing");
  EXPECT_EQ(all["entries"][2]["target"], "gfx906");
  EXPECT_EQ(all["entries"][2]["bytes"], entries[2].second.size());
  EXPECT_EQ(all["code_objects"].size(), 2u);
  const Json one =
      Json::parse(crosslane({"disasm", folder / "k.bundle", "--list", "--json", "--target", "gfx906"}).out);
  ASSERT_EQ(one["code_objects"].size(), 1u);
  EXPECT_EQ(one["code_objects"][0]["target"], "gfx906");
  std::ofstream(folder / "cut.bundle", std::ios::binary) << header.substr(0, 100);
  std::ofstream(folder / "x.co") << "nothing of the kind";
  for (const auto& [name, words] :
       {std::pair{"cut.bundle", "cut short"}, {"x.co", "holds no GPU code"}, {"none.co", "No such file"}}) {
    const Result bad = crosslane({"disasm", folder / name, "--list"});
    EXPECT_EQ(bad.status, 2) << name;
    EXPECT_EQ(bad.out, "") << name;
    EXPECT_HAS(bad.err, words);
  }
  EXPECT_HAS(crosslane({"disasm", folder / "k.bundle", "--json"}).err, "--json is the form of --list");
  EXPECT_HAS(crosslane({"disasm", folder / "gfx900.co", "--list", "--uops"}).err, "--uops");
}

} // namespace
} // namespace crosslane::cli::test
