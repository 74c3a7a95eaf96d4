// Inclusive prefix sum of any length in three launches: each workgroup scans its 256 elements in LDS and leaves its total;
// one workgroup scans the totals; every workgroup adds what came before it.
#define GROUP 256

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_groups(global const uint* in, global uint* out, global uint* totals, uint n) {
  local uint sums[2][GROUP];
  uint lid = get_local_id(0), i = get_global_id(0);
  uint from = 0;
  sums[0][lid] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < GROUP; d *= 2) {   // Hillis-Steele: after step d every sum covers 2d elements
    sums[1 - from][lid] = sums[from][lid] + (lid >= d ? sums[from][lid - d] : 0);
    from = 1 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) out[i] = sums[from][lid];
  if (lid == GROUP - 1) totals[get_group_id(0)] = sums[from][lid];
}

kernel void scan_totals(global uint* totals, uint groups) {
  if (get_global_id(0) != 0) return;
  uint sum = 0;
  for (uint g = 0; g < groups; ++g) {
    uint t = totals[g];
    totals[g] = sum;
    sum += t;
  }
}

kernel void add_totals(global uint* out, global const uint* totals, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] += totals[get_group_id(0)];
}
