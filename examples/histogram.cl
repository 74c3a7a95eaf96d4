// 256 buckets, twice: straight into global memory, and collected per workgroup in LDS first.
kernel void histogram_global(global const uint* values, global uint* counts, uint n) {
  uint i = get_global_id(0);
  if (i < n) atomic_add(&counts[values[i] & 255], 1u);
}

kernel void histogram_local(global const uint* values, global uint* counts, uint n) {
  local uint mine[256];
  for (uint b = get_local_id(0); b < 256; b += get_local_size(0)) mine[b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&mine[values[i] & 255], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint b = get_local_id(0); b < 256; b += get_local_size(0))
    if (mine[b]) atomic_add(&counts[b], mine[b]);
}

// The other atomics, on a few shared words. Every result but the exchanged one is independent of the order.
kernel void atomics(global const uint* values, global int* words, global uint* tickets, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint v = values[i];
  atomic_sub(&words[0], (int)(v & 7));
  atomic_min(&words[1], (int)v);
  atomic_max(&words[2], (int)v);
  atomic_min((volatile global uint*)&words[3], v);
  atomic_max((volatile global uint*)&words[4], v);
  atomic_and(&words[5], (int)(v | 0xff));
  atomic_or(&words[6], (int)(v & 0x10101010));
  atomic_xor(&words[7], (int)v);
  int seen = words[8], wanted;   // a loop of compare-and-swap: words[8] = words[8] * 3 + 1, n times
  do {
    wanted = seen;
    seen = atomic_cmpxchg(&words[8], wanted, wanted * 3 + 1);
  } while (seen != wanted);
  tickets[i] = (uint)atomic_inc(&words[9]);   // a permutation of 0..n-1
  atomic_xchg(&words[10], 42);
}
