// Owns what tests of the library share: kernels as text, and how an Error is expected.
#pragma once
#include <crosslane/crosslane.hpp>
#include <gmock/gmock.h>

namespace crosslane::test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kernels = R"(
kernel void add(global const float* a, global const float* b, global float* c, uint n) {
  uint i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
kernel void ids(global uint* out) {
  uint i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  out[i] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);
}
kernel void types(global double* out, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = h; out[8] = i; out[9] = j;
}
kernel void reverse(global uint* data, local uint* tile) {
  uint i = get_local_id(0), n = get_local_size(0);
  tile[i] = data[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[i] = tile[n - 1 - i];
}
typedef struct { float factor; int shift; } Pair;
kernel void scaled(global float* data, Pair pair, float4 v) {
  data[get_global_id(0)] = data[get_global_id(0)] * pair.factor + pair.shift + v.w;
}
kernel void wait(global volatile uint* flag) { while (*flag == 0); }
kernel void say(uint n) { printf("%u says hello\n", n); }
)";

// Compiled once a process.
inline const Context& context() {
  static const Context context;
  return context;
}
inline const Module& module() {
  static const Module module = context().load_source(kernels, "kernels.cl");
  return module;
}
inline Launch launch(const char* kernel) { return module().kernel(kernel).launch(); }

struct Failure {
  crosslane_status status = CROSSLANE_OK;
  std::string text = "no exception";
};
template <class F> Failure failure(F f) {
  try {
    f();
  } catch (const Error& error) {
    return {error.status(), error.what()};
  }
  return {};
}

} // namespace crosslane::test

#define EXPECT_FAILS(what, wanted, words)                                                                              \
  do {                                                                                                                 \
    const crosslane::test::Failure failed = crosslane::test::failure([&] { what; });                                   \
    EXPECT_STREQ(crosslane_status_name(failed.status), crosslane_status_name(wanted));                                 \
    EXPECT_THAT(failed.text, testing::HasSubstr(words));                                                               \
  } while (0)
