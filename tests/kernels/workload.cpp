// Seeded numbers and the comparison of results.
#include "tests/kernels/workload.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace crosslane::workload {

double Clock::now() {
  timespec t;
  clock_gettime(processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

uint64_t Random::next() { // splitmix64
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

std::vector<uint32_t> Random::u32(size_t n) {
  std::vector<uint32_t> v(n);
  for (auto& x : v)
    x = uint32_t(next());
  return v;
}

std::vector<uint64_t> Random::u64(size_t n) {
  std::vector<uint64_t> v(n);
  for (auto& x : v)
    x = next();
  return v;
}

std::vector<float> Random::f32(size_t n, double low, double high) {
  std::vector<float> v(n);
  for (auto& x : v)
    x = float(real(low, high));
  return v;
}

namespace {

size_t size_of(Element e) {
  switch (e) {
  case Element::u8: return 1;
  case Element::u16:
  case Element::f16: return 2;
  case Element::u32:
  case Element::f32: return 4;
  default: return 8;
  }
}

uint64_t raw(const Bytes& bytes, size_t index, size_t size) {
  uint64_t v = 0;
  std::memcpy(&v, bytes.data() + index * size, size);
  return v;
}

double real(uint64_t bits, Element e) {
  if (e == Element::f64) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  if (e == Element::f32) {
    float f;
    std::memcpy(&f, &bits, 4);
    return f;
  }
  if (e == Element::f16) {
    _Float16 h;
    std::memcpy(&h, &bits, 2);
    return double(float(h));
  }
  return double(bits);
}

std::string text(uint64_t bits, Element e) {
  char out[80];
  bool is_real = e == Element::f16 || e == Element::f32 || e == Element::f64;
  if (is_real)
    std::snprintf(out, sizeof out, "%.9g (0x%llx)", real(bits, e), (unsigned long long)bits);
  else
    std::snprintf(out, sizeof out, "%llu (0x%llx)", (unsigned long long)bits, (unsigned long long)bits);
  return out;
}

} // namespace

std::optional<std::string> compare(const Buffer& buffer, const Bytes& got, const Bytes& expected) {
  if (got.size() != expected.size())
    return buffer.name + " has " + std::to_string(got.size()) + " bytes, expected " + std::to_string(expected.size());
  size_t size = size_of(buffer.element), count = got.size() / size, wrong = 0;
  std::vector<uint64_t> a(count), b(count);
  for (size_t i = 0; i < count; ++i)
    a[i] = raw(got, i, size), b[i] = raw(expected, i, size);
  if (buffer.compare == Compare::permutation)
    std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
  std::string first;
  for (size_t i = 0; i < count; ++i) {
    if (a[i] == b[i])
      continue;
    if (buffer.compare == Compare::relative) {
      double x = real(a[i], buffer.element), y = real(b[i], buffer.element);
      if (std::fabs(x - y) <= buffer.tolerance * std::max(std::fabs(y), 1e-3))
        continue;
    }
    if (!wrong++)
      first = buffer.name + "[" + std::to_string(i) + "] is " + text(a[i], buffer.element) + ", expected " +
              text(b[i], buffer.element);
  }
  if (!wrong)
    return std::nullopt;
  return first + "; " + std::to_string(wrong) + " of " + std::to_string(count) + " elements differ";
}

} // namespace crosslane::workload
