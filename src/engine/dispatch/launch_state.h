// Owns the initial register state of waves, as the kernel descriptor asks for it.
// Source: LLVM AMDGPUUsage, "Initial Kernel Execution State" and "Private Segment".
#pragma once
#include "codeobject/kernel_descriptor.h"
#include "engine/compiler.h"
#include "engine/context.h"
#include "engine/scalar/hwreg.h"
#include <array>
#include <vector>

namespace crosslane::engine {

// What HW_ID holds until it is asked for.
inline constexpr uint32_t unplaced = ~0u;

// Everything that is the same for all waves of a dispatch, computed once.
class LaunchState {
public:
  // Errors (workgroup too large, LDS too large ...) come back as a message in `error`.
  LaunchState(const DispatchContext& context, const codeobject::KernelDescriptor& kd, std::string& error);

  using Size = std::array<uint32_t, 3>; // work-items

  Size size;                // of a full workgroup
  uint32_t groups[3];       // workgroups per dimension
  uint32_t waves_per_group; // of a full workgroup
  uint64_t last_exec;       // lanes of the last one
  uint32_t lds_bytes;
  uint64_t scratch_bytes;   // per lane, multiple of 4
  RegisterLimits registers; // that a wave is given
  uint32_t vgpr_count;
  bool accvgprs;                   // its waves have AccVGPRs
  uint32_t groups_per_cu;          // resident at a time: 40 waves a CU, its LDS and registers
  std::vector<uint32_t> first_ids; // v0, v1, v2 in the first lane of each wave of a full workgroup

  // The mode in which the kernel's first instruction is decoded.
  DecodeMode decode_mode() const;
  CompileQuery compile_query(uint64_t entry, RegisterLimits) const;

  Size size_of(const uint32_t id[3]) const; // smaller for the last ones
  // How many workgroups from this one on are full; or fewer.
  uint64_t full_from(const uint32_t id[3]) const;
  // Fills a wave of workgroup `id`, whose size is `size`.
  void start(Wave& w, const uint32_t id[3], const Size& size, uint32_t wave) const;
  // The same for a wave that another full workgroup left as launched (Wave::as_launched).
  void start_again(Wave& w, const uint32_t id[3]) const;
  // The hardware registers that say where a wave runs, once a wave of its workgroup has asked.
  void write_place(Wave& w, const Place& place) const;
  // Static parts, once per wave slot.
  void prepare(Wave& w) const;
  // Options::poison: LDS and scratch of workgroups are to be filled by fill_with_poison() when they begin; waves are by
  // start().
  bool poisons() const { return !poison_.empty(); }
  void fill_with_poison(void* to, size_t bytes) const;

private:
  const DispatchContext& context_;
  const codeobject::KernelDescriptor kd_;
  bool packed_ids_; // gfx90a: all ids in v0, 10 bits each
  uint32_t packed(uint32_t x, uint32_t y, uint32_t z) const;
  uint32_t user_[32] = {};                                     // user SGPRs; the scratch ones are patched per wave
  int scratch_rsrc_ = -1, flat_scratch_ = -1, arguments_ = -1; // first SGPR of each, or -1
  uint32_t user_count_ = 0, put_ = 0;                          // put_: those of them that have a value
  std::vector<uint64_t> poison_;                               // empty: there is none
  isa::Generation generation_;
  // What all waves start with.
  struct Alike {
    uint32_t mode, status, gpr_alloc, lds_alloc;
    FloatModes float_modes;
    int ids; // of v0, v1, v2
  } alike_{};
  std::vector<uint32_t> ids_; // work-item ids of a full workgroup: [dimension][flat id], padded to whole waves
  uint32_t initial_mode() const;
  void find_alike();
  void make_poison(uint64_t seed);
  void fill_registers_with_poison(Wave& w) const;
  uint32_t write_group_id(Wave& w, const uint32_t id[3]) const; // the SGPR behind
  void write_ids(Wave& w, const Size& size, uint32_t wave) const;
};

} // namespace crosslane::engine
