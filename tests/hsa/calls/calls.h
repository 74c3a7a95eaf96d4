// Owns a table of all exported functions, each with a way to call it: with good arguments, with one that is spoiled, or
// with random ones. bad_calls_test.cpp spoils each argument of each function; fuzz_calls.cpp makes random sequences.
// The statuses that a function may answer are those of its header (documented_statuses.inc).
#pragma once
#include "hsa/newer.h"
#include "hsa/tools/newer_tools.h"
#include <atomic>
#include <deque>
#include <functional>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <map>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace crosslane::test::calls {

// What handles name; a queue's is the address of its hsa_queue_t, an allocation's its own.
enum class Kind : uint8_t {
  agent,
  gpu,
  isa,
  wavefront,
  cache,
  pool,
  host_pool,
  region,
  signal,
  ipc_signal,
  group,
  queue,
  soft_queue,
  allocation,
  locked,
  imported,
  reader,
  code_object,
  executable,
  frozen,
  symbol,
  code_symbol,
  loaded,
  image,
  sampler,
  reservation,
  vmem,
  count
};
const char* name_of(Kind);

constexpr uint64_t allocation_bytes = 64 << 10; // of each
constexpr uint64_t arena_bytes = 1 << 20;

// What there is between hsa_init and hsa_shut_down, shared by all threads.
class World {
public:
  World();
  // After hsa_init: finds agents and what they have, and makes one of everything.
  void open();
  void close();                                      // all handles are stale now
  uint64_t pick(Kind, std::mt19937_64&, bool freed); // 0: there is none
  bool take(Kind, uint64_t handle);                  // it is about to be destroyed; false: another thread was first
  void put_back(Kind, uint64_t handle);              // it was not
  void add(Kind, uint64_t handle);
  void add(Kind, uint64_t handle, uint64_t made_in); // not if that epoch is over
  size_t live(Kind) const;

  uint8_t* arena;                         // memory of the host that stays
  std::vector<std::vector<uint8_t>> code; // code objects: of two GPUs' targets, then damaged ones
  int code_file = -1;
  hsa_amd_ipc_memory_t ipc_memory{};
  hsa_amd_ipc_signal_t ipc_signal{};
  std::atomic<uint64_t> epoch{
      0}; // changes whenever the runtime comes or goes: what was made in another one is not added
  std::atomic<uint64_t> kernel{0}; // kernel object
  uint8_t* arguments = nullptr;    // of kernels: allocation_bytes
  std::atomic<uint64_t> faults{0}; // memory faults that the event handler was told of
  // Who names memory by address holds it shared: nobody may free memory that another thread's call uses.
  std::shared_mutex memory;

private:
  mutable std::mutex mutex_;
  std::vector<uint64_t> live_[size_t(Kind::count)];
  std::deque<uint64_t> freed_[size_t(Kind::count)];
};

// How one argument is made wrong.
enum class Spoil : uint8_t { none, null, freed, foreign, garbage, wrong };
const char* name_of(Spoil);

// Chooses the arguments of one call.
class Chooser {
public:
  Chooser(World& w, uint64_t seed, bool random) : world(w), epoch_(w.epoch), random_(random), rng(seed) {}
  World& world;

  // Handles.
  uint64_t handle(Kind, bool optional = false);
  template <class T> T get(Kind kind) { return T{handle(kind)}; }
  hsa_agent_t agent() { return {handle(Kind::agent)}; }
  hsa_agent_t gpu() { return {handle(Kind::gpu)}; }
  hsa_signal_t signal() { return {handle(Kind::signal)}; }
  hsa_signal_t optional_signal() { return {handle(Kind::signal, true)}; }
  hsa_queue_t* queue() { return reinterpret_cast<hsa_queue_t*>(handle(Kind::queue)); }
  hsa_executable_t executable() { return {handle(random_ && rng() % 2 ? Kind::frozen : Kind::executable)}; }
  hsa_executable_t frozen() { return {handle(Kind::frozen)}; }
  hsa_amd_memory_pool_t pool() { return {handle(Kind::pool)}; }
  hsa_region_t region() { return {handle(Kind::region)}; }
  uint8_t* allocation() { return reinterpret_cast<uint8_t*>(handle(Kind::allocation)); }
  // One that the call destroys, if it succeeds.
  uint64_t take(Kind kind) {
    const uint64_t result = handle(kind);
    if (world.take(kind, result)) // before the call: nobody shall use it from now on
      taken_ = result, taken_kind_ = kind;
    return result;
  }
  // What a successful call made.
  void made(hsa_status_t status, Kind kind, uint64_t handle) {
    if (status == HSA_STATUS_SUCCESS)
      world.add(kind, handle, epoch_);
  }
  template <class T> void made(hsa_status_t status, Kind kind, T handle) { made(status, kind, handle.handle); }

  // A pointer or callback that must not be null.
  template <class T> T must(T pointer) { return spoilt(false, true) == Spoil::null ? T{} : pointer; }
  // One that may be.
  template <class T> T may(T pointer) { return random_ && rng() % 4 == 0 ? T{} : pointer; }
  // A value that is right, or, wrong, one of the others.
  template <class T> T value(T right, std::initializer_list<std::type_identity_t<T>> wrong) {
    return spoilt(false, false) == Spoil::wrong ? wrong.begin()[rng() % wrong.size()] : right;
  }
  // All are right.
  template <class T> T any(std::initializer_list<T> values) {
    return random_ ? values.begin()[rng() % values.size()] : *values.begin();
  }
  uint64_t below(uint64_t n) { return random_ ? rng() % n : 0; }
  bool random() const { return random_; }
  // Of the arena: for copies and locks; for shared virtual memory.
  uint8_t* host(uint64_t bytes) { return world.arena + (random_ ? rng() % (arena_bytes / 2 - bytes) / 256 * 256 : 0); }
  uint8_t* shared(uint64_t bytes) { return host(bytes) + arena_bytes / 2; }
  void* out() { return must(scratch); } // room for any answer

  // For the test of bad calls: the argument with this number is spoiled.
  int spoil_at = -1;
  Spoil how = Spoil::none;
  // Of all arguments so far: how they can be spoiled.
  struct Draw {
    bool is_handle, has_null, has_wrong, has_freed;
  };
  std::vector<Draw> draws;
  uint64_t spoiled_handle = 0;

  void ended(int status) {
    if (taken_ && status != HSA_STATUS_SUCCESS && !random_) // else another thread may have destroyed it
      world.put_back(taken_kind_, taken_);
  }

private:
  const uint64_t epoch_;
  Kind taken_kind_{};
  uint64_t taken_ = 0;
  Spoil spoilt(bool handle, bool null, bool freed = false);
  bool random_;

public:
  std::mt19937_64 rng;
  alignas(16) uint8_t scratch[4096];
};

constexpr int no_status = -1; // of functions that return none

struct Row {
  const char* name;
  int (*call)(Chooser&);
  int good;    // what good arguments give
  bool memory; // names memory by address: see World::memory
};
std::vector<Row>& rows();      // of all functions
int run(const Row&, Chooser&); // World::memory is held
extern const Row packets;      // puts one into a queue
struct Registration {
  Registration(const char* name, int (*call)(Chooser&), int good = HSA_STATUS_SUCCESS, bool memory = false) {
    rows().push_back({name, call, good, memory});
  }
};

// Whether the header of the function documents the status.
bool documented(const std::string& function, int status);
std::string name_of_status(int status);

// A call with good arguments that gives `good_`.
#define CALLS_ID2(name, line) row_##name##line
#define CALLS_ID(name, line) CALLS_ID2(name, line)
#define BODY(name, good_, memory_, ...)                                                                                \
  [[maybe_unused]] static const Registration CALLS_ID(name, __LINE__){#name, [](Chooser& c) -> int { __VA_ARGS__ },    \
                                                                      good_, memory_};
#define CALL(name, ...) BODY(name, HSA_STATUS_SUCCESS, false, return name(__VA_ARGS__);)
#define CALL_GIVES(name, good_, ...) BODY(name, good_, false, return name(__VA_ARGS__);)
#define CALL_MEMORY(name, ...) BODY(name, HSA_STATUS_SUCCESS, true, return name(__VA_ARGS__);)
#define CALL_NO_STATUS(name, ...) BODY(name, no_status, false, name(__VA_ARGS__); return no_status;)

} // namespace crosslane::test::calls
