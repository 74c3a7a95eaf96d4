// Environment set, hsa_init, and both undone.
#include "tests/hsa/session.h"
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>

namespace crosslane::hsa::test {

Session::Session(const std::string& gpus) {
  setenv("CROSSLANE_GPU", gpus.c_str(), 1);
  status = hsa_init();
  if (status != HSA_STATUS_SUCCESS)
    return;
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* list) {
        static_cast<std::vector<hsa_agent_t>*>(list)->push_back(agent);
        return HSA_STATUS_SUCCESS;
      },
      &agents);
}

Session::~Session() {
  if (status == HSA_STATUS_SUCCESS)
    hsa_shut_down();
}

void expect_queried(hsa_status_t status, bool within_size, int attribute) {
  EXPECT_EQ(status, HSA_STATUS_SUCCESS) << "attribute 0x" << std::hex << attribute;
  EXPECT_TRUE(within_size) << "attribute 0x" << std::hex << attribute << " is larger than documented";
}

std::string get_string(hsa_agent_t agent, int attribute) {
  const auto text = get<std::array<char, 64>>(agent, attribute);
  return text.data();
}

} // namespace crosslane::hsa::test
