// Names of the HIP runtime, so that the host part of a .hip file parses. Nothing here is ever called: only device code
// is compiled.
#ifndef CROSSLANE_HIP_HOST_H
#define CROSSLANE_HIP_HOST_H

typedef enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorNotReady = 600,
  hipErrorUnknown = 999
} hipError_t;
typedef enum hipMemcpyKind {
  hipMemcpyHostToHost,
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyDefault
} hipMemcpyKind;
typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct hipDeviceProp_t {
  char name[256], gcnArchName[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize_, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor,
      multiProcessorCount;
} hipDeviceProp_t;

extern "C" {
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds = 0, hipStream_t stream = nullptr);
hipError_t hipGetDeviceCount(int*);
hipError_t hipSetDevice(int);
hipError_t hipGetDevice(int*);
hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int);
hipError_t hipFree(void*);
hipError_t hipHostFree(void*);
hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
hipError_t hipMemcpyAsync(void*, const void*, size_t, hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemset(void*, int, size_t);
hipError_t hipMemsetAsync(void*, int, size_t, hipStream_t = nullptr);
hipError_t hipMemcpyToSymbol(const void*, const void*, size_t, size_t = 0, hipMemcpyKind = hipMemcpyHostToDevice);
hipError_t hipMemcpyFromSymbol(void*, const void*, size_t, size_t = 0, hipMemcpyKind = hipMemcpyDeviceToHost);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
const char* hipGetErrorString(hipError_t);
const char* hipGetErrorName(hipError_t);
hipError_t hipStreamCreate(hipStream_t*);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipEventCreate(hipEvent_t*);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t = nullptr);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventElapsedTime(float*, hipEvent_t, hipEvent_t);
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
}
template <class T> hipError_t hipMalloc(T**, size_t);
template <class T> hipError_t hipMallocManaged(T**, size_t, unsigned = 1);
template <class T> hipError_t hipHostMalloc(T**, size_t, unsigned = 0);

#define hipLaunchKernelGGL(kernel, grid, block, lds, stream, ...)                                                      \
  (kernel)<<<(grid), (block), (lds), (stream)>>>(__VA_ARGS__)

#endif
