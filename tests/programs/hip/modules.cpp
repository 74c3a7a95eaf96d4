// Modules: a bundle of code objects loaded from a file and from memory, its kernel launched with both kinds of argument
// lists, a global variable of it read and written from the host, and what is not there reported as such.
//   modules <bundle made by hipcc --genco>
#include <fstream>
#include <iterator>

#include "tests/programs/hip/hip_check.h"

static void use(hipModule_t module, int scale) {
  const int count = 1000;
  std::vector<int> in(count);
  for (int i = 0; i < count; ++i)
    in[i] = i - 500;
  Device<int> device_in(in), device_out(count);

  hipDeviceptr_t address = nullptr;
  size_t size = 0;
  HIP(hipModuleGetGlobal(&address, &size, module, "scale"));
  REQUIRE(size == sizeof(int), "%zu bytes", size);
  int initial = 0;
  HIP(hipMemcpyDtoH(&initial, address, sizeof initial));
  REQUIRE(initial == 2, "initialised to %d", initial);
  HIP(hipMemcpyHtoD(address, &scale, sizeof scale));

  hipFunction_t kernel;
  HIP(hipModuleGetFunction(&kernel, module, "scaled"));
  int *in_pointer = device_in, *out_pointer = device_out, n = count;
  void* arguments[] = {&in_pointer, &out_pointer, &n};
  HIP(hipModuleLaunchKernel(kernel, (count + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  std::vector<int> out = device_out.read();
  for (int i = 0; i < count; ++i)
    REQUIRE(out[i] == in[i] * scale, "element %d is %d", i, out[i]);

  // The same arguments as one packed buffer, and a grid that leaves the last elements alone
  struct {
    int *in, *out;
    int count;
  } packed = {out_pointer, in_pointer, 900};
  size_t packed_size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed_size,
                   HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(kernel, 10, 1, 1, 100, 1, 1, 0, nullptr, nullptr, extra));
  out = device_in.read();
  for (int i = 0; i < count; ++i)
    REQUIRE(out[i] == (i < 900 ? in[i] * scale * scale : in[i]), "element %d is %d", i, out[i]);

  int history[4];
  HIP(hipModuleGetGlobal(&address, &size, module, "history"));
  HIP(hipMemcpyDtoH(history, address, sizeof history));
  REQUIRE(size == sizeof history && history[3] == scale + 3);

  hipFunction_t missing;
  HIP_FAILS(hipErrorNotFound, hipModuleGetFunction(&missing, module, "no_such_kernel"));
  HIP_FAILS(hipErrorNotFound, hipModuleGetGlobal(&address, &size, module, "no_such_variable"));
}

int main(int, char** argv) {
  hipModule_t from_file, from_memory;
  HIP(hipModuleLoad(&from_file, argv[1]));
  use(from_file, 5);
  // A second copy has variables of its own
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  HIP(hipModuleLoadData(&from_memory, bytes.data()));
  use(from_memory, -3);
  HIP(hipModuleUnload(from_file));
  HIP(hipModuleUnload(from_memory));
  hipModule_t none;
  HIP_FAILS(hipErrorFileNotFound, hipModuleLoad(&none, "/nonexistent/kernels.co"));
  printf("%zu bytes loaded twice\n", bytes.size());
  return pass();
}
