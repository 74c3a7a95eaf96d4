// y = a*x + y with one rounding, once and many times over (the loop is all arithmetic: a measure of the vector ALU).
kernel void saxpy(float a, global const float* x, global float* y, uint n) {
  uint i = get_global_id(0);
  if (i < n) y[i] = fma(a, x[i], y[i]);
}

kernel void saxpy_loop(float a, global const float* x, global float* y, uint n, uint times) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float xi = x[i], yi = y[i];
  for (uint t = 0; t < times; ++t) yi = fma(a, yi, xi);
  y[i] = yi;
}
