// What `crosslane run --capture` costs: dispatches of a program with so many MiB of device memory, of which they write
// all, a 1024th or nothing, in processor time of one. Usage: capture [MiB], 256 if nothing is said. Run it with
// CROSSLANE_THREADS=1, with
// --capture and without. The memory holds floats of which no two 64 KiB are the same.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <hip/hip_runtime.h>

namespace {

void must(hipError_t e, const char* what) {
  if (e == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(e));
  std::exit(1);
}
#define MUST(call) must(call, #call)

__global__ void write(float* p, unsigned n, float factor) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = (float(i) + 1) * factor;
}

double processor_time() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

double milliseconds(float* p, unsigned n, float factor) {
  const double begin = processor_time();
  hipLaunchKernelGGL(write, dim3(n ? n / 256 : 1), dim3(256), 0, 0, p, n, factor);
  MUST(hipDeviceSynchronize());
  return (processor_time() - begin) * 1e3;
}

} // namespace

int main(int argc, char** argv) {
  const size_t mib = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 256;
  const auto n = unsigned((mib << 20) / sizeof(float));
  float* p;
  MUST(hipMalloc(&p, mib << 20));
  milliseconds(p, 256, 1); // loads the code
  const double first = milliseconds(p, n, 1), all = milliseconds(p, n, 1.5f), some = milliseconds(p, n / 1024, 2.5f),
               none = milliseconds(p, 0, 0);
  std::printf("%zu MiB, ms a dispatch: writes all for the first time %.1f, all %.1f, a 1024th %.1f, nothing %.1f\n",
              mib, first, all, some, none);
  return 0;
}
