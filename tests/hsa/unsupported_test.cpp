// What always fails does so as documented, and says it once.
#include "tests/hsa/session.h"
#include <gtest/gtest.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>

namespace crosslane::hsa {
namespace {

using test::Session;

TEST(Unsupported, ImagesHaveNoCapability) {
  const Session session;
  const hsa_ext_image_format_t format{HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
  uint32_t mask = 77;
  EXPECT_EQ(hsa_ext_image_get_capability(session.gpu(), HSA_EXT_IMAGE_GEOMETRY_2D, &format, &mask), HSA_STATUS_SUCCESS);
  EXPECT_EQ(mask, 0U); // HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED
  EXPECT_EQ(hsa_ext_image_get_capability(session.gpu(), HSA_EXT_IMAGE_GEOMETRY_2D, nullptr, &mask),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_get_capability({0}, HSA_EXT_IMAGE_GEOMETRY_2D, &format, &mask),
            HSA_STATUS_ERROR_INVALID_AGENT);
}

TEST(Unsupported, SaysSoOnceAndFailsAsDocumented) {
  hsa_ext_sampler_t sampler{0};
  const hsa_ext_sampler_descriptor_t sampling{};
  EXPECT_EQ(hsa_ext_sampler_create({0}, &sampling, &sampler), HSA_STATUS_ERROR_NOT_INITIALIZED);
  const Session session;
  hsa_ext_image_t image{0};
  const hsa_ext_image_descriptor_t descriptor{};
  int memory = 0;
  testing::internal::CaptureStderr();
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_EQ(hsa_ext_image_create(session.gpu(), &descriptor, &memory, HSA_ACCESS_PERMISSION_RO, &image),
              int(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED));
    EXPECT_EQ(hsa_ext_sampler_create(session.gpu(), &sampling, &sampler),
              int(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "crosslane: hsa_ext_image_create is not supported: the emulated GPU has no images; it fails with "
            "HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED\n"
            "crosslane: hsa_ext_sampler_create is not supported: the emulated GPU has no images; it fails with "
            "HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED\n");
}

// Bad arguments are the client's fault and say nothing.
TEST(Unsupported, ArgumentsComeFirst) {
  const Session session;
  hsa_ext_image_t image{0};
  const hsa_ext_image_descriptor_t descriptor{};
  const hsa_dim3_t place{};
  const hsa_ext_image_region_t region{};
  hsa_ext_image_data_info_t info{};
  int memory = 0;
  testing::internal::CaptureStderr();
  constexpr auto bad = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  EXPECT_EQ(hsa_ext_image_create(session.gpu(), nullptr, &memory, HSA_ACCESS_PERMISSION_RO, &image), bad);
  EXPECT_EQ(hsa_ext_image_create(session.gpu(), &descriptor, &memory, hsa_access_permission_t(0), &image), bad);
  EXPECT_EQ(hsa_ext_image_create({1}, &descriptor, &memory, HSA_ACCESS_PERMISSION_RO, &image),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_ext_image_data_get_info(session.gpu(), &descriptor, HSA_ACCESS_PERMISSION_RO, nullptr), bad);
  EXPECT_EQ(hsa_ext_image_data_get_info_with_layout(session.gpu(), &descriptor, HSA_ACCESS_PERMISSION_RO,
                                                    hsa_ext_image_data_layout_t(7), 0, 0, &info),
            bad);
  EXPECT_EQ(hsa_ext_image_copy(session.gpu(), image, &place, image, nullptr, &place), bad);
  EXPECT_EQ(hsa_ext_image_import(session.gpu(), nullptr, 0, 0, image, &region), bad);
  EXPECT_EQ(hsa_ext_image_export(session.gpu(), image, nullptr, 0, 0, &region), bad);
  EXPECT_EQ(hsa_ext_image_clear(session.gpu(), image, nullptr, &region), bad);
  EXPECT_EQ(hsa_ext_sampler_destroy({1}, {0}), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                   nullptr, nullptr),
            bad);
  EXPECT_EQ(hsa_ext_program_iterate_modules({0}, nullptr, nullptr), bad);
  EXPECT_EQ(hsa_ext_program_get_info({0}, HSA_EXT_PROGRAM_INFO_PROFILE, nullptr), bad);
  EXPECT_EQ(hsa_amd_interop_map_buffer(0, nullptr, 3, 0, nullptr, nullptr, nullptr, nullptr), bad);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Unsupported, ThereIsNoFinalizerAndNoInterop) {
  const Session session;
  hsa_ext_program_t program{0};
  hsa_agent_t agent = session.gpu();
  size_t size = 0;
  void* pointer = nullptr;
  EXPECT_EQ(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                   nullptr, &program),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_ext_program_destroy(program), int(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM));
  EXPECT_EQ(hsa_ext_program_add_module(program, nullptr), int(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM));
  EXPECT_EQ(hsa_amd_interop_map_buffer(1, &agent, 3, 0, &size, &pointer, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(pointer, nullptr);
}

TEST(Unsupported, StatusesHaveATextThatBeginsWithTheirName) {
  const Session session;
  const std::pair<int, std::string> names[] = {
      {HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, "HSA_EXT_STATUS_ERROR_INVALID_PROGRAM: "},
      {HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED, "HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED: "},
      {HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED, "HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED: "}};
  for (const auto& [status, name] : names) {
    const char* text = "";
    EXPECT_EQ(hsa_status_string(hsa_status_t(status), &text), HSA_STATUS_SUCCESS);
    EXPECT_EQ(std::string(text).substr(0, name.size()), name);
  }
}

TEST(Unsupported, ImageLimitsAreZero) {
  const Session session;
  uint32_t limits[4] = {1, 1, 1, 0x5a5a5a5a};
  EXPECT_EQ(
      hsa_amd_image_get_info_max_dim(session.gpu(), hsa_agent_info_t(HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS), limits),
      HSA_STATUS_SUCCESS);
  EXPECT_EQ(limits[0] | limits[1] | limits[2], 0U);
  EXPECT_EQ(limits[3], 0x5a5a5a5aU);
  EXPECT_EQ(hsa_amd_image_get_info_max_dim(session.gpu(), HSA_AGENT_INFO_NODE, limits),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

} // namespace
} // namespace crosslane::hsa
