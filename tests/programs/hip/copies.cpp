// Every way that HIP moves or sets bytes: one, two and three dimensions, pitched, asynchronous, between all pairs of
// pageable, pinned and device memory, symbols, and fills of 8, 16 and 32 bits. Sizes are odd and starts unaligned on
// purpose: HIP does the larger part with kernels of its own, which treat edges apart.
#include "tests/programs/hip/hip_check.h"

__constant__ int table[100];
__device__ int counters[100];

__global__ void use_table(int factor) { counters[threadIdx.x] = table[threadIdx.x] * factor; }

typedef std::vector<unsigned char> Bytes;

static Bytes pattern(size_t count, unsigned seed) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = (i * 131 + seed * 17 + (i >> 8)) & 0xff;
  return bytes;
}

// host -> device -> device -> host with odd offsets, each through pageable and through pinned memory
static void one_dimension(hipStream_t stream) {
  for (size_t count : {size_t(1), size_t(37), size_t(4099), size_t(3 << 20) + 5}) {
    const Bytes from = pattern(count + 16, unsigned(count));
    Device<unsigned char> a(count + 16), b(count + 16);
    unsigned char* pinned = nullptr;
    HIP(hipHostMalloc(reinterpret_cast<void**>(&pinned), count + 16, hipHostMallocDefault));
    memcpy(pinned, from.data(), count + 16);
    for (int way = 0; way < 2; ++way) {
      const unsigned char* source = way ? pinned : from.data();
      HIP(hipMemset(a, 0xee, a.bytes()));
      HIP(hipMemset(b, 0xdd, b.bytes()));
      HIP(hipMemcpyAsync(a + 3, source + 1, count, hipMemcpyHostToDevice, stream));
      HIP(hipMemcpyAsync(b + 5, a + 3, count, hipMemcpyDeviceToDevice, stream));
      Bytes to(count + 16, 0x11);
      if (way) {
        HIP(hipMemcpyAsync(pinned, b + 0, count + 16, hipMemcpyDeviceToHost, stream));
        HIP(hipStreamSynchronize(stream));
        memcpy(to.data(), pinned, to.size());
      } else {
        HIP(hipStreamSynchronize(stream));
        HIP(hipMemcpy(to.data(), b, count + 16, hipMemcpyDefault));
      }
      for (size_t i = 0; i < count + 16; ++i) {
        const bool inside = i >= 5 && i < count + 5;
        REQUIRE(to[i] == (inside ? from[i - 5 + 1] : 0xdd), "byte %zu of %zu, way %d", i, count, way);
      }
    }
    HIP(hipHostFree(pinned));
  }
}

static void two_dimensions(hipStream_t stream) {
  const size_t width = 333, height = 57, host_pitch = 400;
  size_t pitch = 0;
  unsigned char* device = nullptr;
  HIP(hipMallocPitch(reinterpret_cast<void**>(&device), &pitch, width, height));
  REQUIRE(pitch >= width && pitch % 64 == 0, "pitch %zu", pitch);
  const Bytes from = pattern(host_pitch * height, 3);
  HIP(hipMemset2D(device, pitch, 0x5a, width, height));
  HIP(hipMemcpy2DAsync(device + 7, pitch, from.data() + 2, host_pitch, width - 20, height - 1, hipMemcpyHostToDevice,
                       stream));
  HIP(hipStreamSynchronize(stream));
  Device<unsigned char> tight(width * height);
  HIP(hipMemcpy2D(tight, width, device, pitch, width, height, hipMemcpyDeviceToDevice));
  const Bytes to = tight.read();
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const bool inside = x >= 7 && x < width - 13 && y < height - 1;
      const unsigned char expected = inside ? from[y * host_pitch + x - 7 + 2] : 0x5a;
      REQUIRE(to[y * width + x] == expected, "row %zu column %zu: %x, not %x", y, x, to[y * width + x], expected);
    }
  }
  HIP(hipFree(device));
}

static void three_dimensions() {
  const size_t width = 60, height = 9, depth = 5;
  hipPitchedPtr box;
  HIP(hipMalloc3D(&box, make_hipExtent(width, height, depth)));
  HIP(hipMemset3D(box, 0x33, make_hipExtent(width, height, depth)));
  const Bytes from = pattern(width * height * depth, 9);
  hipMemcpy3DParms parameters = {};
  parameters.srcPtr = make_hipPitchedPtr(const_cast<unsigned char*>(from.data()), width, width, height);
  parameters.dstPtr = box;
  parameters.srcPos = make_hipPos(4, 1, 1);
  parameters.dstPos = make_hipPos(8, 2, 0);
  parameters.extent = make_hipExtent(40, 6, 4);
  parameters.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&parameters));
  Bytes to(width * height * depth, 0);
  hipMemcpy3DParms back = {};
  back.srcPtr = box;
  back.dstPtr = make_hipPitchedPtr(to.data(), width, width, height);
  back.extent = make_hipExtent(width, height, depth);
  back.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&back));
  for (size_t z = 0; z < depth; ++z)
    for (size_t y = 0; y < height; ++y)
      for (size_t x = 0; x < width; ++x) {
        const bool inside = x >= 8 && x < 48 && y >= 2 && y < 8 && z < 4;
        const unsigned char expected = inside ? from[((z + 1) * height + y - 2 + 1) * width + x - 8 + 4] : 0x33;
        REQUIRE(to[(z * height + y) * width + x] == expected, "x %zu y %zu z %zu", x, y, z);
      }
  HIP(hipFree(box.ptr));
}

static void fills(hipStream_t stream) {
  Device<unsigned char> device(5001);
  HIP(hipMemset(device, 0, device.bytes()));
  HIP(hipMemsetD8(device + 1, 0x12, 1001));
  HIP(hipMemsetD16(device + 1502, 0x3456, 333));
  HIP(hipMemsetD32(device + 3000, 0x789abcde, 250));
  HIP(hipMemsetAsync(device + 4500, 0x77, 501, stream));
  HIP(hipStreamSynchronize(stream));
  const Bytes to = device.read();
  for (size_t i = 0; i < to.size(); ++i) {
    unsigned expected = 0;
    if (i >= 1 && i < 1002)
      expected = 0x12;
    if (i >= 1502 && i < 2168)
      expected = 0x3456 >> (i - 1502) % 2 * 8 & 0xff;
    if (i >= 3000 && i < 4000)
      expected = 0x789abcde >> (i - 3000) % 4 * 8 & 0xff;
    if (i >= 4500)
      expected = 0x77;
    REQUIRE(to[i] == expected, "byte %zu is %x, not %x", i, to[i], expected);
  }
}

static void symbols(hipStream_t stream) {
  int values[100], results[100] = {};
  for (int i = 0; i < 100; ++i)
    values[i] = 7 * i - 50;
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof values, 0, hipMemcpyHostToDevice));
  use_table<<<1, 100>>>(3);
  HIP(hipDeviceSynchronize());
  const int patch[2] = {1000, 1001};
  HIP(hipMemcpyToSymbolAsync(HIP_SYMBOL(counters), patch, sizeof patch, 4 * sizeof(int), hipMemcpyHostToDevice,
                             stream));
  HIP(hipMemcpyFromSymbolAsync(results, HIP_SYMBOL(counters), sizeof results, 0, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamSynchronize(stream));
  for (int i = 0; i < 100; ++i) {
    const int expected = i == 4 || i == 5 ? 996 + i : values[i] * 3;
    REQUIRE(results[i] == expected, "counters[%d] is %d, not %d", i, results[i], expected);
  }
  void* address = nullptr;
  size_t size = 0;
  HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
  HIP(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
  REQUIRE(size == sizeof values && address);
}

int main() {
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  one_dimension(stream);
  two_dimensions(stream);
  three_dimensions();
  fills(stream);
  symbols(stream);
  HIP(hipStreamDestroy(stream));
  puts("every byte in its place");
  return pass();
}
