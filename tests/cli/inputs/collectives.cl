// Functions of a whole workgroup: 8 numbers for each work-item.
kernel void collectives(global int* out, global const float* in, global float* sums) {
  const int i = get_global_id(0), v = (i * 7919) % 101 - 50;
  global int* o = out + i * 8;
  o[0] = work_group_reduce_add(v);
  o[1] = work_group_reduce_min(v);
  o[2] = work_group_reduce_max(v);
  o[3] = work_group_scan_inclusive_add(v);
  o[4] = work_group_scan_exclusive_add(v);
  o[5] = work_group_scan_inclusive_max(v);
  o[6] = work_group_broadcast(v, 3);
  o[7] = work_group_any(v == 50) * 2 + work_group_all(v > -60);
  sums[i] = work_group_scan_inclusive_add(in[i]);
}
