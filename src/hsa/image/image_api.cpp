// The functions on images and samplers.
#include "hsa/functions.h"
#include "hsa/image/image.h"
#include "hsa/memory/copy.h"
#include "hsa/memory/memory.h"
#include "hsa/runtime.h"
#include "hsa/statistics.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <span>

using namespace crosslane::hsa;

namespace {

// A copy of the descriptor where kernels reach it.
uint64_t show(Runtime& runtime, std::span<const uint32_t> words, const char* what) {
  void* const p = runtime.heap->allocate(words.size_bytes(), nullptr, what, true);
  if (!p)
    throw std::bad_alloc();
  std::memcpy(p, words.data(), words.size_bytes());
  return reinterpret_cast<uint64_t>(p);
}

bool valid(hsa_access_permission_t permission) {
  return permission == HSA_ACCESS_PERMISSION_RO || permission == HSA_ACCESS_PERMISSION_WO ||
         permission == HSA_ACCESS_PERMISSION_RW;
}
// Of the functions that are given one: "it is invalid to use HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE".
bool valid(hsa_ext_image_data_layout_t layout) { return layout == HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR; }

// A GPU; null: no agent, or the CPU, which has no images.
Agent* find_gpu(Runtime& runtime, hsa_agent_t handle) {
  Agent* agent = runtime.agent(handle);
  return agent && agent->gpu() ? agent : nullptr;
}

std::shared_ptr<const Image> find(Runtime& runtime, hsa_ext_image_t handle) {
  Images& tables = *runtime.images;
  const std::lock_guard lock(tables.mutex);
  const auto it = tables.images.find(handle.handle);
  return it == tables.images.end() ? nullptr : it->second;
}

bool inside(const Image& image, const hsa_dim3_t& offset, const hsa_dim3_t& range) {
  const ImageLayout& l = image.layout;
  return uint64_t(offset.x) + range.x <= l.width && uint64_t(offset.y) + range.y <= l.rows &&
         uint64_t(offset.z) + range.z <= l.slices;
}

uint8_t* texel(const Image& image, const hsa_dim3_t& offset) {
  return image.data + offset.x * image.layout.texel + offset.y * image.layout.row + offset.z * image.layout.slice;
}

// A range in rows: an unused dimension may be 0.
hsa_dim3_t at_least_one(hsa_dim3_t range) { return {range.x, std::max(range.y, 1u), std::max(range.z, 1u)}; }

// `bytes` of each row of the range.
void copy_rows(Runtime& runtime, uint8_t* to, Box::Steps to_steps, const uint8_t* from, Box::Steps from_steps,
               uint64_t bytes, const hsa_dim3_t& range, const char* what) {
  copy_box(runtime, {to, from, bytes, range.y, range.z, to_steps, from_steps}, what);
}

Box::Steps steps(const Image& image) { return {image.layout.row, image.layout.slice}; }

// One texel of an image, in all components of access: four of them, but one of depth.
void pack(const Image& image, const void* data, uint8_t packed[16]) {
  uint32_t value[4] = {}, components[4] = {};
  std::memcpy(value, data, image.channels.channel_order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH ? 4 : sizeof value);
  crosslane::engine::TexelFormat texel = image.format.texel;
  if (is_srgb(image)) { // kernels do not store it
    texel = unorm_of_srgb(texel);
    for (size_t i = 0; i < 3; ++i)
      value[i] = std::bit_cast<uint32_t>(linear_to_srgb(std::bit_cast<float>(value[i])));
  }
  for (size_t i = 4; i-- > 0;)
    if (const uint8_t selector = image.format.selectors[i]; selector >= 4)
      components[selector - 4] = value[i];
  crosslane::engine::pack_texel(texel, components, packed);
}

// What a copy does to texels: formats must be the same, but between RGBA and sRGBA of 8 bits what is copied is the
// colour. Source: ROCr 5.2, ImageManagerKv::CopyImage.
enum class Conversion : uint8_t { none, to_srgb, to_linear, impossible };
Conversion conversion_between(const Image& from, const Image& to) {
  constexpr uint32_t unorm = HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, rgba = HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA;
  const auto &a = from.channels, &b = to.channels;
  if (a.channel_type == b.channel_type && a.channel_order == b.channel_order)
    return Conversion::none;
  if (a.channel_type != unorm || b.channel_type != unorm)
    return Conversion::impossible;
  if (is_srgb(from) && b.channel_order == rgba)
    return Conversion::to_linear;
  return is_srgb(to) && a.channel_order == rgba ? Conversion::to_srgb : Conversion::impossible;
}

// Texels of four bytes, row by row.
void convert_rows(Runtime& runtime, const Image& to, const hsa_dim3_t& to_at, const Image& from,
                  const hsa_dim3_t& from_at, const hsa_dim3_t& range, bool to_srgb) {
  std::array<uint8_t, 256> map;
  for (size_t i = 0; i < map.size(); ++i) {
    const float value = float(i) / 255;
    map[i] = uint8_t(std::lround((to_srgb ? linear_to_srgb(value) : srgb_to_linear(value)) * 255));
  }
  const uint64_t bytes = range.x * from.layout.texel;
  std::vector<uint8_t> row(bytes);
  for (uint32_t z = 0; z < range.z; ++z)
    for (uint32_t y = 0; y < range.y; ++y) {
      copy_bytes(runtime, row.data(), texel(from, {from_at.x, from_at.y + y, from_at.z + z}), bytes,
                 "hsa_ext_image_copy");
      for (uint64_t i = 0; i < bytes; ++i)
        if (i % 4 != 3)
          row[i] = map[row[i]];
      copy_bytes(runtime, texel(to, {to_at.x, to_at.y + y, to_at.z + z}), row.data(), bytes, "hsa_ext_image_copy");
    }
}

hsa_status_t tell_capability(hsa_agent_t agent, hsa_ext_image_geometry_t geometry, const hsa_ext_image_format_t* format,
                             bool good, uint32_t* mask) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!format || !mask || !good || geometry > HSA_EXT_IMAGE_GEOMETRY_2DADEPTH)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED;
    const ImageFormat known = format_of(*format, geometry);
    if (!find_gpu(runtime, agent) || !known.components)
      return HSA_STATUS_SUCCESS;
    *mask = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT;
    if (known.texel.can_store())
      *mask |= HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY;
    if (known.texel.can_store() && format->channel_order != HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH)
      *mask |= HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t tell_size(hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor, bool good, size_t row,
                       size_t slice, hsa_ext_image_data_info_t* info) {
  return api([&](Runtime& runtime) {
    if (!find_gpu(runtime, agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!descriptor || !good || !info)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ImageLayout layout;
    if (const hsa_status_t status = lay_out(*descriptor, row, slice, layout))
      return status;
    *info = {layout.bytes(), 256};
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t create(hsa_agent_t handle, const hsa_ext_image_descriptor_t* descriptor, const void* data, bool good,
                    size_t row, size_t slice, hsa_ext_image_t* result) {
  return api([&](Runtime& runtime) {
    Agent* agent = find_gpu(runtime, handle);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const auto address = reinterpret_cast<uint64_t>(data);
    if (!descriptor || !data || !good || !result)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    // Texels of a buffer begin anywhere, those of an image at a multiple of 256.
    if (descriptor->geometry != HSA_EXT_IMAGE_GEOMETRY_1DB && address % 256)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto image = std::make_unique<Image>();
    if (const hsa_status_t status = lay_out(*descriptor, row, slice, image->layout))
      return status;
    image->agent = agent;
    image->format = format_of(descriptor->format, descriptor->geometry);
    image->channels = descriptor->format;
    image->data = static_cast<uint8_t*>(const_cast<void*>(data));
    describe_image(*image, *descriptor);
    runtime.statistics->written({address, address + image->layout.bytes()});
    result->handle = show(runtime, image->words, "an image");
    const std::lock_guard lock(runtime.images->mutex);
    runtime.images->images[result->handle] = std::move(image);
    return HSA_STATUS_SUCCESS;
  });
}

// No descriptor: the client gave none.
hsa_status_t create_sampler(hsa_agent_t agent, const std::optional<hsa_ext_sampler_descriptor_v2_t>& descriptor,
                            hsa_ext_sampler_t* result) {
  return api([&](Runtime& runtime) {
    if (!find_gpu(runtime, agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!descriptor || !result)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (descriptor->coordinate_mode > HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED ||
        descriptor->filter_mode > HSA_EXT_SAMPLER_FILTER_MODE_LINEAR ||
        std::ranges::any_of(descriptor->address_modes,
                            [](auto mode) { return mode > HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT; }))
      return hsa_status_t(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED);
    uint32_t words[8];
    describe_sampler(*descriptor, words);
    result->handle = show(runtime, words, "a sampler");
    const std::lock_guard lock(runtime.images->mutex);
    runtime.images->samplers.insert(result->handle);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_ext_sampler_descriptor_v2_t with_one_mode(const hsa_ext_sampler_descriptor_t& descriptor) {
  const auto mode = descriptor.address_mode;
  return {descriptor.coordinate_mode, descriptor.filter_mode, {mode, mode, mode}};
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                          const hsa_ext_image_format_t* format, uint32_t* mask) {
  return tell_capability(agent, geometry, format, true, mask);
}

hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                                      const hsa_ext_image_format_t* format,
                                                      hsa_ext_image_data_layout_t layout, uint32_t* mask) {
  return tell_capability(agent, geometry, format, valid(layout), mask);
}

hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor,
                                         hsa_access_permission_t permission, hsa_ext_image_data_info_t* info) {
  return tell_size(agent, descriptor, valid(permission), 0, 0, info);
}

hsa_status_t hsa_ext_image_data_get_info_with_layout(hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor,
                                                     hsa_access_permission_t permission,
                                                     hsa_ext_image_data_layout_t layout, size_t row, size_t slice,
                                                     hsa_ext_image_data_info_t* info) {
  return tell_size(agent, descriptor, valid(permission) && valid(layout), row, slice, info);
}

hsa_status_t hsa_ext_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor, const void* data,
                                  hsa_access_permission_t permission, hsa_ext_image_t* image) {
  return create(agent, descriptor, data, valid(permission), 0, 0, image);
}

hsa_status_t hsa_ext_image_create_with_layout(hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor,
                                              const void* data, hsa_access_permission_t permission,
                                              hsa_ext_image_data_layout_t layout, size_t row, size_t slice,
                                              hsa_ext_image_t* image) {
  return create(agent, descriptor, data, valid(permission) && valid(layout), row, slice, image);
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t handle) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const std::lock_guard lock(runtime.images->mutex);
    if (!runtime.images->images.erase(handle.handle))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime.heap->free(reinterpret_cast<void*>(handle.handle));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t source, const hsa_dim3_t* from,
                                hsa_ext_image_t target, const hsa_dim3_t* to, const hsa_dim3_t* range) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const auto a = find(runtime, source), b = find(runtime, target);
    if (!a || !b || !from || !to || !range)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const hsa_dim3_t whole = at_least_one(*range);
    const auto conversion = conversion_between(*a, *b);
    if (a->agent != b->agent || conversion == Conversion::impossible || !inside(*a, *from, whole) ||
        !inside(*b, *to, whole))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (conversion == Conversion::none)
      copy_rows(runtime, texel(*b, *to), steps(*b), texel(*a, *from), steps(*a), whole.x * a->layout.texel, whole,
                "hsa_ext_image_copy");
    else
      convert_rows(runtime, *b, *to, *a, *from, whole, conversion == Conversion::to_srgb);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_image_import(hsa_agent_t agent, const void* memory, size_t row, size_t slice,
                                  hsa_ext_image_t handle, const hsa_ext_image_region_t* region) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const auto image = find(runtime, handle);
    if (!image || !memory || !region)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const hsa_dim3_t range = at_least_one(region->range);
    if (!inside(*image, region->offset, range))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const uint64_t bytes = range.x * image->layout.texel, from_row = std::max<uint64_t>(row, bytes);
    copy_rows(runtime, texel(*image, region->offset), steps(*image), static_cast<const uint8_t*>(memory),
              {from_row, std::max<uint64_t>(slice, from_row * range.y)}, bytes, range, "hsa_ext_image_import");
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t handle, void* memory, size_t row, size_t slice,
                                  const hsa_ext_image_region_t* region) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const auto image = find(runtime, handle);
    if (!image || !memory || !region)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const hsa_dim3_t range = at_least_one(region->range);
    if (!inside(*image, region->offset, range))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const uint64_t bytes = range.x * image->layout.texel, to_row = std::max<uint64_t>(row, bytes);
    copy_rows(runtime, static_cast<uint8_t*>(memory), {to_row, std::max<uint64_t>(slice, to_row * range.y)},
              texel(*image, region->offset), steps(*image), bytes, range, "hsa_ext_image_export");
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t handle, const void* data,
                                 const hsa_ext_image_region_t* region) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const auto image = find(runtime, handle);
    if (!image || !data || !region)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const hsa_dim3_t range = at_least_one(region->range);
    if (!inside(*image, region->offset, range))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint8_t packed[16];
    pack(*image, data, packed);
    const uint64_t bytes = image->layout.texel;
    std::vector<uint8_t> row(range.x * bytes);
    for (uint64_t x = 0; x < range.x; ++x)
      std::memcpy(row.data() + x * bytes, packed, bytes);
    copy_rows(runtime, texel(*image, region->offset), steps(*image), row.data(), {}, row.size(), range,
              "hsa_ext_image_clear");
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_sampler_create(hsa_agent_t agent, const hsa_ext_sampler_descriptor_t* descriptor,
                                    hsa_ext_sampler_t* result) {
  return descriptor ? create_sampler(agent, with_one_mode(*descriptor), result)
                    : create_sampler(agent, std::nullopt, result);
}

hsa_status_t hsa_ext_sampler_create_v2(hsa_agent_t agent, const hsa_ext_sampler_descriptor_v2_t* descriptor,
                                       hsa_ext_sampler_t* result) {
  return create_sampler(agent, descriptor ? std::optional(*descriptor) : std::nullopt, result);
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent, hsa_ext_sampler_t handle) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const std::lock_guard lock(runtime.images->mutex);
    if (!runtime.images->samplers.erase(handle.handle))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime.heap->free(reinterpret_cast<void*>(handle.handle));
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
