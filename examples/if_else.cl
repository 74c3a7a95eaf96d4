// The if/else whose divergence the branch profile shows. With 64 work-items a group, limit 32 splits every wavefront in two
// halves (divergent); limit 64 sends all lanes one way (agreement); limit 0 the other way.
kernel void if_else(global const uint* in, global uint* out, uint limit, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint v = in[i];              // A
  if (get_local_id(0) < limit) {
    for (uint k = 0; k < 3; ++k) v = v * 3 + i;   // B: a loop, so that the compiler keeps the branch
    out[n + i] = v;
  } else {
    v = v / 7 + 1;             // C
    out[2 * n + i] = v;
  }
  out[i] = v ^ 0x5a5a5a5a;     // D
}
