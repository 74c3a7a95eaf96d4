// One compare-and-exchange step of a bitonic sort of 2^m keys: the host launches it for every (size, stride), as in
// for (size = 2; size <= n; size *= 2) for (stride = size / 2; stride > 0; stride /= 2).
kernel void bitonic_step(global uint* keys, uint size, uint stride) {
  uint t = get_global_id(0);
  uint low = 2 * t - (t & (stride - 1));   // t with a zero inserted at the bit of the stride
  uint high = low + stride;
  bool ascending = (low & size) == 0;
  uint a = keys[low], b = keys[high];
  if ((a > b) == ascending) {
    keys[low] = b;
    keys[high] = a;
  }
}

// The whole sort of 512 keys inside one workgroup of 256.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void bitonic_local(global uint* keys) {
  local uint mine[512];
  uint lid = get_local_id(0), base = get_group_id(0) * 512;
  mine[lid] = keys[base + lid];
  mine[lid + 256] = keys[base + lid + 256];
  for (uint size = 2; size <= 512; size *= 2)
    for (uint stride = size / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint low = 2 * lid - (lid & (stride - 1)), high = low + stride;
      uint a = mine[low], b = mine[high];
      if ((a > b) == ((low & size) == 0)) {
        mine[low] = b;
        mine[high] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[base + lid] = mine[lid];
  keys[base + lid + 256] = mine[lid + 256];
}
