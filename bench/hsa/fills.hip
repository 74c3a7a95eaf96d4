// HIP's own kernels: hipMemset and hipMemcpy within the device, in GB/s of what is written, beside memset and memcpy of
// the host by one thread, in one run. Usage: fills [MiB], 256 if nothing is said. Run it with CROSSLANE_THREADS=1 for
// one core against one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <hip/hip_runtime.h>
#include <vector>

namespace {

void must(hipError_t e, const char* what) {
  if (e == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(e));
  std::exit(1);
}
#define MUST(call) must(call, #call)

// Of the process, all threads: others on the machine do not count.
double processor_time() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

// By the least time of several, in GB/s.
template <class F> double rate(size_t bytes, F f) {
  f();
  double least = 1e9;
  for (int i = 0; i < 9; ++i) {
    const double begin = processor_time();
    f();
    least = std::min(least, processor_time() - begin);
  }
  return double(bytes) / least / 1e9;
}

} // namespace

int main(int argc, char** argv) {
  const size_t bytes = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 256) << 20;
  if (!bytes)
    return std::fprintf(stderr, "usage: fills [MiB]\n"), 2;
  void *a, *b;
  MUST(hipMalloc(&a, bytes));
  MUST(hipMalloc(&b, bytes));
  std::vector<char> x(bytes, 1), y(bytes, 2);
  const auto wait = [] { MUST(hipDeviceSynchronize()); };
  const auto line = [](const char* what, double gpu, double cpu) {
    std::printf("%-28s %7.1f GB/s, host %7.1f: %.2f\n", what, gpu, cpu, gpu / cpu);
  };
  int n = 0;
  const double set = rate(bytes, [&] { std::memset(x.data(), ++n, bytes); });
  line("hipMemset", rate(bytes, [&] { MUST(hipMemset(a, ++n, bytes)), wait(); }), set);
  line("hipMemsetD32", rate(bytes, [&] { MUST(hipMemsetD32(hipDeviceptr_t(a), ++n, bytes / 4)), wait(); }), set);
  line("hipMemset, 3 bytes on", rate(bytes, [&] { MUST(hipMemset((char*)a + 3, ++n, bytes - 8)), wait(); }), set);
  line("hipMemcpy device to device", rate(bytes, [&] { MUST(hipMemcpy(b, a, bytes, hipMemcpyDeviceToDevice)), wait(); }),
       rate(bytes, [&] { std::memcpy(y.data(), x.data(), bytes); }));
  std::vector<char> back(bytes);
  MUST(hipMemcpy(back.data(), b, bytes, hipMemcpyDeviceToHost));
  const bool right = std::all_of(back.begin() + 3, back.end() - 5, [&](char c) { return c == char(n); });
  std::puts(right ? "PASS" : "FAIL");
  return !right;
}
