// What stands for the driver's files under /sys/class/kfd. Names, order and meaning of the properties: Linux 6.1,
// drivers/gpu/drm/amd/amdkfd/kfd_topology.c (node_show, iolink_show, mem_show, kfd_cache_show) and kfd_crat.h.
#include "hsa/info/topology.h"
#include "hsa/newer.h"
#include "tests/hsa/session.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <hsa/hsa_ext_amd.h>
#include <map>
#include <sstream>
#include <sys/stat.h>

namespace crosslane::hsa {
namespace {

using test::get;
using test::get_string;
using test::Session;

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

using Map = std::map<std::string, uint64_t>;

Map properties(const fs::path& file) {
  std::ifstream lines(file);
  Map map;
  std::string name;
  for (uint64_t value = 0; lines >> name >> value;)
    EXPECT_TRUE(map.emplace(name, value).second) << name;
  EXPECT_TRUE(lines.eof()) << file << ": " << name;
  return map;
}

class Topology : public ::testing::Test {
protected:
  Topology() {
    char name[] = "/tmp/crosslane-topology-test-XXXXXX";
    temporary_ = mkdtemp(name);
    setenv("TMPDIR", temporary_.c_str(), 1);
    setenv("CROSSLANE_GPU", "vega10,mi210,mi210,rx580", 1);
    root = topology_folder();
  }
  ~Topology() override {
    unsetenv("TMPDIR");
    unsetenv("CROSSLANE_GPU");
    unsetenv("CROSSLANE_VRAM");
    fs::remove_all(temporary_);
  }
  fs::path node(int number) const { return root / "nodes" / std::to_string(number); }
  fs::path temporary_, root;
};

TEST_F(Topology, HasTheFilesOfTheDriver) {
  ASSERT_FALSE(root.empty());
  EXPECT_NE(text_of(root / "generation_id"), "");
  EXPECT_EQ(properties(root / "system_properties").size(), 3U);
  for (int number = 0; number <= 4; ++number)
    for (const char* name : {"gpu_id", "name", "properties", "mem_banks", "caches", "io_links", "p2p_links"})
      EXPECT_TRUE(fs::exists(node(number) / name)) << number << name;
  EXPECT_FALSE(fs::exists(node(5)));
  // RCCL parses it as an int.
  for (int number = 1; number <= 4; ++number) {
    const int id = std::stoi(text_of(node(number) / "gpu_id"));
    EXPECT_GT(id, 0);
    EXPECT_LT(id, 65536);
  }
  EXPECT_EQ(text_of(node(0) / "gpu_id"), "0\n");
}

// Values of real cards: vendor and device of pci.ids, units, clocks and memory as rocminfo prints them.
TEST_F(Topology, TellsWhatTheCardsAre) {
  Map vega = properties(node(1) / "properties"), mi210 = properties(node(2) / "properties"),
      rx580 = properties(node(4) / "properties"), cpu = properties(node(0) / "properties");
  EXPECT_EQ(vega["gfx_target_version"], 90000U);
  EXPECT_EQ(mi210["gfx_target_version"], 90010U);
  EXPECT_EQ(rx580["gfx_target_version"], 80003U);
  EXPECT_EQ(cpu["gfx_target_version"], 0U);
  EXPECT_EQ(vega["vendor_id"], 0x1002U);
  EXPECT_EQ(vega["device_id"], 0x687fU);
  EXPECT_EQ(vega["simd_count"], 256U);
  EXPECT_EQ(vega["simd_per_cu"], 4U);
  EXPECT_EQ(vega["max_waves_per_simd"], 10U);
  EXPECT_EQ(mi210["max_waves_per_simd"], 8U);
  EXPECT_EQ(vega["array_count"], 4U);
  EXPECT_EQ(vega["cu_per_simd_array"], 16U);
  EXPECT_EQ(vega["max_engine_clk_fcompute"], 1630U);
  EXPECT_EQ(vega["wave_front_size"], 64U);
  EXPECT_EQ(vega["cpu_cores_count"], 0U);
  EXPECT_GT(cpu["cpu_cores_count"], 0U);
  EXPECT_EQ(cpu["simd_count"], 0U);
  const Map memory = properties(node(1) / "mem_banks/0/properties");
  EXPECT_EQ(memory.at("size_in_bytes"), uint64_t(8372224) * 1024);
  EXPECT_EQ(memory.at("width"), 2048U);
  EXPECT_EQ(memory.at("mem_clk_max"), 945U);
}

TEST_F(Topology, CountsWhatIsThere) {
  for (int number = 0; number <= 4; ++number) {
    const Map map = properties(node(number) / "properties");
    for (const auto& [count, folder] : {std::pair{"mem_banks_count", "mem_banks"},
                                        {"caches_count", "caches"},
                                        {"io_links_count", "io_links"},
                                        {"p2p_links_count", "p2p_links"}}) {
      uint64_t found = 0;
      for (; fs::exists(node(number) / folder / std::to_string(found)); ++found)
        EXPECT_FALSE(properties(node(number) / folder / std::to_string(found) / "properties").empty());
      EXPECT_EQ(map.at(count), found) << number << folder;
    }
  }
}

// Of the four only the two MI210 have links to each other (type 11); to the CPU it is PCIe (2).
TEST_F(Topology, LinksCardsAsTheyAre) {
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> types;
  for (int number = 0; number <= 4; ++number)
    for (const auto& entry : fs::directory_iterator(node(number) / "io_links")) {
      const Map link = properties(entry.path() / "properties");
      EXPECT_EQ(link.at("node_from"), uint64_t(number));
      EXPECT_GT(link.at("max_bandwidth"), 0U);
      types[{number, link.at("node_to")}] = link.at("type");
    }
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> expected = {{{2, 3}, 11}, {{3, 2}, 11}};
  for (uint64_t gpu = 1; gpu <= 4; ++gpu)
    expected[{0, gpu}] = expected[{gpu, 0}] = 2;
  EXPECT_EQ(types, expected);
}

// Who reads the files and asks the runtime too finds the same GPUs.
TEST_F(Topology, AgreesWithTheRuntime) {
  const Session session("vega10,mi210,mi210,rx580");
  ASSERT_EQ(session.agents.size(), 5U);
  for (int number = 1; number <= 4; ++number) {
    const hsa_agent_t agent = session.agents[size_t(number)];
    Map map = properties(node(number) / "properties");
    EXPECT_EQ(get<uint32_t>(agent, HSA_AGENT_INFO_NODE), uint32_t(number));
    EXPECT_EQ(get<uint32_t>(agent, HSA_AMD_AGENT_INFO_BDFID), map["location_id"]);
    EXPECT_EQ(get<uint32_t>(agent, HSA_AMD_AGENT_INFO_CHIP_ID), map["device_id"]);
    EXPECT_EQ(get<uint32_t>(agent, HSA_AMD_AGENT_INFO_DRIVER_UID), std::stoul(text_of(node(number) / "gpu_id")));
    char uuid[24];
    snprintf(uuid, sizeof uuid, "GPU-%016llx", static_cast<unsigned long long>(map["unique_id"]));
    EXPECT_EQ(get_string(agent, HSA_AMD_AGENT_INFO_UUID), uuid);
  }
}

TEST_F(Topology, IsWrittenOnceForTheSameCards) {
  EXPECT_EQ(topology_folder(), root);
  setenv("CROSSLANE_VRAM", "1G", 1);
  const fs::path smaller = topology_folder();
  EXPECT_NE(smaller, root);
  EXPECT_EQ(properties(smaller / "nodes/1/mem_banks/0/properties").at("size_in_bytes"), 1U << 30);
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary_), {}), 2); // no drafts are left
}

// A folder that others may write is not believed, nor one that is a link to elsewhere.
TEST_F(Topology, IsThisUsersAlone) {
  fs::permissions(root, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(topology_folder(), "");
  fs::rename(root, temporary_ / "elsewhere");
  fs::permissions(temporary_ / "elsewhere", fs::perms::others_write, fs::perm_options::remove);
  fs::create_symlink(temporary_ / "elsewhere", root);
  EXPECT_EQ(topology_folder(), "");
}

TEST_F(Topology, IsNotThereForUnknownCards) {
  setenv("CROSSLANE_GPU", "vega10,nonsense", 1);
  EXPECT_EQ(topology_folder(), "");
}

} // namespace
} // namespace crosslane::hsa
