// What generated kernels read: bit patterns that mean something to one type or another, and arbitrary ones.
#include "tests/generated/inputs.h"
#include "tests/generated/generate.h"
#include <bit>

namespace crosslane::generated {

namespace {

using workload::Bytes;

// Eight bytes.
uint64_t pattern(workload::Random& random) {
  static constexpr uint64_t integers[] = {0,
                                          1,
                                          2,
                                          0x7f,
                                          0x80,
                                          0xff,
                                          0x7fff,
                                          0x8000,
                                          0xffff,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          0x100000000,
                                          0x7fffffffffffffff,
                                          0x8000000000000000,
                                          0xffffffffffffffff};
  static constexpr uint32_t floats[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                        0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x3f000000,
                                        0x4b800000, 0x4f000000, 0x34000000, 0x42c80000, 0xc1200000, 0x3eaaaaab};
  static constexpr double doubles[] = {0.0,    -0.0,   1.0,    -1.0,  0.5,     1e300, 1e-300,
                                       5e-324, 0x1p31, 0x1p63, -1e10, 3.14159, 100.25};
  static constexpr uint16_t halves[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
                                        1, 0x3ff,  0x400,  0x7bff, 0x3800, 0x4900};
  const auto of = [&](const auto& list) { return list[random.below(uint32_t(std::size(list)))]; };
  const auto small_float = [&] { return std::bit_cast<uint32_t>(float(random.real(-1000, 1000))); };
  uint64_t low, high;
  switch (random.below(8)) {
  case 0: return of(integers);
  case 1: low = of(floats), high = of(floats); break;
  case 2: low = small_float(), high = small_float(); break;
  case 3: return std::bit_cast<uint64_t>(of(doubles));
  case 4: return std::bit_cast<uint64_t>(random.real(-1e6, 1e6));
  case 5:
    low = of(halves) | uint32_t(of(halves)) << 16;
    high = of(halves) | uint32_t(of(halves)) << 16;
    break;
  case 6: low = random.below(100), high = random.below(100000); break;
  default: return random.next();
  }
  return low | high << 32;
}

template <class T> workload::Buffer buffer_of(const char* name, size_t count, workload::Random& random) {
  std::vector<T> values(count);
  for (auto& v : values)
    v = T(pattern(random) >> (sizeof(T) == 4 ? random.below(2) * 32 : 0));
  return workload::in_out(name, values);
}

} // namespace

workload::Workload workload_of(const Kernel& kernel, const std::string& source) {
  workload::Random random(kernel.input_seed);
  workload::Workload w;
  w.name = kernel.name;
  w.source = source;
  std::vector<uint64_t> in(input_bytes / 8);
  for (auto& v : in)
    v = pattern(random);
  w.buffers.push_back({"in", workload::Element::u8, workload::bytes_of(in), workload::Compare::none, 0, {}});
  w.buffers.push_back(workload::output<uint8_t>("out", slot_offset(kernel, kernel.slots.size())));
  w.buffers.push_back(buffer_of<uint32_t>("own", kernel.shape.items(), random));
  w.buffers.push_back(buffer_of<uint64_t>("own64", kernel.shape.items(), random));
  w.buffers.push_back(buffer_of<uint32_t>("shared", shared_words, random));
  w.buffers.push_back(buffer_of<uint64_t>("shared64", shared_words, random));
  w.buffers.push_back(buffer_of<uint32_t>("table", table_words, random));
  workload::Launch launch;
  launch.kernel = kernel.name;
  launch.dimensions = kernel.shape.dimensions;
  for (size_t d = 0; d < 3; ++d) {
    launch.block[d] = kernel.shape.block[d];
    launch.grid[d] = kernel.shape.block[d] * kernel.shape.groups[d];
    launch.offset[d] = kernel.shape.offset[d];
  }
  for (size_t i = 0; i < w.buffers.size(); ++i)
    launch.arguments.push_back(workload::buffer(i));
  const uint32_t su = uint32_t(random.next());
  const int32_t si = int32_t(uint32_t(random.next()));
  const uint64_t sl = random.next();
  launch.arguments.push_back(workload::value(su));
  launch.arguments.push_back(workload::value(si));
  launch.arguments.push_back(workload::value(sl));
  launch.arguments.push_back(workload::value(float(random.real(-100, 100))));
  w.launches.push_back(std::move(launch));
  return w;
}

} // namespace crosslane::generated
