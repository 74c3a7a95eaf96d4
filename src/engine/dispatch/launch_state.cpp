// What all waves of a dispatch share, computed once, and what differs between them.
#include "engine/dispatch/launch_state.h"
#include "engine/scalar/hwreg.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

namespace crosslane::engine {

namespace {

// amd_queue_t as far as code reads it through queue_ptr: the aperture words of the segment checks on gfx8.
// Source: amd_hsa_queue.h in the HSA runtime specification's AMD supplement.
struct alignas(64) BuiltInQueue {
  uint32_t words[64] = {};
  BuiltInQueue() {
    words[0x40 / 4] = machine::apertures().shared_hi();  // group_segment_aperture_base_hi
    words[0x44 / 4] = machine::apertures().private_hi(); // private_segment_aperture_base_hi
  }
};
// Where waves can read it, and cannot write it. One for the process.
uint64_t built_in_queue() {
  static const uint64_t address = [] {
    const uint64_t place = machine::map_in_window(4096, PROT_READ | PROT_WRITE);
    if (!place)
      throw std::bad_alloc();
    new (reinterpret_cast<void*>(place)) BuiltInQueue;
    mprotect(reinterpret_cast<void*>(place), 4096, PROT_READ);
    return place;
  }();
  return address;
}

// False: it is not mapped.
bool read_memory(uint64_t address, void* to, size_t bytes) {
  const iovec local{to, bytes}, remote{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == ssize_t(bytes);
}

uint32_t waves_for(uint64_t items) { return uint32_t((items + 63) / 64); }

} // namespace

LaunchState::LaunchState(const DispatchContext& context, const codeobject::KernelDescriptor& kd, std::string& error)
    : context_(context), kd_(kd), generation_(isa::info(context.code->target()).generation) {
  const AqlPacket& p = *context.packet;
  uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    size[d] = p.workgroup_size[d];
    groups[d] = size[d] ? uint32_t((uint64_t(p.grid_size[d]) + size[d] - 1) / size[d]) : 0;
    items *= size[d];
  }
  if (items == 0)
    error = "a workgroup dimension is 0; every dimension must be at least 1";
  if (items > 1024)
    error = "a workgroup of " + std::to_string(items) + " work-items is too large; the limit is 1024";
  waves_per_group = waves_for(items), last_exec = ~uint64_t(0) >> (63 - (items + 63) % 64);
  lds_bytes = std::max(p.group_segment_size, kd.group_segment_fixed_size);
  const isa::TargetInfo& target = isa::info(context.code->target());
  if (lds_bytes > target.lds_per_workgroup)
    error = "the kernel asks for " + std::to_string(lds_bytes) + " bytes of LDS; the limit is " +
            std::to_string(target.lds_per_workgroup);
  // Allocated as a whole number of granules: what a kernel does in the rest of the last one works on hardware.
  const uint32_t lds_granule = target.generation >= isa::Generation::gfx7 ? 512 : 256;
  lds_bytes = std::min((lds_bytes + lds_granule - 1) / lds_granule * lds_granule, target.lds_per_workgroup);
  scratch_bytes = (uint64_t(std::max(p.private_segment_size, kd.private_segment_fixed_size)) + 15) / 16 * 16;
  if (!error.empty())
    return;

  const isa::Generation generation = target.generation;
  packed_ids_ = generation == isa::Generation::gfx90a;
  accvgprs = generation >= isa::Generation::gfx908;
  const uint32_t allocated = (kd.granulated_workitem_vgpr_count() + 1) * target.vgpr_granule;
  // gfx90a has VGPRs and AccVGPRs in one file, cut at the offset that the descriptor says.
  vgpr_count =
      std::min({allocated, machine::max_vgprs, generation >= isa::Generation::gfx90a ? kd.accum_offset() : allocated});
  registers.vgprs = uint16_t(vgpr_count);
  if (generation >= isa::Generation::gfx90a)
    registers.agprs = uint16_t(std::min(allocated - vgpr_count, machine::max_accvgprs));
  else if (generation >= isa::Generation::gfx908)
    registers.agprs = uint16_t(std::min(allocated, machine::max_accvgprs));
  // Allocated by 8 up to gfx7 and by 16 from gfx8 on; the descriptor always counts by 8.
  const uint32_t sgpr_blocks = kd.granulated_wavefront_sgpr_count();
  registers.sgprs = uint16_t(generation >= isa::Generation::gfx8 ? (sgpr_blocks / 2 + 1) * 16 : (sgpr_blocks + 1) * 8);
  const uint32_t waves = 4 * std::clamp<uint32_t>(target.vgprs / std::max(allocated, 1u), 1, 10);
  groups_per_cu = std::max(1u, waves / waves_per_group);
  if (lds_bytes)
    groups_per_cu = std::max(1u, std::min(groups_per_cu, 65536 / lds_bytes));

  // User SGPRs in ABI order. Pointers are split into two SGPRs.
  uint32_t n = 0;
  const auto put = [&](uint32_t v) {
    if (n < 32)
      user_[n] = v;
    ++n;
  };
  const auto put64 = [&](uint64_t v) { put(uint32_t(v)), put(uint32_t(v >> 32)); };
  if (kd.enable_sgpr_private_segment_buffer()) {
    scratch_rsrc_ = int(n);
    for (int i = 0; i < 4; ++i)
      put(0);
  }
  if (kd.enable_sgpr_dispatch_ptr())
    put64(context.packet_address);
  if (kd.enable_sgpr_queue_ptr())
    put64(context.options->queue_address ? context.options->queue_address : built_in_queue());
  if (kd.enable_sgpr_kernarg_segment_ptr())
    arguments_ = int(n), put64(p.kernarg_address);
  if (kd.enable_sgpr_dispatch_id())
    put64(context.options->dispatch_id);
  if (kd.enable_sgpr_flat_scratch_init()) {
    flat_scratch_ = int(n);
    put64(0);
  }
  if (kd.enable_sgpr_private_segment_size())
    put(uint32_t(scratch_bytes));
  if (kd.kernarg_preload_length()) {
    std::array<uint32_t, 128> preloaded{};
    if (!read_memory(p.kernarg_address + kd.kernarg_preload_offset() * 4, preloaded.data(),
                     kd.kernarg_preload_length() * 4))
      error = "its arguments, which are to be preloaded into SGPRs, are not in memory";
    for (uint32_t i = 0; i < kd.kernarg_preload_length() && n < kd.user_sgpr_count(); ++i)
      put(preloaded[i]);
  }
  user_count_ = kd.user_sgpr_count();
  put_ = std::min({n, user_count_, uint32_t(std::size(user_))});
  if (context.options->poison)
    make_poison(context.options->poison);

  // Work-item ids of a full workgroup, in flat order x + X * (y + Y * z).
  const uint32_t padded = waves_per_group * 64;
  ids_.resize(3 * padded);
  for (uint32_t i = 0; i < padded; ++i) {
    const uint32_t x = i % size[0], y = i / size[0] % size[1], z = i / size[0] / size[1];
    if (packed_ids_)
      ids_[i] = packed(x, y, z);
    else
      ids_[i] = x, ids_[padded + i] = y, ids_[2 * padded + i] = z;
  }
  for (uint32_t w = 0; w < waves_per_group; ++w)
    for (uint32_t d = 0; d < 3; ++d)
      first_ids.push_back(ids_[d * padded + w * 64]);
  find_alike();
}

// Bits of ids that the descriptor does not ask for are 0: LLVM does not mask x where it knows of no y.
// Source: LLVM 19, SITargetLowering::LowerFormalArguments and AMDGPULegalizerInfo (hasPackedTID).
uint32_t LaunchState::packed(uint32_t x, uint32_t y, uint32_t z) const {
  const uint32_t asked = kd_.enable_vgpr_workitem_id();
  return (x & 1023) | (asked > 0 ? (y & 1023) << 10 : 0) | (asked > 1 ? (z & 1023) << 20 : 0);
}

void LaunchState::prepare(Wave& w) const {
  std::memset(w.s, 0, sizeof w.s);
  // What a kernel reads without having written it is zeros at first, not what the host had in this memory.
  std::memset(w.v, 0, size_t(vgpr_count) * machine::vgpr_bytes);
  if (accvgprs)
    std::memset(w.vgpr(machine::max_vgprs), 0, machine::max_accvgprs * machine::vgpr_bytes);
  w.vgpr_count = vgpr_count;
  w.as_launched = 0;
  w.compiled = nullptr;
  w.scratch_bytes = scratch_bytes;
  w.reach = context_.options->reach;
  w.shared = context_.options->shared;
}

uint32_t LaunchState::initial_mode() const {
  const bool gfx9 = generation_ >= isa::Generation::gfx9;
  const uint32_t exceptions = (kd_.compute_pgm_rsrc2 >> 24 & 0x7f) | (kd_.compute_pgm_rsrc2 >> 13 & 3) << 7;
  return (kd_.compute_pgm_rsrc1 >> 12 & 0xff) | uint32_t(kd_.enable_dx10_clamp()) << 8 |
         uint32_t(kd_.enable_ieee_mode()) << 9 | (kd_.debug_mode() ? mode_bit::debug : 0) | exceptions << 12 |
         (gfx9 && kd_.fp16_ovfl() ? mode_bit::fp16_ovfl : 0);
}
DecodeMode LaunchState::decode_mode() const {
  DecodeMode mode;
  mode.set(DecodeMode::fp16_ovfl, (initial_mode() & mode_bit::fp16_ovfl) != 0 && generation_ >= isa::Generation::gfx9);
  return mode;
}

CompileQuery LaunchState::compile_query(uint64_t entry, RegisterLimits limits) const {
  CompileQuery q{};
  q.entry = entry, q.decode_mode = decode_mode().bits, q.mode = alike_.mode, q.limits = limits;
  q.split_modes = alike_.float_modes.split();
  for (int d = 0; d < 3; ++d)
    q.workgroup_size[d] = uint16_t(size[d]);
  q.workitem_ids = uint8_t(1 + std::min(kd_.enable_vgpr_workitem_id(), 2u));
  q.packed_ids = packed_ids_, q.arguments = arguments_;
  const bool given[3] = {kd_.enable_sgpr_workgroup_id_x(), kd_.enable_sgpr_workgroup_id_y(),
                         kd_.enable_sgpr_workgroup_id_z()};
  for (uint32_t d = 0, n = user_count_; d < 3; ++d)
    q.group_id[d] = int8_t(given[d] ? n++ : -1);
  q.private_segment = scratch_bytes != 0;
  q.alike = !kd_.enable_sgpr_workgroup_info() && (!scratch_bytes || (scratch_rsrc_ < 0 && flat_scratch_ < 0));
  return q;
}

// A unit's SIMDs are filled in turn. SE_ID has a third bit from gfx908 on.
void LaunchState::write_place(Wave& w, const Place& place) const {
  const Units& units = context_.options->units;
  const uint32_t engine = place.unit % units.engines, array = place.unit / units.engines % units.arrays_per_engine,
                 cu = place.unit / (units.engines * units.arrays_per_engine), group = place.group;
  const uint32_t number = group * waves_per_group + w.id, simd = number % 4, slot = number / 4 % 10;
  w.hw_id = slot | simd << 4 | (cu & 15) << 8 | (array & 1) << 12 | (engine & 7) << 13 | (group & 15) << 16;
  const uint32_t vgprs = w.gpr_alloc >> 8 & 63, sgprs = w.gpr_alloc >> 24 & 15, lds = w.lds_alloc >> 12;
  w.gpr_alloc |= (slot * (vgprs + 1) & 63) | (slot * (sgprs + 1) & 63) << 16;
  w.lds_alloc |= group * lds & 255;
}

void LaunchState::find_alike() {
  alike_.mode = initial_mode();
  alike_.float_modes = float_modes(alike_.mode);
  // SPI_PRIO, conditional debugging and the trap handler.
  alike_.status = kd_.priority() << 1 | (kd_.cdbg_user() ? status_bit::cond_dbg_user : 0);
  if (context_.options->trap_handler)
    alike_.status |= status_bit::trap_en;
  alike_.ids = packed_ids_ ? 1 : 1 + int(std::min(kd_.enable_vgpr_workitem_id(), 2u));
  // GPR_ALLOC and LDS_ALLOC as far as they are the same everywhere.
  const uint32_t vgprs = kd_.granulated_workitem_vgpr_count();
  // SGPRs are allocated in units of 8 up to gfx7 and of 16 from gfx8 on; the descriptor always counts by 8.
  const uint32_t granulated = kd_.granulated_wavefront_sgpr_count();
  const uint32_t sgprs = generation_ >= isa::Generation::gfx8 ? granulated / 2 : granulated;
  alike_.gpr_alloc = vgprs << 8 | sgprs << 24;
  // LDS is counted by 64 dwords, and allocated by 128 from gfx7 on.
  const uint32_t lds = generation_ >= isa::Generation::gfx7 ? (lds_bytes + 511) / 512 * 2 : (lds_bytes + 255) / 256;
  alike_.lds_alloc = (lds & 511) << 12;
}

void LaunchState::write_ids(Wave& w, const Size& given, uint32_t wave) const {
  if (given[0] == size[0] && given[1] == size[1]) { // flat ids are those of a full workgroup
    const uint32_t padded = waves_per_group * 64;
    for (int d = 0; d < alike_.ids; ++d)
      std::memcpy(w.v[d], &ids_[d * padded + wave * 64], 256);
    return;
  }
  for (uint32_t lane = 0; lane < 64; ++lane) {
    const uint32_t i = wave * 64 + lane;
    const uint32_t id[3] = {i % given[0], i / given[0] % given[1], i / given[0] / given[1]};
    if (packed_ids_)
      w.v[0][lane] = packed(id[0], id[1], id[2]);
    else
      for (int d = 0; d < alike_.ids; ++d)
        w.v[d][lane] = id[d];
  }
}

uint32_t LaunchState::write_group_id(Wave& w, const uint32_t id[3]) const {
  uint32_t n = user_count_;
  if (kd_.enable_sgpr_workgroup_id_x())
    w.s[n++] = id[0];
  if (kd_.enable_sgpr_workgroup_id_y())
    w.s[n++] = id[1];
  if (kd_.enable_sgpr_workgroup_id_z())
    w.s[n++] = id[2];
  return n;
}

void LaunchState::start_again(Wave& w, const uint32_t id[3]) const {
  write_group_id(w, id);
  w.state = machine::WaveState::ready;
  w.instructions = 0;
}

uint64_t LaunchState::full_from(const uint32_t id[3]) const {
  if (size_of(id) != size)
    return 0;
  const uint32_t* const grid = context_.packet->grid_size;
  bool none_smaller = true;
  for (int d = 0; d < 3; ++d)
    none_smaller = none_smaller && grid[d] % size[d] == 0;
  return none_smaller ? ~uint64_t(0) : grid[0] / size[0] - id[0];
}

LaunchState::Size LaunchState::size_of(const uint32_t id[3]) const {
  Size out;
  for (int d = 0; d < 3; ++d)
    out[d] = uint32_t(std::min<uint64_t>(size[d], context_.packet->grid_size[d] - uint64_t(id[d]) * size[d]));
  return out;
}

// Different in all places near each other, so that what is undefined does not cancel; splitmix64 (Steele, Lea, Flood
// 2014).
void LaunchState::make_poison(uint64_t seed) {
  constexpr size_t bytes = 64 << 10;
  poison_.resize(bytes / sizeof(uint64_t));
  for (uint64_t& word : poison_) {
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    word = z ^ z >> 31;
  }
}

void LaunchState::fill_with_poison(void* to, size_t bytes) const {
  const size_t block = poison_.size() * sizeof(uint64_t);
  for (size_t done = 0; done < bytes; done += block)
    std::memcpy(static_cast<uint8_t*>(to) + done, poison_.data(), std::min(block, bytes - done));
}

// The kernel's registers, and those that have numbers of their own: FLAT_SCRATCH, VCC, M0. What start() fills in
// afterwards stays out of it, and EXEC. Each wave pays for this: no more of it than somebody may read.
void LaunchState::fill_registers_with_poison(Wave& w) const {
  constexpr uint32_t named = 102; // the first of those
  std::memcpy(w.s, poison_.data(), std::min<uint32_t>(registers.sgprs, named) * 4);
  std::memcpy(w.s + named, poison_.data() + named / 2, (isa::code::exec - named) * 4);
  w.scc = w.s[isa::code::vcc] & 1;
  fill_with_poison(w.v, size_t(vgpr_count) * machine::vgpr_bytes);
  if (accvgprs)
    fill_with_poison(w.vgpr(machine::max_vgprs), size_t(registers.agprs) * machine::vgpr_bytes);
}

void LaunchState::start(Wave& w, const uint32_t id[3], const Size& given, uint32_t wave) const {
  std::memcpy(w.s, user_, sizeof user_);
  w.set_pair(106, 0);
  w.s[124] = ~0u; // M0: the LDS clamp lets everything through
  w.scc = 0;
  if (poisons()) [[unlikely]] {
    fill_registers_with_poison(w);
    std::memcpy(w.s, user_, put_ * sizeof *user_);
  }
  const uint64_t scratch = reinterpret_cast<uint64_t>(w.scratch);
  if (scratch_rsrc_ >= 0) {
    // Buffer resource over this wave's block: swizzled, 4-byte elements, index stride 64, lane number as the index.
    w.s[scratch_rsrc_ + 0] = uint32_t(scratch);
    w.s[scratch_rsrc_ + 1] = uint32_t(scratch >> 32) | 1u << 31;
    w.s[scratch_rsrc_ + 2] = ~0u;
    // With ADD_TID_ENABLE the data format field is stride bits, hence 0; gfx9 has no element size field.
    const bool gfx9 = generation_ >= isa::Generation::gfx9;
    w.s[scratch_rsrc_ + 3] = 3u << 21 | 1u << 23 | (gfx9 ? 0 : 1u << 19);
  }
  if (flat_scratch_ >= 0) {
    if (generation_ >= isa::Generation::gfx9) {
      w.s[flat_scratch_] = uint32_t(scratch), w.s[flat_scratch_ + 1] = uint32_t(scratch >> 32);
    } else {
      w.s[flat_scratch_] = 0, w.s[flat_scratch_ + 1] = uint32_t(scratch_bytes); // offset and size
    }
  }
  const uint64_t items = uint64_t(given[0]) * given[1] * given[2];
  uint32_t n = write_group_id(w, id);
  if (kd_.enable_sgpr_workgroup_info()) {
    const uint32_t waves = waves_for(items);
    w.s[n++] = uint32_t(wave == 0) << 31 | wave << 6 | waves;
  }
  if (kd_.enable_private_segment())
    w.s[n++] = 0; // byte offset of this wave in the scratch it was given

  const uint64_t left = items - uint64_t(wave) * 64;
  w.launched = left >= 64 ? ~uint64_t(0) : (uint64_t(1) << left) - 1;
  w.set_pair(126, w.launched);
  w.mode = alike_.mode;
  w.mxcsr32 = alike_.float_modes.mxcsr32, w.mxcsr64 = alike_.float_modes.mxcsr64;
  w.fp_split = alike_.float_modes.split();
  w.status = alike_.status;
  w.trapsts = 0;
  w.ib_sts = 0;
  w.tba = w.tma = 0;
  if (const Options& options = *context_.options; options.trap_handler)
    w.tba = options.trap_handler_address, w.tma = options.trap_memory_address;
  if (generation_ < isa::Generation::gfx9)
    w.set_pair(108, w.tba), w.set_pair(110, w.tma);
  w.hw_id = unplaced;
  w.gpr_alloc = alike_.gpr_alloc, w.lds_alloc = alike_.lds_alloc;
  w.id = uint16_t(wave);
  w.state = machine::WaveState::ready;
  w.instructions = w.counted = 0;
  w.fault_op = nullptr;
  w.queued = w.ordered_counts = 0;
  w.as_launched = 1;
  write_ids(w, given, wave);
}

CompileQuery compile_query(const Code& code, const AqlPacket& packet, const codeobject::KernelDescriptor& kd,
                           uint64_t entry, const Options& options, std::string& error) {
  const DispatchContext context{.code = &code, .packet = &packet, .options = &options, .kernel = {}};
  const LaunchState launch(context, kd, error);
  return error.empty() ? launch.compile_query(entry, options.register_faults ? launch.registers : RegisterLimits())
                       : CompileQuery{};
}

} // namespace crosslane::engine
