// What always fails does so as documented, and says it once.
#include "tests/hsa/session.h"
#include <gtest/gtest.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>

namespace crosslane::hsa {
namespace {

using test::Session;

TEST(Unsupported, SaysSoOnceAndFailsAsDocumented) {
  hsa_ext_image_t image{0};
  const hsa_ext_image_descriptor_t descriptor{};
  const hsa_amd_image_descriptor_t layout{};
  int memory = 0;
  EXPECT_EQ(hsa_amd_image_create({0}, &descriptor, &layout, &memory, HSA_ACCESS_PERMISSION_RO, &image),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
  const Session session;
  hsa_ext_program_t program{0};
  testing::internal::CaptureStderr();
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_EQ(hsa_amd_image_create(session.gpu(), &descriptor, &layout, &memory, HSA_ACCESS_PERMISSION_RO, &image),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_ext_program_destroy(program), int(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "crosslane: hsa_amd_image_create is not supported: images of other drivers have layouts that are not known "
            "here; it "
            "fails with HSA_STATUS_ERROR_INVALID_ARGUMENT\n"
            "crosslane: hsa_ext_program_destroy is not supported: there is no compiler of HSAIL; it fails with "
            "HSA_EXT_STATUS_ERROR_INVALID_PROGRAM\n");
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

TEST(Unsupported, ThereIsNoFinalizer) {
  const Session session;
  hsa_ext_program_t program{0};
  EXPECT_EQ(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                   nullptr, &program),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_ext_program_destroy(program), int(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM));
  EXPECT_EQ(hsa_ext_program_add_module(program, nullptr), int(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM));
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

} // namespace
} // namespace crosslane::hsa
