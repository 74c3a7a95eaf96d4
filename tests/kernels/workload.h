// Owns what a kernel test is, whoever runs it: a source in examples/, buffers with their first contents, launches, and
// a reference in plain C++ that says what the buffers hold afterwards. crosslane, PoCL, Oclgrind and the benchmark all
// run the same workloads.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace crosslane::workload {

using Bytes = std::vector<std::byte>;

template <class T> Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T> std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

enum class Element : uint8_t { u8, u16, u32, u64, f16, f32, f64 };

// How a result is compared. `bits`: equal bit for bit. `relative`: |a - b| <= tolerance * max(|b|, 1e-3).
// `permutation`: equal when sorted.
enum class Compare : uint8_t { none, bits, relative, permutation };

struct Buffer {
  std::string name;
  Element element = Element::u32;
  Bytes initial;
  Compare compare = Compare::none;
  double tolerance = 0;
  Bytes expected; // filled by reference()
};

struct Argument {
  enum class Kind : uint8_t { buffer, value, local } kind;
  size_t buffer = 0; // index in buffers
  Bytes value;
  uint32_t local_size = 0; // bytes of dynamic LDS
};

struct Launch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1}; // work-items
  std::array<uint32_t, 3> block{1, 1, 1};
  std::vector<Argument> arguments;
  std::array<uint64_t, 3> offset{0, 0, 0}; // of the global ids
  int dimensions = 1;
  uint32_t extra_lds = 0; // bytes of dynamic LDS beside `local` arguments
};

struct Workload {
  std::string name;   // "vector_add_1000"
  std::string source; // "vector_add.cl", in examples/
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
  std::function<void(Workload&)> reference; // fills `expected` of the compared buffers
  const char* not_portable = nullptr;       // why another OpenCL cannot run it
  bool since_gfx8 = false;                  // needs DPP, or half arithmetic that rounds after each operation
  const char* target = nullptr;             // the only one that has its instructions
  std::string opencl_options;               // how another OpenCL builds it
};

inline void PrintTo(const Workload& w, std::ostream* out) { *out << w.name; } // for GoogleTest's messages

// Seconds. The processor time of this process instead of the wall's when asked: for measuring one core on a busy
// machine.
class Clock {
public:
  static double now();
  static inline bool processor_time = false;
};

// One workload made ready on one machine: built, loaded, its buffers allocated and filled.
class Session {
public:
  virtual ~Session() = default;
  const std::string& error() const { return error_; } // empty while all is well
  virtual void fill() = 0;                            // the buffers get their first contents again
  virtual double once() = 0;                          // all launches; seconds. Works on what the buffers hold.
  virtual std::vector<Bytes> read() = 0;              // the buffers, in the order of the workload

protected:
  std::string error_;
};

// A mismatch in words, "c[17] is 3.5, expected 4 (12 of 1000 elements differ)", or nothing.
std::optional<std::string> compare(const Buffer& buffer, const Bytes& got, const Bytes& expected);

// Seeded numbers, the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  uint32_t below(uint32_t bound) { return uint32_t(next() % bound); }
  double real(double low, double high) { return low + (high - low) * double(next() >> 11) * 0x1p-53; }
  std::vector<uint32_t> u32(size_t n);
  std::vector<uint64_t> u64(size_t n);
  std::vector<float> f32(size_t n, double low, double high);

private:
  uint64_t state_;
};

// Building blocks of the workload files.
template <class T> constexpr Element element_of() {
  if constexpr (std::is_same_v<T, float>)
    return Element::f32;
  else if constexpr (std::is_same_v<T, _Float16>)
    return Element::f16;
  else if constexpr (std::is_same_v<T, double>)
    return Element::f64;
  else if constexpr (sizeof(T) == 1)
    return Element::u8;
  else if constexpr (sizeof(T) == 2)
    return Element::u16;
  else if constexpr (sizeof(T) == 4)
    return Element::u32;
  else
    return Element::u64;
}
template <class T> Buffer input(std::string name, const std::vector<T>& values) {
  return {std::move(name), element_of<T>(), bytes_of(values), Compare::none, 0, {}};
}
// An output starts as 0xcd bytes, so that an element nobody writes is seen.
template <class T> Buffer output(std::string name, size_t count, Compare how = Compare::bits, double tolerance = 0) {
  return {std::move(name), element_of<T>(), Bytes(count * sizeof(T), std::byte(0xcd)), how, tolerance, {}};
}
template <class T>
Buffer in_out(std::string name, const std::vector<T>& values, Compare how = Compare::bits, double tolerance = 0) {
  return {std::move(name), element_of<T>(), bytes_of(values), how, tolerance, {}};
}
inline Argument buffer(size_t index) { return {Argument::Kind::buffer, index, {}, 0}; }
inline Argument local(uint32_t size) { return {Argument::Kind::local, 0, {}, size}; }
template <class T> Argument value(T v) {
  Argument a{Argument::Kind::value, 0, Bytes(sizeof(T)), 0};
  std::memcpy(a.value.data(), &v, sizeof(T));
  return a;
}
inline uint32_t round_up(uint32_t n, uint32_t multiple) { return (n + multiple - 1) / multiple * multiple; }

} // namespace crosslane::workload
