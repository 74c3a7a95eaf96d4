// Resource descriptors bit by bit, for each generation.
#include "hsa/image/image.h"
#include <algorithm>
#include <cmath>

namespace crosslane::hsa {

namespace {

constexpr uint64_t base_alignment = 256;

// Data formats of texels, by bits of a component and number of components. NFMT: the numbers of the ISA manual.
constexpr uint8_t dfmt(unsigned bits, unsigned components) {
  if (bits == 8)
    return components == 1 ? 1 : components == 2 ? 3 : 10;
  if (bits == 16)
    return components == 1 ? 2 : components == 2 ? 5 : 12;
  return components == 1 ? 4 : components == 2 ? 11 : 14;
}
enum Nfmt : uint8_t { unorm = 0, snorm = 1, uint = 4, sint = 5, floating = 7, srgb = 9 };
constexpr uint8_t dfmt_2_10_10_10 = 9, dfmt_5_6_5 = 16, dfmt_1_5_5_5 = 17;

struct Channel {
  unsigned bits;
  Nfmt number;
};
// By hsa_ext_image_channel_type_t; 0 bits: only for whole texels, or not at all.
constexpr Channel channels[] = {{8, snorm}, {16, snorm}, {8, unorm},     {16, unorm},   {0, unorm}, {0, unorm},
                                {0, unorm}, {0, unorm},  {8, sint},      {16, sint},    {32, sint}, {8, uint},
                                {16, uint}, {32, uint},  {16, floating}, {32, floating}};

struct Order {
  uint8_t components; // 0: not supported, as by ROCr
  std::array<uint8_t, 4> selectors;
};
constexpr uint8_t x = 4, y = 5, z = 6, w = 7;
// By hsa_ext_image_channel_order_t.
constexpr Order orders[] = {
    {1, {0, 0, 0, x}}, // A
    {1, {x, 0, 0, 1}}, // R
    {0, {}},           // RX
    {2, {x, y, 0, 1}}, // RG
    {0, {}},           // RGX
    {2, {x, 0, 0, y}}, // RA
    {3, {z, y, x, 1}}, // RGB: packed
    {0, {}},           // RGBX
    {4, {x, y, z, w}}, // RGBA
    {4, {z, y, x, w}}, // BGRA
    {4, {y, z, w, x}}, // ARGB
    {0, {}},           // ABGR
    {0, {}},           // SRGB
    {0, {}},           // SRGBX
    {4, {x, y, z, w}}, // SRGBA
    {0, {}},           // SBGRA
    {1, {x, x, x, x}}, // INTENSITY
    {1, {x, x, x, 1}}, // LUMINANCE
    {1, {x, 0, 0, 0}}, // DEPTH
    {0, {}},           // DEPTH_STENCIL
};

// Which of its sizes a geometry has.
struct Sizes {
  bool height, depth, layers;
};
Sizes sizes_of(hsa_ext_image_geometry_t geometry) {
  switch (geometry) {
  case HSA_EXT_IMAGE_GEOMETRY_2D:
  case HSA_EXT_IMAGE_GEOMETRY_2DDEPTH: return {true, false, false};
  case HSA_EXT_IMAGE_GEOMETRY_3D: return {true, true, false};
  case HSA_EXT_IMAGE_GEOMETRY_1DA: return {false, false, true};
  case HSA_EXT_IMAGE_GEOMETRY_2DA:
  case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH: return {true, false, true};
  default: return {};
  }
}

uint32_t type_of(hsa_ext_image_geometry_t geometry) {
  switch (geometry) {
  case HSA_EXT_IMAGE_GEOMETRY_3D: return 10;
  case HSA_EXT_IMAGE_GEOMETRY_1DA: return 12;
  case HSA_EXT_IMAGE_GEOMETRY_2DA:
  case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH: return 13;
  case HSA_EXT_IMAGE_GEOMETRY_2D:
  case HSA_EXT_IMAGE_GEOMETRY_2DDEPTH: return 9;
  default: return 8;
  }
}

} // namespace

ImageFormat format_of(const hsa_ext_image_format_t& format, hsa_ext_image_geometry_t geometry) {
  const uint32_t type = format.channel_type, order = format.channel_order;
  if (type >= std::size(channels) || order >= std::size(orders) || !orders[order].components)
    return {};
  const bool is_integer =
      type >= HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8 && type <= HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32;
  ImageFormat result;
  result.selectors = orders[order].selectors;
  if (order == HSA_EXT_IMAGE_CHANNEL_ORDER_RGB) {
    if (type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555)
      result.texel = {dfmt_1_5_5_5, unorm};
    else if (type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565)
      result.texel = {dfmt_5_6_5, unorm};
    else if (type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010)
      result.texel = {dfmt_2_10_10_10, unorm};
    else
      return {};
  } else if (const Channel& channel = channels[type]; channel.bits) {
    const bool swapped = order == HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA || order == HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB;
    const bool grey = order == HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY || order == HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE;
    if ((swapped && channel.bits != 8) || (grey && is_integer))
      return {};
    if (order == HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA && type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8)
      return {};
    if (order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH && type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16 &&
        type != HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT)
      return {};
    result.texel = {dfmt(channel.bits, orders[order].components),
                    uint8_t(order == HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA ? srgb : channel.number)};
  } else {
    return {};
  }
  if (!result.texel.can_load()) // what the engine cannot do is not offered
    return {};
  constexpr uint8_t last_of_buffers = 14; // V# has four bits for it, three for the number
  if (geometry == HSA_EXT_IMAGE_GEOMETRY_1DB && (result.texel.data > last_of_buffers || result.texel.number > floating))
    return {};
  const bool depth = geometry == HSA_EXT_IMAGE_GEOMETRY_2DDEPTH || geometry == HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
  if (depth && order != HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH)
    return {};
  result.components = orders[order].components;
  return result;
}

// Source: the limits of ROCr for these GPUs (rocminfo); 14 bits of width and height, 13 of depth.
std::array<uint32_t, 4> largest_image(hsa_ext_image_geometry_t geometry) {
  const Sizes sizes = sizes_of(geometry);
  if (geometry == HSA_EXT_IMAGE_GEOMETRY_1DB)
    return {UINT32_MAX, 1, 1, 1};
  return {16384, sizes.height ? 16384u : 1, sizes.depth ? 8192u : 1, sizes.layers ? 8192u : 1};
}

hsa_status_t lay_out(const hsa_ext_image_descriptor_t& d, uint64_t row_pitch, uint64_t slice_pitch,
                     ImageLayout& layout) {
  if (d.geometry > HSA_EXT_IMAGE_GEOMETRY_2DADEPTH)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const ImageFormat format = format_of(d.format, d.geometry);
  if (!format.components)
    return hsa_status_t(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  const Sizes sizes = sizes_of(d.geometry);
  const auto most = largest_image(d.geometry);
  // A size that the geometry does not have should be 0; HIP leaves a 1 in some.
  const uint64_t height = sizes.height ? d.height : 1, depth = sizes.depth ? d.depth : 1,
                 layers = sizes.layers ? d.array_size : 1;
  if (!d.width || !height || !depth || !layers || d.width > most[0] || height > most[1] || depth > most[2] ||
      layers > most[3])
    return hsa_status_t(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  layout = {};
  layout.texel = uint64_t(format.texel.bytes());
  layout.width = d.width;
  if (d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) {
    layout.row = layout.slice = d.width * layout.texel;
    layout.rows = layout.slices = 1;
    return HSA_STATUS_SUCCESS;
  }
  const uint64_t group = std::max<uint64_t>(64, base_alignment / layout.texel);
  const uint64_t natural = (d.width + group - 1) / group * group * layout.texel;
  layout.row = row_pitch ? row_pitch : natural;
  const bool lines = d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA;
  layout.rows = lines ? layers : height;
  layout.slices = lines ? 1 : depth * layers;
  layout.slice = layout.row * layout.rows;
  if (layout.row < d.width * layout.texel || layout.row % base_alignment || layout.row / layout.texel > 16384 ||
      (slice_pitch && slice_pitch != layout.slice && layout.slices > 1))
    return hsa_status_t(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  return HSA_STATUS_SUCCESS;
}

void describe_image(Image& image, const hsa_ext_image_descriptor_t& d) {
  const auto address = reinterpret_cast<uint64_t>(image.data);
  const isa::Generation generation = isa::info(image.agent->card->target).generation;
  const bool is_gfx9 = generation >= isa::Generation::gfx9;
  const auto& texel = image.format.texel;
  uint32_t selectors = 0;
  for (size_t i = 0; i < 4; ++i)
    selectors |= uint32_t(image.format.selectors[i]) << 3 * i;
  uint32_t* s = image.words;
  if (d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) { // V#
    s[0] = uint32_t(address);
    s[1] = uint32_t(address >> 32) | uint32_t(image.layout.texel) << 16;
    s[2] = uint32_t(image.layout.width *
                    (generation == isa::Generation::gfx8 ? image.layout.texel : 1)); // bytes, or records
    s[3] = selectors | uint32_t(texel.number) << 12 | uint32_t(texel.data) << 15;
  } else {
    const auto pitch = uint32_t(image.layout.row / image.layout.texel);
    const auto layers = uint32_t(
        std::max<uint64_t>(image.layout.slices, d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA ? image.layout.rows : 1));
    const uint32_t height = d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA ? 1 : uint32_t(image.layout.rows);
    s[0] = uint32_t(address >> 8);
    s[1] = uint32_t(address >> 40) | uint32_t(texel.data) << 20 | uint32_t(texel.number) << 26;
    s[2] = uint32_t(image.layout.width - 1) | (height - 1) << 14;
    s[3] = selectors | (is_gfx9 ? 0u : 8u) << 20 | type_of(d.geometry) << 28; // linear
    s[4] = (layers - 1) | (pitch - 1) << 13;
    s[5] = is_gfx9 ? 0 : (d.geometry == HSA_EXT_IMAGE_GEOMETRY_3D ? 0 : layers - 1) << 13;
  }
  s[8] = d.format.channel_type;
  s[9] = d.format.channel_order;
  s[10] = uint32_t(image.layout.width);
}

void describe_sampler(const hsa_ext_sampler_descriptor_v2_t& d, uint32_t words[8]) {
  const auto clamp = [](hsa_ext_sampler_addressing_mode32_t mode) -> uint32_t {
    switch (mode) {
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT: return 0;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT: return 1;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER: return 6;
    default: return 2;
    }
  };
  const uint32_t filter = d.filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
  std::fill_n(words, 8, 0);
  words[0] = clamp(d.address_modes[0]) | clamp(d.address_modes[1]) << 3 | clamp(d.address_modes[2]) << 6 |
             uint32_t(d.coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED) << 15;
  words[1] = 4095u << 12;                 // any level
  words[2] = filter << 20 | filter << 22; // of magnification and minification; z is filtered as x and y are
}

float linear_to_srgb(float value) {
  const double linear = value > 0 ? std::min<double>(value, 1) : 0;
  return float(linear < 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 5.0 / 12) - 0.055);
}

float srgb_to_linear(float value) {
  const double standard = value > 0 ? std::min<double>(value, 1) : 0;
  return float(standard <= 0.04045 ? standard / 12.92 : std::pow((standard + 0.055) / 1.055, 2.4));
}

bool is_srgb(const Image& image) { return image.format.texel.number == srgb; }

engine::TexelFormat unorm_of_srgb(engine::TexelFormat texel) { return {texel.data, unorm}; }

} // namespace crosslane::hsa
