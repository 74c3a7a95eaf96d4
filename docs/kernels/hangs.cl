// The first wavefront of a workgroup waits for a flag that nobody sets, the others wait for it at a barrier.
kernel void hangs(global volatile uint* flag) {
  if (get_local_id(0) < 64)
    while (*flag == 0)
      ;
  barrier(CLK_GLOBAL_MEM_FENCE);
  flag[1] = 1;
}
