// Kernels whose wavefronts are several rows of a block, and others that are not, for the findings of a profile.

__device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int line() { return blockIdx.y * blockDim.y + threadIdx.y; }

// Five points, indexes held within the grid.
extern "C" __global__ void clamped(const float* in, float* out, int w, int h) {
  const int x = column(), y = line();
  if (x >= w || y >= h)
    return;
  const int left = x > 0 ? x - 1 : 0, right = x < w - 1 ? x + 1 : w - 1;
  const int up = y > 0 ? y - 1 : 0, down = y < h - 1 ? y + 1 : h - 1;
  out[y * w + x] = in[y * w + x] + in[y * w + left] + in[y * w + right] + in[up * w + x] + in[down * w + x];
}

// ... on a torus.
extern "C" __global__ void wrapped(const float* in, float* out, int w, int h) {
  const int x = column(), y = line();
  const int left = (x + w - 1) % w, right = (x + 1) % w, up = (y + h - 1) % h, down = (y + 1) % h;
  out[y * w + x] = in[y * w + x] + in[y * w + left] + in[y * w + right] + in[up * w + x] + in[down * w + x];
}

// ... within the border, whose three neighbours in a row the compiler loads at once.
extern "C" __global__ void inner(const float* in, float* out, int w, int h) {
  const int x = column(), y = line();
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1)
    return;
  out[y * w + x] = in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x];
}

extern "C" __global__ void gather(const float* in, const int* index, float* out) {
  const int i = column();
  out[i] = in[index[i]];
}

extern "C" __global__ void transpose(const float* in, float* out, int n) {
  const int x = column(), y = line();
  out[x * n + y] = in[y * n + x];
}

struct Particle {
  float x, y, z, mass, vx, vy;
};
extern "C" __global__ void particles(const float* in, float* out) {
  const int i = column();
  out[i] = reinterpret_cast<const Particle*>(in)[i].vx;
}

// Particles of a grid, each with the mass of its left neighbour.
extern "C" __global__ void neighbours(const float* in, float* out, int w) {
  const int x = column(), y = line(), left = x > 0 ? x - 1 : 0;
  out[y * w + x] = reinterpret_cast<const Particle*>(in)[y * w + left].mass;
}
