// Private arrays with run-time indices: they live in scratch, private memory of each lane, and are read back in another order.
kernel void scratch(global const uint* in, global uint* out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint table[97];
  uchar bytes[64];
  ulong wide[16];
  for (uint k = 0; k < 97; ++k) table[k] = in[(i + k) % n] * (k + 1);
  for (uint k = 0; k < 64; ++k) bytes[(k * 37) & 63] = (uchar)(table[k] >> (k & 7));
  for (uint k = 0; k < 16; ++k) wide[k] = ((ulong)table[k * 6] << 32) | table[96 - k];
  uint at = in[i] % 97, sum = 0;
  for (uint k = 0; k < 200; ++k) {
    sum = sum * 31 + table[at] + bytes[at & 63] + (uint)(wide[at & 15] >> 20);
    table[at] ^= sum;
    at = (at * 5 + sum) % 97;
  }
  out[i] = sum;
}
