// What every HIP test program shares. A call that fails ends the program and says which it was.
#pragma once
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstring>
#include <vector>

#include "tests/programs/check.h"

#define HIP(call)                                                                                                      \
  do {                                                                                                                 \
    const hipError_t status_ = (call);                                                                                 \
    REQUIRE(status_ == hipSuccess, "%s returned %d (%s)", #call, int(status_), hipGetErrorString(status_));            \
  } while (0)

// The call must fail, and in this way; HIP's sticky error is taken away again.
#define HIP_FAILS(error, call)                                                                                         \
  do {                                                                                                                 \
    const hipError_t status_ = (call);                                                                                 \
    REQUIRE(status_ == (error), "%s returned %d (%s)", #call, int(status_), hipGetErrorString(status_));               \
    (void)hipGetLastError();                                                                                           \
  } while (0)

inline double milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Device memory for `count` elements, freed at the end of the scope.
template <class T> struct Device {
  T* data = nullptr;
  size_t count = 0;
  explicit Device(size_t n) : count(n) { HIP(hipMalloc(reinterpret_cast<void**>(&data), n * sizeof(T))); }
  explicit Device(const std::vector<T>& from) : Device(from.size()) {
    HIP(hipMemcpy(data, from.data(), bytes(), hipMemcpyHostToDevice));
  }
  Device(const Device&) = delete;
  ~Device() { (void)hipFree(data); }
  operator T*() const { return data; }
  size_t bytes() const { return count * sizeof(T); }
  std::vector<T> read() const {
    std::vector<T> host(count);
    HIP(hipMemcpy(host.data(), data, bytes(), hipMemcpyDeviceToHost));
    return host;
  }
};
