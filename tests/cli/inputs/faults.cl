// Stops in three ways.
kernel void wild(global int* out) { out[get_global_id(0) + 100000000] = 1; }
kernel void trap(global int* out) {
  if (get_global_id(0) == 70) __builtin_trap();
}
