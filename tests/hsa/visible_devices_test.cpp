// ROCR_VISIBLE_DEVICES: which GPUs a program sees, by the rules of ROCr's documentation and source.
#include "hsa/info/visible_devices.h"
#include "tests/hsa/runtime_fixture.h"
#include <array>
#include <cstdlib>

namespace crosslane::test {
namespace {

using Indexes = std::vector<size_t>;

TEST(VisibleDevices, ListsOfIndexesAndUuids) {
  const std::array<std::string, 3> uuids = {"GPU-00ab000000000001", "GPU-00ab000000000002", "GPU-ffff000000000003"};
  const auto visible = [&](const char* list) { return hsa::visible_devices(list, uuids); };
  EXPECT_EQ(visible("0,1,2"), (Indexes{0, 1, 2}));
  EXPECT_EQ(visible("2,0"), (Indexes{2, 0}));
  EXPECT_EQ(visible(" 1 , 0x2"), (Indexes{1, 2}));
  EXPECT_EQ(visible("GPU-ffff000000000003,0"), (Indexes{2, 0}));
  EXPECT_EQ(visible("gpu-FF"), (Indexes{2}));
  EXPECT_EQ(visible("1,GPU-00AB000000000001"), (Indexes{1, 0}));
  // What names none, several, or one again ends the list.
  EXPECT_EQ(visible(""), Indexes{});
  EXPECT_EQ(visible("-1"), Indexes{});
  EXPECT_EQ(visible("0,-1,1"), Indexes{0});
  EXPECT_EQ(visible("0,3,1"), Indexes{0});
  EXPECT_EQ(visible("0,1,0,2"), (Indexes{0, 1}));
  EXPECT_EQ(visible("1,,0"), Indexes{1});
  EXPECT_EQ(visible("0x,1"), Indexes{});
  EXPECT_EQ(visible("all"), Indexes{});
  EXPECT_EQ(visible("GPU-00ab"), Indexes{}); // two begin so
  EXPECT_EQ(visible("GPU-"), Indexes{});
  EXPECT_EQ(visible("GPU-ffff0000000000030"), Indexes{});
}

struct Seen {
  std::vector<std::string> uuids, names;
  uint32_t cpus = 0;
};

Seen see(const char* list) {
  setenv("CROSSLANE_GPU", "vega10,vega20,fiji", 1);
  if (list)
    setenv("ROCR_VISIBLE_DEVICES", list, 1);
  Seen seen;
  EXPECT_SUCCESS(hsa_init());
  EXPECT_SUCCESS(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        auto& seen = *static_cast<Seen*>(data);
        hsa_device_type_t type{};
        EXPECT_SUCCESS(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        char name[64], uuid[24];
        EXPECT_SUCCESS(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name));
        EXPECT_SUCCESS(hsa_agent_get_info(agent, hsa_agent_info_t(HSA_AMD_AGENT_INFO_UUID), uuid));
        if (type == HSA_DEVICE_TYPE_GPU) {
          seen.names.push_back(name);
          seen.uuids.push_back(uuid);
        } else {
          ++seen.cpus;
        }
        return HSA_STATUS_SUCCESS;
      },
      &seen));
  EXPECT_SUCCESS(hsa_shut_down());
  unsetenv("ROCR_VISIBLE_DEVICES");
  EXPECT_EQ(seen.cpus, 1u);
  return seen;
}

TEST(VisibleDevices, AgentsAreThoseOfTheList) {
  const Seen all = see(nullptr);
  using Names = std::vector<std::string>;
  EXPECT_EQ(all.names, (Names{"gfx900", "gfx906", "gfx803"}));
  const Seen two = see("2,0");
  EXPECT_EQ(two.names, (Names{"gfx803", "gfx900"}));
  EXPECT_EQ(two.uuids, (Names{all.uuids[2], all.uuids[0]})); // they stay who they are
  EXPECT_EQ(see(all.uuids[1].c_str()).names, Names{"gfx906"});
  EXPECT_EQ(see("").names, Names{});
  EXPECT_EQ(see("-1").names, Names{});
}

} // namespace
} // namespace crosslane::test
