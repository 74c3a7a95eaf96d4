// Divergent control flow of every shape: a loop with a different count per lane, break and continue, a switch, nested conditions,
// and a wait on other workgroups.
kernel void collatz(global const uint* in, global uint* steps, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint v = in[i] % 10000 + 1, k = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    ++k;
  }
  steps[i] = k;
}

kernel void maze(global const uint* in, global uint* out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint v = in[i], sum = 0;
  for (uint k = 0; k < 40; ++k) {
    v = v * 1664525u + 1013904223u;
    switch (v >> 29) {
      case 0: continue;
      case 1: sum += v & 0xff; break;
      case 2: if (sum & 1) { sum ^= v; if (sum > 0x80000000u) sum -= k; } else sum = ~sum; break;
      case 3: for (uint j = 0; j < (v & 3); ++j) sum = sum * 5 + j; break;
      case 5: if ((v & 0xff000) == 0) { out[i] = sum; return; } break;
      default: sum -= v >> 7;
    }
    if ((sum & 0xfff) == 7) break;
  }
  out[i] = sum;
}

// Each workgroup waits for the one before it: it ends only if a spinning wavefront lets the others run.
kernel void relay(global volatile int* baton, global uint* order) {
  if (get_local_id(0) == 0) {
    int group = (int)get_group_id(0);
    while (atomic_add(baton, 0) != group) {}
    order[group] = (uint)group * 2 + 1;
    atomic_inc(baton);
  }
}
