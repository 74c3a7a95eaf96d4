// Owns the conversion between texels in memory and registers for buffer_*_format_*, tbuffer_* and images. Slow path:
// not per level. To be called in the host's default rounding mode. Source: Vega ISA manual, "Buffer data format" and
// "numeric format" tables; CLRX GcnMemHandling for the bit order and images.
#pragma once
#include <cstdint>

namespace crosslane::engine {

struct TexelFormat {
  uint8_t data = 0, number = 0; // as encoded: DFMT and NFMT, or those of an image, which has more
  int bytes() const;            // of a texel; 0 when the data format is invalid or not for buffers
  int components() const;
  bool is_integer() const; // registers hold integers, else floats
  bool can_load() const;   // combinations that are implemented
  bool can_store() const;
};

// The components of a texel as register values (f32 bits or 32-bit integers); missing ones are 0.
void unpack_texel(TexelFormat, const uint8_t* texel, uint32_t components[4]);
// Registers -> texel bytes. Floats clamp and round to nearest even, integers saturate.
void pack_texel(TexelFormat, const uint32_t components[4], uint8_t* texel);

// Between a 32-bit component and the 16 bits that the d16 forms keep in registers.
uint16_t narrow_component(bool integer, uint32_t value);
uint32_t widen_component(TexelFormat, uint16_t value);

} // namespace crosslane::engine
