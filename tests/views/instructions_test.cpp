// Counting instructions from issued blocks, on one thread and on several.
#include "views/instructions.h"
#include <gtest/gtest.h>
#include <thread>

namespace crosslane::views {
namespace {

isa::Instruction instruction(isa::Op op) {
  isa::Instruction i;
  i.op = op;
  return i;
}
const isa::Instruction add = instruction(isa::Op::v_add_f32), rcp = instruction(isa::Op::v_rcp_f32),
                       branch = instruction(isa::Op::s_branch);
const events::Site first[] = {{8, &add}, {12, &rcp}, {16, &branch}}, second[] = {{12, &rcp}, {16, &branch}};
const events::Block whole{3, first}, tail{40, second}; // code also jumps to the middle

TEST(Instructions, SitesAndOperations) {
  Instructions view;
  EXPECT_TRUE(view.wants_issued());
  EXPECT_FALSE(view.wants_branches());
  view.issued({&whole, nullptr, 0xff});
  view.issued({&whole, nullptr, 1});
  view.issued({&tail, nullptr, ~uint64_t(0)});
  const auto sites = view.sites();
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].pc, 8u);
  EXPECT_EQ(sites[0].count.waves, 2u);
  EXPECT_EQ(sites[0].count.lanes, 9u);
  EXPECT_EQ(sites[1].instruction.op, isa::Op::v_rcp_f32);
  EXPECT_EQ(sites[1].count.waves, 3u);
  EXPECT_EQ(sites[1].count.lanes, 73u);
  const auto operations = view.operations();
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_EQ(operations[2].op, isa::Op::v_add_f32);
  EXPECT_EQ(operations[2].count.waves, 2u);
  EXPECT_EQ(view.total().waves, 8u);
}

// Two views on one thread, called in turn, and a view called from several threads.
TEST(Instructions, ViewsAndThreadsAddUp) {
  Instructions a, b;
  const auto work = [&] {
    for (int i = 0; i < 1000; ++i) {
      a.issued({&whole, nullptr, 3});
      b.issued({&tail, nullptr, 1});
    }
  };
  std::thread threads[] = {std::thread(work), std::thread(work)};
  for (auto& t : threads)
    t.join();
  work();
  EXPECT_EQ(a.total().waves, 9000u);
  EXPECT_EQ(b.total().waves, 6000u);
  EXPECT_EQ(b.total().lanes, 6000u);
}

} // namespace
} // namespace crosslane::views
