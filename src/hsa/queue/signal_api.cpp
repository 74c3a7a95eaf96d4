// The functions on signals. Every memory order is sequentially consistent here, which none of them forbids.
#include "hsa/functions.h"
#include "hsa/memory/ipc.h"
#include "hsa/newer.h"
#include "hsa/queue/async_handlers.h"
#include "hsa/queue/operations.h"
#include "hsa/queue/signal.h"
#include "hsa/runtime.h"
#include "hsa/tools/intercept_queue.h"
#include <algorithm>

using namespace crosslane::hsa;

namespace {

// Wait without end or timeout as hsa_signal_wait does; the value seen last. What is no signal is 0, and so is one that
// is destroyed meanwhile.
int64_t wait(hsa_signal_t handle, hsa_signal_condition_t condition, int64_t value, uint64_t timeout, hsa_wait_state_t) {
  Signal* signal = Signal::live(handle);
  if (!signal)
    return 0;
  const uint32_t generation = signal->generation;
  // The value that met the condition is what the caller gets, even if it has changed since.
  int64_t seen = 0;
  const auto ready = [&] {
    seen = signal->value().load(std::memory_order_acquire);
    if (!signal->is_live() || signal->generation != generation) {
      seen = 0;
      return true;
    }
    switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ: return seen == value;
    case HSA_SIGNAL_CONDITION_NE: return seen != value;
    case HSA_SIGNAL_CONDITION_LT: return seen < value;
    case HSA_SIGNAL_CONDITION_GTE: return seen >= value;
    }
    return true;
  };
  Signal* const signals[] = {signal};
  wait_until(signals, ready, timeout, short_spin);
  client_sees(*signal);
  return seen;
}

bool valid(const hsa_signal_condition_t* conditions, size_t count) {
  return std::all_of(conditions, conditions + count,
                     [](hsa_signal_condition_t c) { return unsigned(c) <= HSA_SIGNAL_CONDITION_GTE; });
}

// Index and value of the signal whose condition holds.
int wait_group(std::span<Signal* const> signals, const hsa_signal_condition_t* conditions, const int64_t* values,
               uint64_t timeout, int64_t* seen) {
  std::vector<Condition> all;
  all.reserve(signals.size());
  for (size_t i = 0; i < signals.size(); ++i)
    all.push_back({signals[i], conditions[i], values[i]});
  const int found = wait_any(all, timeout, short_spin);
  if (found >= 0) {
    *seen = signals[size_t(found)]->value().load(std::memory_order_acquire);
    client_sees(*signals[size_t(found)]);
  }
  return found;
}

hsa_status_t wait_group(hsa_signal_group_t handle, const hsa_signal_condition_t* conditions,
                        const hsa_signal_value_t* values, hsa_signal_t* signal, hsa_signal_value_t* value) {
  std::shared_ptr<SignalGroup> group;
  const hsa_status_t status = api([&](Runtime& runtime) {
    group = runtime.signal_groups.find(handle.handle);
    if (!group)
      return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
    const bool good = conditions && values && signal && value && valid(conditions, group->signals.size());
    return good ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
  if (status != HSA_STATUS_SUCCESS)
    return status;
  const int found = wait_group(group->signals, conditions, values, forever, value);
  if (found < 0) // a signal was destroyed
    return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
  *signal = group->signals[size_t(found)]->handle();
  return HSA_STATUS_SUCCESS;
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_signal_create(hsa_signal_value_t value, uint32_t consumers, const hsa_agent_t* agents,
                               hsa_signal_t* signal) {
  return api([&](Runtime& runtime) {
    if (!signal || (consumers && !agents))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < consumers; ++i) {
      if (!runtime.agent(agents[i]))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      for (uint32_t j = 0; j < i; ++j)
        if (agents[i].handle == agents[j].handle)
          return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    *signal = make_signal(value)->handle();
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, uint32_t consumers, const hsa_agent_t* agents,
                                   uint64_t attributes, hsa_signal_t* signal) {
  if (attributes & ~uint64_t(HSA_AMD_SIGNAL_AMD_GPU_ONLY | HSA_AMD_SIGNAL_IPC))
    return Runtime::current() ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_ERROR_NOT_INITIALIZED;
  const hsa_status_t status = functions::hsa_signal_create(value, consumers, agents, signal);
  if (status != HSA_STATUS_SUCCESS || !(attributes & HSA_AMD_SIGNAL_IPC))
    return status;
  destroy_signal(Signal::from(*signal));
  void* memory = allocate_shared(sizeof(Signal));
  if (!memory)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  auto* made = new (memory) Signal;
  initialise(*made, value);
  made->amd.event_mailbox_ptr = 0; // which is this process's alone
  *signal = made->handle();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  return api([&](Runtime&) {
    if (!signal.handle)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Signal* const destroyed = Signal::live(signal);
    return destroyed && !destroyed->internal && destroy_signal(destroyed) ? HSA_STATUS_SUCCESS
                                                                          : HSA_STATUS_ERROR_INVALID_SIGNAL;
  });
}

hsa_status_t hsa_signal_group_create(uint32_t count, const hsa_signal_t* signals, uint32_t consumers,
                                     const hsa_agent_t* agents, hsa_signal_group_t* group) {
  return api([&](Runtime& runtime) {
    if (!count || !signals || !group || (consumers && !agents))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < consumers; ++i)
      if (!runtime.agent(agents[i]))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto made = std::make_shared<SignalGroup>();
    for (uint32_t i = 0; i < count; ++i) {
      made->signals.push_back(Signal::live(signals[i]));
      if (!made->signals.back())
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    group->handle = runtime.signal_groups.add(std::move(made));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t group) {
  return api([&](Runtime& runtime) {
    return runtime.signal_groups.remove(group.handle) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
  });
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t group, const hsa_signal_condition_t* conditions,
                                                 const hsa_signal_value_t* values, hsa_wait_state_t,
                                                 hsa_signal_t* signal, hsa_signal_value_t* value) {
  return wait_group(group, conditions, values, signal, value);
}
hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t group, const hsa_signal_condition_t* conditions,
                                               const hsa_signal_value_t* values, hsa_wait_state_t, hsa_signal_t* signal,
                                               hsa_signal_value_t* value) {
  return wait_group(group, conditions, values, signal, value);
}

uint32_t hsa_amd_signal_wait_any(uint32_t count, hsa_signal_t* signals, hsa_signal_condition_t* conditions,
                                 hsa_signal_value_t* values, uint64_t timeout, hsa_wait_state_t,
                                 hsa_signal_value_t* satisfying) {
  if (!signals || !conditions || !values)
    return UINT32_MAX;
  std::vector<Signal*> all;
  std::vector<uint32_t> places; // null handles are skipped
  std::vector<hsa_signal_condition_t> some;
  std::vector<hsa_signal_value_t> wanted;
  for (uint32_t i = 0; i < count; ++i) {
    if (!signals[i].handle)
      continue;
    all.push_back(Signal::live(signals[i]));
    if (!all.back() || !valid(&conditions[i], 1))
      return UINT32_MAX;
    places.push_back(i);
    some.push_back(conditions[i]);
    wanted.push_back(values[i]);
  }
  if (all.empty())
    return UINT32_MAX;
  int64_t seen = 0;
  const int found = wait_group(all, some.data(), wanted.data(), timeout, &seen);
  if (found < 0)
    return UINT32_MAX;
  if (satisfying)
    *satisfying = seen;
  return places[size_t(found)];
}

// A signal whose condition has held once is done with. ROCr takes conditions by the position among the valid signals;
// here it is the position in the list, as in hsa_amd_signal_wait_any.
uint32_t hsa_amd_signal_wait_all(uint32_t count, hsa_signal_t* signals, hsa_signal_condition_t* conditions,
                                 hsa_signal_value_t* values, uint64_t timeout, hsa_wait_state_t,
                                 hsa_signal_value_t* satisfying) {
  if (count && (!signals || !conditions || !values))
    return UINT32_MAX;
  if (satisfying)
    std::fill_n(satisfying, count, 0);
  std::vector<uint32_t> open; // places of those whose condition has not been seen to hold
  std::vector<Signal*> all;
  for (uint32_t i = 0; i < count; ++i)
    if (Signal* const signal = Signal::live(signals[i])) {
      if (!valid(&conditions[i], 1))
        return UINT32_MAX;
      open.push_back(i);
      all.push_back(signal);
    }
  const auto holds = [&](uint32_t i) {
    const int64_t seen = Signal::from(signals[i])->value().load(std::memory_order_acquire);
    if (!Condition::holds(seen, conditions[i], values[i]))
      return false;
    client_sees(*Signal::from(signals[i]));
    if (satisfying)
      satisfying[i] = seen;
    return true;
  };
  bool destroyed = false; // one that is waited for
  const auto ready = [&] {
    std::erase_if(open, holds);
    destroyed = std::ranges::any_of(open, [&](uint32_t i) { return !Signal::live(signals[i]); });
    return open.empty() || destroyed;
  };
  return wait_until(all, ready, timeout, short_spin) && !destroyed ? 0 : UINT32_MAX;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t** pointer) {
  return api([&](Runtime&) {
    if (!pointer)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Signal* const live = Signal::live(signal);
    if (!live)
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    if (check::Order* const order = operations.load(std::memory_order_relaxed)) [[unlikely]]
      order->shows(live); // it looks there by itself
    *pointer = &live->amd.value;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t condition,
                                          hsa_signal_value_t value, hsa_amd_signal_handler handler, void* argument) {
  return api([&](Runtime& runtime) {
    Signal* const live = Signal::live(signal);
    if (!live)
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    if (!handler || unsigned(condition) > HSA_SIGNAL_CONDITION_GTE)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime.async_handlers->add({live, condition, value}, handler, argument);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_async_function(void (*callback)(void*), void* argument) {
  return api([&](Runtime& runtime) {
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime.async_handlers->call(callback, argument);
    return HSA_STATUS_SUCCESS;
  });
}

// These have no status: what is no signal loads as 0, and storing to it does nothing.
#define LOAD(name)                                                                                                     \
  hsa_signal_value_t name(hsa_signal_t s) {                                                                            \
    Signal* const signal = Signal::live(s);                                                                            \
    if (!signal)                                                                                                       \
      return 0;                                                                                                        \
    const int64_t value = signal->value().load();                                                                      \
    client_sees(*signal);                                                                                              \
    return value;                                                                                                      \
  }
LOAD(hsa_signal_load_relaxed)
LOAD(hsa_signal_load_scacquire)
#undef LOAD

// The names of an operation, one for each memory order.
#define NAMES(define, operation)                                                                                       \
  define(hsa_signal_##operation##_relaxed) define(hsa_signal_##operation##_scacquire)                                  \
      define(hsa_signal_##operation##_screlease) define(hsa_signal_##operation##_scacq_screl)

#define STORE(name)                                                                                                    \
  void name(hsa_signal_t s, hsa_signal_value_t value) {                                                                \
    if (Signal* const signal = Signal::live(s)) {                                                                      \
      if (Interceptor* const of = signal->interceptor.load(std::memory_order_relaxed)) [[unlikely]]                    \
        return of->ring(value);                                                                                        \
      client_changes(*signal, value);                                                                                  \
      signal->value().store(value);                                                                                    \
      notify(*signal);                                                                                                 \
    }                                                                                                                  \
  }
STORE(hsa_signal_store_relaxed)
STORE(hsa_signal_store_screlease)
#undef STORE

// Stores without waking anyone.
#define STORE(name)                                                                                                    \
  void name(hsa_signal_t s, hsa_signal_value_t value) {                                                                \
    if (Signal* const signal = Signal::live(s)) {                                                                      \
      client_changes(*signal, value);                                                                                  \
      signal->value().store(value);                                                                                    \
    }                                                                                                                  \
  }
STORE(hsa_signal_silent_store_relaxed)
STORE(hsa_signal_silent_store_screlease)
#undef STORE

#define CHANGE(name, method)                                                                                           \
  void name(hsa_signal_t s, hsa_signal_value_t value) {                                                                \
    if (Signal* const signal = Signal::live(s)) {                                                                      \
      client_changes(*signal, value);                                                                                  \
      signal->value().method(value);                                                                                   \
      notify(*signal);                                                                                                 \
    }                                                                                                                  \
  }
#define ADD(name) CHANGE(name, fetch_add)
#define SUBTRACT(name) CHANGE(name, fetch_sub)
#define AND(name) CHANGE(name, fetch_and)
#define OR(name) CHANGE(name, fetch_or)
#define XOR(name) CHANGE(name, fetch_xor)
NAMES(ADD, add)
NAMES(SUBTRACT, subtract)
NAMES(AND, and)
NAMES(OR, or)
NAMES(XOR, xor)

#define EXCHANGE(name)                                                                                                 \
  hsa_signal_value_t name(hsa_signal_t s, hsa_signal_value_t value) {                                                  \
    Signal* const signal = Signal::live(s);                                                                            \
    if (!signal)                                                                                                       \
      return 0;                                                                                                        \
    client_changes(*signal, value);                                                                                    \
    const int64_t before = signal->value().exchange(value);                                                            \
    client_sees(*signal);                                                                                              \
    notify(*signal);                                                                                                   \
    return before;                                                                                                     \
  }
NAMES(EXCHANGE, exchange)

#define CAS(name)                                                                                                      \
  hsa_signal_value_t name(hsa_signal_t s, hsa_signal_value_t expected, hsa_signal_value_t value) {                     \
    Signal* const signal = Signal::live(s);                                                                            \
    if (!signal)                                                                                                       \
      return 0;                                                                                                        \
    client_changes(*signal, value);                                                                                    \
    if (signal->value().compare_exchange_strong(expected, value))                                                      \
      notify(*signal);                                                                                                 \
    client_sees(*signal);                                                                                              \
    return expected;                                                                                                   \
  }
NAMES(CAS, cas)

#define WAIT(name)                                                                                                     \
  hsa_signal_value_t name(hsa_signal_t s, hsa_signal_condition_t condition, hsa_signal_value_t value,                  \
                          uint64_t timeout, hsa_wait_state_t hint) {                                                   \
    return wait(s, condition, value, timeout, hint);                                                                   \
  }
WAIT(hsa_signal_wait_scacquire)
WAIT(hsa_signal_wait_relaxed)

} // namespace crosslane::hsa::functions
