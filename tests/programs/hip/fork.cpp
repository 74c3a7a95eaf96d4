// A child that is forked after HIP has begun: it may do what needs no GPU and end as any other process; what it asks of
// the GPU is an error, and never a wait without end. The parent goes on as if nothing had happened.
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/hip/hip_check.h"

__global__ void add_one(int* data) { data[threadIdx.x] += 1; }

static int* data;

static void runs(int expected) {
  add_one<<<1, 64>>>(data);
  int out[64];
  HIP(hipMemcpy(out, data, sizeof out, hipMemcpyDeviceToHost));
  REQUIRE(out[0] == expected && out[63] == expected, "%d and %d, not %d", out[0], out[63], expected);
}

// The status of a child that runs `body` and then exits by itself.
template <class Body> static int child(Body&& body) {
  const pid_t pid = fork();
  if (!pid) {
    alarm(20); // SIGALRM: it hangs
    body();
    exit(3);
  }
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid, "waitpid");
  return status;
}

static void fails(const char* what, int status) {
  const bool refused = WIFEXITED(status) && WEXITSTATUS(status) == 4;
  REQUIRE(refused || (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT), "%s: status %#x", what, status);
}

int main() {
  HIP(hipMalloc(reinterpret_cast<void**>(&data), 64 * sizeof(int)));
  HIP(hipMemset(data, 0, 64 * sizeof(int)));
  runs(1);
  int status = child([] { _exit(0); });
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "_exit: %#x", status);
  status = child([] {});
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 3, "exit: %#x", status);
  fails("a kernel", child([] {
          add_one<<<1, 64>>>(data);
          if (hipDeviceSynchronize() != hipSuccess)
            exit(4);
        }));
  fails("a copy", child([] {
          int out[64];
          if (hipMemcpy(out, data, sizeof out, hipMemcpyDeviceToHost) != hipSuccess)
            exit(4);
        }));
  fails("memory", child([] {
          void* more = nullptr;
          if (hipMalloc(&more, 64 << 20) != hipSuccess)
            exit(4);
        }));
  fails("a stream", child([] {
          hipStream_t stream;
          if (hipStreamCreate(&stream) != hipSuccess)
            exit(4);
        }));
  runs(2);
  return pass();
}
