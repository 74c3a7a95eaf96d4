// OpenCL C functions that libclc has not, or has wrong, for crosslane. Included before every .cl file.
// Work-item functions read the implicit arguments of code object v5 (LLVM AMDGPUUsage, "AMDHSA Code Object V5 Metadata");
// libclc 19 reads those of v4, so that its get_global_id() is off. native_* are single instructions of the GPU.
#ifndef CROSSLANE_OPENCL_H
#define CROSSLANE_OPENCL_H

// nodebug: what is inlined bears the line of the kernel that calls it.
#define CROSSLANE_CONST_FN __attribute__((overloadable, always_inline, gnu_inline, nodebug, const)) extern inline
#define CROSSLANE_EFFECT_FN __attribute__((overloadable, always_inline, gnu_inline, nodebug)) extern inline

// Byte offsets of the implicit arguments.
#define CROSSLANE_IMPLICIT(type, offset) \
  (*(const __constant type*)((const __constant char*)__builtin_amdgcn_implicitarg_ptr() + (offset)))
#define CROSSLANE_BLOCK_COUNT(d) CROSSLANE_IMPLICIT(uint, (d) * 4)
#define CROSSLANE_GROUP_SIZE(d) CROSSLANE_IMPLICIT(ushort, 12 + (d) * 2)
#define CROSSLANE_REMAINDER(d) CROSSLANE_IMPLICIT(ushort, 18 + (d) * 2)
#define CROSSLANE_GLOBAL_OFFSET(d) CROSSLANE_IMPLICIT(ulong, 40 + (d) * 8)
#define CROSSLANE_GRID_DIMS CROSSLANE_IMPLICIT(ushort, 64)

CROSSLANE_CONST_FN size_t get_local_id(uint d) {
  switch (d) {
  case 0: return __builtin_amdgcn_workitem_id_x();
  case 1: return __builtin_amdgcn_workitem_id_y();
  case 2: return __builtin_amdgcn_workitem_id_z();
  default: return 0;
  }
}
CROSSLANE_CONST_FN size_t get_group_id(uint d) {
  switch (d) {
  case 0: return __builtin_amdgcn_workgroup_id_x();
  case 1: return __builtin_amdgcn_workgroup_id_y();
  case 2: return __builtin_amdgcn_workgroup_id_z();
  default: return 0;
  }
}
// Of this group: the last one of an uneven grid is smaller, which clang 19's __builtin_amdgcn_workgroup_size_* does not know.
CROSSLANE_CONST_FN size_t get_local_size(uint d) {
  return d < 3 ? (get_group_id(d) < CROSSLANE_BLOCK_COUNT(d) ? CROSSLANE_GROUP_SIZE(d) : CROSSLANE_REMAINDER(d)) : 1;
}
CROSSLANE_CONST_FN size_t get_enqueued_local_size(uint d) { return d < 3 ? CROSSLANE_GROUP_SIZE(d) : 1; }
CROSSLANE_CONST_FN size_t get_global_size(uint d) {
  switch (d) {
  case 0: return __builtin_amdgcn_grid_size_x();
  case 1: return __builtin_amdgcn_grid_size_y();
  case 2: return __builtin_amdgcn_grid_size_z();
  default: return 1;
  }
}
// The count of the implicit arguments leaves out the uneven last group.
CROSSLANE_CONST_FN size_t get_num_groups(uint d) {
  return d < 3 ? CROSSLANE_BLOCK_COUNT(d) + (CROSSLANE_REMAINDER(d) != 0) : 1;
}
CROSSLANE_CONST_FN size_t get_global_offset(uint d) { return d < 3 ? CROSSLANE_GLOBAL_OFFSET(d) : 0; }
CROSSLANE_CONST_FN uint get_work_dim(void) { return CROSSLANE_GRID_DIMS; }
CROSSLANE_CONST_FN size_t get_global_id(uint d) {
  switch (d) {
  case 0:
    return (uint)(__builtin_amdgcn_workgroup_id_x() * CROSSLANE_GROUP_SIZE(0) + __builtin_amdgcn_workitem_id_x()) +
           CROSSLANE_GLOBAL_OFFSET(0);
  case 1:
    return (uint)(__builtin_amdgcn_workgroup_id_y() * CROSSLANE_GROUP_SIZE(1) + __builtin_amdgcn_workitem_id_y()) +
           CROSSLANE_GLOBAL_OFFSET(1);
  case 2:
    return (uint)(__builtin_amdgcn_workgroup_id_z() * CROSSLANE_GROUP_SIZE(2) + __builtin_amdgcn_workitem_id_z()) +
           CROSSLANE_GLOBAL_OFFSET(2);
  default: return 0;
  }
}
CROSSLANE_CONST_FN size_t get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
CROSSLANE_CONST_FN size_t get_global_linear_id(void) {
  return ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
             get_global_size(0) + get_global_id(0) - get_global_offset(0);
}

// Fences order LDS and global memory alike: the GPU has one counter wait for both.
CROSSLANE_EFFECT_FN void mem_fence(cl_mem_fence_flags f) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
CROSSLANE_EFFECT_FN void read_mem_fence(cl_mem_fence_flags f) { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
CROSSLANE_EFFECT_FN void write_mem_fence(cl_mem_fence_flags f) { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); }
CROSSLANE_EFFECT_FN __attribute__((convergent)) void barrier(cl_mem_fence_flags f) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#endif
