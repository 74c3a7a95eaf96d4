// Rows: virtual memory, dma-bufs, events, and the loader's extension, which is reached by a table only.
#include "tests/hsa/calls/calls.h"
#include <unistd.h>

namespace crosslane::test::calls {

namespace {

constexpr size_t granule = 2 << 20;
void* reservation(Chooser& c) { return reinterpret_cast<void*>(c.handle(Kind::reservation)); }
hsa_amd_vmem_alloc_handle_t vmem(Chooser& c) { return {c.handle(Kind::vmem)}; }
const hsa_ven_amd_loader_1_03_pfn_t& loader() {
  static hsa_ven_amd_loader_1_03_pfn_t table{};
  if (!table.hsa_ven_amd_loader_iterate_executables)
    hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof table, &table);
  return table;
}
bool has_loader() { return loader().hsa_ven_amd_loader_iterate_executables; }

} // namespace

// It is registered already.
BODY(hsa_amd_register_system_event_handler, HSA_STATUS_ERROR, false, (void)c;
     return hsa_amd_register_system_event_handler(
         +[](const hsa_amd_event_t*, void*) { return HSA_STATUS_SUCCESS; }, nullptr);)

#define ANY_STATUS HSA_STATUS_SUCCESS + 1000 // whatever is documented
BODY(hsa_amd_vmem_address_reserve, ANY_STATUS, false, void* p = nullptr;
     const hsa_status_t r = hsa_amd_vmem_address_reserve(c.must(&p),
                                                         c.value(granule, {size_t(0), size_t(4097), SIZE_MAX}), 0, 0);
     c.made(r, Kind::reservation, reinterpret_cast<uint64_t>(p)); return r;)
BODY(hsa_amd_vmem_address_reserve_align, ANY_STATUS, false, void* p = nullptr;
     const hsa_status_t r = hsa_amd_vmem_address_reserve_align(c.must(&p), c.value(granule, {size_t(0), SIZE_MAX}), 0,
                                                               c.value<uint64_t>(0, {3, ~0ull}), 0);
     c.made(r, Kind::reservation, reinterpret_cast<uint64_t>(p)); return r;)
BODY(hsa_amd_vmem_handle_create, ANY_STATUS, false, hsa_amd_vmem_alloc_handle_t h{};
     const hsa_status_t r = hsa_amd_vmem_handle_create(c.pool(), c.value(granule, {size_t(0), size_t(1) << 60}),
                                                       c.value(MEMORY_TYPE_NONE, {hsa_amd_memory_type_t(9)}), 0,
                                                       c.must(&h));
     c.made(r, Kind::vmem, h); return r;)
// What is mapped may not be freed; then nothing happens.
BODY(hsa_amd_vmem_address_free, ANY_STATUS, false, const std::unique_lock lock(c.world.memory);
     void* const p = reservation(c);
     const hsa_status_t r = hsa_amd_vmem_address_free(p, c.value(granule, {size_t(1), SIZE_MAX}));
     if (r == HSA_STATUS_SUCCESS) c.world.take(Kind::reservation, reinterpret_cast<uint64_t>(p)); return r;)
BODY(hsa_amd_vmem_handle_release, ANY_STATUS, false, return hsa_amd_vmem_handle_release({c.take(Kind::vmem)});)
CALL_GIVES(hsa_amd_vmem_map, ANY_STATUS, reservation(c), c.value(granule, {size_t(0), size_t(4096)}),
           c.value(size_t(0), {granule, SIZE_MAX}), vmem(c), 0)
BODY(hsa_amd_vmem_unmap, ANY_STATUS, false, const std::unique_lock lock(c.world.memory);
     return hsa_amd_vmem_unmap(reservation(c), c.value(granule, {size_t(1), SIZE_MAX}));)
BODY(hsa_amd_vmem_set_access, ANY_STATUS, false,
     hsa_amd_memory_access_desc_t d{c.value(HSA_ACCESS_PERMISSION_RW, {hsa_access_permission_t(44)}), c.gpu()};
     return hsa_amd_vmem_set_access(reservation(c), granule, c.must(&d), c.value(size_t(1), {size_t(0)}));)
BODY(hsa_amd_vmem_get_access, ANY_STATUS, false, hsa_access_permission_t p;
     return hsa_amd_vmem_get_access(reservation(c), c.must(&p), c.gpu());)
BODY(hsa_amd_vmem_export_shareable_handle, ANY_STATUS, false, int file = -1;
     const hsa_status_t r = hsa_amd_vmem_export_shareable_handle(c.must(&file), vmem(c), 0);
     if (r == HSA_STATUS_SUCCESS) close(file); return r;)
BODY(hsa_amd_vmem_import_shareable_handle, ANY_STATUS, false, hsa_amd_vmem_alloc_handle_t h{};
     const hsa_status_t r = hsa_amd_vmem_import_shareable_handle(int(c.value(-1, {9999, 0})), c.must(&h));
     c.made(r, Kind::vmem, h); return r;)
BODY(hsa_amd_vmem_retain_alloc_handle, ANY_STATUS, false, hsa_amd_vmem_alloc_handle_t h{};
     const hsa_status_t r = hsa_amd_vmem_retain_alloc_handle(c.must(&h), reservation(c)); c.made(r, Kind::vmem, h);
     return r;)
BODY(hsa_amd_vmem_get_alloc_properties_from_handle, ANY_STATUS, false, hsa_amd_memory_pool_t p; hsa_amd_memory_type_t t;
     return hsa_amd_vmem_get_alloc_properties_from_handle(vmem(c), c.must(&p), c.must(&t));)
#define EXPORT(name, ...)                                                                                              \
  BODY(name, ANY_STATUS, true, int file = -1; uint64_t offset;                                                         \
       const hsa_status_t r = name(c.allocation(), c.value(allocation_bytes, {uint64_t(0), UINT64_MAX}),               \
                                   c.must(&file), c.must(&offset) __VA_ARGS__);                                        \
       if (r == HSA_STATUS_SUCCESS) hsa_amd_portable_close_dmabuf(file); return r;)
EXPORT(hsa_amd_portable_export_dmabuf, )
EXPORT(hsa_amd_portable_export_dmabuf_v2, , HSA_AMD_DMABUF_MAPPING_TYPE_NONE)
CALL_GIVES(hsa_amd_portable_close_dmabuf, HSA_STATUS_ERROR_RESOURCE_FREE, int(c.value(-1, {9999})))

// Without a table nothing is called: the runtime is not up.
#define LOADER(name, ...)                                                                                              \
  BODY(name, HSA_STATUS_SUCCESS, false, if (!has_loader()) return HSA_STATUS_ERROR_NOT_INITIALIZED; __VA_ARGS__)
LOADER(hsa_ven_amd_loader_query_host_address, const void* p; return loader().hsa_ven_amd_loader_query_host_address(
    c.must(reinterpret_cast<const void*>(c.world.kernel.load())), c.must(&p));)
LOADER(hsa_ven_amd_loader_query_segment_descriptors, size_t n = 0;
       return loader().hsa_ven_amd_loader_query_segment_descriptors(nullptr, c.must(&n));)
LOADER(hsa_ven_amd_loader_query_executable, hsa_executable_t e;
       return loader().hsa_ven_amd_loader_query_executable(c.must(reinterpret_cast<const void*>(c.world.kernel.load())),
                                                           c.must(&e));)
LOADER(hsa_ven_amd_loader_executable_iterate_loaded_code_objects,
       return loader().hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
           c.frozen(), c.must(+[](hsa_executable_t, hsa_loaded_code_object_t, void*) { return HSA_STATUS_SUCCESS; }),
           nullptr);)
LOADER(hsa_ven_amd_loader_loaded_code_object_get_info,
       return loader().hsa_ven_amd_loader_loaded_code_object_get_info(
           {c.handle(Kind::loaded)}, hsa_ven_amd_loader_loaded_code_object_info_t(c.value(1u, {99u})), c.out());)
LOADER(hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size, hsa_code_object_reader_t x{};
       const hsa_status_t r = loader().hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(
           c.value(c.world.code_file, {-1, 9999}), 0, c.value(c.world.code[0].size(), {size_t(0), SIZE_MAX}),
           c.must(&x));
       c.made(r, Kind::reader, x); return r;)
LOADER(hsa_ven_amd_loader_iterate_executables,
       return loader().hsa_ven_amd_loader_iterate_executables(
           c.must(+[](hsa_executable_t, void*) { return HSA_STATUS_SUCCESS; }), nullptr);)

} // namespace crosslane::test::calls
