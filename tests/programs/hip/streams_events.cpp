// Streams and events: order within a stream and across streams by hipStreamWaitEvent, times between events that fit
// the wall clock and the amount of work, queries that do not block, and host callbacks in their place in the stream.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "tests/programs/hip/hip_check.h"

// `steps` dependent steps that no compiler can shorten; two of these do not commute.
__global__ void mix(unsigned* data, unsigned add, int steps) {
  unsigned value = data[threadIdx.x];
  for (int i = 0; i < steps; ++i)
    value = value * 1664525u + add;
  data[threadIdx.x] = value;
}

static unsigned mixed(unsigned value, unsigned add, int steps) {
  for (int i = 0; i < steps; ++i)
    value = value * 1664525u + add;
  return value;
}

static std::atomic<int> called{0};
static void after_copy(hipStream_t, hipError_t status, void* host) {
  // The copy that comes before in the stream is done: its bytes are here.
  if (status == hipSuccess && static_cast<unsigned*>(host)[3] != 0)
    ++called;
}

int main() {
  const int threads = 64, short_steps = 2000, long_steps = 200000;
  hipStream_t first, second;
  HIP(hipStreamCreate(&first));
  HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  hipEvent_t start, between, stop, done;
  HIP(hipEventCreate(&start));
  HIP(hipEventCreate(&between));
  HIP(hipEventCreate(&stop));
  HIP(hipEventCreateWithFlags(&done, hipEventDisableTiming));

  std::vector<unsigned> initial(threads);
  for (int i = 0; i < threads; ++i)
    initial[i] = i;
  Device<unsigned> data(initial);
  mix<<<1, threads, 0, first>>>(data, 1, 1); // what the first launch costs besides (loading) is not timed
  HIP(hipStreamSynchronize(first));

  // Somebody else may have the cores for a while: the fastest of some rounds tells how long the work takes.
  float shortest = INFINITY, longest = INFINITY;
  double share = 0; // of the wall clock's time that the events tell
  std::vector<unsigned> expected(initial);
  for (unsigned& value : expected)
    value = mixed(value, 1, 1);
  for (int round = 0; round < 8; ++round) {
    const double before = milliseconds();
    HIP(hipEventRecord(start, first));
    mix<<<1, threads, 0, first>>>(data, 7, short_steps);
    HIP(hipEventRecord(between, first));
    mix<<<1, threads, 0, first>>>(data, 11, long_steps);
    HIP(hipEventRecord(stop, first));
    HIP(hipStreamWaitEvent(second, stop, 0));
    mix<<<1, threads, 0, second>>>(data, 13, short_steps);
    HIP(hipEventRecord(done, second));
    HIP(hipEventSynchronize(done));
    const double wall = milliseconds() - before;
    HIP(hipEventQuery(stop));
    HIP(hipStreamQuery(first));

    const std::vector<unsigned> result = data.read();
    for (int i = 0; i < threads; ++i) {
      expected[i] = mixed(mixed(mixed(expected[i], 7, short_steps), 11, long_steps), 13, short_steps);
      REQUIRE(result[i] == expected[i], "round %d, lane %d: the kernels did not run in order", round, i);
    }

    float short_ms = 0, long_ms = 0, both_ms = 0;
    HIP(hipEventElapsedTime(&short_ms, start, between));
    HIP(hipEventElapsedTime(&long_ms, between, stop));
    HIP(hipEventElapsedTime(&both_ms, start, stop));
    REQUIRE(short_ms > 0 && both_ms >= long_ms && both_ms <= wall * 1.05, "%.3f, %.3f, %.3f ms, %.3f ms by the clock",
            short_ms, long_ms, both_ms, wall);
    shortest = std::min(shortest, short_ms);
    longest = std::min(longest, long_ms);
    share = std::max(share, both_ms / wall);
  }
  printf("%d steps: %.3f ms, %d steps: %.3f ms, together at most %.0f%% of the wall clock's time\n", short_steps,
         shortest, long_steps, longest, share * 100);
  REQUIRE(longest > 3 * shortest, "a hundred times the work");
  REQUIRE(share > 0.1, "where is the rest?");
  float never = 0;
  HIP_FAILS(hipErrorInvalidHandle, hipEventElapsedTime(&never, start, done));

  // A query of unfinished work says so and does not wait for it; a host that is held up may find it done.
  hipError_t query = hipSuccess;
  int queries = 0;
  while (query == hipSuccess && queries < 8) {
    mix<<<1, threads, 0, first>>>(data, 17, 10 * long_steps);
    HIP(hipEventRecord(stop, first));
    query = hipEventQuery(stop);
    ++queries;
  }
  REQUIRE(query == hipErrorNotReady, "two million steps were done at once: %d", query);
  (void)hipGetLastError();

  unsigned* host = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&host), data.bytes(), 0));
  memset(host, 0, data.bytes());
  HIP(hipMemcpyAsync(host, data, data.bytes(), hipMemcpyDeviceToHost, first));
  HIP(hipStreamAddCallback(first, after_copy, host, 0));
  HIP(hipStreamAddCallback(first, after_copy, host, 0));
  HIP(hipStreamSynchronize(first));
  for (int i = 0; i < 30000 && called < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  REQUIRE(called == 2, "%d callbacks", called.load());
  for (int i = 0; i < queries; ++i)
    expected[9] = mixed(expected[9], 17, 10 * long_steps);
  REQUIRE(host[9] == expected[9]);

  int least = 0, greatest = 0;
  HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
  hipStream_t urgent;
  HIP(hipStreamCreateWithPriority(&urgent, hipStreamDefault, greatest));
  mix<<<1, threads, 0, urgent>>>(data, 19, 1);
  HIP(hipStreamSynchronize(urgent));
  REQUIRE(data.read()[9] == mixed(host[9], 19, 1));
  HIP(hipHostFree(host));
  for (hipStream_t stream : {first, second, urgent})
    HIP(hipStreamDestroy(stream));
  for (hipEvent_t event : {start, between, stop, done})
    HIP(hipEventDestroy(event));
  return pass();
}
