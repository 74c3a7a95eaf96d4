// Wrong on purpose: the last work-item reads one element too many.
kernel void shift(global const int* in, global int* out) {
  int i = get_global_id(0);
  out[i] = in[i + 1];
}
