// The kernarg segment, byte by byte.
#include "launch/kernarg.h"
#include "files/error.h"
#include <algorithm>
#include <cstring>

namespace crosslane::launch {

namespace {

struct Hidden {
  std::string_view kind;
  uint64_t value;
};

std::vector<Hidden> hidden_values(const LaunchShape& shape, const Places& places, uint32_t dynamic_lds) {
  // Whole workgroups only; what is left over is the remainder.
  const auto blocks = [&](int d) { return shape.grid[d] / std::max(1u, shape.block[d]); };
  const auto rest = [&](int d) { return shape.grid[d] % std::max(1u, shape.block[d]); };
  return {
      {"hidden_block_count_x", blocks(0)},
      {"hidden_block_count_y", blocks(1)},
      {"hidden_block_count_z", blocks(2)},
      {"hidden_group_size_x", shape.block[0]},
      {"hidden_group_size_y", shape.block[1]},
      {"hidden_group_size_z", shape.block[2]},
      {"hidden_remainder_x", rest(0)},
      {"hidden_remainder_y", rest(1)},
      {"hidden_remainder_z", rest(2)},
      {"hidden_global_offset_x", shape.offset[0]},
      {"hidden_global_offset_y", shape.offset[1]},
      {"hidden_global_offset_z", shape.offset[2]},
      {"hidden_grid_dims", shape.dims},
      {"hidden_private_base", places.private_hi},
      {"hidden_shared_base", places.shared_hi},
      {"hidden_queue_ptr", places.queue},
      {"hidden_dynamic_lds_size", dynamic_lds},
      {"hidden_printf_buffer", places.printf_buffer},
      // Services of a host runtime, which a bare launch has not: null, as the specification allows.
      {"hidden_none", 0},
      {"hidden_hostcall_buffer", 0},
      {"hidden_multigrid_sync_arg", 0},
      {"hidden_heap_v1", 0},
      {"hidden_default_queue", 0},
      {"hidden_completion_action", 0},
  };
}

} // namespace

llvm::Expected<KernargLayout> make_kernarg(const codeobject::Kernel& kernel, const Arguments& arguments,
                                           const LaunchShape& shape, const Places& places) {
  uint64_t size = std::max(kernel.kernarg_segment_size, kernel.descriptor.kernarg_size);
  for (const auto& b : arguments.bound)
    size = std::max<uint64_t>(size, uint64_t(b.parameter.offset) + b.parameter.size);
  for (const auto& a : kernel.arguments)
    size = std::max<uint64_t>(size, uint64_t(a.offset) + a.size);
  if (size > 1 << 20)
    return fail("{}: a kernarg segment of {} bytes is impossible", kernel.name, size);
  KernargLayout layout;
  layout.bytes.resize(size);
  const auto put = [&](uint32_t offset, uint32_t bytes, uint64_t value) {
    std::memcpy(layout.bytes.data() + offset, &value, std::min<uint32_t>(bytes, 8));
  };

  uint64_t lds = std::max(kernel.group_segment_fixed_size, kernel.descriptor.group_segment_fixed_size);
  const uint64_t static_lds = lds;
  for (const auto& b : arguments.bound) {
    const auto& p = b.parameter;
    switch (p.kind) {
    case Parameter::Kind::pointer:
      if (b.buffer >= 0)
        put(p.offset, p.size, places.buffers[static_cast<size_t>(b.buffer)]);
      else
        std::ranges::copy(b.bytes, layout.bytes.begin() + p.offset);
      break;
    case Parameter::Kind::local: {
      // 16 serves every type; a larger alignment is asked for in the metadata.
      const uint64_t alignment = std::max(16u, p.pointee_align);
      lds = (lds + alignment - 1) / alignment * alignment;
      put(p.offset, p.size, lds);
      lds += b.local_bytes;
      break;
    }
    default: std::copy(b.bytes.begin(), b.bytes.end(), layout.bytes.begin() + p.offset);
    }
  }
  lds += shape.extra_lds;
  if (lds > 65536)
    return fail("{}: {} bytes of LDS are asked for ({} of them static); a workgroup has 65536", kernel.name, lds,
                static_lds);
  layout.lds_bytes = static_cast<uint32_t>(lds);

  const auto values = hidden_values(shape, places, layout.lds_bytes - static_cast<uint32_t>(static_lds));
  for (const auto& a : kernel.arguments) {
    if (!a.hidden())
      continue;
    const auto value =
        std::find_if(values.begin(), values.end(), [&](const Hidden& h) { return h.kind == a.value_kind; });
    if (value == values.end())
      return fail("{}: hidden argument '{}' is not known", kernel.name, a.value_kind);
    if (a.size < 8 && value->value >> (8 * a.size))
      return fail("{}: {} of {} does not fit into {} bytes", kernel.name, value->value, a.value_kind, a.size);
    put(a.offset, a.size, value->value);
  }
  return layout;
}

} // namespace crosslane::launch
