// Rows: pools, regions, allocations, locked memory, copies, shared virtual memory, memory between processes.
#include "tests/hsa/calls/calls.h"
#include <cstdlib>

namespace crosslane::test::calls {

namespace {

// What a call that names memory by address needs: bytes of an allocation or of the arena, which stay while the call
// runs.
void* bytes(Chooser& c) {
  return c.must<void*>(c.random() && c.below(2)
                           ? c.host(allocation_bytes)
                           : reinterpret_cast<void*>(c.world.pick(Kind::allocation, c.rng, false)));
}
size_t size(Chooser& c) {
  return c.random() ? c.below(3) ? c.below(allocation_bytes) : c.below(2) * allocation_bytes : 256;
}
hsa_amd_svm_attribute_pair_t attribute(Chooser& c) {
  return {c.value<uint64_t>(HSA_AMD_SVM_ATTRIB_READ_MOSTLY, {HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION + 1000}), c.below(2)};
}
void freed(void*, void*) {}
hsa_amd_copy_direction_t direction(Chooser& c) { return c.any({hsaHostToDevice, hsaDeviceToHost, hsaDeviceToDevice}); }

} // namespace

CALL(hsa_region_get_info, c.region(),
     hsa_region_info_t(c.value(
         c.any<uint32_t>({HSA_REGION_INFO_SIZE, HSA_REGION_INFO_SEGMENT, HSA_REGION_INFO_GLOBAL_FLAGS}), {4444})),
     c.out())
CALL(hsa_amd_memory_pool_get_info, c.pool(),
     hsa_amd_memory_pool_info_t(c.value(c.any<uint32_t>({HSA_AMD_MEMORY_POOL_INFO_SIZE,
                                                         HSA_AMD_MEMORY_POOL_INFO_SEGMENT, 5, 6, 7, 15, 16, 17, 18}),
                                        {4444})),
     c.out())
CALL(hsa_amd_agent_memory_pool_get_info, c.gpu(), c.pool(),
     hsa_amd_agent_memory_pool_info_t(c.value(uint32_t(c.below(3)), {77u})), c.out())
BODY(hsa_amd_memory_pool_can_migrate, HSA_STATUS_SUCCESS, false, bool b;
     return hsa_amd_memory_pool_can_migrate(c.pool(), c.pool(), c.must(&b));)
CALL_GIVES(hsa_amd_memory_migrate, HSA_STATUS_ERROR_OUT_OF_RESOURCES, c.must(c.host(4096)), c.pool(), 0)
BODY(hsa_memory_allocate, HSA_STATUS_SUCCESS, false, void* p = nullptr;
     const hsa_status_t r = hsa_memory_allocate(c.region(),
                                                c.value<size_t>(allocation_bytes, {0, size_t(1) << 60, SIZE_MAX}),
                                                c.must(&p));
     c.made(r, Kind::allocation, reinterpret_cast<uint64_t>(p)); return r;)
BODY(hsa_amd_memory_pool_allocate, HSA_STATUS_SUCCESS, false, void* p = nullptr;
     const hsa_status_t r = hsa_amd_memory_pool_allocate(
         c.pool(), c.value<size_t>(allocation_bytes, {0, size_t(1) << 60, SIZE_MAX}), 0, c.must(&p));
     c.made(r, Kind::allocation, reinterpret_cast<uint64_t>(p)); return r;)
// These take null.
#define FREE(name)                                                                                                     \
  BODY(name, HSA_STATUS_SUCCESS, false, const std::unique_lock lock(c.world.memory);                                   \
       return name(reinterpret_cast<void*>(c.take(Kind::allocation)));)
FREE(hsa_memory_free)
FREE(hsa_amd_memory_pool_free)
CALL_MEMORY(hsa_memory_copy, bytes(c), bytes(c), size(c))
CALL_MEMORY(hsa_memory_assign_agent, bytes(c), c.agent(),
            c.value(HSA_ACCESS_PERMISSION_RW, {hsa_access_permission_t(8)}))
CALL(hsa_memory_register, c.host(4096), c.value<size_t>(4096, {0}))
CALL(hsa_memory_deregister, c.host(4096), 4096)
BODY(hsa_amd_agents_allow_access, HSA_STATUS_SUCCESS, true, hsa_agent_t a = c.gpu();
     return hsa_amd_agents_allow_access(c.value(1u, {0u}), c.must(&a), nullptr, c.allocation());)
CALL_MEMORY(hsa_amd_memory_fill, c.allocation(), 7,
            c.value<size_t>(c.random() ? c.below(allocation_bytes / 4) : 8, {size_t(1) << 50, SIZE_MAX / 4, SIZE_MAX}))
BODY(hsa_amd_pointer_info, HSA_STATUS_SUCCESS, true, hsa_amd_pointer_info_t i{};
     i.size = c.value<uint32_t>(sizeof i, {0}); hsa_agent_t* list = nullptr; uint32_t n = 0;
     const hsa_status_t r = hsa_amd_pointer_info(bytes(c), c.must(&i), c.may(&std::malloc), &n, &list); std::free(list);
     return r;)
CALL_MEMORY(hsa_amd_pointer_info_set_userdata, c.allocation(), nullptr)
CALL_MEMORY(hsa_amd_register_deallocation_callback, c.allocation(), c.must(&freed), nullptr)
BODY(hsa_amd_deregister_deallocation_callback, HSA_STATUS_SUCCESS, true, uint8_t* const p = c.allocation();
     if (!c.random()) hsa_amd_register_deallocation_callback(p, &freed, nullptr);
     return hsa_amd_deregister_deallocation_callback(p, c.must(&freed));)

BODY(hsa_amd_memory_lock, HSA_STATUS_SUCCESS, true, void* p = nullptr; uint8_t* const host = c.host(4096);
     hsa_agent_t a = c.gpu();
     const hsa_status_t r = hsa_amd_memory_lock(c.must(host), c.value<size_t>(4096, {0, SIZE_MAX, size_t(1) << 50}), &a,
                                                c.value(1, {-1, 0}), c.must(&p));
     c.made(r, Kind::locked, reinterpret_cast<uint64_t>(host)); return r;)
BODY(hsa_amd_memory_lock_to_pool, HSA_STATUS_SUCCESS, true, void* p = nullptr; uint8_t* const host = c.host(4096);
     const hsa_status_t r = hsa_amd_memory_lock_to_pool(c.must(host),
                                                        c.value<size_t>(4096, {0, SIZE_MAX, size_t(1) << 50}), nullptr,
                                                        0, {c.handle(Kind::host_pool)}, 0, c.must(&p));
     c.made(r, Kind::locked, reinterpret_cast<uint64_t>(host)); return r;)
// Of what is not locked nothing happens.
BODY(hsa_amd_memory_unlock, HSA_STATUS_SUCCESS, true,
     return hsa_amd_memory_unlock(c.must(reinterpret_cast<void*>(c.random() ? c.take(Kind::locked) : 4096)));)

#define COPY(name, ...)                                                                                                \
  BODY(name, HSA_STATUS_SUCCESS, true, hsa_signal_t before[] = {c.signal()}; hsa_signal_store_relaxed(before[0], 0);   \
       const uint32_t n = c.random() ? uint32_t(c.below(2)) : 1; void* const to = bytes(c);                            \
       void* const from = bytes(c); return name(__VA_ARGS__);)
COPY(hsa_amd_memory_async_copy, to, c.gpu(), from, c.agent(), size(c), n, n ? before : nullptr, c.signal())
COPY(hsa_amd_memory_async_copy_on_engine, to, c.gpu(), from, {c.world.pick(Kind::agent, c.rng, false)}, size(c), n,
     n ? before : nullptr, c.signal(),
     c.value(HSA_AMD_SDMA_ENGINE_0, {hsa_amd_sdma_engine_id_t(3), hsa_amd_sdma_engine_id_t(0)}), true)
BODY(hsa_amd_memory_async_copy_rect, HSA_STATUS_SUCCESS, true, hsa_pitched_ptr_t to{bytes(c), 256, 4096};
     hsa_pitched_ptr_t from{bytes(c), 256, 4096};
     hsa_dim3_t at{uint32_t(c.below(16)), uint32_t(c.below(4)), uint32_t(c.below(2))};
     hsa_dim3_t range{uint32_t(1 + c.below(128)), uint32_t(1 + c.below(8)), uint32_t(1 + c.below(4))};
     return hsa_amd_memory_async_copy_rect(c.must(&to), c.must(&at), c.must(&from), c.must(&at), c.must(&range),
                                           c.gpu(), c.value(direction(c), {hsa_amd_copy_direction_t(66)}), 0, nullptr,
                                           c.signal());)
BODY(hsa_amd_memory_copy_engine_status, HSA_STATUS_SUCCESS, false, uint32_t m;
     return hsa_amd_memory_copy_engine_status(c.gpu(), {c.world.pick(Kind::agent, c.rng, false)}, c.must(&m));)
BODY(hsa_amd_memory_get_preferred_copy_engine, HSA_STATUS_SUCCESS, false, uint32_t m;
     return hsa_amd_memory_get_preferred_copy_engine(c.gpu(), {c.world.pick(Kind::agent, c.rng, false)}, c.must(&m));)
CALL(hsa_amd_profiling_async_copy_enable, c.below(2))
BODY(hsa_amd_profiling_get_async_copy_time, HSA_STATUS_ERROR, false, hsa_amd_profiling_async_copy_time_t t;
     return hsa_amd_profiling_get_async_copy_time(c.signal(), c.must(&t));)

BODY(hsa_amd_svm_attributes_set, HSA_STATUS_SUCCESS, true, hsa_amd_svm_attribute_pair_t a = attribute(c);
     return hsa_amd_svm_attributes_set(c.must(c.shared(8192)), c.value<size_t>(4096, {0, SIZE_MAX, size_t(1) << 46}),
                                       c.must(&a), 1);)
BODY(hsa_amd_svm_attributes_get, HSA_STATUS_SUCCESS, true, hsa_amd_svm_attribute_pair_t a = attribute(c);
     return hsa_amd_svm_attributes_get(c.must(c.shared(8192)), c.value<size_t>(4096, {0, SIZE_MAX, size_t(1) << 46}),
                                       c.must(&a), 1);)
BODY(hsa_amd_svm_prefetch_async, HSA_STATUS_SUCCESS, true, hsa_signal_t before = c.signal();
     hsa_signal_store_relaxed(before, 0);
     return hsa_amd_svm_prefetch_async(c.must(c.shared(8192)), c.value<size_t>(4096, {0, SIZE_MAX}), c.gpu(), 1,
                                       c.must(&before), c.optional_signal());)

BODY(hsa_amd_ipc_memory_create, HSA_STATUS_SUCCESS, true, hsa_amd_ipc_memory_t i;
     return hsa_amd_ipc_memory_create(c.allocation(), c.value<size_t>(allocation_bytes, {1, 0, SIZE_MAX}), c.must(&i));)
BODY(hsa_amd_ipc_memory_attach, HSA_STATUS_SUCCESS, true, hsa_amd_ipc_memory_t i = c.world.ipc_memory;
     void* p = nullptr; hsa_agent_t a = c.gpu(); i.handle[2] = c.value(i.handle[2], {i.handle[2] + 1000, ~0u});
     const hsa_status_t r = hsa_amd_ipc_memory_attach(c.must(&i), c.value<size_t>(allocation_bytes, {1, 0, SIZE_MAX}),
                                                      1, c.must(&a), c.must(&p));
     c.made(r, Kind::imported, reinterpret_cast<uint64_t>(p)); return r;)
CALL(hsa_amd_ipc_memory_detach, reinterpret_cast<void*>(c.take(Kind::imported)))

// Buffers of other drivers, and virtual memory.
BODY(hsa_amd_interop_map_buffer, HSA_STATUS_ERROR_INVALID_ARGUMENT, false, hsa_agent_t a = c.gpu(); size_t n; void* p;
     return hsa_amd_interop_map_buffer(1, c.must(&a), int(c.value(-1, {9999})), 0, c.must(&n), c.must(&p), nullptr,
                                       nullptr);)
CALL_GIVES(hsa_amd_interop_unmap_buffer, HSA_STATUS_ERROR_INVALID_ARGUMENT, c.host(4096))

} // namespace crosslane::test::calls
