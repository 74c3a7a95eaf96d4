// Elementary functions, in float and double.
kernel void elementary(global const float* x, global const double* d, global float* f, global double* g) {
  const int i = get_global_id(0);
  const float v = x[i];
  const double w = d[i];
  global float* o = f + i * 12;
  o[0] = sin(v), o[1] = cos(v), o[2] = tan(v), o[3] = exp(v), o[4] = log(v), o[5] = pow(v, 1.25f), o[6] = atan2(v, 2.0f), o[7] = cbrt(v),
  o[8] = tgamma(v), o[9] = erf(v), o[10] = fmod(v, 0.7f), o[11] = hypot(v, 3.0f);
  global double* p = g + i * 12;
  p[0] = sin(w), p[1] = cos(w), p[2] = tan(w), p[3] = exp(w), p[4] = log(w), p[5] = pow(w, 1.25), p[6] = atan2(w, 2.0), p[7] = cbrt(w),
  p[8] = tgamma(w), p[9] = erf(w), p[10] = fmod(w, 0.7), p[11] = hypot(w, 3.0);
}
