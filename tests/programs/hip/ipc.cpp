// Device memory of one process used by another: the parent exports a handle, a child (this program again, started anew:
// HIP does not survive a fork) opens it, runs a kernel on it and closes it.
#include <spawn.h>
#include <sys/wait.h>

#include <string>

#include "tests/programs/hip/hip_check.h"

extern char** environ;

__global__ void rotate(int* data, int add) {
  __shared__ int row[256];
  row[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = row[(threadIdx.x + 1) % 256] + add;
}

static int child(const char* text) {
  hipIpcMemHandle_t handle;
  for (size_t i = 0; i < sizeof handle; ++i) {
    unsigned byte = 0;
    REQUIRE(sscanf(text + 2 * i, "%2x", &byte) == 1);
    reinterpret_cast<unsigned char*>(&handle)[i] = byte;
  }
  int* data = nullptr;
  HIP(hipIpcOpenMemHandle(reinterpret_cast<void**>(&data), handle, hipIpcMemLazyEnablePeerAccess));
  rotate<<<1, 256>>>(data, 1000);
  HIP(hipDeviceSynchronize());
  HIP(hipIpcCloseMemHandle(data));
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1)
    return child(argv[1]);
  std::vector<int> start(256);
  for (int i = 0; i < 256; ++i)
    start[i] = i * 3;
  Device<int> data(start);
  rotate<<<1, 256>>>(data, 100);
  HIP(hipDeviceSynchronize());
  hipIpcMemHandle_t handle;
  HIP(hipIpcGetMemHandle(&handle, data));
  std::string text;
  for (size_t i = 0; i < sizeof handle; ++i) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", reinterpret_cast<unsigned char*>(&handle)[i]);
    text += digits;
  }
  char* arguments[] = {argv[0], &text[0], nullptr};
  pid_t pid = 0;
  int status = -1;
  REQUIRE(posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments, environ) == 0);
  REQUIRE(waitpid(pid, &status, 0) == pid && status == 0, "the child ended with %x", status);
  const std::vector<int> result = data.read();
  for (int i = 0; i < 256; ++i)
    REQUIRE(result[i] == (i + 2) % 256 * 3 + 1100, "element %d is %d", i, result[i]);
  puts("one rotation by each process");
  return pass();
}
