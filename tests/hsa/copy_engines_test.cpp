// Copies on engines: which there are, and what names of engines do. Expectations from hsa_ext_amd.h and ROCr's
// amd_gpu_agent.cpp (DmaCopyOnEngine, DmaCopyStatus); the numbers of engines from the kernel driver, as gpu/card.cpp
// says.
#include "hsa/newer.h"
#include "tests/hsa/memory_fixture.h"
#include "tests/hsa/session.h"
#include <numeric>

namespace crosslane::test {
namespace {

using hsa::test::Session;

uint32_t engines(hsa_agent_t to, hsa_agent_t from) {
  uint32_t mask = 0;
  EXPECT_SUCCESS(hsa_amd_memory_copy_engine_status(to, from, &mask));
  return mask;
}

TEST(CopyEngines, ByCard) {
  struct Row {
    const char* card;
    uint32_t engines, link_engines, from_host, to_host;
  };
  for (const Row& row :
       {Row{"vega10", 2, 0, 0b11, 0b11}, Row{"fiji", 2, 0, 0b11, 0b11}, Row{"raven", 1, 0, 0b1, 0b1},
        Row{"stoney", 1, 0, 0b1, 0b1}, Row{"mi50", 2, 0, 0b11, 0b11}, Row{"mi100", 2, 6, 0b11111111, 0b11111111},
        Row{"mi210", 2, 3, 0b11111, 0b11110}}) { // which uses engine 0 from the host alone
    SCOPED_TRACE(row.card);
    const Session session(row.card);
    EXPECT_EQ(hsa::test::get<uint32_t>(session.gpu(), HSA_AMD_AGENT_INFO_NUM_SDMA_ENG), row.engines);
    EXPECT_EQ(hsa::test::get<uint32_t>(session.gpu(), HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG), row.link_engines);
    EXPECT_EQ(hsa::test::get<uint32_t>(session.cpu(), HSA_AMD_AGENT_INFO_NUM_SDMA_ENG), 0u);
    EXPECT_EQ(hsa::test::get<uint32_t>(session.cpu(), HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG), 0u);
    EXPECT_EQ(engines(session.gpu(), session.cpu()), row.from_host);
    EXPECT_EQ(engines(session.cpu(), session.gpu()), row.to_host);
    uint32_t mask = 77;
    EXPECT_SUCCESS(hsa_amd_memory_get_preferred_copy_engine(session.gpu(), session.cpu(), &mask));
    EXPECT_EQ(mask, 0u);
  }
}

TEST(CopyEngines, BetweenCards) {
  const Session session("mi100,mi100,vega10");
  EXPECT_EQ(engines(session.gpu(0), session.gpu(1)), 0b11111100u);
  EXPECT_EQ(engines(session.gpu(0), session.gpu(2)), 0b11u); // the source's
  EXPECT_EQ(engines(session.gpu(2), session.gpu(0)), 0b11111111u);
}

TEST(CopyEngines, BadQuestions) {
  uint32_t mask = 0;
  EXPECT_EQ(hsa_amd_memory_copy_engine_status({1}, {2}, &mask), HSA_STATUS_ERROR_NOT_INITIALIZED);
  const Session session("vega10");
  for (const auto ask : {hsa_amd_memory_copy_engine_status, hsa_amd_memory_get_preferred_copy_engine}) {
    EXPECT_EQ(ask(session.gpu(), session.gpu(), &mask), HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(ask(session.cpu(), session.cpu(), &mask), HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(ask(session.gpu(), {0}, &mask), HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(ask({0}, session.cpu(), &mask), HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(ask(session.gpu(), session.cpu(), nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
}

class CopyOnEngineTest : public MemoryTest {
protected:
  void SetUp() override {
    MemoryTest::SetUp();
    from = allocate<uint32_t>(host, bytes);
    to = allocate<uint32_t>(vram, bytes);
    std::iota(from, from + bytes / 4, 1);
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(from));
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(to));
    MemoryTest::TearDown();
  }
  hsa_status_t copy(hsa_agent_t to_agent, hsa_agent_t from_agent, uint32_t engine, bool force = false,
                    std::vector<hsa_signal_t> after = {}) {
    return hsa_amd_memory_async_copy_on_engine(to, to_agent, from, from_agent, bytes, uint32_t(after.size()),
                                               after.empty() ? nullptr : after.data(), signal,
                                               hsa_amd_sdma_engine_id_t(engine), force);
  }
  static constexpr size_t bytes = 1 << 20;
  uint32_t *from = nullptr, *to = nullptr;
};

TEST_F(CopyOnEngineTest, EachEngineCopies) {
  for (const uint32_t engine : {HSA_AMD_SDMA_ENGINE_0, HSA_AMD_SDMA_ENGINE_1}) {
    std::fill_n(to, bytes / 4, 0);
    EXPECT_SUCCESS(copy(gpu(), cpu, engine));
    wait();
    EXPECT_TRUE(std::equal(from, from + bytes / 4, to));
  }
  for (const bool force : {false, true}) { // within the card
    std::fill_n(to, bytes / 4, 0);
    EXPECT_SUCCESS(copy(gpu(), gpu(), HSA_AMD_SDMA_ENGINE_1, force));
    wait();
    EXPECT_TRUE(std::equal(from, from + bytes / 4, to));
  }
}

TEST_F(CopyOnEngineTest, BadEnginesAndAgents) {
  for (const uint32_t engine : {0u, 3u, 4u, 0x8000u, 0x10000u}) // none, two, and those that the card has not
    EXPECT_EQ(copy(gpu(), cpu, engine), HSA_STATUS_ERROR_INVALID_ARGUMENT) << engine;
  EXPECT_EQ(copy(cpu, cpu, 1), HSA_STATUS_ERROR); // a CPU has no engines
  EXPECT_EQ(copy({7}, cpu, 1), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(copy(gpu(), {0}, 1), HSA_STATUS_ERROR_INVALID_AGENT);
  constexpr auto one = HSA_AMD_SDMA_ENGINE_0;
  const auto call = [&](void* a, const void* b, size_t size, uint32_t count, const hsa_signal_t* list,
                        hsa_signal_t done) {
    return hsa_amd_memory_async_copy_on_engine(a, gpu(), b, cpu, size, count, list, done, one, false);
  };
  EXPECT_EQ(call(nullptr, from, bytes, 0, nullptr, signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call(to, nullptr, bytes, 0, nullptr, signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call(to, from, bytes, 1, nullptr, signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call(to, from, bytes, 0, nullptr, {0}),
            HSA_STATUS_ERROR_INVALID_ARGUMENT); // "or the completion signal is 0"
  EXPECT_SUCCESS(call(to, from, 0, 0, nullptr, signal));
  EXPECT_EQ(hsa_signal_load_relaxed(signal), 1); // nothing was copied, nothing is completed
}

// An engine that has something to do is not reported, until it is done.
TEST_F(CopyOnEngineTest, BusyEngines) {
  hsa_signal_t start{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &start));
  EXPECT_SUCCESS(copy(gpu(), cpu, HSA_AMD_SDMA_ENGINE_0, false, {start}));
  EXPECT_EQ(engines(gpu(), cpu), HSA_AMD_SDMA_ENGINE_1);
  EXPECT_SUCCESS(hsa_amd_memory_async_copy(to, cpu, from, gpu(), 4, 1, &start, signal)); // to the host: the other
  uint32_t mask = 7;
  EXPECT_EQ(hsa_amd_memory_copy_engine_status(gpu(), cpu, &mask), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(mask, 0u);
  hsa_signal_store_relaxed(start, 0);
  EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, -1, 60'000'000'000, HSA_WAIT_STATE_BLOCKED), -1);
  EXPECT_EQ(engines(gpu(), cpu), 3u);
  hsa_signal_store_relaxed(signal, 1);
  EXPECT_SUCCESS(hsa_signal_destroy(start));
}

} // namespace
} // namespace crosslane::test
