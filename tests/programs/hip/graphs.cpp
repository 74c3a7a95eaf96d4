// Graphs: one captured from two streams that fork and join, one built node by node (memset, kernel, host function,
// copies), launched several times and with changed kernel arguments.
#include "tests/programs/hip/hip_check.h"

__global__ void add(int* data, int value) { data[blockIdx.x * blockDim.x + threadIdx.x] += value; }
__global__ void combine(const int* a, const int* b, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] * 1000 + b[i];
}

static const int count = 512;

static void captured() {
  hipStream_t main_stream, side;
  hipEvent_t fork, join;
  HIP(hipStreamCreate(&main_stream));
  HIP(hipStreamCreate(&side));
  HIP(hipEventCreate(&fork));
  HIP(hipEventCreate(&join));
  Device<int> a(count), b(count), out(count);
  HIP(hipMemset(a, 0, a.bytes()));
  HIP(hipMemset(b, 0, b.bytes()));
  HIP(hipDeviceSynchronize());
  std::vector<int> host(count, -1);

  HIP(hipStreamBeginCapture(main_stream, hipStreamCaptureModeGlobal));
  HIP(hipEventRecord(fork, main_stream));
  HIP(hipStreamWaitEvent(side, fork, 0));
  add<<<count / 64, 64, 0, main_stream>>>(a, 1);
  add<<<count / 64, 64, 0, side>>>(b, 10);
  HIP(hipEventRecord(join, side));
  HIP(hipStreamWaitEvent(main_stream, join, 0));
  combine<<<count / 64, 64, 0, main_stream>>>(a, b, out);
  HIP(hipMemcpyAsync(host.data(), out, out.bytes(), hipMemcpyDeviceToHost, main_stream));
  hipGraph_t graph;
  HIP(hipStreamEndCapture(main_stream, &graph));
  REQUIRE(a.read()[0] == 0, "capturing must not execute");

  size_t nodes = 0;
  HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  hipGraphExec_t executable;
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int launch = 1; launch <= 5; ++launch) {
    HIP(hipGraphLaunch(executable, main_stream));
    HIP(hipStreamSynchronize(main_stream));
    for (int i = 0; i < count; ++i)
      REQUIRE(host[i] == launch * 1010, "launch %d element %d is %d", launch, i, host[i]);
  }
  printf("captured: %zu nodes, 5 launches\n", nodes);
  HIP(hipGraphExecDestroy(executable));
  HIP(hipGraphDestroy(graph));
}

static void record(void* seen) { ++*static_cast<int*>(seen); }

static void built() {
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipGraph_t graph;
  HIP(hipGraphCreate(&graph, 0));
  Device<int> data(count);
  int *pointer = data, value = 4, calls = 0;
  std::vector<int> host(count, -1);

  hipGraphNode_t clear, kernel, callback, copy;
  hipMemsetParams fill = {};
  fill.dst = pointer, fill.elementSize = 4, fill.value = 100, fill.width = count, fill.height = 1,
  fill.pitch = count * 4;
  HIP(hipGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
  void* arguments[] = {&pointer, &value};
  hipKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(add), launch.gridDim = dim3(count / 128), launch.blockDim = dim3(128);
  launch.kernelParams = arguments;
  HIP(hipGraphAddKernelNode(&kernel, graph, &clear, 1, &launch));
  hipHostNodeParams host_node = {record, &calls};
  HIP(hipGraphAddHostNode(&callback, graph, &kernel, 1, &host_node));
  HIP(hipGraphAddMemcpyNode1D(&copy, graph, &callback, 1, host.data(), pointer, data.bytes(), hipMemcpyDeviceToHost));
  hipGraphExec_t executable;
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(executable, stream));
  HIP(hipStreamSynchronize(stream));
  for (int i = 0; i < count; ++i)
    REQUIRE(host[i] == 104, "element %d is %d", i, host[i]);

  value = 23;
  HIP(hipGraphExecKernelNodeSetParams(executable, kernel, &launch));
  HIP(hipGraphLaunch(executable, stream));
  HIP(hipStreamSynchronize(stream));
  for (int i = 0; i < count; ++i)
    REQUIRE(host[i] == 123, "element %d is %d after the change", i, host[i]);
  REQUIRE(calls == 2, "%d calls of the host node", calls);
  puts("built: 4 nodes, 2 launches");
  HIP(hipGraphExecDestroy(executable));
  HIP(hipGraphDestroy(graph));
}

int main() {
  captured();
  built();
  return pass();
}
