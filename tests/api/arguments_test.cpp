// Arguments of every kind, and what is no argument.
#include "tests/api/program.h"
#include <cmath>
#include <cstring>
#include <numeric>

namespace crosslane::test {
namespace {

std::vector<float> iota(size_t n) {
  std::vector<float> all(n);
  std::iota(all.begin(), all.end(), 0.0f);
  return all;
}

TEST(Arguments, MemoryOfTheCallersAndOfTheDevice) {
  const std::vector<float> a = iota(1000);
  std::vector<float> c(1000, -1);
  const Buffer b = context().buffer(4000, "b");
  for (float& x : b.as<float>())
    x += 2; // of zeros
  launch("add").grid(1000).arguments(context().in(a), b, context().out(c), 1000).run();
  for (size_t i = 0; i < 1000; ++i)
    EXPECT_EQ(c[i], a[i] + 2);
}

// What it held when the launch was made does not matter: what it holds when it runs does.
TEST(Arguments, MemoryIsReadWhenALaunchBeginsAndOnlyWrittenIfItMayBe) {
  std::vector<float> a(64, 1), b(64, 1), c(64, 0);
  const Buffer in = context().in(a), out = context().out(c);
  auto add = launch("add");
  add.grid(64).arguments(in, context().in(b), out, 64);
  a[3] = 40;
  add.run();
  EXPECT_EQ(c[3], 41);
  a[3] = 50; // the buffer of `b` lives in the launch
  add.run();
  EXPECT_EQ(c[3], 51);
  add.argument(2, in).run(); // writes to what it may not
  EXPECT_EQ(a[3], 50);
}

TEST(Arguments, OneBufferSeveralTimesAndFromWithin) {
  std::vector<float> data(128, 1);
  const Buffer buffer = context().out(data);
  auto add = launch("add");
  add.grid(64).arguments(buffer, buffer, buffer, 64);
  ASSERT_EQ(crosslane_launch_set_buffer(add.get(), 2, buffer.get(), 256), CROSSLANE_OK);
  add.run();
  EXPECT_EQ(data[63], 1);
  EXPECT_EQ(data[64], 2);
  EXPECT_EQ(crosslane_launch_set_buffer(add.get(), 2, buffer.get(), 513), CROSSLANE_ERROR_LAUNCH);
  EXPECT_THAT(crosslane_launch_message(add.get()), HasSubstr("513 bytes into a buffer of 512"));
}

TEST(Arguments, NumbersAsTheParameterHasThem) {
  std::vector<double> out(10);
  auto types = launch("types");
  types.grid(1).block(1);
  types
      .arguments(context().out(out), -128, 255, -32768, 65535, INT32_MIN, UINT32_MAX, INT64_MIN, UINT64_MAX, 0.5f, M_PI)
      .run();
  EXPECT_THAT(out,
              ElementsAre(-128, 255, -32768, 65535, double(INT32_MIN), double(UINT32_MAX), -0x1p63, 0x1p64, 0.5, M_PI));
  types.argument(1, 3.0).argument(9, 7).argument(10, INFINITY).run(); // what fits exactly
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[8], 7);
  EXPECT_TRUE(std::isinf(out[9]));
  EXPECT_FAILS(types.argument(1, 128), CROSSLANE_ERROR_LAUNCH, "128");
  EXPECT_FAILS(types.argument(2, -1), CROSSLANE_ERROR_LAUNCH, "-1");
  EXPECT_FAILS(types.argument(6, 1ll << 32), CROSSLANE_ERROR_LAUNCH, "4294967296");
  EXPECT_FAILS(types.argument(5, 1.5), CROSSLANE_ERROR_LAUNCH, "1.5");
  EXPECT_FAILS(types.argument(0, 1), CROSSLANE_ERROR_LAUNCH, "a number for 'double* out'");
  types.run(); // what was refused has changed nothing
  EXPECT_EQ(out[0], 3);
}

TEST(Arguments, StructuresVectorsAndLocalMemory) {
  struct {
    float factor = 10;
    int shift = 1;
  } pair;
  struct {
    float x[4] = {0, 0, 0, 100};
  } v;
  std::vector<float> data = iota(64);
  launch("scaled").grid(64).arguments(context().out(data), pair, v).run();
  EXPECT_EQ(data[7], 171);
  std::vector<uint32_t> words(256);
  std::iota(words.begin(), words.end(), 0u);
  launch("reverse").grid(256).block(256).arguments(context().out(words), Local{1024}).run();
  EXPECT_EQ(words[0], 255u);
  EXPECT_EQ(words[255], 0u);
  EXPECT_FAILS(launch("scaled").argument(1, 7), CROSSLANE_ERROR_LAUNCH, "a number for");
  EXPECT_FAILS(launch("scaled").argument(1, data.data()), CROSSLANE_ERROR_LAUNCH, "an address for");
  EXPECT_FAILS(launch("reverse").argument(0, Local{4}), CROSSLANE_ERROR_LAUNCH, "bytes of LDS for");
  EXPECT_FAILS(launch("reverse").argument(1, context().buffer(4)), CROSSLANE_ERROR_LAUNCH, "an address for");
  EXPECT_EQ(crosslane_launch_set_value(launch("scaled").get(), 1, &v, sizeof(v)), CROSSLANE_ERROR_LAUNCH);
}

TEST(Arguments, InWordsBesideOthers) {
  const std::vector<float> a = iota(100);
  auto add = launch("add");
  add.grid(100).argument(0, context().in(a)).word("c=[100]").word("f32[100]:1").word("n=100");
  const Result result = add.run();
  EXPECT_EQ(result.buffer<float>("c")[99], 100);
  EXPECT_EQ(result.buffer<float>("b")[99], 1);
  EXPECT_FAILS(result.buffer<float>("a"), CROSSLANE_ERROR_NAME, "there is no buffer 'a'; the buffers are b, c");
  EXPECT_FAILS(add.word("a=[100]").run(), CROSSLANE_ERROR_LAUNCH, "parameter 'a' is given twice");
  EXPECT_FAILS(add.clear_arguments().run(), CROSSLANE_ERROR_LAUNCH, "argument 'a' is missing");
}

TEST(Arguments, MissingAndTooMany) {
  EXPECT_FAILS(launch("ids").run(), CROSSLANE_ERROR_LAUNCH, "argument 'out' is missing");
  EXPECT_FAILS(launch("ids").argument(0, context().buffer(4)).run(), CROSSLANE_ERROR_LAUNCH, "how many work-items?");
  EXPECT_FAILS(launch("ids").argument(1, 1), CROSSLANE_ERROR_LAUNCH, "argument 1");
  EXPECT_FAILS(launch("ids").argument(1, nullptr), CROSSLANE_ERROR_LAUNCH, "there is 1");
}

// Any memory of the process's, if the launch may.
TEST(Arguments, AddressesOfTheProcess) {
  std::vector<uint32_t> out(64, 7);
  auto ids = launch("ids");
  ids.grid(64).argument(0, out.data());
  EXPECT_FAILS(ids.run(), CROSSLANE_FAULT, "unmapped address");
  EXPECT_EQ(out[63], 7u);
  ids.configure("host_memory = true").run();
  EXPECT_EQ(out[63], 63u);
}

// Without metadata arguments say what they are by their sizes.
TEST(Arguments, OfCodeWithoutMetadata) {
  constexpr const char* bare = R"(
    .text
    .globl bare
    .p2align 8
    .type bare,@function
bare:
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_load_dword s4, s[0:1], 0x8
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    v_mov_b32_e32 v2, s4
    global_store_dword v1, v2, s[2:3]
    s_endpgm
    .rodata
    .p2align 6
    .amdhsa_kernel bare
      .amdhsa_user_sgpr_kernarg_segment_ptr 1
      .amdhsa_next_free_vgpr 4
      .amdhsa_next_free_sgpr 8
    .end_amdhsa_kernel
)";
  const Module module = context().load_source(bare, "bare.s", "gfx900");
  EXPECT_EQ(module.kernel().info().has_metadata, 0u);
  std::vector<uint32_t> out(64);
  auto run = module.kernel().launch();
  run.grid(64).block(64).argument(0, context().out(out));
  EXPECT_FAILS(run.argument(1, 7), CROSSLANE_ERROR_LAUNCH, "its type is not known");
  const uint32_t value = 77;
  ASSERT_EQ(crosslane_launch_set_value(run.get(), 1, &value, sizeof(value)), CROSSLANE_OK);
  run.run();
  EXPECT_EQ(out[63], 77u);
}

} // namespace
} // namespace crosslane::test
