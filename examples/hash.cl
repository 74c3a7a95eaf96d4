// Integer arithmetic of 32 and 64 bits: multiplications with their high halves, rotations, shifts by registers, bit counts,
// divisions by a run-time value.
ulong mix64(ulong z) {   // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;
  return z ^ (z >> 31);
}

kernel void hash(global const ulong* in, global ulong* mixed, global uint* counts, global long* divided, uint n, uint divisor) {
  uint i = get_global_id(0);
  if (i >= n) return;
  ulong v = in[i] + i * 0x9e3779b97f4a7c15ul;
  ulong m = mix64(v);
  m = rotate(m, (ulong)(v & 63)) + mul_hi(m, v);
  m ^= m << (i & 31);
  mixed[i] = m - (ulong)((long)v >> (i % 63));
  uint lo = (uint)m, hi = (uint)(m >> 32);
  counts[i] = popcount(lo) + clz(hi) * 100 + (uint)popcount(m) * 10000 + mul_hi(lo, hi) % divisor +
              (lo / divisor) + mad24(lo & 0xffff, hi & 0xff, 7u) + abs_diff(lo, hi);
  divided[i] = (long)m / (long)(divisor * 3 + 1) + (long)((ulong)m % divisor) + (int)lo % (int)divisor;
}
