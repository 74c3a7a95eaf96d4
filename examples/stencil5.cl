// Five-point stencil on a width x height grid; the border is copied.
#pragma OPENCL FP_CONTRACT OFF

kernel void stencil5(global const float* in, global float* out, uint width, uint height) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  uint i = y * width + x;
  float c = in[i];
  if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
    c = c + 0.2f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.0f * c);
  out[i] = c;
}
