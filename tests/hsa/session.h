// Owns the time between hsa_init and hsa_shut_down in tests, with the GPUs that a test wants.
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <string>
#include <vector>

namespace crosslane::hsa::test {

struct Session {
  explicit Session(const std::string& gpus = "vega10");
  ~Session();
  Session(const Session&) = delete;
  hsa_status_t status;             // of hsa_init
  std::vector<hsa_agent_t> agents; // as hsa_iterate_agents gives them
  hsa_agent_t cpu() const { return agents.at(0); }
  hsa_agent_t gpu(size_t i = 0) const { return agents.at(1 + i); }
};

// An attribute; a failure of the query fails the test.
template <class T> T get(hsa_agent_t, int attribute);
std::string get_string(hsa_agent_t, int attribute);

void expect_queried(hsa_status_t, bool within_size, int attribute);
template <class T> T get(hsa_agent_t agent, int attribute) {
  constexpr uint64_t behind = 0x5a5a5a5a5a5a5a5a; // what lies behind the value must stay as it is
  struct {
    T value;
    uint64_t guard;
  } buffer{{}, behind};
  const hsa_status_t status = hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), &buffer.value);
  expect_queried(status, buffer.guard == behind, attribute);
  return buffer.value;
}

} // namespace crosslane::hsa::test
