// What comes of launches: sizes, results, documents, faults; that they can be stopped and run side by side.
#include "tests/api/program.h"
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

namespace crosslane::test {
namespace {

using Json = nlohmann::json;

TEST(Launches, GridsOfEveryShape) {
  std::vector<uint32_t> out(5 * 3 * 2, 99);
  auto ids = launch("ids");
  ids.grid(5, 3, 2).block(4, 2, 1).argument(0, context().out(out)).run();
  for (uint32_t z = 0; z < 2; ++z)
    for (uint32_t y = 0; y < 3; ++y)
      for (uint32_t x = 0; x < 5; ++x)
        EXPECT_EQ(out[x + 5 * (y + 3 * z)], x + 100 * y + 10000 * z);
  const Result groups = ids.groups(1, 3, 1).block(5, 1, 2).run();
  EXPECT_EQ(groups.stats().workgroups, 3u);
  const Result none = ids.grid(0).block(64).run();
  EXPECT_EQ(none.stats().workgroups, 0u);
  EXPECT_FAILS(ids.grid(64).block(2048).run(), CROSSLANE_ERROR_LAUNCH, "work-items");
}

TEST(Launches, DocumentsOfWhatWasAskedFor) {
  std::vector<float> c(256);
  const Buffer buffer = context().out(c, "c");
  auto add = launch("add");
  add.grid(256).arguments(buffer, buffer, buffer, 256).configure(R"(
    profile = "all"
    check = "memory,race"
    time = true
    gpu = "vega10"
    fidelity = true)");
  const Result result = add.run();
  const auto json = [&](const char* name) { return Json::parse(result.document(name)); };
  EXPECT_EQ(json("profile.json")["kernels"][0]["name"], "add");
  EXPECT_EQ(json("profile.json")["timing"], json("timing.json"));
  EXPECT_THAT(json("profile.json")["buffers"].dump(), HasSubstr("\"name\":\"c\",\"size\":1024,\"type\":\"f32\""));
  EXPECT_TRUE(json("findings.json")["findings"].empty());
  EXPECT_EQ(json("findings.sarif")["version"], "2.1.0");
  EXPECT_THAT(result.document("findings.xml"), HasSubstr("<testsuites"));
  EXPECT_THAT(result.document("timing.txt"), HasSubstr("modelled on vega10"));
  EXPECT_THAT(result.document("profile.csv"), HasSubstr("Correlation_Id"));
  EXPECT_THAT(result.document("profile.html"), HasSubstr("</html>"));
  EXPECT_THAT(result.document("fidelity.txt"), HasSubstr("add"));
  EXPECT_FAILS(result.document("counters.json"), CROSSLANE_ERROR_NAME, "had no option 'counters'");
  EXPECT_FAILS(result.document("profile.pdf"), CROSSLANE_ERROR_NAME, "there are printed, ");
  const Result plain = launch("add").grid(1).arguments(buffer, buffer, buffer, 1).run();
  for (const char* name : {"profile.json", "findings.json", "timing.json", "comparisons.txt"})
    EXPECT_FAILS(plain.document(name), CROSSLANE_ERROR_NAME, "had no option");
  EXPECT_EQ(plain.document("printed"), "");
}

// The page has the text of a source that was never a file, by whatever name and in whatever language.
TEST(Launches, SourcesOfBytesAreInProfiles) {
  constexpr const char* assembly = R"(.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.p2align 8
one:
  s_nop 0 // the only one
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel one
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
)";
  const struct {
    const char *name, *text, *kernel;
  } rows[] = {{"in/memory.cl", "kernel void one(global int* x) {\n  x[0] = 77; // caf\xe9\n}\n", "one"},
              {"in/memory.s", assembly, "one"}};
  for (const auto& row : rows) {
    const Module code = context().load_source(row.text, row.name);
    auto one = code.kernel("one").launch();
    one.grid(64).configure("profile = 'all'");
    if (code.kernel("one").info().parameter_count)
      one.arguments(context().buffer(4));
    const Result result = one.run();
    const Json profile = Json::parse(result.document("profile.json"));
    ASSERT_EQ(profile["sources"].size(), 1u) << row.name;
    const std::string text = profile["sources"][0]["text"];
    EXPECT_THAT(text, testing::AnyOf(row.text, "kernel void one(global int* x) {\n  x[0] = 77; // caf\u00e9\n}\n"));
    EXPECT_THAT(result.document("profile.html"), HasSubstr(row.name[10] == 'c' ? "x[0] = 77" : "the only one"));
  }
}

TEST(Launches, FindingsAreCountedAndDoNotFail) {
  const Buffer small = context().buffer(40, "small");
  auto add = launch("add");
  const Result result = add.grid(64).arguments(small, small, small, 11).configure("check = 'memory'").run();
  EXPECT_GT(result.stats().findings, 0u);
  EXPECT_THAT(result.document("findings.txt"), HasSubstr("'small' (40 bytes)"));
  EXPECT_EQ(Json::parse(result.document("findings.json"))["findings"].size(), result.stats().findings);
}

TEST(Launches, OptionsThatAreNoneOfALaunch) {
  auto add = launch("add");
  for (const char* toml : {"file = 'x.cl'", "kernel = 'ids'", "target = 'gfx803'", "clang = '-O0'", "sandbox = true"})
    EXPECT_FAILS(add.configure(toml), CROSSLANE_ERROR_LAUNCH, "is not one of a launch");
  EXPECT_FAILS(add.configure("profil = 'all'"), CROSSLANE_ERROR_LAUNCH, "unknown key 'profil'");
  EXPECT_FAILS(add.configure("profile ="), CROSSLANE_ERROR_LAUNCH, "options:1:");
  EXPECT_FAILS(add.configure("gpu = 'vega10'").grid(1).arguments(nullptr, nullptr, nullptr, 0).run(),
               CROSSLANE_ERROR_LAUNCH, "gpu = \"vega10\" needs 'time'");
}

// A program has keys and functions, and no command line.
TEST(Launches, MessagesNameOptionsByTheirKeys) {
  const struct {
    const char *toml, *words;
  } rows[] = {{"runs = 0", "'runs' must be at least 1"},
              {"time = true\nruns = 2", "'time' models one run; runs = 2 are more"},
              {"time_error = 1", "time_error = 1 needs 'time'"},
              {"time_files = 'x'", "time_files = \"x\" needs 'time'"},
              {"time = true\ngpu = 'vega20'", "'target' compiles for another one"},
              {"time = true\ngpu = 'vega99'", "gpu = \"vega99\": "},
              {"findings = 'x.json'", "'findings' needs 'check'"},
              {"max_findings = 1", "'max_findings' needs 'check'"},
              {"overhead = true", "'overhead' needs 'profile'"},
              {"profile = 'all'\nlaunch = '3'", "launch = \"3\": there is 1 launch, counted from 0; 'runs' makes more"},
              {"profile = 'colours'", "'profile' colours"},
              {"trace_wave = '0:0'", "'trace_wave' needs 'html' or 'json'"},
              {"per_wave = true", "'per_wave' needs 'profile'"},
              {"counters = 'x.json'", "'counters': "},
              {"print = ['x']", "'print': "},
              {"[expect]\nx = '[1]'", "'expect': "},
              {"[out]\nx = 'x.npy'", "'out': "},
              {"groups = 1", "give 'grid' (work-items) or 'groups'"}};
  const Buffer buffer = context().buffer(64);
  for (const auto& row : rows) {
    auto add = launch("add");
    add.grid(1).arguments(buffer, buffer, buffer, 1).configure(row.toml);
    EXPECT_FAILS(add.run(), CROSSLANE_ERROR_LAUNCH, row.words);
    std::string text = failure([&] { add.run(); }).text;
    if (const size_t pointer = text.find("'crosslane run --help'"); pointer != std::string::npos)
      text.resize(pointer);
    EXPECT_THAT(text, Not(HasSubstr("--"))) << row.toml;
  }
  EXPECT_FAILS(launch("add").arguments(buffer, buffer, buffer, 1).run(), CROSSLANE_ERROR_LAUNCH, "Set the grid");
  EXPECT_FAILS(module().kernel(""), CROSSLANE_ERROR_NAME, "has 7 kernels; name one:");
}

TEST(Launches, CapturesThatAreNone) {
  EXPECT_FAILS(context().capture("/nowhere"), CROSSLANE_ERROR_CODE, "/nowhere");
  auto add = launch("add");
  EXPECT_FAILS(add.workgroups(0, 1), CROSSLANE_ERROR_ARGUMENT, "not of a captured dispatch");
  EXPECT_FAILS(add.expect_captured(), CROSSLANE_ERROR_ARGUMENT, "not of a captured dispatch");
}

TEST(Launches, ExpectationsAreCompared) {
  auto add = launch("add");
  add.grid(8).word("f32[8]:iota").word("f32[8]:1").word("f32[8]").word("8");
  add.configure("[expect]\nc = 'f32[8]:iota:1'").run();
  add.configure("[expect]\nc = 'f32[8]:iota:2'");
  EXPECT_FAILS(add.run(), CROSSLANE_DIFFERENT, "8 of 8");
}

TEST(Launches, AFaultIsData) {
  const Buffer a = context().buffer(4096, "a");
  auto add = launch("add");
  add.grid(2048).block(64).arguments(a, a, a, 2048);
  const Result result = add.try_run();
  EXPECT_EQ(result.status(), CROSSLANE_FAULT);
  const auto fault = result.fault();
  ASSERT_TRUE(fault);
  EXPECT_THAT(result.message(), HasSubstr("memory fault"));
  EXPECT_FAILS(result.document("profile.json"), CROSSLANE_ERROR_NAME, "had no option 'profile'");
  EXPECT_EQ(fault->kind, "unmapped address");
  EXPECT_THAT(fault->kernel, HasSubstr("add"));
  EXPECT_THAT(fault->instruction, HasSubstr("load"));
  EXPECT_THAT(fault->source, HasSubstr("kernels.cl:4:"));
  EXPECT_THAT(fault->detail, HasSubstr("'a' (4096 bytes)"));
  EXPECT_GE(fault->workgroup[0], 16u);
  EXPECT_TRUE(fault->lane);
  EXPECT_GE(fault->address, reinterpret_cast<uint64_t>(a.data()) + 4096);
  try {
    add.run();
    FAIL();
  } catch (const KernelError& error) {
    EXPECT_EQ(error.result().fault()->kind, fault->kind);
    EXPECT_THAT(error.what(), HasSubstr("memory fault"));
  }
  add.arguments(a, a, a, 1024).run(); // all goes on
  EXPECT_FALSE(add.try_run().fault());
}

// What the caller has is not half a result.
TEST(Launches, OfAFaultNothingIsPutBack) {
  std::vector<float> c(64, 7);
  const Buffer a = context().buffer(256);
  EXPECT_FAILS(launch("add").grid(1024).block(64).arguments(a, a, context().out(c), 1024).run(), CROSSLANE_FAULT, "");
  EXPECT_THAT(c, testing::Each(7));
}

TEST(Launches, RefusedTimeOutAndCancelled) {
  EXPECT_FAILS(launch("reverse").grid(64).arguments(context().buffer(256), Local{65536 + 4}).run(),
               CROSSLANE_ERROR_LAUNCH, "a workgroup has 65536");
  auto wait = launch("wait");
  wait.grid(1).argument(0, context().buffer(4, "flag")).configure("timeout = 0.2");
  EXPECT_FAILS(wait.run(), CROSSLANE_TIMEOUT, "the time limit is over");
  wait.configure("timeout = 0").on_progress([&](const Progress& p) {
    EXPECT_EQ(p.workgroups, 1u);
    wait.cancel();
  });
  EXPECT_FAILS(wait.run(), CROSSLANE_CANCELLED, "crosslane_launch_cancel()");
  wait.cancel(); // nothing runs
  EXPECT_FAILS(wait.run(), CROSSLANE_CANCELLED, "");
}

TEST(Launches, CancelledFromAnotherThread) {
  auto wait = launch("wait");
  wait.grid(1).argument(0, context().buffer(4));
  std::atomic<bool> ended = false;
  std::thread other([&] {
    while (!ended) {
      wait.cancel();
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(wait.try_run().status(), CROSSLANE_CANCELLED);
  ended = true;
  other.join();
}

TEST(Launches, WhatKernelsPrint) {
  const Result result = launch("say").grid(2).block(1).argument(0, 3).configure("runs = 2").run();
  EXPECT_EQ(result.document("printed"), "3 says hello\n3 says hello\n3 says hello\n3 says hello\n");
}

TEST(Launches, HandlesMayGoInAnyOrder) {
  crosslane_context* context = nullptr;
  ASSERT_EQ(crosslane_context_create(&context), CROSSLANE_OK);
  crosslane_module* module = nullptr;
  ASSERT_EQ(crosslane_module_load(context, EXAMPLES "/vector_add.cl", nullptr, &module), CROSSLANE_OK);
  crosslane_buffer* buffer = nullptr;
  ASSERT_EQ(crosslane_buffer_create(context, 400, "data", &buffer), CROSSLANE_OK);
  crosslane_launch* launch = nullptr;
  ASSERT_EQ(crosslane_launch_create(crosslane_module_kernel(module, ""), &launch), CROSSLANE_OK);
  const uint32_t size = 100;
  crosslane_launch_set_grid(launch, 1, &size);
  for (size_t i = 0; i < 3; ++i)
    ASSERT_EQ(crosslane_launch_set_buffer(launch, i, buffer, 0), CROSSLANE_OK);
  crosslane_launch_set_integer(launch, 3, 101);
  crosslane_launch_configure(launch, "check = 'memory'");
  crosslane_context_destroy(context), crosslane_module_destroy(module), crosslane_buffer_destroy(buffer);
  crosslane_result* result = nullptr;
  EXPECT_EQ(crosslane_launch_run(launch, &result), CROSSLANE_OK);
  crosslane_launch_destroy(launch);
  const char* text = nullptr;
  EXPECT_EQ(crosslane_result_document(result, "findings.json", &text, nullptr), CROSSLANE_OK);
  EXPECT_NE(text, nullptr);
  crosslane_result_destroy(result);
}

TEST(Launches, SideBySideInOneContextAndInSeveral) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  const Kernel add = module().kernel("add");
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Context own;
      const Context& mine = t % 2 ? own : context();
      for (int round = 0; round < 20; ++round) {
        std::vector<float> a(777, float(t)), c(777);
        add.launch().grid(777).arguments(mine.in(a), mine.in(a), mine.out(c), 777).run();
        wrong += c[776] != 2.0f * float(t) || c[0] != 2.0f * float(t);
        // One of them is wrong on purpose, and the others do not notice.
        if (t == 3 && !add.launch().grid(64).arguments(nullptr, nullptr, nullptr, 64).try_run().fault())
          ++wrong;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Launches, NothingIsPrinted) {
  const Kernel say = module().kernel("say"), add = module().kernel("add");
  const Buffer a = context().buffer(64);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Failure fault = failure([&] { add.launch().grid(1024).arguments(a, a, a, 1024).run(); });
  const Failure source = failure([&] { context().load_source("kernel", "k.cl"); });
  const Failure none = failure([&] { say.launch().grid(1).argument(0, 1).run(); });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(fault.status, CROSSLANE_FAULT);
  EXPECT_EQ(source.status, CROSSLANE_ERROR_CODE);
  EXPECT_EQ(none.status, CROSSLANE_OK) << none.text;
}

extern "C" int null_everywhere(void); // null_test.c, which is C
TEST(Launches, NullIsAnErrorEverywhere) { EXPECT_EQ(null_everywhere(), 0); }

} // namespace
} // namespace crosslane::test
