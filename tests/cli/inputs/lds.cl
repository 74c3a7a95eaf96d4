// Reverses each workgroup through dynamic and static LDS.
kernel void reverse(global int* data, local int* a) {
  local int b[256];
  const size_t n = get_local_size(0), l = get_local_id(0);
  a[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[l] = a[n - 1 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = b[l];
}
