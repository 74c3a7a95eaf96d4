// Images: what their functions do to memory, and what kernels see of them.
#include "tests/hsa/memory_fixture.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <hsa/hsa_ext_image.h>

namespace crosslane::test {
namespace {

constexpr auto rw = HSA_ACCESS_PERMISSION_RW;

class ImageTest : public MemoryTest {
protected:
  explicit ImageTest(const char* gpus = "vega10") : MemoryTest(gpus) {}
  struct Made {
    hsa_ext_image_t image{};
    uint8_t* data = nullptr;
    size_t bytes = 0;
  };
  Made make(const hsa_ext_image_descriptor_t& descriptor) {
    hsa_ext_image_data_info_t info{};
    EXPECT_SUCCESS(hsa_ext_image_data_get_info(gpu(), &descriptor, rw, &info));
    Made made;
    made.data = allocate<uint8_t>(vram, info.size);
    made.bytes = info.size;
    EXPECT_EQ(reinterpret_cast<uint64_t>(made.data) % info.alignment, 0u);
    EXPECT_SUCCESS(hsa_ext_image_create(gpu(), &descriptor, made.data, rw, &made.image));
    return made;
  }
  void destroy(const Made& made) {
    EXPECT_SUCCESS(hsa_ext_image_destroy(gpu(), made.image));
    EXPECT_EQ(hsa_ext_image_destroy(gpu(), made.image), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(made.data));
  }
  static hsa_ext_image_descriptor_t two_d(size_t width, size_t height, hsa_ext_image_format_t format) {
    return {HSA_EXT_IMAGE_GEOMETRY_2D, width, height, 0, 0, format};
  }
};

constexpr hsa_ext_image_format_t words{HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, HSA_EXT_IMAGE_CHANNEL_ORDER_R};
constexpr hsa_ext_image_format_t rgba8{HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
constexpr hsa_ext_image_format_t bgra8{HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA};

TEST_F(ImageTest, ImportAndExportOfEveryGeometry) {
  const hsa_ext_image_descriptor_t descriptors[] = {
      {HSA_EXT_IMAGE_GEOMETRY_1D, 100, 0, 0, 0, words},  {HSA_EXT_IMAGE_GEOMETRY_1DB, 100, 0, 0, 0, words},
      {HSA_EXT_IMAGE_GEOMETRY_2D, 100, 7, 0, 0, words},  {HSA_EXT_IMAGE_GEOMETRY_3D, 100, 7, 5, 0, words},
      {HSA_EXT_IMAGE_GEOMETRY_1DA, 100, 0, 0, 7, words}, {HSA_EXT_IMAGE_GEOMETRY_2DA, 100, 7, 0, 5, words}};
  for (const auto& descriptor : descriptors) {
    const Made made = make(descriptor);
    const bool rows = descriptor.height || descriptor.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA;
    const bool slices = descriptor.depth || descriptor.geometry == HSA_EXT_IMAGE_GEOMETRY_2DA;
    const hsa_ext_image_region_t region{{10, rows ? 2u : 0, slices ? 1u : 0}, {20, rows ? 3u : 1, slices ? 2u : 1}};
    std::vector<uint32_t> in(32 * 4 * 2), out(in.size(), 7);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = uint32_t(i + 1);
    EXPECT_SUCCESS(
        hsa_ext_image_import(gpu(), in.data(), 128, 512, made.image, &region)); // rows of 32 words, slices of 4 rows
    EXPECT_SUCCESS(hsa_ext_image_export(gpu(), made.image, out.data(), 0, 0, &region));
    size_t n = 0;
    for (size_t z = 0; z < region.range.z; ++z)
      for (size_t y = 0; y < region.range.y; ++y)
        for (size_t x = 0; x < 20; ++x)
          ASSERT_EQ(out[n++], in[z * 128 + y * 32 + x]) << descriptor.geometry;
    EXPECT_EQ(out[n], 7u);
    // Nothing else has changed.
    size_t set = 0;
    for (size_t i = 0; i < made.bytes / 4; ++i)
      set += reinterpret_cast<uint32_t*>(made.data)[i] != 0;
    EXPECT_EQ(set, n);
    const hsa_ext_image_region_t outside{{90, 0, 0}, {11, 1, 1}};
    EXPECT_EQ(hsa_ext_image_export(gpu(), made.image, out.data(), 0, 0, &outside), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    destroy(made);
  }
}

TEST_F(ImageTest, ClearConvertsAndCopyCopies) {
  const Made a = make(two_d(10, 4, rgba8)), b = make(two_d(12, 6, rgba8)), swapped = make(two_d(10, 4, bgra8));
  const float orange[4] = {1.0f, 0.5f, 0.0f, 0.25f};
  const hsa_ext_image_region_t region{{1, 1, 0}, {3, 2, 1}};
  EXPECT_SUCCESS(hsa_ext_image_clear(gpu(), a.image, orange, &region));
  EXPECT_SUCCESS(hsa_ext_image_clear(gpu(), swapped.image, orange, &region));
  std::array<uint8_t, 4> texel;
  const auto at = [&](const Made& made, uint32_t x, uint32_t y) {
    const hsa_ext_image_region_t one{{x, y, 0}, {1, 1, 1}};
    EXPECT_SUCCESS(hsa_ext_image_export(gpu(), made.image, texel.data(), 0, 0, &one));
    return texel;
  };
  EXPECT_EQ(at(a, 3, 2), (std::array<uint8_t, 4>{255, 128, 0, 64}));
  EXPECT_EQ(at(swapped, 1, 1), (std::array<uint8_t, 4>{0, 128, 255, 64}));
  EXPECT_EQ(at(a, 4, 2), (std::array<uint8_t, 4>{}));
  const hsa_dim3_t from{1, 1, 0}, to{5, 3, 0}, range{3, 2, 1}, large{8, 2, 1};
  EXPECT_SUCCESS(hsa_ext_image_copy(gpu(), a.image, &from, b.image, &to, &range));
  EXPECT_EQ(at(b, 7, 4), (std::array<uint8_t, 4>{255, 128, 0, 64}));
  EXPECT_EQ(at(b, 4, 3), (std::array<uint8_t, 4>{}));
  EXPECT_EQ(hsa_ext_image_copy(gpu(), a.image, &from, b.image, &to, &large), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (const Made& made : {a, b, swapped})
    destroy(made);
}

// What a clear writes: the value converted to the channel type, the components where the order has them. By hand, from
// the tables of channel orders and types in the HSA Programmer's Reference Manual.
TEST_F(ImageTest, ClearOfEveryKindOfFormat) {
  struct Case {
    uint32_t type, order;
    std::array<float, 4> floats;
    std::array<int32_t, 4> integers;
    std::vector<uint8_t> texel;
  };
  const Case cases[] = {
      {HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8,
       HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA,
       {1, -1, 0.5f, -0.25f},
       {},
       {127, 0x81, 64, 0xe0}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_R, {-2}, {}, {0x01, 0x80}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
       HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB,
       {1, 0.2f, 0, 0.4f},
       {},
       {102, 255, 51, 0}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_RG, {1, 0.2f}, {}, {255, 255, 0x33, 0x33}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_A, {1, 1, 1, 0.4f}, {}, {102}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RA, {0.2f, 1, 1, 0.4f}, {}, {51, 102}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE, {0.2f, 1, 1, 1}, {}, {51}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY, {0.5f, 1, 1, 1}, {}, {0, 0, 0, 0x3f}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RG, {1, -2}, {}, {0, 0x3c, 0, 0xc0}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, {1, 0, 1}, {}, {0x1f, 0xf8}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, {1, 0, 0}, {}, {0x00, 0x7c}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010,
       HSA_EXT_IMAGE_CHANNEL_ORDER_RGB,
       {0, 0, 1, 1},
       {},
       {0xff, 0x03, 0, 0}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8,
       HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA,
       {},
       {1, -1, 200, -200},
       {1, 0xff, 127, 0x80}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_R, {}, {-2}, {0xfe, 0xff}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32, HSA_EXT_IMAGE_CHANNEL_ORDER_R, {}, {-2}, {0xfe, 0xff, 0xff, 0xff}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA, {}, {1, 2, 3, 400}, {3, 2, 1, 255}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_RG, {}, {258, 70000}, {2, 1, 255, 255}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH, {0.2f}, {}, {0x33, 0x33}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH, {0.5f}, {}, {0, 0, 0, 0x3f}},
      // By the formula of the standard form: 0.5 is 187.5 of 255, 0.001 is 3.3, and the last component stays linear.
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
       HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA,
       {0.5f, 0.001f, 1, 0.5f},
       {},
       {188, 3, 255, 128}},
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA, {-1, 2, 0, 0}, {}, {0, 255, 0, 0}},
  };
  for (const Case& c : cases) {
    const Made made = make(two_d(8, 2, {c.type, c.order}));
    const bool integer =
        c.type >= HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8 && c.type <= HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32;
    const hsa_ext_image_region_t one{{3, 1, 0}, {1, 1, 1}};
    EXPECT_SUCCESS(hsa_ext_image_clear(gpu(), made.image,
                                       integer ? static_cast<const void*>(c.integers.data()) : c.floats.data(), &one));
    std::vector<uint8_t> out(c.texel.size());
    EXPECT_SUCCESS(hsa_ext_image_export(gpu(), made.image, out.data(), 0, 0, &one));
    EXPECT_EQ(out, c.texel) << "type " << c.type << " order " << c.order;
    destroy(made);
  }
}

// Colours are copied between RGBA and its standard form; other formats must be the same.
TEST_F(ImageTest, CopiesBetweenFormats) {
  constexpr hsa_ext_image_format_t srgba8{HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA};
  const Made linear = make(two_d(4, 4, rgba8)), standard = make(two_d(4, 4, srgba8)), back = make(two_d(4, 4, rgba8)),
             swapped = make(two_d(4, 4, bgra8)), word = make(two_d(4, 4, words));
  const hsa_ext_image_region_t one{{1, 2, 0}, {1, 1, 1}};
  const std::array<uint8_t, 4> in{128, 10, 255, 128};
  std::array<uint8_t, 4> out{};
  const auto copy = [&](const Made& from, const Made& to) {
    const auto status = hsa_ext_image_copy(gpu(), from.image, &one.offset, to.image, &one.offset, &one.range);
    EXPECT_SUCCESS(hsa_ext_image_export(gpu(), to.image, out.data(), 0, 0, &one));
    return status;
  };
  EXPECT_SUCCESS(hsa_ext_image_import(gpu(), in.data(), 0, 0, linear.image, &one));
  EXPECT_SUCCESS(copy(linear, standard));
  EXPECT_EQ(out, (std::array<uint8_t, 4>{188, 56, 255, 128})); // 1.055 (10/255)^(5/12) - 0.055 = 0.2190
  EXPECT_SUCCESS(copy(standard, back));
  EXPECT_EQ(out, (std::array<uint8_t, 4>{128, 10, 255, 128})); // ((188/255 + 0.055) / 1.055)^2.4 = 0.5029
  for (const Made* other : {&swapped, &word}) {
    EXPECT_EQ(copy(linear, *other), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(copy(*other, standard), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  for (const Made& made : {linear, standard, back, swapped, word})
    destroy(made);
}

TEST_F(ImageTest, NullAndUnknownArguments) {
  const auto descriptor = two_d(8, 8, rgba8);
  const Made made = make(descriptor);
  const hsa_ext_image_region_t one{{}, {1, 1, 1}};
  const hsa_dim3_t zero{};
  const hsa_agent_t nobody{1234};
  const hsa_ext_image_t none{0};
  float value[4] = {};
  constexpr auto bad_agent = HSA_STATUS_ERROR_INVALID_AGENT;
  constexpr auto bad = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  uint32_t mask = 0;
  hsa_ext_image_data_info_t info{};
  hsa_ext_image_t image{};
  EXPECT_EQ(hsa_ext_image_get_capability(nobody, HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, &mask), bad_agent);
  EXPECT_EQ(hsa_ext_image_get_capability(gpu(), HSA_EXT_IMAGE_GEOMETRY_2D, nullptr, &mask), bad);
  EXPECT_EQ(hsa_ext_image_get_capability(gpu(), HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, nullptr), bad);
  EXPECT_EQ(hsa_ext_image_get_capability(gpu(), hsa_ext_image_geometry_t(8), &rgba8, &mask), bad);
  // An opaque layout has functions of its own.
  constexpr auto opaque = HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE, linear = HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR;
  EXPECT_EQ(hsa_ext_image_get_capability_with_layout(gpu(), HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, opaque, &mask), bad);
  EXPECT_SUCCESS(hsa_ext_image_get_capability_with_layout(gpu(), HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, linear, &mask));
  EXPECT_EQ(hsa_ext_image_data_get_info_with_layout(gpu(), &descriptor, rw, opaque, 0, 0, &info), bad);
  EXPECT_EQ(hsa_ext_image_create_with_layout(gpu(), &descriptor, made.data, rw, opaque, 0, 0, &image), bad);
  EXPECT_EQ(hsa_ext_image_data_get_info(nobody, &descriptor, rw, &info), bad_agent);
  EXPECT_EQ(hsa_ext_image_data_get_info(gpu(), &descriptor, rw, nullptr), bad);
  EXPECT_EQ(hsa_ext_image_create(nobody, &descriptor, made.data, rw, &image), bad_agent);
  EXPECT_EQ(hsa_ext_image_create(gpu(), nullptr, made.data, rw, &image), bad);
  EXPECT_EQ(hsa_ext_image_create(gpu(), &descriptor, nullptr, rw, &image), bad);
  EXPECT_EQ(hsa_ext_image_create(gpu(), &descriptor, made.data, hsa_access_permission_t(4), &image), bad);
  EXPECT_EQ(hsa_ext_image_create(gpu(), &descriptor, made.data, rw, nullptr), bad);
  EXPECT_EQ(hsa_ext_image_destroy(nobody, made.image), bad_agent);
  EXPECT_EQ(hsa_ext_image_destroy(gpu(), none), bad);
  EXPECT_EQ(hsa_ext_image_copy(nobody, made.image, &zero, made.image, &zero, &one.range), bad_agent);
  EXPECT_EQ(hsa_ext_image_copy(gpu(), none, &zero, made.image, &zero, &one.range), bad);
  EXPECT_EQ(hsa_ext_image_copy(gpu(), made.image, nullptr, made.image, &zero, &one.range), bad);
  EXPECT_EQ(hsa_ext_image_copy(gpu(), made.image, &zero, made.image, nullptr, &one.range), bad);
  EXPECT_EQ(hsa_ext_image_copy(gpu(), made.image, &zero, made.image, &zero, nullptr), bad);
  EXPECT_EQ(hsa_ext_image_import(nobody, value, 0, 0, made.image, &one), bad_agent);
  EXPECT_EQ(hsa_ext_image_import(gpu(), nullptr, 0, 0, made.image, &one), bad);
  EXPECT_EQ(hsa_ext_image_import(gpu(), value, 0, 0, none, &one), bad);
  EXPECT_EQ(hsa_ext_image_import(gpu(), value, 0, 0, made.image, nullptr), bad);
  EXPECT_EQ(hsa_ext_image_export(nobody, made.image, value, 0, 0, &one), bad_agent);
  EXPECT_EQ(hsa_ext_image_export(gpu(), made.image, nullptr, 0, 0, &one), bad);
  EXPECT_EQ(hsa_ext_image_export(gpu(), made.image, value, 0, 0, nullptr), bad);
  EXPECT_EQ(hsa_ext_image_clear(nobody, made.image, value, &one), bad_agent);
  EXPECT_EQ(hsa_ext_image_clear(gpu(), made.image, nullptr, &one), bad);
  EXPECT_EQ(hsa_ext_image_clear(gpu(), made.image, value, nullptr), bad);
  hsa_ext_sampler_t sampler{};
  const hsa_ext_sampler_descriptor_t plain{};
  EXPECT_EQ(hsa_ext_sampler_create(nobody, &plain, &sampler), bad_agent);
  EXPECT_EQ(hsa_ext_sampler_create(cpu, &plain, &sampler), bad_agent);
  EXPECT_EQ(hsa_ext_sampler_create(gpu(), nullptr, &sampler), bad);
  EXPECT_EQ(hsa_ext_sampler_create(gpu(), &plain, nullptr), bad);
  EXPECT_EQ(hsa_ext_sampler_destroy(nobody, sampler), bad_agent);
  EXPECT_EQ(hsa_ext_sampler_destroy(gpu(), {0}), bad);
  destroy(made);
}

// The kernel reads the descriptor from the handle, as compilers have it do, and adds 1 to a texel of an image and one
// of a buffer.
TEST_F(ImageTest, KernelsLoadAndStore) {
  TestKernel kernel(gpu(), "gfx900", R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_load_dwordx8 s[8:15], s[4:5], 0x0
  s_load_dwordx4 s[16:19], s[6:7], 0x0
  v_mov_b32_e32 v1, v0
  v_mov_b32_e32 v2, 3
  s_waitcnt lgkmcnt(0)
  image_load v3, v[1:2], s[8:15] dmask:0x1 unorm
  buffer_load_format_x v4, v0, s[16:19], 0 idxen
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v3, 1, v3
  v_add_u32_e32 v4, 1, v4
  image_store v3, v[1:2], s[8:15] dmask:0x1 unorm
  buffer_store_format_x v4, v0, s[16:19], 0 idxen
  s_endpgm
)");
  const Made image = make(two_d(40, 5, words)), buffer = make({HSA_EXT_IMAGE_GEOMETRY_1DB, 50, 0, 0, 0, words});
  const uint32_t seven[4] = {7, 0, 0, 0};
  const hsa_ext_image_region_t whole{{0, 0, 0}, {40, 5, 1}}, all{{0, 0, 0}, {50, 1, 1}};
  EXPECT_SUCCESS(hsa_ext_image_clear(gpu(), image.image, seven, &whole));
  EXPECT_SUCCESS(hsa_ext_image_clear(gpu(), buffer.image, seven, &all));
  TestQueue queue(gpu());
  uint64_t arguments[2] = {image.image.handle, buffer.image.handle};
  queue.submit(kernel.packet(64, 64, arguments, signal), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  wait();
  EXPECT_EQ(queue.error(), HSA_STATUS_SUCCESS);
  std::vector<uint32_t> out(200);
  EXPECT_SUCCESS(hsa_ext_image_export(gpu(), image.image, out.data(), 0, 0, &whole));
  for (size_t i = 0; i < 200; ++i)
    ASSERT_EQ(out[i], i / 40 == 3 ? 8u : 7u) << i;
  EXPECT_SUCCESS(hsa_ext_image_export(gpu(), buffer.image, out.data(), 0, 0, &all));
  EXPECT_EQ(std::vector<uint32_t>(out.begin(), out.begin() + 50), std::vector<uint32_t>(50, 8)); // 50 of 64 lanes
  destroy(image);
  destroy(buffer);
}

struct CardOfImages {
  const char *card, *processor;
};
class ImageOnCards : public ImageTest, public testing::WithParamInterface<CardOfImages> {
protected:
  ImageOnCards() : ImageTest(GetParam().card) {}
};

// Lane l samples at (l / 64, 0.5, 0.5) of 4 x 3 x 2 texels x + 10 y + 100 z. The middle of two slices is both, the
// middle of three rows the second; a lane is a sixteenth of a texel. The result goes to a row of texels, and so does
// what a buffer of 50 has.
TEST_P(ImageOnCards, KernelsSample) {
  const bool counts_dwords = std::string(GetParam().processor) < "gfx8"; // offsets of scalar loads
  TestKernel kernel(gpu(), GetParam().processor,
                    std::string(R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx4 s[8:11], s[0:1], )") +
                        (counts_dwords ? "0x4" : "0x10") + R"(
  s_waitcnt lgkmcnt(0)
  s_load_dwordx8 s[12:19], s[4:5], 0x0
  s_load_dwordx4 s[4:7], s[6:7], 0x0
  s_load_dwordx8 s[20:27], s[8:9], 0x0
  s_load_dwordx4 s[8:11], s[10:11], 0x0
  v_cvt_f32_u32_e32 v1, v0
  v_mul_f32_e32 v1, 0x3c800000, v1
  v_mov_b32_e32 v2, 0.5
  v_mov_b32_e32 v3, 0.5
  s_waitcnt lgkmcnt(0)
  image_sample_lz v4, v[1:3], s[12:19], s[4:7] dmask:0x1
  buffer_load_format_x v5, v0, s[8:11], 0 idxen
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v1, 1
  image_store v4, v[0:1], s[20:27] dmask:0x1 unorm
  v_mov_b32_e32 v1, 0
  image_store v5, v[0:1], s[20:27] dmask:0x1 unorm
  s_endpgm
)");
  constexpr hsa_ext_image_format_t floats{HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_R};
  const Made texture = make({HSA_EXT_IMAGE_GEOMETRY_3D, 4, 3, 2, 0, floats}), results = make(two_d(64, 2, floats)),
             buffer = make({HSA_EXT_IMAGE_GEOMETRY_1DB, 50, 0, 0, 0, floats});
  std::vector<float> in, fifties(50, 50.0f), out(128);
  for (int i = 0; i < 24; ++i)
    in.push_back(float(i % 4 + i / 4 % 3 * 10 + i / 12 * 100));
  const hsa_ext_image_region_t whole{{0, 0, 0}, {4, 3, 2}}, rows{{0, 0, 0}, {64, 2, 1}}, all{{0, 0, 0}, {50, 1, 1}};
  EXPECT_SUCCESS(hsa_ext_image_import(gpu(), in.data(), 0, 0, texture.image, &whole));
  EXPECT_SUCCESS(hsa_ext_image_import(gpu(), fifties.data(), 0, 0, buffer.image, &all));
  TestQueue queue(gpu());
  for (const auto filter : {HSA_EXT_SAMPLER_FILTER_MODE_LINEAR, HSA_EXT_SAMPLER_FILTER_MODE_NEAREST}) {
    const hsa_ext_sampler_descriptor_t descriptor{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED, uint32_t(filter),
                                                  HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};
    hsa_ext_sampler_t sampler;
    ASSERT_SUCCESS(hsa_ext_sampler_create(gpu(), &descriptor, &sampler));
    uint64_t arguments[4] = {texture.image.handle, sampler.handle, results.image.handle, buffer.image.handle};
    queue.submit(kernel.packet(64, 64, arguments, signal), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    wait();
    ASSERT_EQ(queue.error(), HSA_STATUS_SUCCESS);
    EXPECT_SUCCESS(hsa_ext_image_export(gpu(), results.image, out.data(), 0, 0, &rows));
    const bool linear = filter == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
    for (int l = 0; l < 64; ++l) {
      const float x = std::min(std::max(float(l) / 16 - 0.5f, 0.0f), 3.0f);
      EXPECT_EQ(out[size_t(64 + l)], linear ? 60 + x : 110 + float(l / 16)) << l;
      EXPECT_EQ(out[size_t(l)], l < 50 ? 50.0f : 0.0f) << l;
    }
    EXPECT_SUCCESS(hsa_ext_sampler_destroy(gpu(), sampler));
  }
  destroy(texture), destroy(results), destroy(buffer);
}
INSTANTIATE_TEST_SUITE_P(Cards, ImageOnCards,
                         testing::Values(CardOfImages{"tahiti", "gfx600"}, CardOfImages{"hawaii", "gfx701"},
                                         CardOfImages{"fiji", "gfx803"}, CardOfImages{"vega10", "gfx900"},
                                         CardOfImages{"vega20", "gfx906"}, CardOfImages{"mi100", "gfx908"}),
                         [](const auto& tested) { return tested.param.processor; });

TEST_F(ImageTest, LayoutsAndWhatIsRefused) {
  uint32_t mask = 0;
  EXPECT_SUCCESS(hsa_ext_image_get_capability(gpu(), HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, &mask));
  EXPECT_EQ(mask & 7, uint32_t(HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY |
                               HSA_EXT_IMAGE_CAPABILITY_READ_WRITE));
  const hsa_ext_image_format_t none{HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB};
  EXPECT_SUCCESS(hsa_ext_image_get_capability(gpu(), HSA_EXT_IMAGE_GEOMETRY_2D, &none, &mask));
  EXPECT_EQ(mask, 0u);
  EXPECT_SUCCESS(hsa_ext_image_get_capability(cpu, HSA_EXT_IMAGE_GEOMETRY_2D, &rgba8, &mask));
  EXPECT_EQ(mask, 0u);
  // The resources of buffers have fewer formats; depth is a format of its own.
  const hsa_ext_image_format_t srgb{HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA},
      packed{HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB},
      depth{HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH};
  const struct {
    hsa_ext_image_geometry_t geometry;
    hsa_ext_image_format_t format;
    bool can;
  } formats[] = {{HSA_EXT_IMAGE_GEOMETRY_2D, srgb, true},       {HSA_EXT_IMAGE_GEOMETRY_1DB, srgb, false},
                 {HSA_EXT_IMAGE_GEOMETRY_2D, packed, true},     {HSA_EXT_IMAGE_GEOMETRY_1DB, packed, false},
                 {HSA_EXT_IMAGE_GEOMETRY_2DDEPTH, depth, true}, {HSA_EXT_IMAGE_GEOMETRY_2DDEPTH, rgba8, false}};
  for (const auto& f : formats) {
    EXPECT_SUCCESS(hsa_ext_image_get_capability(gpu(), f.geometry, &f.format, &mask));
    EXPECT_EQ(mask != 0, f.can) << f.geometry << " " << f.format.channel_order;
  }
  hsa_ext_image_data_info_t info{};
  auto descriptor = two_d(100, 10, none);
  EXPECT_EQ(hsa_ext_image_data_get_info(gpu(), &descriptor, rw, &info),
            hsa_status_t(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED));
  descriptor = two_d(20000, 10, rgba8);
  EXPECT_EQ(hsa_ext_image_data_get_info(gpu(), &descriptor, rw, &info),
            hsa_status_t(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED));
  descriptor = two_d(100, 10, rgba8);
  constexpr auto linear = HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR;
  EXPECT_SUCCESS(hsa_ext_image_data_get_info_with_layout(gpu(), &descriptor, rw, linear, 1024, 0, &info));
  EXPECT_EQ(info.size, 10240u);
  for (const size_t pitch : {256, 500}) // too small; not a multiple of 256
    EXPECT_EQ(hsa_ext_image_data_get_info_with_layout(gpu(), &descriptor, rw, linear, pitch, 0, &info),
              hsa_status_t(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED));
  EXPECT_EQ(hsa_ext_image_data_get_info(gpu(), nullptr, rw, &info), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_data_get_info(gpu(), &descriptor, hsa_access_permission_t(0), &info),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_data_get_info(cpu, &descriptor, rw, &info), HSA_STATUS_ERROR_INVALID_AGENT);
  hsa_ext_image_t image;
  EXPECT_EQ(hsa_ext_image_create(gpu(), &descriptor, reinterpret_cast<void*>(0x1010), rw, &image),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ImageTest, Samplers) {
  // S# by the manual: clamp to the last texel 2, bilinear filters, coordinates as they are.
  const hsa_ext_sampler_descriptor_t descriptor{HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                                                HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                                HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};
  hsa_ext_sampler_t sampler;
  EXPECT_SUCCESS(hsa_ext_sampler_create(gpu(), &descriptor, &sampler));
  const auto* words = reinterpret_cast<const uint32_t*>(sampler.handle);
  EXPECT_EQ(words[0], 2u | 2u << 3 | 2u << 6 | 1u << 15);
  EXPECT_EQ(words[2] >> 20, 5u);
  EXPECT_SUCCESS(hsa_ext_sampler_destroy(gpu(), sampler));
  EXPECT_EQ(hsa_ext_sampler_destroy(gpu(), sampler), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_ext_sampler_descriptor_t bad{HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED, 9, 0};
  EXPECT_EQ(hsa_ext_sampler_create(gpu(), &bad, &sampler),
            hsa_status_t(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED));
}

} // namespace
} // namespace crosslane::test
