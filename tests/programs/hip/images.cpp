// What HIP needs images for: pitched and three-dimensional allocations, arrays, textures that are read by point and by
// linear filter with clamped and wrapped addresses, and a surface that is written.
#include "tests/programs/hip/hip_check.h"
#include <cmath>

static const int width = 40, height = 25;

__global__ void sample(hipTextureObject_t texture, float* out, float dx, float dy) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = tex2D<float>(texture, x + dx, y + dy);
}

__global__ void paint(hipSurfaceObject_t surface) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    surf2Dwrite(float(100 * y + x), surface, x * int(sizeof(float)), y);
}

static float texel(int x, int y) { return 0.5f * x + 3.0f * y + (x * 7 + y * 11) % 5; }
static int clamped(int i, int size) { return i < 0 ? 0 : i >= size ? size - 1 : i; }
// Linear filter with clamped addresses; the centre of texel 0 is at 0.5.
static float filtered(float x, float y) {
  const float u = x - 0.5f, v = y - 0.5f;
  const int i = int(std::floor(u)), j = int(std::floor(v));
  const float a = u - i, b = v - j;
  const auto at = [&](int di, int dj) { return texel(clamped(i + di, width), clamped(j + dj, height)); };
  return (1 - a) * (1 - b) * at(0, 0) + a * (1 - b) * at(1, 0) + (1 - a) * b * at(0, 1) + a * b * at(1, 1);
}

static const dim3 blocks(3, 2), threads(16, 16);

static void textures() {
  std::vector<float> host(width * height);
  for (int i = 0; i < width * height; ++i)
    host[i] = texel(i % width, i / width);
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray* array = nullptr;
  HIP(hipMallocArray(&array, &format, width, height, hipArrayDefault));
  HIP(hipMemcpy2DToArray(array, 0, 0, host.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  Device<float> out(width * height);
  for (const bool linear : {false, true}) {
    hipTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = hipAddressModeClamp;
    description.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
    description.readMode = hipReadModeElementType;
    hipTextureObject_t texture;
    HIP(hipCreateTextureObject(&texture, &resource, &description, nullptr));
    const float dx = linear ? 0.75f : 2.5f, dy = linear ? 0.25f : -0.5f;
    HIP(hipMemset(out, 0xff, out.bytes()));
    sample<<<blocks, threads>>>(texture, out, dx, dy);
    const std::vector<float> result = out.read();
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const float expected =
            linear ? filtered(x + dx, y + dy)
                   : texel(clamped(int(std::floor(x + dx)), width), clamped(int(std::floor(y + dy)), height));
        const float got = result[y * width + x];
        REQUIRE(std::fabs(got - expected) <= (linear ? 0.05f : 0), "%s, %d, %d: %g, not %g",
                linear ? "linear" : "point", x, y, got, expected);
      }
    HIP(hipDestroyTextureObject(texture));
  }
  HIP(hipFreeArray(array));
}

static void surfaces() {
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray* array = nullptr;
  HIP(hipMallocArray(&array, &format, width, height, hipArrayDefault));
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipSurfaceObject_t surface;
  HIP(hipCreateSurfaceObject(&surface, &resource));
  paint<<<blocks, threads>>>(surface);
  std::vector<float> host(width * height, -1);
  HIP(hipMemcpy2DFromArray(host.data(), width * 4, array, 0, 0, width * 4, height, hipMemcpyDeviceToHost));
  for (int i = 0; i < width * height; ++i)
    REQUIRE(host[i] == 100 * (i / width) + i % width, "surface %d, %d: %g", i % width, i / width, host[i]);
  HIP(hipDestroySurfaceObject(surface));
  HIP(hipFreeArray(array));
}

static void pitched() {
  const size_t bytes = 333, rows = 57;
  size_t pitch = 0;
  unsigned char* device = nullptr;
  HIP(hipMallocPitch(reinterpret_cast<void**>(&device), &pitch, bytes, rows));
  REQUIRE(pitch >= bytes && pitch % 64 == 0, "pitch %zu", pitch);
  std::vector<unsigned char> from(bytes * rows), to(bytes * rows, 0);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = (i * 31 >> 3) & 0xff;
  HIP(hipMemset2D(device, pitch, 0x5a, bytes, rows));
  HIP(hipMemcpy2D(device, pitch, from.data(), bytes, bytes, rows - 1, hipMemcpyHostToDevice));
  HIP(hipMemcpy2D(to.data(), bytes, device, pitch, bytes, rows, hipMemcpyDeviceToHost));
  for (size_t i = 0; i < to.size(); ++i)
    REQUIRE(to[i] == (i < bytes * (rows - 1) ? from[i] : 0x5a), "byte %zu is %x", i, to[i]);
  HIP(hipFree(device));

  const hipExtent extent = make_hipExtent(60, 9, 5);
  hipPitchedPtr box;
  HIP(hipMalloc3D(&box, extent));
  HIP(hipMemset3D(box, 0x33, extent));
  std::vector<unsigned char> all(60 * 9 * 5, 0);
  hipMemcpy3DParms back = {};
  back.srcPtr = box;
  back.dstPtr = make_hipPitchedPtr(all.data(), 60, 60, 9);
  back.extent = extent;
  back.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&back));
  for (unsigned char byte : all)
    REQUIRE(byte == 0x33, "%x", byte);
  HIP(hipFree(box.ptr));
  printf("pitch %zu and %zu\n", pitch, box.pitch);
}

int main() {
  pitched();
  textures();
  surfaces();
  return pass();
}
