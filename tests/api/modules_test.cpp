// Code from files and bytes, what it has, and how it is said that it cannot be had.
#include "tests/api/program.h"
#include <fstream>
#include <iterator>
#include <set>

namespace crosslane::test {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Library, SaysWhatItIs) {
  EXPECT_EQ(crosslane_api_version(), uint32_t(CROSSLANE_API_VERSION));
  EXPECT_THAT(crosslane_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(crosslane_host_level(), testing::AnyOf(testing::StrEq("v1"), testing::StrEq("v3"), testing::StrEq("v4")));
  std::set<std::string> targets, cards;
  for (size_t i = 0; const char* name = crosslane_target(i); ++i)
    targets.insert(name);
  for (size_t i = 0; const char* name = crosslane_card(i); ++i)
    cards.insert(name);
  EXPECT_THAT(targets, testing::IsSupersetOf({"gfx600", "gfx803", "gfx900", "gfx906", "gfx90a"}));
  EXPECT_THAT(cards, testing::IsSupersetOf({"tahiti", "vega10", "vega20"}));
}

TEST(Library, JitPolicyIsChosenOnce) {
  EXPECT_EQ(crosslane_set_jit("sometimes"), CROSSLANE_ERROR_NAME);
  launch("add").grid(0).arguments(nullptr, nullptr, nullptr, 0).run(); // from here on one is in use
  const char* word = std::getenv("CROSSLANE_JIT");
  const std::string used = word ? word : "on";
  EXPECT_EQ(crosslane_set_jit(used.c_str()), CROSSLANE_OK);
  EXPECT_EQ(crosslane_set_jit(used == "off" ? "on" : "off"), CROSSLANE_ERROR_ARGUMENT);
}

TEST(Modules, KernelsAndTheirParameters) {
  std::vector<std::string> names;
  for (const Kernel& kernel : module().kernels())
    names.push_back(kernel.info().name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("add", "ids", "types", "reverse", "scaled", "wait", "say"));
  EXPECT_EQ(module().target(), "gfx900");

  const auto info = module().kernel("reverse").info();
  EXPECT_STREQ(info.symbol, "reverse");
  EXPECT_THAT(info.signature, HasSubstr("reverse("));
  EXPECT_EQ(info.has_metadata, 1u);
  EXPECT_GT(info.vgprs, 0u);
  const auto parameters = module().kernel("reverse").parameters();
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_STREQ(parameters[0].name, "data");
  EXPECT_EQ(parameters[0].kind, CROSSLANE_PARAMETER_POINTER);
  EXPECT_EQ(parameters[0].element, CROSSLANE_U32);
  EXPECT_EQ(parameters[1].kind, CROSSLANE_PARAMETER_LOCAL);
  const auto types = module().kernel("types").parameters();
  ASSERT_EQ(types.size(), 11u);
  const crosslane_type wanted[] = {CROSSLANE_I8,  CROSSLANE_U8,  CROSSLANE_I16, CROSSLANE_U16, CROSSLANE_I32,
                                   CROSSLANE_U32, CROSSLANE_I64, CROSSLANE_U64, CROSSLANE_F32, CROSSLANE_F64};
  for (size_t i = 0; i < 10; ++i)
    EXPECT_EQ(types[i + 1].element, wanted[i]) << types[i + 1].name;
  EXPECT_EQ(crosslane_kernel_parameter_index(module().kernel("types").get(), "j"), 10);
  EXPECT_EQ(crosslane_kernel_parameter_index(module().kernel("types").get(), "k"), -1);
}

// An older caller knows less of a structure than the library.
TEST(Modules, StructuresAreFilledAsFarAsTheCallerKnowsThem) {
  crosslane_kernel_info info = {};
  info.size = offsetof(crosslane_kernel_info, signature);
  info.signature = "untouched";
  ASSERT_EQ(crosslane_kernel_get_info(module().kernel("add").get(), &info), CROSSLANE_OK);
  EXPECT_STREQ(info.name, "add");
  EXPECT_STREQ(info.signature, "untouched");
  info.size = 0;
  EXPECT_EQ(crosslane_kernel_get_info(module().kernel("add").get(), &info), CROSSLANE_ERROR_ARGUMENT);
}

TEST(Modules, FromBytesAsFromFiles) {
  const std::string text = text_of(INPUT_DIR "/add.s");
  const Module file = context().load(INPUT_DIR "/add.s");
  const Module bytes = context().load_source(text, "add.s");
  EXPECT_EQ(file.target(), "gfx900");
  EXPECT_EQ(bytes.target(), "gfx900");
  EXPECT_EQ(file.kernels().size(), bytes.kernels().size());
  const std::string words[] = {"-DWANTED=1"};
  const char* conditional = "#ifdef WANTED\nkernel void wanted(void) {}\n#endif\nkernel void other(void) {}";
  EXPECT_EQ(context().load_source(conditional, "c.cl", "gfx803", words).kernels().size(), 2u);
  EXPECT_EQ(context().load_source(conditional, "c.cl", "gfx803").target(), "gfx803");
}

TEST(Modules, WhatCannotBeLoadedIsSaid) {
  EXPECT_FAILS(context().load("nowhere.co"), CROSSLANE_ERROR_CODE, "nowhere.co");
  EXPECT_FAILS(context().load(INPUT_DIR "/add.s", "gfx9999"), CROSSLANE_ERROR_CODE, "is not a target of crosslane");
  EXPECT_FAILS(context().load_source("kernel void f() { oops }", "my.cl"), CROSSLANE_ERROR_CODE, "my.cl:1:");
  EXPECT_FAILS(context().load_source("s_nonsense", "my.s"), CROSSLANE_ERROR_CODE, "my.s:1:");
  EXPECT_FAILS(context().load_source("\x7f"
                                     "ELF and nothing else",
                                     "my.co"),
               CROSSLANE_ERROR_CODE, "my.co");
  EXPECT_FAILS(context().load_source("", "empty.co"), CROSSLANE_ERROR_CODE, "empty.co");
  EXPECT_FAILS(module().kernel("subtract"), CROSSLANE_ERROR_NAME, "add(");
  EXPECT_FAILS(module().kernel(), CROSSLANE_ERROR_NAME, "has 7 kernels");
  EXPECT_FAILS(module().variable("nothing"), CROSSLANE_ERROR_NAME, "has no variable 'nothing'");
}

TEST(Modules, VariablesStayFromLaunchToLaunch) {
  const Module counting = context().load_source(R"(
    __device__ int counter = 5;
    __global__ void count() { counter += 1; })",
                                                "counting.hip");
  const Buffer counter = counting.variable("counter");
  ASSERT_EQ(counter.size(), sizeof(int));
  auto count = counting.kernel().launch();
  count.grid(1).block(1);
  count.run(), count.run();
  EXPECT_EQ(counter.as<int>()[0], 7);
  counter.as<int>()[0] = 100;
  count.run();
  EXPECT_EQ(counter.as<int>()[0], 101);
  Module again =
      context().load_source("__device__ int counter = 5; __global__ void count() { counter += 1; }", "c.hip");
  again.kernel().launch().grid(1).block(1).run();
  EXPECT_EQ(again.variable("counter").as<int>()[0], 6); // its own
  again.reset();
  EXPECT_EQ(again.variable("counter").as<int>()[0], 5);
}

} // namespace
} // namespace crosslane::test
