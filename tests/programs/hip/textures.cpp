// Textures and surfaces as image processing uses them: a picture turned with every address mode and both filters, a
// volume, layers, pitched and linear memory, a texture reference, and a surface that a kernel draws on. The CPU samples
// as the OpenCL specification says; linear filters on cards have weights of 8 bits, so results may be off by a little.
#include "tests/programs/hip/hip_check.h"

#include <cmath>

struct Map { // from work-items to coordinates: a turn, a zoom and a shift
  float xx, xy, x0, yx, yy, y0;
};

__global__ void turned(float4* out, hipTextureObject_t picture, Map m, int width, int height, int how) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float u = m.xx * x + m.xy * y + m.x0, v = m.yx * x + m.yy * y + m.y0;
  out[y * width + x] = how == 0   ? tex2D<float4>(picture, u, v)
                       : how == 1 ? tex2DLod<float4>(picture, u, v, 0.0f)
                                  : tex2DGrad<float4>(picture, u, v, float2(m.xx, m.yx), float2(m.xy, m.yy));
}

__global__ void volume(float* out, hipTextureObject_t texture, float x, float y, float step) {
  out[threadIdx.x] = tex3D<float>(texture, x, y, threadIdx.x * step);
}
__global__ void layers(int* out, hipTextureObject_t texture, int width) {
  out[blockIdx.x * width + threadIdx.x] = tex2DLayered<int>(texture, threadIdx.x + 0.5f, 1.5f, blockIdx.x);
}
__global__ void fetched(float4* out, hipTextureObject_t texture, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i < count ? tex1Dfetch<float4>(texture, count - 1 - i) : float4{};
}
__global__ void gathered(float4* out, hipTextureObject_t texture) {
  out[threadIdx.x] = tex2Dgather<float4>(texture, threadIdx.x + 1.0f, 2.0f, 1); // HIP 5.2.3 counts components from 1
}
__global__ void drawn(hipSurfaceObject_t surface, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    surf2Dwrite(float(x * y), surface, x * int(sizeof(float)), y);
}
__global__ void doubled(hipSurfaceObject_t surface, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float value;
  if (x < width && y < height) {
    surf2Dread(&value, surface, x * int(sizeof(float)), y);
    surf2Dwrite(value * 2, surface, x * int(sizeof(float)), y);
  }
}
texture<float, hipTextureType2D, hipReadModeElementType> reference;
__global__ void referred(float* out, int width) {
  out[blockIdx.x * width + threadIdx.x] = tex2D(reference, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

static hipTextureObject_t texture_of(const hipResourceDesc& resource, hipTextureAddressMode mode,
                                     hipTextureFilterMode filter, hipTextureReadMode read, bool normalized) {
  hipTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalized;
  hipTextureObject_t texture = 0;
  HIP(hipCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}
static hipResourceDesc resource_of(hipArray_t array) {
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

// One axis: the two texels around, -1 outside, and the weight of the second.
struct Axis {
  int first, second;
  double weight;
};
static Axis axis(double s, int size, hipTextureAddressMode mode, bool linear) {
  double u = s * size;
  if (mode == hipAddressModeWrap)
    u = (s - floor(s)) * size;
  if (mode == hipAddressModeMirror)
    u = fabs(s - 2 * rint(s / 2)) * size;
  const double corner = linear ? floor(u - 0.5) : floor(u);
  const auto place = [&](int i) {
    if (mode == hipAddressModeWrap)
      return (i + size) % size;
    if (mode == hipAddressModeBorder && (i < 0 || i >= size))
      return -1;
    return i < 0 ? 0 : i >= size ? size - 1 : i;
  };
  return {place(int(corner)), place(int(corner) + 1), linear ? u - 0.5 - corner : 0};
}

static void pictures() {
  const int width = 60, height = 40;
  std::vector<uchar4> texels(width * height);
  for (int i = 0; i < width * height; ++i)
    texels[i] = {static_cast<unsigned char>(i * 37), static_cast<unsigned char>(i % width * 4),
                 static_cast<unsigned char>(i / width * 6), 255};
  // HIP 5.2.3's hipCreateChannelDesc<uchar4>() says signed.
  const hipChannelFormatDesc format = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
  hipArray_t array;
  HIP(hipMallocArray(&array, &format, width, height));
  HIP(hipMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
  const int out_width = 70, out_height = 50;
  Device<float4> out(out_width * out_height);
  int how = 0;
  for (const hipTextureAddressMode mode :
       {hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder})
    for (const bool linear : {false, true}) {
      const hipTextureObject_t texture =
          texture_of(resource_of(array), mode, linear ? hipFilterModeLinear : hipFilterModePoint,
                     hipReadModeNormalizedFloat, true);
      const Map m{0.02613f, 0.01127f, -0.4137f, -0.01729f, 0.03741f, 0.2173f};
      turned<<<dim3((out_width + 15) / 16, (out_height + 15) / 16), dim3(16, 16)>>>(out, texture, m, out_width,
                                                                                    out_height, how++ % 3);
      const std::vector<float4> got = out.read();
      int astray = 0;
      for (int i = 0; i < out_width * out_height; ++i) {
        const int px = i % out_width, py = i / out_width;
        const Axis x = axis(double(m.xx) * px + double(m.xy) * py + m.x0, width, mode, linear);
        const Axis y = axis(double(m.yx) * px + double(m.yy) * py + m.y0, height, mode, linear);
        double want[4] = {};
        for (int corner = 0; corner < 4; ++corner) {
          const int tx = corner & 1 ? x.second : x.first, ty = corner & 2 ? y.second : y.first;
          const double weight = (corner & 1 ? x.weight : 1 - x.weight) * (corner & 2 ? y.weight : 1 - y.weight);
          if (tx < 0 || ty < 0)
            continue;
          const uchar4 t = texels[ty * width + tx];
          want[0] += weight * t.x / 255, want[1] += weight * t.y / 255, want[2] += weight * t.z / 255,
              want[3] += weight * t.w / 255;
        }
        const float four[4] = {got[i].x, got[i].y, got[i].z, got[i].w};
        bool close = true;
        for (int c = 0; c < 4; ++c)
          close = close && fabs(four[c] - want[c]) < (linear ? 1.5 / 256 : 1e-6);
        astray += !close;
      }
      // A point that lies between two texels but for 1/512 may count as either.
      REQUIRE(astray <= (linear ? 0 : out_width * out_height / 64), "address mode %d, linear %d: %d pixels", int(mode),
              linear, astray);
      HIP(hipDestroyTextureObject(texture));
    }
  std::vector<uchar4> back(texels.size());
  HIP(hipMemcpy2DFromArray(back.data(), width * 4, array, 0, 0, width * 4, height, hipMemcpyDeviceToHost));
  REQUIRE(!memcmp(back.data(), texels.data(), texels.size() * 4), "the array came back changed");
  HIP(hipFreeArray(array));
}

static void volumes() {
  const int w = 6, h = 5, d = 4;
  std::vector<float> texels;
  for (int i = 0; i < w * h * d; ++i)
    texels.push_back(float(i % w + 10 * (i / w % h) + 100 * (i / w / h)));
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray_t array;
  HIP(hipMalloc3DArray(&array, &format, make_hipExtent(w, h, d), hipArrayDefault));
  hipMemcpy3DParms copy{};
  copy.srcPtr = make_hipPitchedPtr(texels.data(), w * sizeof(float), w, h);
  copy.dstArray = array;
  copy.extent = make_hipExtent(w, h, d);
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
  const hipTextureObject_t texture =
      texture_of(resource_of(array), hipAddressModeClamp, hipFilterModeLinear, hipReadModeElementType, false);
  Device<float> out(64);
  volume<<<1, 64>>>(out, texture, 2.25f, 3.75f, 0.0625f);
  const std::vector<float> got = out.read();
  for (int i = 0; i < 64; ++i) {
    const float z = fminf(fmaxf(i * 0.0625f - 0.5f, 0), d - 1);
    REQUIRE(fabsf(got[i] - (1.75f + 32.5f + 100 * z)) < 0.01f, "%d: %f", i, got[i]);
  }
  HIP(hipDestroyTextureObject(texture));
  HIP(hipFreeArray(array));
}

static void layered() {
  const int w = 16, h = 3, count = 5;
  std::vector<int> texels;
  for (int i = 0; i < w * h * count; ++i)
    texels.push_back(1000 - i * i);
  const hipChannelFormatDesc format = hipCreateChannelDesc<int>();
  hipArray_t array;
  HIP(hipMalloc3DArray(&array, &format, make_hipExtent(w, h, count), hipArrayLayered));
  hipMemcpy3DParms copy{};
  copy.srcPtr = make_hipPitchedPtr(texels.data(), w * sizeof(int), w, h);
  copy.dstArray = array;
  copy.extent = make_hipExtent(w, h, count);
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
  const hipTextureObject_t texture =
      texture_of(resource_of(array), hipAddressModeClamp, hipFilterModePoint, hipReadModeElementType, false);
  Device<int> out(w * count);
  layers<<<count, w>>>(out, texture, w);
  const std::vector<int> got = out.read();
  for (int layer = 0; layer < count; ++layer)
    for (int x = 0; x < w; ++x)
      REQUIRE(got[layer * w + x] == texels[(layer * h + 1) * w + x], "layer %d, %d: %d", layer, x, got[layer * w + x]);
  HIP(hipDestroyTextureObject(texture));
  HIP(hipFreeArray(array));
}

static void linear_memory() {
  const int count = 1000;
  std::vector<float4> texels;
  for (int i = 0; i < count; ++i)
    texels.push_back({float(i), float(-i), i * 0.5f, 3});
  Device<float4> memory(texels), out(1024);
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = memory.data;
  resource.res.linear.desc = hipCreateChannelDesc<float4>();
  resource.res.linear.sizeInBytes = memory.bytes();
  hipTextureDesc how{};
  how.readMode = hipReadModeElementType;
  hipTextureObject_t texture = 0;
  HIP(hipCreateTextureObject(&texture, &resource, &how, nullptr));
  fetched<<<4, 256>>>(out, texture, count);
  const std::vector<float4> got = out.read();
  for (int i = 0; i < count; ++i)
    REQUIRE(!memcmp(&got[i], &texels[count - 1 - i], sizeof(float4)), "texel %d: %f %f %f %f", i, got[i].x, got[i].y,
            got[i].z, got[i].w);
  HIP(hipDestroyTextureObject(texture));
}

static void pitched_memory() {
  const int w = 50, h = 9;
  float* memory = nullptr;
  size_t pitch = 0;
  HIP(hipMallocPitch(reinterpret_cast<void**>(&memory), &pitch, w * sizeof(float), h));
  std::vector<float> texels;
  for (int i = 0; i < w * h; ++i)
    texels.push_back(i * 0.25f);
  HIP(hipMemcpy2D(memory, pitch, texels.data(), w * sizeof(float), w * sizeof(float), h, hipMemcpyHostToDevice));
  hipResourceDesc resource{};
  resource.resType = hipResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = hipCreateChannelDesc<float>();
  resource.res.pitch2D.width = w;
  resource.res.pitch2D.height = h;
  resource.res.pitch2D.pitchInBytes = pitch;
  const hipTextureObject_t texture =
      texture_of(resource, hipAddressModeClamp, hipFilterModePoint, hipReadModeElementType, false);
  Device<float4> four(16);
  gathered<<<1, 16>>>(four, texture);
  const std::vector<float4> corners = four.read();
  for (int i = 0; i < 16; ++i) {
    const float want[4] = {texels[2 * w + i], texels[2 * w + i + 1], texels[w + i + 1], texels[w + i]};
    REQUIRE(!memcmp(&corners[i], want, sizeof want), "%d: %f %f %f %f", i, corners[i].x, corners[i].y, corners[i].z,
            corners[i].w);
  }
  HIP(hipDestroyTextureObject(texture));

  Device<float> out(w * h);
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  size_t offset = 0;
  HIP(hipBindTexture2D(&offset, &reference, memory, &format, w, h, pitch));
  referred<<<h, w>>>(out, w);
  REQUIRE(out.read() == texels, "the texture reference reads something else");
  HIP(hipUnbindTexture(&reference));
  HIP(hipFree(memory));
}

static void surfaces() {
  const int w = 37, h = 21;
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray_t array;
  HIP(hipMallocArray(&array, &format, w, h));
  const hipResourceDesc resource = resource_of(array);
  hipSurfaceObject_t surface = 0;
  HIP(hipCreateSurfaceObject(&surface, &resource));
  drawn<<<dim3(3, 2), dim3(16, 16)>>>(surface, w, h);
  doubled<<<dim3(3, 2), dim3(16, 16)>>>(surface, w, h);
  std::vector<float> got(w * h);
  HIP(hipMemcpy2DFromArray(got.data(), w * sizeof(float), array, 0, 0, w * sizeof(float), h, hipMemcpyDeviceToHost));
  for (int i = 0; i < w * h; ++i)
    REQUIRE(got[i] == (i / w < 21 ? 2.0f * (i % w) * (i / w) : 0), "texel %d: %f", i, got[i]);
  HIP(hipDestroySurfaceObject(surface));
  HIP(hipFreeArray(array));
}

int main() {
  pictures();
  volumes();
  layered();
  linear_memory();
  pitched_memory();
  surfaces();
  return pass();
}
