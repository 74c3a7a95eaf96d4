// The files of /sys/class/kfd, written out as text.
#include "hsa/info/topology.h"
#include "gpu/choice.h"
#include "hsa/host.h"
#include "hsa/info/place.h"
#include "hsa/settings.h"
#include "isa/target.h"
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

namespace fs = std::filesystem;

// Of the kernel's kfd_crat.h.
enum : uint32_t { heap_system = 0, heap_vram_private = 2 };
enum : uint32_t { link_pcie = 2, link_xgmi = 11 };
enum : uint32_t { cache_data = 1, cache_cpu = 4, cache_simd = 8 };
// HSA_CAP_*: watch points supported, 4 of them (as a logarithm in bits 8 to 11), doorbells of 8 bytes from gfx9 on.
constexpr uint32_t capability(isa::Generation generation) {
  return 1U << 7 | 2U << 8 | (generation >= isa::Generation::gfx9 ? 2U : 1U) << 12;
}

class Properties {
public:
  Properties& add(std::string_view name, uint64_t value) {
    text_ += fmt::format("{} {}\n", name, value);
    return *this;
  }
  operator std::string() const { return text_; }

private:
  std::string text_;
};

// "gfx90a" -> 90010: decimal places for major, minor and stepping.
uint32_t target_version(isa::Target target) {
  const std::string_view name = isa::info(target).name;
  const auto digit = [&](size_t from_end) {
    const char c = name[name.size() - from_end];
    return uint32_t(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  uint32_t major = 0;
  for (size_t i = 3; i + 2 < name.size(); ++i)
    major = major * 10 + uint32_t(name[i] - '0');
  return major * 10000 + digit(2) * 100 + digit(1);
}

struct Node {
  std::string name;
  uint32_t gpu_id = 0;
  std::vector<std::string> memories, caches, links;
};

std::string memory_bank(uint32_t heap, uint64_t bytes, uint32_t width, uint32_t clock) {
  return Properties()
      .add("heap_type", heap)
      .add("size_in_bytes", bytes)
      .add("flags", 0)
      .add("width", width)
      .add("mem_clk_max", clock);
}

std::string cache(uint32_t level, uint64_t bytes, uint32_t line, uint32_t type) {
  return Properties()
      .add("processor_id_low", 0)
      .add("level", level)
      .add("size", bytes / 1024)
      .add("cache_line_size", line)
      .add("cache_lines_per_tag", 1)
      .add("association", 0)
      .add("latency", 0)
      .add("type", type);
}

std::string link(size_t from, size_t to, bool xgmi) {
  return Properties()
      .add("type", xgmi ? link_xgmi : link_pcie)
      .add("version_major", 0)
      .add("version_minor", 0)
      .add("node_from", from)
      .add("node_to", to)
      .add("weight", xgmi ? 15 : 20)
      .add("min_latency", 0)
      .add("max_latency", 0)
      .add("min_bandwidth", 0)
      .add("max_bandwidth", xgmi ? xgmi_megabytes : pcie_megabytes)
      .add("recommended_transfer_size", 0)
      .add("flags", 1); // enabled
}

// To the CPU by PCIe; to each other only where there are links of their own.
std::vector<std::string> links(std::span<const TopologyGpu> gpus, size_t node) {
  std::vector<std::string> list;
  for (size_t other = 0; other <= gpus.size(); ++other) {
    const bool xgmi = node && other && gpus[node - 1].card->xgmi && gpus[other - 1].card->xgmi;
    if (other != node && (!node || !other || xgmi))
      list.push_back(link(node, other, xgmi));
  }
  return list;
}

std::string properties(const Node& node, const TopologyGpu* gpu, uint32_t number) {
  Properties p;
  const auto only = [&](uint64_t value) { return gpu ? value : 0; };
  const gpu::Card none{}, &card = gpu ? *gpu->card : none;
  const auto& info = isa::info(card.target);
  const uint32_t arrays = card.shader_engines * card.arrays_per_engine;
  p.add("cpu_cores_count", gpu ? 0 : host().cores)
      .add("simd_count", only(uint64_t(card.compute_units) * card.simds_per_unit))
      .add("mem_banks_count", node.memories.size())
      .add("caches_count", node.caches.size())
      .add("io_links_count", node.links.size())
      .add("p2p_links_count", 0)
      .add("cpu_core_id_base", 0)
      .add("simd_id_base", only(uint64_t(number) << 12 | 1U << 31))
      .add("max_waves_per_simd", only(gpu ? card.max_waves_per_unit / card.simds_per_unit : 0))
      .add("lds_size_in_kb", only(64))
      .add("gds_size_in_kb", only(64))
      .add("num_gws", only(info.generation >= isa::Generation::gfx9 ? 64 : 0))
      .add("wave_front_size", only(64))
      .add("array_count", only(arrays))
      .add("simd_arrays_per_engine", only(card.arrays_per_engine))
      .add("cu_per_simd_array", only(gpu ? (card.compute_units + arrays - 1) / arrays : 0))
      .add("simd_per_cu", only(card.simds_per_unit))
      .add("max_slots_scratch_cu", only(32))
      .add("gfx_target_version", gpu ? target_version(card.target) : 0)
      .add("vendor_id", only(0x1002))
      .add("device_id", only(card.device_id))
      .add("location_id", only(bus_location(number)))
      .add("domain", 0)
      .add("drm_render_minor", only(127 + number))
      .add("hive_id", only(card.xgmi))
      .add("num_sdma_engines", only(card.sdma_engines))
      .add("num_sdma_xgmi_engines", only(card.sdma_link_engines))
      .add("num_sdma_queues_per_engine", only(info.generation >= isa::Generation::gfx9 ? 8 : 2))
      .add("num_cp_queues", only(24));
  if (gpu)
    p.add("max_engine_clk_fcompute", card.clock_mhz)
        .add("local_mem_size", 0) // as the driver: the size is that of the memory bank
        .add("fw_version", 0)
        .add("capability", capability(info.generation))
        .add("debug_prop", 0)
        .add("sdma_fw_version", 0)
        .add("unique_id", unique_id(card, number))
        .add("num_xcc", 1);
  p.add("max_engine_clk_ccompute", host().clock_mhz);
  return p;
}

uint64_t host_memory_bytes() { return uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE)); }

Node describe(std::span<const TopologyGpu> gpus, size_t number) {
  Node node;
  node.links = links(gpus, number);
  if (!number) {
    node.memories = {memory_bank(heap_system, host_memory_bytes(), 64, 0)};
    for (uint32_t level = 1; level <= host().cache_bytes.size(); ++level)
      if (const uint64_t bytes = host().cache_bytes[level - 1])
        node.caches.push_back(cache(level, bytes, 64, cache_data | cache_cpu));
    return node;
  }
  const TopologyGpu& gpu = gpus[number - 1];
  const gpu::Card& card = *gpu.card;
  node.name = std::string(card.name);
  node.gpu_id = driver_id(card, uint32_t(number));
  node.memories = {memory_bank(heap_vram_private, gpu.vram_bytes, card.memory_width_bits, card.memory_clock_mhz)};
  for (const auto& [level, bytes] :
       {std::pair{1U, card.l1_bytes}, {2U, card.l2_bytes}}) // the driver lists each unit's L1
    node.caches.push_back(cache(level, bytes, card.cacheline_bytes, cache_data | cache_simd));
  return node;
}

bool write_all(const fs::path& folder, const std::vector<TopologyFile>& files) {
  for (const auto& [path, text] : files) {
    std::error_code error;
    if (path.ends_with('/')) {
      fs::create_directories(folder / path, error);
      continue;
    }
    fs::create_directories((folder / path).parent_path(), error);
    std::ofstream file(folder / path, std::ios::binary);
    file << text;
    if (!file.flush())
      return false;
  }
  return true;
}

bool ours(const std::string& folder) {
  struct stat status;
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         !(status.st_mode & (S_IWGRP | S_IWOTH));
}

// What the preloaded library calls, once a program looks.
const char* folder_for_preload() {
  static const auto& folder = *new std::string(topology_folder());
  return folder.c_str();
}

[[gnu::constructor]] void offer() {
  if (auto* asked = static_cast<const char* (**)()>(dlsym(RTLD_DEFAULT, "crosslane_topology")))
    __atomic_store_n(asked, folder_for_preload, __ATOMIC_RELEASE);
}

} // namespace

std::vector<TopologyFile> topology(std::span<const TopologyGpu> gpus) {
  std::vector<TopologyFile> files = {
      {"generation_id", "2\n"},
      {"system_properties", Properties().add("platform_oem", 0).add("platform_id", 0).add("platform_rev", 0)}};
  for (size_t number = 0; number <= gpus.size(); ++number) {
    const Node node = describe(gpus, number);
    const std::string folder = fmt::format("nodes/{}/", number);
    files.push_back({folder + "gpu_id", fmt::format("{}\n", node.gpu_id)});
    files.push_back({folder + "name", node.name + "\n"});
    files.push_back({folder + "properties", properties(node, number ? &gpus[number - 1] : nullptr, uint32_t(number))});
    const auto add = [&](const char* kind, const std::vector<std::string>& list) {
      files.push_back({folder + kind + "/", ""});
      for (size_t i = 0; i < list.size(); ++i)
        files.push_back({fmt::format("{}{}/{}/properties", folder, kind, i), list[i]});
    };
    add("mem_banks", node.memories);
    add("caches", node.caches);
    add("io_links", node.links);
    add("p2p_links", {});
  }
  return files;
}

std::string topology_folder() {
  std::string error;
  const Settings settings = read_settings(error);
  std::vector<TopologyGpu> gpus;
  for (const auto& name : settings.gpus)
    if (auto choice = gpu::choose(name))
      gpus.push_back({choice->card, settings.vram ? settings.vram : choice->card->vram_bytes});
    else
      llvm::consumeError(choice.takeError()); // hsa_init tells
  if (!error.empty() || gpus.size() != settings.gpus.size())
    return "";
  const auto files = topology(gpus);
  Fnv hash;
  for (const auto& [path, text] : files)
    hash.add(path).add(text);
  const char* const parent = std::getenv("TMPDIR");
  std::string folder =
      fmt::format("{}/crosslane-topology-{}-{:016x}", parent && *parent ? parent : "/tmp", geteuid(), hash.value());
  if (ours(folder))
    return folder;
  // Whoever looks sees a whole folder or none.
  std::string draft = folder + "-XXXXXX";
  if (!mkdtemp(draft.data()))
    return "";
  std::error_code ignored;
  if (!write_all(draft, files) || rename(draft.c_str(), folder.c_str()) != 0)
    fs::remove_all(draft, ignored);
  return ours(folder) ? folder : "";
}

} // namespace crosslane::hsa
