// What OpenCL C 2 takes behind a pointer to any address space, in sizes and modes that are rarely used: 16 numbers each.
kernel void pointers(global const double* x, global float* out, global ushort* halves, constant uchar* bytes) {
  const size_t i = get_global_id(0);
  double8 whole, v = vload8(i, x);
  vstore8(convert_float8(modf(v, &whole)), 2 * i, out);
  out[16 * i + 8] = whole.s7;
  vstore_half4_rtp(v.lo, 2 * i, (global half*)halves);
  vstorea_half3_rtz(convert_float3(v.s012), 2 * i + 1, (global half*)halves);
  const float3 back = vloada_half3(2 * i + 1, (global const half*)halves);
  out[16 * i + 9] = back.z;
  local float shared[64];
  float *to_shared = shared + i, *to_out = out + 16 * i;
  out[16 * i + 10] = (to_local(to_shared) != 0) + 2 * (to_global(to_shared) != 0) + 4 * (to_local(to_out) != 0) +
                     8 * (to_global(to_out) != 0);
  const uchar4 b = vload4(i, bytes);
  out[16 * i + 11] = ctz(b).w;
  out[16 * i + 12] = mad_hi((short)(i << 8), (short)512, (short)3);
  out[16 * i + 13] = sub_sat((int)i - 1, INT_MIN + 1) == INT_MAX;
  out[16 * i + 14] = sub_sat((long)i, LONG_MIN) == LONG_MAX;
  out[16 * i + 15] = sub_sat((char)(i - 100), (char)100) == -128 && sub_sat((short)(i - 32000), (short)32000) == -32768;
}
