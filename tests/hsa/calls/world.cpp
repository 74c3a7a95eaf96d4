// Every kind of handle and pointer, good and bad, that calls are made with.
#include "tests/hsa/calls/calls.h"
#include "tests/hsa/code_objects.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/mman.h>

namespace crosslane::test::calls {

const char* name_of(Kind kind) {
  constexpr const char* names[] = {"agent",      "gpu",         "isa",    "wavefront",   "cache",  "pool",
                                   "host pool",  "region",      "signal", "ipc signal",  "group",  "queue",
                                   "soft queue", "allocation",  "locked", "imported",    "reader", "code object",
                                   "executable", "frozen",      "symbol", "code symbol", "loaded", "image",
                                   "sampler",    "reservation", "vmem"};
  return names[size_t(kind)];
}

const char* name_of(Spoil spoil) {
  constexpr const char* names[] = {"good", "null", "freed", "foreign", "garbage", "wrong"};
  return names[size_t(spoil)];
}

namespace {

// Kinds whose handles may do for each other.
Kind family(Kind kind) {
  switch (kind) {
  case Kind::gpu: return Kind::agent;
  case Kind::host_pool:
  case Kind::region: return Kind::pool;
  case Kind::ipc_signal: return Kind::signal;
  case Kind::soft_queue: return Kind::queue;
  case Kind::locked:
  case Kind::imported: return Kind::allocation;
  case Kind::frozen: return Kind::executable;
  default: return kind;
  }
}

bool ends(Kind kind) { return kind >= Kind::signal; } // others live as long as the runtime

} // namespace

World::World() {
  void* p = mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  arena = static_cast<uint8_t*>(p);
  for (const char* name : {"symbols-gfx900.co", "symbols-gfx906.co"})
    code.push_back(built(name));
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) { // damaged; they stay, for readers of memory name them
    auto damaged = code[random() % 2];
    for (uint64_t bytes = 1 + random() % 12; bytes; --bytes)
      damaged[random() % (random() % 2 ? 256 : damaged.size())] = uint8_t(random());
    if (random() % 4 == 0)
      damaged.resize(1 + random() % damaged.size());
    code.push_back(std::move(damaged));
  }
  code_file = ::open(built_path("symbols-gfx900.co").c_str(), O_RDONLY | O_CLOEXEC);
}

uint64_t World::pick(Kind kind, std::mt19937_64& rng, bool freed) {
  const std::lock_guard lock(mutex_);
  if (freed) {
    auto& list = freed_[size_t(kind)];
    return list.empty() ? 0 : list[rng() % list.size()];
  }
  auto& list = live_[size_t(kind)];
  return list.empty() ? 0 : list[rng() % list.size()];
}

bool World::take(Kind kind, uint64_t handle) {
  const std::lock_guard lock(mutex_);
  auto& list = live_[size_t(kind)];
  const auto it = std::ranges::find(list, handle);
  if (it == list.end())
    return false;
  *it = list.back();
  list.pop_back();
  auto& freed = freed_[size_t(kind)];
  freed.push_back(handle);
  if (freed.size() > 32)
    freed.pop_front();
  return true;
}

void World::put_back(Kind kind, uint64_t handle) {
  const std::lock_guard lock(mutex_);
  std::erase(freed_[size_t(kind)], handle);
  live_[size_t(kind)].push_back(handle);
}

void World::add(Kind kind, uint64_t handle) {
  const std::lock_guard lock(mutex_);
  live_[size_t(kind)].push_back(handle);
}

size_t World::live(Kind kind) const {
  const std::lock_guard lock(mutex_);
  return live_[size_t(kind)].size();
}

void World::add(Kind kind, uint64_t handle, uint64_t made_in) {
  const std::lock_guard lock(mutex_);
  if (made_in == epoch)
    live_[size_t(kind)].push_back(handle);
}

void World::close() {
  const std::lock_guard lock(mutex_);
  ++epoch;
  for (size_t kind = 0; kind < size_t(Kind::count); ++kind) {
    freed_[kind].clear(); // what was freed long ago may be used again
    for (const uint64_t handle : live_[kind])
      if (ends(Kind(kind)))
        freed_[kind].push_back(handle);
    while (freed_[kind].size() > 32)
      freed_[kind].pop_front();
    live_[kind].clear();
  }
  kernel = 0;
  arguments = nullptr;
}

void World::open() {
  {
    const std::lock_guard lock(mutex_);
    ++epoch;
    for (auto& list : live_) // of a runtime that another thread had for a moment
      list.clear();
  }
  hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t*, void* world) {
        ++static_cast<World*>(world)->faults;
        return HSA_STATUS_SUCCESS;
      },
      this);
  struct Found {
    World& world;
    hsa_agent_t cpu{}, gpu{};
  } found{*this};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        auto& f = *static_cast<Found*>(data);
        hsa_device_type_t type;
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        f.world.add(Kind::agent, agent.handle);
        hsa_agent_iterate_caches(
            agent,
            [](hsa_cache_t c, void* w) {
              static_cast<World*>(w)->add(Kind::cache, c.handle);
              return HSA_STATUS_SUCCESS;
            },
            &f.world);
        if (type == HSA_DEVICE_TYPE_GPU) {
          f.world.add(Kind::gpu, agent.handle);
          if (!f.gpu.handle)
            f.gpu = agent;
        } else {
          f.cpu = agent;
        }
        hsa_agent_iterate_isas(
            agent,
            [](hsa_isa_t i, void* w) {
              static_cast<World*>(w)->add(Kind::isa, i.handle);
              return hsa_isa_iterate_wavefronts(
                  i,
                  [](hsa_wavefront_t v, void* w2) {
                    static_cast<World*>(w2)->add(Kind::wavefront, v.handle);
                    return HSA_STATUS_SUCCESS;
                  },
                  w);
            },
            &f.world);
        hsa_amd_agent_iterate_memory_pools(
            agent,
            [](hsa_amd_memory_pool_t p, void* data2) {
              auto& w = static_cast<Found*>(data2)->world;
              bool allowed = false;
              hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
              if (allowed) {
                w.add(Kind::pool, p.handle);
                w.add(Kind::region, p.handle);
                if (!static_cast<Found*>(data2)->gpu.handle)
                  w.add(Kind::host_pool, p.handle);
              }
              return HSA_STATUS_SUCCESS;
            },
            &f);
        return HSA_STATUS_SUCCESS;
      },
      &found);
  std::mt19937_64 any(1);
  void* memory_of_arguments = nullptr;
  hsa_amd_memory_pool_allocate({pick(Kind::host_pool, any, false)}, allocation_bytes, 0, &memory_of_arguments);
  arguments = static_cast<uint8_t*>(memory_of_arguments);
  void* given = nullptr;
  hsa_amd_memory_pool_allocate({pick(Kind::host_pool, any, false)}, allocation_bytes, 0, &given);
  hsa_amd_ipc_memory_create(given, allocation_bytes, &ipc_memory);
  hsa_signal_t named{};
  hsa_amd_signal_create(0, 0, nullptr, HSA_AMD_SIGNAL_IPC, &named);
  hsa_amd_ipc_signal_create(named, &ipc_signal);
  // One that lives and one that is freed, of each kind that ends.
  Chooser first(*this, 1, false);
  for (int round = 0; round < 3; ++round) {
    Chooser c(*this, first.rng(), false);
    for (const Row& row : rows())
      for (const char* name : {"hsa_signal_create", "hsa_amd_signal_create", "hsa_signal_group_create",
                               "hsa_queue_create", "hsa_soft_queue_create", "hsa_amd_memory_pool_allocate",
                               "hsa_amd_memory_lock", "hsa_code_object_reader_create_from_memory",
                               "hsa_code_object_deserialize", "hsa_executable_create_alt", "hsa_ext_sampler_create"})
        if (!std::strcmp(row.name, name)) {
          Chooser one(*this, c.rng(), false);
          run(row, one);
        }
    // Handles of kinds that need others.
    const hsa_agent_t gpu = found.gpu;
    hsa_executable_t e{};
    hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &e);
    hsa_loaded_code_object_t loaded{};
    hsa_executable_load_agent_code_object(e, gpu, {pick(Kind::reader, c.rng, false)}, nullptr, &loaded);
    hsa_executable_freeze(e, nullptr);
    hsa_executable_symbol_t symbol{};
    hsa_executable_get_symbol_by_name(e, "plain.kd", &gpu, &symbol);
    uint64_t object = 0;
    hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object);
    hsa_code_symbol_t code_symbol{};
    hsa_code_object_get_symbol({pick(Kind::code_object, c.rng, false)}, "plain.kd", &code_symbol);
    hsa_ext_image_descriptor_t descriptor{HSA_EXT_IMAGE_GEOMETRY_2D,
                                          32,
                                          32,
                                          0,
                                          0,
                                          {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}};
    hsa_ext_image_t image{};
    hsa_ext_image_create(gpu, &descriptor, reinterpret_cast<void*>(pick(Kind::allocation, c.rng, false)),
                         HSA_ACCESS_PERMISSION_RW, &image);
    void* imported = nullptr;
    hsa_amd_ipc_memory_attach(&ipc_memory, allocation_bytes, 0, nullptr, &imported);
    if (round == 0) { // freed
      hsa_amd_ipc_memory_detach(imported);
      hsa_ext_image_destroy(gpu, image);
      hsa_executable_destroy(e);
      add(Kind::frozen, e.handle), take(Kind::frozen, e.handle);
      add(Kind::symbol, symbol.handle), take(Kind::symbol, symbol.handle);
      add(Kind::loaded, loaded.handle), take(Kind::loaded, loaded.handle);
      add(Kind::image, image.handle), take(Kind::image, image.handle);
      add(Kind::imported, reinterpret_cast<uint64_t>(imported)),
          take(Kind::imported, reinterpret_cast<uint64_t>(imported));
      for (const Row& row : rows())
        for (const char* name : {"hsa_queue_destroy", "hsa_signal_group_destroy", "hsa_signal_destroy",
                                 "hsa_amd_memory_pool_free", "hsa_code_object_reader_destroy",
                                 "hsa_code_object_destroy", "hsa_executable_destroy", "hsa_ext_sampler_destroy"})
          if (!std::strcmp(row.name, name))
            run(row, c);
      for (const Kind kind : {Kind::ipc_signal, Kind::soft_queue}) {
        const uint64_t handle = pick(kind, c.rng, false);
        take(kind, handle);
        kind == Kind::ipc_signal ? hsa_signal_destroy({handle})
                                 : hsa_queue_destroy(reinterpret_cast<hsa_queue_t*>(handle));
      }
      add(Kind::code_symbol, code_symbol.handle), take(Kind::code_symbol, code_symbol.handle);
    } else {
      add(Kind::frozen, e.handle);
      add(Kind::symbol, symbol.handle);
      add(Kind::loaded, loaded.handle);
      add(Kind::image, image.handle);
      add(Kind::imported, reinterpret_cast<uint64_t>(imported));
      add(Kind::code_symbol, code_symbol.handle);
      kernel = object;
    }
  }
}

Spoil Chooser::spoilt(bool is_handle, bool null, bool freed) {
  if (random_) {
    const uint64_t dice = rng() % 100;
    if (is_handle)
      return dice < 82   ? Spoil::none
             : dice < 89 ? Spoil::freed
             : dice < 92 ? Spoil::null
             : dice < 96 ? Spoil::foreign
                         : Spoil::garbage;
    return dice < 95 ? Spoil::none : null ? Spoil::null : Spoil::wrong;
  }
  const int index = int(draws.size());
  draws.push_back({is_handle, null, !is_handle && !null, freed});
  return index == spoil_at ? how : Spoil::none;
}

uint64_t Chooser::handle(Kind kind, bool optional) {
  const Spoil spoil = spoilt(true, !optional, ends(kind));
  uint64_t result = 0;
  switch (spoil) {
  case Spoil::null: break;
  case Spoil::freed: result = world.pick(kind, rng, true); break;
  case Spoil::foreign:
    for (int tries = 0; !result && tries < 20; ++tries)
      if (const auto other = Kind(rng() % size_t(Kind::count)); family(other) != family(kind))
        result = world.pick(other, rng, false);
    break;
  case Spoil::garbage: {
    const uint64_t near = world.pick(kind, rng, false);
    const uint64_t all[] = {1,        16,       0xdeadbeefdeadbeef, 0x7fffffffffff, ~0ull, 4096, uint64_t(near) << 16,
                            near + 1, near + 8, near - 64};
    result =
        all[rng() %
            (family(kind) == Kind::allocation || near < 1 << 30 ? 7 : std::size(all))]; // what lies near may do for it
    break;
  }
  default: result = world.pick(kind, rng, false);
  }
  if (spoil != Spoil::none)
    spoiled_handle = result;
  return result;
}

int run(const Row& row, Chooser& c) {
  const int status = row.call(c);
  c.ended(status);
  return status;
}

std::vector<Row>& rows() {
  static std::vector<Row> all;
  return all;
}

namespace {

const std::map<std::string, int>& statuses() {
  static const std::map<std::string, int> all = {
#define S(name) {#name, HSA_STATUS_##name}
#define E(name) {#name, HSA_STATUS_ERROR_##name}
#define X(name) {#name, HSA_EXT_STATUS_ERROR_##name}
      {"ERROR", HSA_STATUS_ERROR},
      S(SUCCESS),
      S(INFO_BREAK),
      S(CU_MASK_REDUCED),
      E(INVALID_ARGUMENT),
      E(INVALID_QUEUE_CREATION),
      E(INVALID_ALLOCATION),
      E(INVALID_AGENT),
      E(INVALID_REGION),
      E(INVALID_SIGNAL),
      E(INVALID_QUEUE),
      E(OUT_OF_RESOURCES),
      E(INVALID_PACKET_FORMAT),
      E(RESOURCE_FREE),
      E(NOT_INITIALIZED),
      E(REFCOUNT_OVERFLOW),
      E(INCOMPATIBLE_ARGUMENTS),
      E(INVALID_INDEX),
      E(INVALID_ISA),
      E(INVALID_ISA_NAME),
      E(INVALID_CODE_OBJECT),
      E(INVALID_EXECUTABLE),
      E(FROZEN_EXECUTABLE),
      E(INVALID_SYMBOL_NAME),
      E(VARIABLE_ALREADY_DEFINED),
      E(VARIABLE_UNDEFINED),
      E(EXCEPTION),
      E(INVALID_CODE_SYMBOL),
      E(INVALID_EXECUTABLE_SYMBOL),
      E(INVALID_FILE),
      E(INVALID_CODE_OBJECT_READER),
      E(INVALID_CACHE),
      E(INVALID_WAVEFRONT),
      E(INVALID_SIGNAL_GROUP),
      E(INVALID_MEMORY_POOL),
      E(RESOURCE_BUSY),
      E(NOT_SUPPORTED),
      X(INVALID_PROGRAM),
      X(INVALID_MODULE),
      X(INCOMPATIBLE_MODULE),
      X(MODULE_ALREADY_INCLUDED),
      X(SYMBOL_MISMATCH),
      X(FINALIZATION_FAILED),
      X(DIRECTIVE_MISMATCH),
      X(IMAGE_FORMAT_UNSUPPORTED),
      X(IMAGE_SIZE_UNSUPPORTED),
      X(IMAGE_PITCH_UNSUPPORTED),
      X(SAMPLER_DESCRIPTOR_UNSUPPORTED)};
  return all;
}

} // namespace

bool documented(const std::string& function, int status) {
  static const auto table = [] {
    std::map<std::string, std::vector<int>> all;
    const auto add = [&](const char* name, const char* list) {
      std::istringstream words(list);
      for (std::string word; words >> word;)
        all[name].push_back(statuses().at(word));
    };
#define DOCUMENTED(name, list) add(#name, list);
#include "tests/hsa/calls/documented_statuses.inc"
#include "tests/hsa/calls/further_statuses.inc"
    return all;
  }();
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_ERROR_NOT_INITIALIZED || status == no_status)
    return true;
  const auto found = table.find(function);
  return found != table.end() && std::ranges::find(found->second, status) != found->second.end();
}

std::string name_of_status(int status) {
  for (const auto& [name, value] : statuses())
    if (value == status)
      return name;
  return std::to_string(status);
}

} // namespace crosslane::test::calls
