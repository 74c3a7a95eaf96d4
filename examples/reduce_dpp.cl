// One sum and one maximum per wavefront without LDS: the compiler's DPP builtins become row_shr, row_bcast and quad_perm modifiers
// on the additions. Workgroups of 64 work-items, so that a workgroup is a wavefront.
// dpp_ctrl: 0x110 + n row_shr:n, 0x142 row_bcast:15, 0x143 row_bcast:31, 0x140 row_mirror, 0x141 row_half_mirror.
#define MOVED(old, v, ctrl, rows, banks) (uint)__builtin_amdgcn_update_dpp((int)(old), (int)(v), ctrl, rows, banks, false)

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void reduce_dpp(global const uint* in, global uint* sums, global uint* maxima, global uint* mirrored, uint n) {
  uint i = get_global_id(0);
  uint v = i < n ? in[i] : 0;

  uint s = v;
  s += MOVED(0, s, 0x111, 0xf, 0xf);
  s += MOVED(0, s, 0x112, 0xf, 0xf);
  s += MOVED(0, s, 0x114, 0xf, 0xe);
  s += MOVED(0, s, 0x118, 0xf, 0xc);
  s += MOVED(0, s, 0x142, 0xa, 0xf);
  s += MOVED(0, s, 0x143, 0xc, 0xf);

  uint m = v;
  m = max(m, (uint)__builtin_amdgcn_mov_dpp((int)m, 0xb1, 0xf, 0xf, true));    // quad_perm:[1,0,3,2]
  m = max(m, (uint)__builtin_amdgcn_mov_dpp((int)m, 0x4e, 0xf, 0xf, true));    // quad_perm:[2,3,0,1]
  m = max(m, (uint)__builtin_amdgcn_mov_dpp((int)m, 0x141, 0xf, 0xf, true));   // row_half_mirror
  m = max(m, (uint)__builtin_amdgcn_mov_dpp((int)m, 0x140, 0xf, 0xf, true));   // row_mirror
  m = max(m, (uint)__builtin_amdgcn_ds_swizzle((int)m, 0x401f));               // lane ^ 16
  m = max(m, (uint)__builtin_amdgcn_ds_bpermute((int)((get_local_id(0) ^ 32) * 4), (int)m));

  // Read while every lane is active: inside the condition below, lane 63 would still hold an older value.
  uint total = (uint)__builtin_amdgcn_readlane((int)s, 63);
  if (i < n) mirrored[i] = (uint)__builtin_amdgcn_mov_dpp((int)v, 0x140, 0xf, 0xf, true);
  if (get_local_id(0) == 0) {
    sums[get_group_id(0)] = total;
    maxima[get_group_id(0)] = m;
  }
}
