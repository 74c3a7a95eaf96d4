// Half precision: packed and scalar arithmetic, conversions, comparison. Every operation rounds to half.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void f16(global const half2* a, global const half2* b, global half2* sums, global half2* products,
                global float2* wide, global half2* greater, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  half2 x = a[i], y = b[i];
  sums[i] = x + y;
  products[i] = x * y - x;
  wide[i] = (float2)((float)x.x * 3.0f, (float)y.y * 0.5f);
  greater[i] = (half2)(x.x > y.x ? x.x : y.x, x.y > y.y ? x.y : (half)(-y.y));
}
