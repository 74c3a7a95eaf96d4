// Rows: the system, agents, caches, instruction sets, the finalizer that is not there, and what only tools ask for.
#include "tests/hsa/calls/calls.h"

namespace crosslane::test::calls {

namespace {

template <class Handle> hsa_status_t each(Handle, void*) { return HSA_STATUS_SUCCESS; }
constexpr int no_program = HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
hsa_agent_info_t agent_attribute(Chooser& c) {
  return hsa_agent_info_t(
      c.value(c.random() ? uint32_t(c.below(2) ? 0xa000 + c.below(24) : c.below(24)) : 0u, {0x7777u, ~0u}));
}

} // namespace

BODY(hsa_init, HSA_STATUS_SUCCESS, false, (void)c; const hsa_status_t r = hsa_init();
     if (r == HSA_STATUS_SUCCESS) hsa_shut_down(); return r;)
BODY(hsa_shut_down, HSA_STATUS_SUCCESS, false, (void)c;
     if (const hsa_status_t r = hsa_init(); r != HSA_STATUS_SUCCESS) return r;
     return hsa_shut_down();) // never the last
CALL(hsa_system_get_info, hsa_system_info_t(c.value(uint32_t(c.below(8)), {0x6666u})), c.out())
BODY(hsa_status_string, HSA_STATUS_SUCCESS, false, const char* text;
     return hsa_status_string(hsa_status_t(c.value<uint32_t>(HSA_STATUS_ERROR, {12345})), c.must(&text));)
BODY(hsa_extension_get_name, HSA_STATUS_SUCCESS, false, const char* text;
     return hsa_extension_get_name(c.value<uint16_t>(HSA_EXTENSION_IMAGES, {999}), c.must(&text));)
BODY(hsa_system_extension_supported, HSA_STATUS_SUCCESS, false, bool b;
     return hsa_system_extension_supported(c.value<uint16_t>(HSA_EXTENSION_IMAGES, {999}), 1, 0, c.must(&b));)
BODY(hsa_system_major_extension_supported, HSA_STATUS_SUCCESS, false, bool b; uint16_t minor;
     return hsa_system_major_extension_supported(c.value<uint16_t>(HSA_EXTENSION_IMAGES, {999}), 1, c.must(&minor),
                                                 c.must(&b));)
BODY(hsa_agent_extension_supported, HSA_STATUS_SUCCESS, false, bool b;
     return hsa_agent_extension_supported(c.value<uint16_t>(HSA_EXTENSION_IMAGES, {999}), c.agent(), 1, 0, c.must(&b));)
BODY(hsa_agent_major_extension_supported, HSA_STATUS_SUCCESS, false, bool b; uint16_t minor;
     return hsa_agent_major_extension_supported(c.value<uint16_t>(HSA_EXTENSION_IMAGES, {999}), c.agent(), 1,
                                                c.must(&minor), c.must(&b));)
CALL(hsa_system_get_extension_table, c.value<uint16_t>(HSA_EXTENSION_AMD_LOADER, {999}), 1, uint16_t(c.below(5)),
     c.out())
CALL(hsa_system_get_major_extension_table, c.value<uint16_t>(HSA_EXTENSION_AMD_LOADER, {999}), 1,
     c.value<size_t>(c.random() ? 1 + c.below(200) : 56, {0}), c.out())

CALL(hsa_iterate_agents, c.must(&each<hsa_agent_t>), nullptr)
CALL(hsa_agent_get_info, c.agent(), agent_attribute(c), c.out())
CALL(hsa_agent_iterate_caches, c.agent(), c.must(&each<hsa_cache_t>), nullptr)
CALL(hsa_agent_iterate_isas, c.agent(), c.must(&each<hsa_isa_t>), nullptr)
CALL(hsa_agent_iterate_regions, c.agent(), c.must(&each<hsa_region_t>), nullptr)
CALL(hsa_amd_agent_iterate_memory_pools, c.agent(), c.must(&each<hsa_amd_memory_pool_t>), nullptr)
BODY(hsa_agent_get_exception_policies, HSA_STATUS_SUCCESS, false, uint16_t m;
     return hsa_agent_get_exception_policies(c.agent(), c.value(HSA_PROFILE_FULL, {hsa_profile_t(8)}), c.must(&m));)
CALL(hsa_cache_get_info, {c.handle(Kind::cache)}, hsa_cache_info_t(c.value(uint32_t(c.below(4)), {55u})), c.out())
BODY(hsa_amd_coherency_get_type, HSA_STATUS_SUCCESS, false, hsa_amd_coherency_type_t t;
     return hsa_amd_coherency_get_type(c.gpu(), c.must(&t));)
CALL(hsa_amd_coherency_set_type, c.gpu(), c.value(HSA_AMD_COHERENCY_TYPE_COHERENT, {hsa_amd_coherency_type_t(9)}))
CALL(hsa_amd_image_get_info_max_dim, c.gpu(),
     hsa_agent_info_t(c.value<uint32_t>(HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, {0x1111})), c.out())

BODY(hsa_isa_from_name, HSA_STATUS_SUCCESS, false, hsa_isa_t i; return hsa_isa_from_name(
         c.must(c.value("amdgcn-amd-amdhsa--gfx900", {"", "amdgcn", "amdgcn-amd-amdhsa--gfx900:"})), c.must(&i));)
CALL(hsa_isa_get_info, {c.handle(Kind::isa)}, hsa_isa_info_t(c.value(uint32_t(c.below(3)), {99u})), 0, c.out())
CALL(hsa_isa_get_info_alt, {c.handle(Kind::isa)}, hsa_isa_info_t(c.value(uint32_t(c.below(3)), {99u})), c.out())
BODY(hsa_isa_get_exception_policies, HSA_STATUS_SUCCESS, false, uint16_t m;
     return hsa_isa_get_exception_policies({c.handle(Kind::isa)}, c.value(HSA_PROFILE_FULL, {hsa_profile_t(8)}),
                                           c.must(&m));)
BODY(hsa_isa_get_round_method, HSA_STATUS_SUCCESS, false, hsa_round_method_t m;
     return hsa_isa_get_round_method({c.handle(Kind::isa)}, c.value(HSA_FP_TYPE_32, {hsa_fp_type_t(3)}),
                                     c.value(HSA_FLUSH_MODE_FTZ, {hsa_flush_mode_t(3)}), c.must(&m));)
CALL(hsa_isa_iterate_wavefronts, {c.handle(Kind::isa)}, c.must(&each<hsa_wavefront_t>), nullptr)
CALL(hsa_wavefront_get_info, {c.handle(Kind::wavefront)}, hsa_wavefront_info_t(c.value(0u, {7u})), c.out())
BODY(hsa_isa_compatible, HSA_STATUS_SUCCESS, false, bool b;
     return hsa_isa_compatible({c.handle(Kind::isa)}, {c.handle(Kind::isa)}, c.must(&b));)

// Not supported: see hsa/tools/unsupported.cpp and hsa/tools/sampling.cpp.
BODY(hsa_ext_program_create, HSA_STATUS_ERROR_OUT_OF_RESOURCES, false, hsa_ext_program_t p;
     return hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                   nullptr, c.must(&p));)
CALL_GIVES(hsa_ext_program_destroy, no_program, {c.below(9)})
CALL_GIVES(hsa_ext_program_add_module, no_program, {c.below(9)}, nullptr)
CALL_GIVES(hsa_ext_program_iterate_modules, no_program, {c.below(9)},
           c.must(+[](hsa_ext_program_t, hsa_ext_module_t, void*) { return HSA_STATUS_SUCCESS; }), nullptr)
CALL_GIVES(hsa_ext_program_get_info, no_program, {c.below(9)}, HSA_EXT_PROGRAM_INFO_PROFILE, c.out())
BODY(hsa_ext_program_finalize, no_program, false, hsa_code_object_t o;
     return hsa_ext_program_finalize({1}, {c.handle(Kind::isa)}, 0, {}, nullptr, HSA_CODE_OBJECT_TYPE_PROGRAM, &o);)
CALL_GIVES(hsa_ven_amd_pcs_iterate_configuration, HSA_STATUS_ERROR, c.gpu(),
           c.must(+[](const hsa_ven_amd_pcs_configuration_t*, void*) { return HSA_STATUS_SUCCESS; }), nullptr)
BODY(hsa_ven_amd_pcs_create, HSA_STATUS_ERROR, false, hsa_ven_amd_pcs_t s; return hsa_ven_amd_pcs_create(
         c.gpu(), HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1, HSA_VEN_AMD_PCS_INTERVAL_UNITS_MICRO_SECONDS, 1, 0, 1 << 20,
         c.must(+[](void*, size_t, size_t, hsa_ven_amd_pcs_data_copy_callback_t, void*) {}), nullptr, c.must(&s));)
BODY(hsa_ven_amd_pcs_create_from_id, HSA_STATUS_ERROR, false, hsa_ven_amd_pcs_t s;
     return hsa_ven_amd_pcs_create_from_id(
         1, c.gpu(), HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1, HSA_VEN_AMD_PCS_INTERVAL_UNITS_MICRO_SECONDS, 1, 0, 1 << 20,
         c.must(+[](void*, size_t, size_t, hsa_ven_amd_pcs_data_copy_callback_t, void*) {}), nullptr, c.must(&s));)
#define SESSION(name) CALL_GIVES(name, HSA_STATUS_ERROR_INVALID_ARGUMENT, {c.below(9)})
SESSION(hsa_ven_amd_pcs_destroy)
SESSION(hsa_ven_amd_pcs_start)
SESSION(hsa_ven_amd_pcs_stop)
SESSION(hsa_ven_amd_pcs_flush)
CALL_GIVES(hsa_amd_spm_acquire, HSA_STATUS_ERROR, c.gpu())
CALL_GIVES(hsa_amd_spm_release, HSA_STATUS_ERROR, c.gpu())
BODY(hsa_amd_spm_set_dest_buffer, HSA_STATUS_ERROR, false, uint32_t a = 1; uint32_t b; bool lost;
     return hsa_amd_spm_set_dest_buffer(c.gpu(), 4096, c.must(&a), c.must(&b), nullptr, c.must(&lost));)
BODY(hsa_amd_enable_logging, HSA_STATUS_SUCCESS, false, (void)c; uint8_t flags[8] = {};
     return hsa_amd_enable_logging(flags, nullptr);)
#define EVENT(name) CALL(name, hsa_amd_tool_event_t{})
EVENT(hsa_tools_scratch_event_alloc_start)
EVENT(hsa_tools_scratch_event_alloc_end)
EVENT(hsa_tools_scratch_event_free_start)
EVENT(hsa_tools_scratch_event_free_end)
EVENT(hsa_tools_scratch_event_async_reclaim_start)
EVENT(hsa_tools_scratch_event_async_reclaim_end)

} // namespace crosslane::test::calls
