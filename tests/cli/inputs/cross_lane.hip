// What GPUOpen's "AMD GCN Assembly: Cross-Lane Operations" names for HIP and HCC, its declarations as printed there.
#include <hip/hip_runtime.h>

extern "C" int __amdgcn_ds_bpermute(int index, int src) [[hc]];
extern "C" int __amdgcn_ds_permute(int index, int src) [[hc]];
extern "C" int __amdgcn_ds_swizzle(int src, int pattern) [[hc]];
extern "C" int __amdgcn_move_dpp(int src, int dpp_ctrl, int row_mask, int bank_mask, bool bound_ctrl) [[hc]];

// out[row][lane], a row for each function; of a lane's own value and the byte address that it is given.
__global__ void by_names(const int* value, const int* address, int* out) {
  const int lane = threadIdx.x, v = value[lane], a = address[lane];
  int row = 0;
  const auto put = [&](int result) { out[64 * row++ + lane] = result; };
  put(__amdgcn_ds_bpermute(a, v));
  put(__amdgcn_ds_permute(a, v));
  put(__amdgcn_ds_swizzle(v, 0x80F6));
  put(__amdgcn_move_dpp(v, 0x111, 0xf, 0xf, true)); // row_shr:1
  put(__hip_ds_bpermute(a, v));
  put(__hip_ds_permute(a, v));
  put(__hip_ds_swizzle(v, 0x401F)); // lane ^ 16
  put(__hip_move_dpp(v, 0x140, 0xf, 0xf, false)); // row_mirror
  const float f = v + 0.5f;
  put(__float_as_int(__hip_ds_bpermutef(a, f)));
  put(__float_as_int(__hip_ds_permutef(a, f)));
  put(__float_as_int(__hip_ds_swizzlef(f, 0x401F)));
}

// The article's instructions, as printed there, between copies to and from the registers that they name.
#define PRINTED(instruction, result, v0, v1, v2)                                                                            \
  asm volatile("v_mov_b32 v0, %1\n v_mov_b32 v1, %2\n v_mov_b32 v2, %3\n s_nop 1\n" instruction "\n s_waitcnt lgkmcnt(0)\n" \
               "v_mov_b32 %0, " result : "=v"(r) : "v"(v0), "v"(v1), "v"(v2) : "v0", "v1", "v2", "v5", "v6", "memory")
__global__ void as_printed(const int* value, const int* address, const float* number, int* out) {
  const int lane = threadIdx.x, v = value[lane], a = address[lane];
  const float f = number[lane];
  int row = 0, r;
  const auto put = [&](int result) { out[64 * row++ + lane] = result; };
  PRINTED("ds_permute_b32 v0, v1, v2", "v0", 0, a, v);
  put(r);
  PRINTED("ds_bpermute_b32 v0, v0, v1 offset:0x10", "v0", a, v, 0);
  put(r);
  PRINTED("ds_swizzle_b32 v5, v2 offset:0x80F6", "v5", 0, 0, v);
  put(r);
  PRINTED("v_add_f32 v0, -v1, |v2| wave_shr:1", "v0", -1000.0f, f, 2 * f);
  put(r);
  PRINTED("v_add_f32 v0, -|v1|, v2 wave_shr:1", "v0", -1000.0f, f, 2 * f);
  put(r);
  PRINTED("v_mbcnt_lo_u32_b32 v6, -1, 0\n v_mbcnt_hi_u32_b32 v6, -1, v6", "v6", 0, 0, 0);
  put(r);
}
