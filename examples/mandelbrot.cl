// Iterations of z = z^2 + c until |z| > 2: lanes leave the loop at different times. No contraction, so that the counts are exact.
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global uint* iterations, uint width, uint height, float x0, float y0, float step, uint limit) {
  uint px = get_global_id(0), py = get_global_id(1);
  if (px >= width || py >= height) return;
  float cx = x0 + (float)px * step, cy = y0 + (float)py * step;
  float x = 0, y = 0;
  uint k = 0;
  while (k < limit) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + cy;
    x = xx - yy + cx;
    ++k;
  }
  iterations[py * width + px] = k;
}
