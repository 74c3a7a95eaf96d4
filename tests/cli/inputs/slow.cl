// Runs as long as it is told to.
kernel void slow(global uint* out, uint rounds) {
  uint v = get_global_id(0);
  for (uint i = 0; i < rounds; i++)
    v = v * 1664525 + 1013904223;
  out[get_global_id(0)] = v;
}
