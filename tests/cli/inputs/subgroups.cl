// Subgroup functions: 8 numbers for each work-item.
kernel void subgroups(global int* out) {
  const int i = get_global_id(0), v = (i * 7919) % 101 - 50;
  global int* o = out + i * 8;
  o[0] = get_sub_group_local_id();
  o[1] = get_sub_group_id();
  o[2] = get_sub_group_size();
  o[3] = sub_group_reduce_add(v);
  o[4] = sub_group_scan_inclusive_max(v);
  o[5] = sub_group_scan_exclusive_add(v);
  o[6] = sub_group_broadcast(v, 3);
  o[7] = sub_group_any(v == 50) * 2 + sub_group_all(v > -60);
}
