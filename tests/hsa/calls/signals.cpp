// Rows: signals. Every wait ends by itself.
#include "tests/hsa/calls/calls.h"

namespace crosslane::test::calls {

namespace {

constexpr uint64_t short_time = 20'000; // nanoseconds
hsa_signal_condition_t condition(Chooser& c) {
  return c.any({HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_NE, HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_GTE});
}
int64_t number(Chooser& c) { return int64_t(c.below(4)); }
bool handler(hsa_signal_value_t, void*) { return false; }

struct Three {
  hsa_signal_t signals[3];
  hsa_signal_condition_t conditions[3];
  hsa_signal_value_t values[3] = {INT64_MIN, INT64_MIN, INT64_MIN}, satisfying[3];
  explicit Three(Chooser& c) {
    for (auto& signal : signals)
      signal = c.signal();
    for (auto& each : conditions)
      each = HSA_SIGNAL_CONDITION_GTE; // always true
  }
};

} // namespace

BODY(hsa_signal_create, HSA_STATUS_SUCCESS, false, hsa_signal_t s{}; hsa_agent_t a = c.gpu();
     const hsa_status_t r = hsa_signal_create(number(c), 1, c.must(&a), c.must(&s)); c.made(r, Kind::signal, s);
     return r;)
BODY(hsa_amd_signal_create, HSA_STATUS_SUCCESS, false, hsa_signal_t s{};
     const uint64_t attributes =
         c.value<uint64_t>(c.any<uint64_t>({HSA_AMD_SIGNAL_IPC, 0, HSA_AMD_SIGNAL_AMD_GPU_ONLY}), {64, ~0ull});
     const hsa_status_t r = hsa_amd_signal_create(number(c), 0, nullptr, attributes, c.must(&s));
     c.made(r, attributes& HSA_AMD_SIGNAL_IPC ? Kind::ipc_signal : Kind::signal, s); return r;)
BODY(hsa_signal_destroy, HSA_STATUS_SUCCESS, false,
     return hsa_signal_destroy({c.take(c.random() && c.below(4) == 0 ? Kind::ipc_signal : Kind::signal)});)
BODY(hsa_signal_group_create, HSA_STATUS_SUCCESS, false, hsa_signal_group_t g{}; const Three t(c);
     const hsa_status_t r = hsa_signal_group_create(c.value(3u, {0u}), c.must(t.signals), 0, nullptr, c.must(&g));
     c.made(r, Kind::group, g); return r;)
CALL(hsa_signal_group_destroy, {c.take(Kind::group)})
#define GROUP(name)                                                                                                    \
  BODY(name, HSA_STATUS_SUCCESS, false, Chooser any(c.world, 1, false); Three t(any); hsa_signal_t s{};                \
       const hsa_signal_group_t g{c.handle(Kind::group)};                                                              \
       t.conditions[1] = c.value(HSA_SIGNAL_CONDITION_GTE, {hsa_signal_condition_t(77)}); return name(                 \
           g, c.must(t.conditions), c.must(t.values), HSA_WAIT_STATE_ACTIVE, c.must(&s), c.must(t.satisfying));)
GROUP(hsa_signal_group_wait_any_scacquire)
GROUP(hsa_signal_group_wait_any_relaxed)
#define MANY(name)                                                                                                     \
  BODY(name, no_status, false, Three t(c);                                                                             \
       t.conditions[1] = c.value(HSA_SIGNAL_CONDITION_GTE, {hsa_signal_condition_t(77)});                              \
       name(3, c.must(t.signals), c.must(t.conditions), c.must(t.values), short_time, HSA_WAIT_STATE_BLOCKED,          \
            c.may(t.satisfying));                                                                                      \
       return no_status;)
MANY(hsa_amd_signal_wait_any)
MANY(hsa_amd_signal_wait_all)
BODY(hsa_amd_signal_value_pointer, HSA_STATUS_SUCCESS, false, volatile hsa_signal_value_t* p = nullptr;
     return hsa_amd_signal_value_pointer(c.signal(), c.must(&p));)
CALL(hsa_amd_signal_async_handler, c.signal(), c.value(condition(c), {hsa_signal_condition_t(9)}), number(c),
     c.must(&handler), nullptr)
CALL(hsa_amd_async_function, c.must(+[](void*) {}), nullptr)
BODY(hsa_amd_ipc_signal_create, HSA_STATUS_SUCCESS, false, hsa_amd_ipc_signal_t i{};
     const hsa_status_t r = hsa_amd_ipc_signal_create({c.handle(Kind::ipc_signal)}, c.must(&i)); return r;)
BODY(hsa_amd_ipc_signal_attach, HSA_STATUS_SUCCESS, false, hsa_amd_ipc_signal_t i = c.world.ipc_signal;
     hsa_signal_t s{}; i.handle[2] = c.value(i.handle[2], {i.handle[2] + 1000, ~0u});
     const hsa_status_t r = hsa_amd_ipc_signal_attach(c.must(&i), c.must(&s)); c.made(r, Kind::ipc_signal, s);
     return r;)

#define WAIT(name)                                                                                                     \
  CALL_NO_STATUS(name, c.signal(), c.value(condition(c), {hsa_signal_condition_t(5)}), number(c), short_time,          \
                 HSA_WAIT_STATE_BLOCKED)
WAIT(hsa_signal_wait_scacquire)
WAIT(hsa_signal_wait_relaxed)
WAIT(hsa_signal_wait_acquire)
#define LOAD(name) CALL_NO_STATUS(name, c.signal())
LOAD(hsa_signal_load_relaxed)
LOAD(hsa_signal_load_scacquire)
LOAD(hsa_signal_load_acquire)
#define CHANGE(name) CALL_NO_STATUS(name, c.signal(), number(c))
CHANGE(hsa_signal_store_relaxed)
CHANGE(hsa_signal_store_screlease)
CHANGE(hsa_signal_store_release)
CHANGE(hsa_signal_silent_store_relaxed)
CHANGE(hsa_signal_silent_store_screlease)
#define CAS(name) CALL_NO_STATUS(name, c.signal(), number(c), number(c))
#define ORDERS(row, operation)                                                                                         \
  row(hsa_signal_##operation##_relaxed) row(hsa_signal_##operation##_scacquire)                                        \
      row(hsa_signal_##operation##_screlease) row(hsa_signal_##operation##_scacq_screl)                                \
          row(hsa_signal_##operation##_acquire) row(hsa_signal_##operation##_release)                                  \
              row(hsa_signal_##operation##_acq_rel)
ORDERS(CHANGE, add)
ORDERS(CHANGE, subtract)
ORDERS(CHANGE, and)
ORDERS(CHANGE, or)
ORDERS(CHANGE, xor)
ORDERS(CHANGE, exchange)
ORDERS(CAS, cas)

} // namespace crosslane::test::calls
