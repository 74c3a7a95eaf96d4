// Turns each workgroup round. Of OpenCL C 1.0, so that every version takes it.
kernel void turn(global int* out, local int* items) {
  const int i = get_local_id(0);
  items[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = items[get_local_size(0) - 1 - i];
}
