// An outside oracle: the same OpenCL C on PoCL and on crosslane, compared element by element.
#include "tests/kernels/compile.h"
#include "tests/kernels/opencl.h"
#include "tests/kernels/runner.h"
#include "tests/kernels/workloads.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

namespace crosslane::workload {
namespace {

std::vector<const Workload*> portable() {
  static const std::vector<Workload> list = all();
  std::vector<const Workload*> portable;
  for (const Workload& w : list)
    if (!w.not_portable)
      portable.push_back(&w);
  return portable;
}

class Pocl : public testing::TestWithParam<const Workload*> {};

TEST_P(Pocl, AndCrosslaneAgree) {
  setenv("POCL_CACHE_DIR", CROSSLANE_KERNEL_CACHE "/pocl", 0);
  OpenCl opencl;
  if (opencl.device().empty())
    GTEST_SKIP() << opencl.reason();
  const Workload& w = *GetParam();
  auto outside = opencl.open(w, examples_folder());
  if (outside->error().empty())
    outside->once();
  ASSERT_EQ(outside->error(), "");
  auto expected = outside->read();
  for (const char* target : {"gfx600", "gfx701", "gfx803", "gfx900"}) {
    if (w.since_gfx8 && target < std::string_view("gfx8"))
      continue;
    Settings settings;
    settings.target = target;
    auto ours = open_crosslane(w, settings);
    if (ours->error().empty())
      ours->once();
    ASSERT_EQ(ours->error(), "") << w.name << " on " << target;
    auto got = ours->read();
    for (size_t i = 0; i < w.buffers.size(); ++i)
      if (w.buffers[i].compare != Compare::none)
        if (auto difference = compare(w.buffers[i], got[i], expected[i]))
          ADD_FAILURE() << w.name << " on " << target << ", expected what PoCL gives: " << *difference;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pocl, testing::ValuesIn(portable()), [](const auto& i) { return i.param->name; });

} // namespace
} // namespace crosslane::workload
