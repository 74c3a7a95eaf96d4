// Instruction sets: names, handles, which code runs where.
#include "gpu/card.h"
#include "hsa/info/isa.h"
#include "tests/hsa/session.h"
#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace crosslane::hsa {
namespace {

using test::get;
using test::Session;

hsa_isa_t from_name(const std::string& name) {
  hsa_isa_t isa{0};
  EXPECT_EQ(hsa_isa_from_name(("amdgcn-amd-amdhsa--" + name).c_str(), &isa), HSA_STATUS_SUCCESS) << name;
  return isa;
}

bool runs(const std::string& code, hsa_agent_t agent) {
  bool result = false;
  EXPECT_EQ(hsa_isa_compatible(from_name(code), get<hsa_isa_t>(agent, HSA_AGENT_INFO_ISA), &result),
            HSA_STATUS_SUCCESS);
  return result;
}

// LLVM AMDGPUUsage, "Target ID": code without a feature runs with either setting, else they must agree.
TEST(IsaInfo, CodeRunsWhereItsFeaturesAreThoseOfTheAgent) {
  const Session session("vega10,mi50,vega20,fiji");
  EXPECT_TRUE(runs("gfx900", session.gpu(0)));
  EXPECT_TRUE(runs("gfx900:xnack-", session.gpu(0)));
  EXPECT_FALSE(runs("gfx900:xnack+", session.gpu(0)));
  EXPECT_FALSE(runs("gfx902", session.gpu(0)));
  for (const char* code : {"gfx906", "gfx906:xnack-", "gfx906:sramecc+", "gfx906:sramecc+:xnack-"})
    EXPECT_TRUE(runs(code, session.gpu(1))) << code;
  for (const char* code : {"gfx906:xnack+", "gfx906:sramecc-", "gfx906:sramecc-:xnack-", "gfx906:sramecc+:xnack+"})
    EXPECT_FALSE(runs(code, session.gpu(1))) << code;
  for (const char* code : {"gfx906", "gfx906:xnack-", "gfx906:sramecc-", "gfx906:sramecc-:xnack-"})
    EXPECT_TRUE(runs(code, session.gpu(2))) << code;
  EXPECT_FALSE(runs("gfx906:sramecc+:xnack-", session.gpu(2)));
  EXPECT_TRUE(runs("gfx803", session.gpu(3)));
  EXPECT_FALSE(runs("gfx900", session.gpu(3)));
}

TEST(IsaInfo, TheSameNameIsTheSameHandle) {
  const Session session("vega10,vega10");
  const hsa_isa_t isa = get<hsa_isa_t>(session.gpu(0), HSA_AGENT_INFO_ISA);
  EXPECT_EQ(get<hsa_isa_t>(session.gpu(1), HSA_AGENT_INFO_ISA).handle, isa.handle);
  EXPECT_EQ(from_name("gfx900:xnack-").handle, isa.handle);
  EXPECT_NE(from_name("gfx900").handle, isa.handle);
  EXPECT_NE(from_name("gfx900:xnack+").handle, isa.handle);
}

TEST(IsaInfo, NamesAreThoseOfLlvm) {
  const Session session;
  hsa_isa_t isa{0};
  for (const char* wrong : {"", "gfx900", "amdgcn-amd-amdhsa--gfx1030", "amdgcn-amd-amdhsa--gfx803:xnack-",
                            "amdgcn-amd-amdhsa--gfx906:xnack-:sramecc+", "amdgcn-amd-amdhsa--gfx900:xnack"})
    EXPECT_EQ(hsa_isa_from_name(wrong, &isa), HSA_STATUS_ERROR_INVALID_ISA_NAME) << wrong;
  EXPECT_EQ(isa.handle, 0U);
}

TEST(IsaInfo, AttributesAreThoseOfRocr) {
  const Session session("mi210,hawaii");
  const hsa_isa_t isa = get<hsa_isa_t>(session.gpu(), HSA_AGENT_INFO_ISA);
  const auto number = [&](hsa_isa_t of, hsa_isa_info_t attribute) {
    uint32_t value = ~0U;
    EXPECT_EQ(hsa_isa_get_info_alt(of, attribute, &value), HSA_STATUS_SUCCESS) << attribute;
    return value;
  };
  EXPECT_EQ(number(isa, HSA_ISA_INFO_NAME_LENGTH), std::strlen("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-") + 1);
  EXPECT_EQ(number(isa, HSA_ISA_INFO_CALL_CONVENTION_COUNT), 1U);
  EXPECT_EQ(number(isa, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE), 64U);
  EXPECT_EQ(number(isa, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT), 32U);
  EXPECT_EQ(number(isa, HSA_ISA_INFO_WORKGROUP_MAX_SIZE), 1024U);
  EXPECT_EQ(number(isa, HSA_ISA_INFO_FBARRIER_MAX_SIZE), 32U);
  uint64_t grid = 0;
  EXPECT_EQ(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_GRID_MAX_SIZE, &grid), HSA_STATUS_SUCCESS);
  EXPECT_EQ(grid, UINT64_MAX);
  const auto flags = [&](hsa_isa_t of, hsa_isa_info_t attribute, size_t count) {
    std::array<bool, 3> value{};
    EXPECT_EQ(hsa_isa_get_info_alt(of, attribute, value.data()), HSA_STATUS_SUCCESS) << attribute;
    return std::vector<bool>(value.begin(), value.begin() + long(count));
  };
  EXPECT_EQ(flags(isa, HSA_ISA_INFO_MACHINE_MODELS, 2), (std::vector{false, true}));
  EXPECT_EQ(flags(isa, HSA_ISA_INFO_PROFILES, 2), (std::vector{true, false}));
  EXPECT_EQ(flags(isa, HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES, 3), (std::vector{false, false, true}));
  EXPECT_EQ(flags(isa, HSA_ISA_INFO_FAST_F16_OPERATION, 1), (std::vector{true}));
  EXPECT_EQ(flags(get<hsa_isa_t>(session.gpu(1), HSA_AGENT_INFO_ISA), HSA_ISA_INFO_FAST_F16_OPERATION, 1),
            (std::vector{false}));
}

TEST(IsaInfo, WavefrontsHave64Items) {
  const Session session;
  hsa_wavefront_t wavefront{0};
  const auto keep = [](hsa_wavefront_t w, void* out) {
    *static_cast<hsa_wavefront_t*>(out) = w;
    return HSA_STATUS_SUCCESS;
  };
  ASSERT_EQ(hsa_isa_iterate_wavefronts(from_name("gfx900"), keep, &wavefront), HSA_STATUS_SUCCESS);
  uint32_t size = 0;
  EXPECT_EQ(hsa_wavefront_get_info(wavefront, HSA_WAVEFRONT_INFO_SIZE, &size), HSA_STATUS_SUCCESS);
  EXPECT_EQ(size, 64U);
  EXPECT_EQ(hsa_wavefront_get_info({0}, HSA_WAVEFRONT_INFO_SIZE, &size), HSA_STATUS_ERROR_INVALID_WAVEFRONT);
  EXPECT_EQ(hsa_wavefront_get_info(wavefront, hsa_wavefront_info_t(5), &size), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_wavefront_get_info(wavefront, HSA_WAVEFRONT_INFO_SIZE, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_iterate_wavefronts(from_name("gfx900"), nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_iterate_wavefronts({3}, keep, &wavefront), HSA_STATUS_ERROR_INVALID_ISA);
}

TEST(IsaInfo, ArgumentsAreChecked) {
  hsa_isa_t isa{0};
  uint32_t value = 0;
  EXPECT_EQ(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx900", &isa), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &value), HSA_STATUS_ERROR_NOT_INITIALIZED);
  const Session session;
  const hsa_isa_t good = from_name("gfx900");
  EXPECT_EQ(hsa_isa_from_name(nullptr, &isa), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx900", nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_get_info_alt({0}, HSA_ISA_INFO_NAME_LENGTH, &value), HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_EQ(hsa_isa_get_info_alt(good, HSA_ISA_INFO_NAME_LENGTH, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_get_info_alt(good, hsa_isa_info_t(10), &value), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_get_info(good, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE, 1, &value),
            HSA_STATUS_ERROR_INVALID_INDEX);
  EXPECT_EQ(hsa_isa_get_info(good, HSA_ISA_INFO_NAME_LENGTH, UINT32_MAX, &value), HSA_STATUS_ERROR_INVALID_INDEX);
  EXPECT_EQ(hsa_isa_get_info(good, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE, 0, &value), HSA_STATUS_SUCCESS);
  EXPECT_EQ(value, 64U);
  uint16_t mask = 7;
  EXPECT_EQ(hsa_isa_get_exception_policies(good, HSA_PROFILE_BASE, &mask), HSA_STATUS_SUCCESS);
  EXPECT_EQ(mask, 0);
  EXPECT_EQ(hsa_isa_get_exception_policies(good, hsa_profile_t(4), &mask), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_isa_get_exception_policies({0}, HSA_PROFILE_BASE, &mask), HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_EQ(hsa_agent_get_exception_policies({0}, HSA_PROFILE_BASE, &mask), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_agent_get_exception_policies(session.gpu(), HSA_PROFILE_BASE, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_round_method_t method{};
  EXPECT_EQ(hsa_isa_get_round_method(good, HSA_FP_TYPE_32, HSA_FLUSH_MODE_FTZ, &method), HSA_STATUS_SUCCESS);
  EXPECT_EQ(method, HSA_ROUND_METHOD_SINGLE);
  EXPECT_EQ(hsa_isa_get_round_method(good, hsa_fp_type_t(3), HSA_FLUSH_MODE_FTZ, &method),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  bool result = false;
  EXPECT_EQ(hsa_isa_compatible(good, {0}, &result), HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_EQ(hsa_isa_compatible(good, good, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_iterate_isas({0}, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_agent_iterate_isas(session.gpu(), nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// A card's features are decided: code for one setting of XNACK can be told from code for the other.
TEST(IsaInfo, NamesOfCardsAreKnownAndNameEveryFeature) {
  for (const gpu::Card& card : gpu::cards()) {
    const Isa* isa = find_isa(isa_name(card));
    ASSERT_NE(isa, nullptr) << isa_name(card);
    EXPECT_NE(isa->xnack, Isa::Feature::any) << card.name;
    EXPECT_NE(isa->sramecc, Isa::Feature::any) << card.name;
    EXPECT_NE(isa->xnack, Isa::Feature::on) << card.name; // no page faults here that could be replayed
  }
}

} // namespace
} // namespace crosslane::hsa
