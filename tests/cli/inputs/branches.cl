// The if and else of the divergence slides: items below `split` take the one, the others the other.
kernel void branches(global int* out, int split) {
  const int i = get_global_id(0);
  if (get_local_id(0) < split)
    out[i] = out[i] * out[i] * 3 + 1;
  else
    out[i] = atomic_add(out + i, 5);
}
