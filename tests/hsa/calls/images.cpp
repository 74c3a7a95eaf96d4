// Rows: images and samplers. Their texels lie in allocations, which have room for what good descriptors say.
#include "tests/hsa/calls/calls.h"

namespace crosslane::test::calls {

namespace {

hsa_ext_image_format_t format(Chooser& c) {
  return c.random() && c.below(4) == 0
             ? hsa_ext_image_format_t{hsa_ext_image_channel_type32_t(c.below(20)),
                                      hsa_ext_image_channel_order32_t(c.below(24))}
             : hsa_ext_image_format_t{HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
}
hsa_ext_image_descriptor_t descriptor(Chooser& c) {
  return {c.any({HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_GEOMETRY_1D, HSA_EXT_IMAGE_GEOMETRY_1DB}),
          c.value<size_t>(16 + c.below(32), {0, size_t(1) << 33, SIZE_MAX}),
          16 + c.below(16),
          0,
          0,
          format(c)};
}
hsa_ext_image_region_t area(Chooser& c) {
  return {{0, 0, 0}, {c.value(8u, {~0u, 1u << 20}), uint32_t(c.below(2)), uint32_t(c.below(2))}};
}
hsa_ext_image_geometry_t geometry(Chooser& c) {
  return c.any({HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_GEOMETRY_3D, HSA_EXT_IMAGE_GEOMETRY_1DB});
}
hsa_ext_image_t image(Chooser& c) { return {c.handle(Kind::image)}; }

} // namespace

#define RW c.value(HSA_ACCESS_PERMISSION_RW, {hsa_access_permission_t(55)})
#define LAYOUT c.value(HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, {hsa_ext_image_data_layout_t(55)})
BODY(hsa_ext_image_get_capability, HSA_STATUS_SUCCESS, false, auto f = format(c); uint32_t m;
     return hsa_ext_image_get_capability(c.gpu(), geometry(c), c.must(&f), c.must(&m));)
BODY(hsa_ext_image_get_capability_with_layout, HSA_STATUS_SUCCESS, false, auto f = format(c); uint32_t m;
     return hsa_ext_image_get_capability_with_layout(c.gpu(), geometry(c), c.must(&f), LAYOUT, c.must(&m));)
BODY(hsa_ext_image_data_get_info, HSA_STATUS_SUCCESS, false, auto d = descriptor(c); hsa_ext_image_data_info_t i;
     return hsa_ext_image_data_get_info(c.gpu(), c.must(&d), RW, c.must(&i));)
BODY(hsa_ext_image_data_get_info_with_layout, HSA_STATUS_SUCCESS, false, auto d = descriptor(c);
     hsa_ext_image_data_info_t i;
     return hsa_ext_image_data_get_info_with_layout(c.gpu(), c.must(&d), RW, LAYOUT, 0, 0, c.must(&i));)
BODY(hsa_ext_image_create, HSA_STATUS_SUCCESS, true, auto d = descriptor(c); hsa_ext_image_t i{};
     uint8_t* const texels = reinterpret_cast<uint8_t*>(c.world.pick(Kind::allocation, c.rng, false));
     const hsa_status_t r = hsa_ext_image_create(c.gpu(), c.must(&d), c.must(texels), RW, c.must(&i));
     c.made(r, Kind::image, i); return r;)
BODY(hsa_ext_image_create_with_layout, HSA_STATUS_SUCCESS, true, auto d = descriptor(c); hsa_ext_image_t i{};
     uint8_t* const texels = reinterpret_cast<uint8_t*>(c.world.pick(Kind::allocation, c.rng, false));
     const hsa_status_t r = hsa_ext_image_create_with_layout(c.gpu(), c.must(&d), c.must(texels), RW, LAYOUT, 0, 0,
                                                             c.must(&i));
     c.made(r, Kind::image, i); return r;)
BODY(hsa_amd_image_create, HSA_STATUS_ERROR_INVALID_ARGUMENT, false, auto d = descriptor(c);
     hsa_amd_image_descriptor_t l{}; hsa_ext_image_t i;
     return hsa_amd_image_create(c.gpu(), c.must(&d), c.must(&l), c.world.arena, RW, c.must(&i));)
CALL(hsa_ext_image_destroy, c.gpu(), {c.take(Kind::image)})
BODY(hsa_ext_image_copy, HSA_STATUS_SUCCESS, true, hsa_dim3_t at{}; auto a = area(c); const auto from = image(c);
     return hsa_ext_image_copy(c.gpu(), from, c.must(&at), from, c.must(&at), c.must(&a.range));)
BODY(hsa_ext_image_import, HSA_STATUS_SUCCESS, true, auto a = area(c);
     return hsa_ext_image_import(c.gpu(), c.must(c.host(allocation_bytes)), 0, 0, image(c), c.must(&a));)
BODY(hsa_ext_image_export, HSA_STATUS_SUCCESS, true, auto a = area(c);
     return hsa_ext_image_export(c.gpu(), image(c), c.must(c.host(allocation_bytes)), 0, 0, c.must(&a));)
BODY(hsa_ext_image_clear, HSA_STATUS_SUCCESS, true, auto a = area(c); uint32_t v[4] = {};
     return hsa_ext_image_clear(c.gpu(), image(c), c.must(v), c.must(&a));)
BODY(hsa_ext_sampler_create, HSA_STATUS_SUCCESS, false, hsa_ext_sampler_t s{};
     hsa_ext_sampler_descriptor_t d{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED, HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                    c.value<uint32_t>(HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT, {99})};
     const hsa_status_t r = hsa_ext_sampler_create(c.gpu(), c.must(&d), c.must(&s)); c.made(r, Kind::sampler, s);
     return r;)
BODY(hsa_ext_sampler_create_v2, HSA_STATUS_SUCCESS, false, hsa_ext_sampler_t s{};
     hsa_ext_sampler_descriptor_v2_t d{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                       c.value<uint32_t>(HSA_EXT_SAMPLER_FILTER_MODE_LINEAR, {99}),
                                       {}};
     const hsa_status_t r = hsa_ext_sampler_create_v2(c.gpu(), c.must(&d), c.must(&s)); c.made(r, Kind::sampler, s);
     return r;)
CALL(hsa_ext_sampler_destroy, c.gpu(), {c.take(Kind::sampler)})

} // namespace crosslane::test::calls
