// A picture in grey, mirrored: pixels of red, green and blue become three registers, a permute turns the row around.
// CMakeLists.txt beside it builds it outside of this tree.
#include "lanes/lanes.h"
#include "lanes/plan/print.h"
#include <cstdio>
#include <vector>

namespace lanes = crosslane::lanes;
using lanes::convert, lanes::Cpu, lanes::Isa;
namespace planner = lanes::planner;

// 64 pixels: 192 bytes in, 64 bytes out.
void mirrored_grey(const uint8_t* rgb, uint8_t* out) {
  const auto [r, g, b] = lanes::load_fields<3, uint8_t, 64>(rgb);
  const auto sum = convert<uint16_t>(r) * 77 + convert<uint16_t>(g) * 150 + convert<uint16_t>(b) * 29;
  const lanes::Vec<uint8_t, 64> grey = convert<uint8_t>(sum >> 8);
  lanes::store(out, lanes::permute(grey, [](auto i) { return 63 - i; }));
}

int main() {
  std::vector<uint8_t> rgb(64 * 3), out(64);
  for (size_t i = 0; i < rgb.size(); ++i)
    rgb[i] = uint8_t(i * 37);
  mirrored_grey(rgb.data(), out.data());
  for (size_t i = 0; i < 64; ++i)
    if (out[63 - i] != (rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8)
      return 1;

  // How to mirror the first register of the result: the planner answers for any CPU, on any machine.
  const lanes::Pattern mirror = lanes::make_pattern(1, 64, 1, 64, [](int i) { return 63 - i; });
  for (Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512_vbmi}) {
    const planner::Plan plan = planner::plan(mirror, isa, Cpu::zen4).part[0];
    std::printf("%s: latency %g\n", lanes::isa_names[int(isa)], planner::cost(Cpu::zen4, plan).latency);
    for (const auto& instruction : planner::assembly(plan, isa).code)
      std::printf("  %s\n", instruction.c_str());
  }
}
