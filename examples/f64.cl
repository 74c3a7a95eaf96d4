// Double precision: Horner's rule, a division, a square root, conversions and comparisons. Each is correctly rounded.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void f64(global const double* a, global const double* b, global double* poly, global double* quotient,
                global double* root, global long* whole, global float* narrow, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  double x = a[i], y = b[i];
  poly[i] = fma(fma(fma(fma(0.125, x, -0.5), x, 1.25), x, -3.0), x, y);
  quotient[i] = x / y;
  root[i] = sqrt(fabs(x));
  whole[i] = (long)floor(x) + (x < y ? 1000000L : 0L);
  narrow[i] = (float)fmax(trunc(x), y);
}
