// hiprtc: a source compiled while the program runs, a template instantiated by name, the log of a source with a
// mistake.
#include <hip/hiprtc.h>

#include <string>

#include "tests/programs/hip/hip_check.h"

static const char source[] = R"(
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
template <class T> __global__ void fill(T *out, T first) { out[threadIdx.x] = first + T(threadIdx.x) * STEP; }
)";

#define RTC(call)                                                                                                      \
  do {                                                                                                                 \
    const hiprtcResult status_ = (call);                                                                               \
    REQUIRE(status_ == HIPRTC_SUCCESS, "%s: %s", #call, hiprtcGetErrorString(status_));                                \
  } while (0)

int main() {
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  const std::string arch = std::string("--gpu-architecture=") + properties.gcnArchName;
  const char* options[] = {arch.c_str(), "-DSTEP=3", "-O1"};

  hiprtcProgram program;
  RTC(hiprtcCreateProgram(&program, source, "kernels.cu", 0, nullptr, nullptr));
  RTC(hiprtcAddNameExpression(program, "fill<long>"));
  RTC(hiprtcCompileProgram(program, 3, options));
  const char* lowered = nullptr;
  RTC(hiprtcGetLoweredName(program, "fill<long>", &lowered));
  const std::string fill_name = lowered;
  size_t size = 0;
  RTC(hiprtcGetCodeSize(program, &size));
  std::vector<char> code(size);
  RTC(hiprtcGetCode(program, code.data()));
  RTC(hiprtcDestroyProgram(&program));

  hipModule_t module;
  hipFunction_t saxpy, fill;
  HIP(hipModuleLoadData(&module, code.data()));
  HIP(hipModuleGetFunction(&saxpy, module, "saxpy"));
  HIP(hipModuleGetFunction(&fill, module, fill_name.c_str()));

  const int count = 777;
  std::vector<float> x(count), y(count);
  for (int i = 0; i < count; ++i)
    x[i] = i, y[i] = 0.5f * i + 1;
  Device<float> device_x(x), device_y(y);
  float a = 2;
  int n = count;
  void* arguments[] = {&a, &device_x.data, &device_y.data, &n};
  HIP(hipModuleLaunchKernel(saxpy, 7, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  const std::vector<float> result = device_y.read();
  for (int i = 0; i < count; ++i)
    REQUIRE(result[i] == 2.5f * i + 1, "element %d is %g", i, result[i]);

  Device<long> filled(64);
  long first = 1l << 40;
  void* fill_arguments[] = {&filled.data, &first};
  HIP(hipModuleLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, nullptr, fill_arguments, nullptr));
  REQUIRE(filled.read()[63] == first + 189, "%s", fill_name.c_str());
  HIP(hipModuleUnload(module));

  RTC(hiprtcCreateProgram(&program, "__global__ void broken() { undeclared = 1; }", "broken.cu", 0, nullptr, nullptr));
  REQUIRE(hiprtcCompileProgram(program, 1, options) == HIPRTC_ERROR_COMPILATION);
  RTC(hiprtcGetProgramLogSize(program, &size));
  std::string log(size, ' ');
  RTC(hiprtcGetProgramLog(program, &log[0]));
  REQUIRE(log.find("undeclared") != std::string::npos, "log: %s", log.c_str());
  printf("%zu bytes of code for %s, fill<long> is %s\n", code.size(), properties.gcnArchName, fill_name.c_str());
  return pass();
}
