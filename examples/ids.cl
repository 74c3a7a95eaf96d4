// Every id and size that a work-item can ask for, in three dimensions: one record of 8 words per work-item.
kernel void ids(global uint* records) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  uint row = (z - get_global_offset(2)) * get_global_size(1) + (y - get_global_offset(1));
  uint at = (row * get_global_size(0) + (x - get_global_offset(0))) * 8;
  records[at + 0] = x | y << 10 | z << 20;
  records[at + 1] = get_local_id(0) | get_local_id(1) << 10 | get_local_id(2) << 20;
  records[at + 2] = get_group_id(0) | get_group_id(1) << 10 | get_group_id(2) << 20;
  records[at + 3] = get_local_size(0) | get_local_size(1) << 10 | get_local_size(2) << 20;
  records[at + 4] = get_num_groups(0) | get_num_groups(1) << 10 | get_num_groups(2) << 20;
  records[at + 5] = get_global_size(0) | get_global_size(1) << 10 | get_global_size(2) << 20;
  records[at + 6] = get_work_dim();
  records[at + 7] = get_global_offset(0) | get_global_offset(1) << 10 | get_global_offset(2) << 20;
}
