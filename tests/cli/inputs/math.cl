// Functions of the prelude that libclc lacks, or that are single instructions here.
kernel void native(global const float* x, global float* out) {
  const size_t i = get_global_id(0);
  global float* o = out + i * 12;
  const float v = x[i];
  o[0] = native_sqrt(v);
  o[1] = native_rsqrt(v);
  o[2] = native_recip(v);
  o[3] = native_exp(v);
  o[4] = native_log(v);
  o[5] = native_sin(v);
  o[6] = native_cos(v);
  o[7] = native_divide(1.5f, v);
  o[8] = native_powr(v, 1.25f);
  o[9] = native_exp2((float2)(v, v)).y;
  o[10] = native_log10((float16)(v)).s7;
  o[11] = native_tan(v);
}
kernel void pointers(global const float* x, global float* out) {
  const size_t i = get_global_id(0);
  global float* o = out + i * 6;
  float whole, c;
  int e;
  o[0] = modf(x[i], &whole);
  o[1] = whole;
  o[2] = frexp(x[i], &e);
  o[3] = e;
  o[4] = sincos(x[i], &c);
  o[5] = c;
}
kernel void loads(global const int* in, global int* out, global half* halves) {
  const size_t i = get_global_id(0);
  vstore3(vload3(i, in) + 1, i, out);
  vstore_half(vload_half(i, halves) * 2, i, halves);
}
kernel void atomics(global atomic_int* counters) {
  const int v = get_global_id(0);
  atomic_fetch_add(counters, 1);
  atomic_fetch_max_explicit(counters + 1, v, memory_order_relaxed, memory_scope_device);
  atomic_fetch_xor_explicit(counters + 2, v, memory_order_relaxed);
  int expected = 0;
  while (!atomic_compare_exchange_weak(counters + 3, &expected, expected + 2));
}
