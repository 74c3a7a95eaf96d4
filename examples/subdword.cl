// Bytes and shorts: loads, sign extension, saturating arithmetic, and stores narrower than a register.
kernel void bytes(global const uchar4* a, global const char4* b, global uchar4* blended, global short4* products,
                  global char4* saturated, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uchar4 p = a[i];
  char4 q = b[i];
  blended[i] = convert_uchar4((convert_ushort4(p) * (ushort4)(3) + convert_ushort4(p.wzyx) * (ushort4)(5)) >> (ushort4)(3));
  products[i] = convert_short4(p) * convert_short4(q);
  saturated[i] = add_sat(q, q.yzwx);
}

kernel void shorts(global const short* a, global const ushort* b, global short* low, global ushort* high, global char* narrow,
                   uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  short x = a[i];
  ushort y = b[i];
  low[i] = (short)(x * 7 - (short)y) >> (y & 7);
  high[i] = max((ushort)x, (ushort)(y ^ 0x00ff));
  narrow[i] = (char)(x / ((short)(y & 15) + 1));
}
