// The names of faults.
#include "machine/diagnostic.h"
#include <gtest/gtest.h>

using namespace crosslane::machine;

TEST(Fault, EveryKindHasANameOfItsOwn) {
  std::vector<std::string> names;
  for (int k = 0; k <= int(FaultKind::cancelled); ++k)
    names.push_back(name(FaultKind(k)));
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_NE(names[i], "unknown fault");
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(names[i], names[j]);
  }
}

TEST(Fault, MemoryFaultSaysWhereAndWho) {
  Fault f;
  f.kind = FaultKind::unmapped_address;
  f.kernel = "vadd";
  f.pc = 0x1010;
  f.instruction = "global_load_dword v1, v[2:3], off";
  f.source = "vadd.cl:3:5";
  f.workgroup[1] = 7;
  f.wave = 2;
  f.lane = 63;
  f.address = 0xdead0;
  f.detail = "right past the end of 'out' (256 bytes)";
  EXPECT_EQ(describe(f), "memory fault: unmapped address 0xdead0: right past the end of 'out' (256 bytes)\n"
                         "  at 0x1010: global_load_dword v1, v[2:3], off\n"
                         "  source vadd.cl:3:5\n"
                         "  kernel vadd\n"
                         "  workgroup (0, 7, 0), wave 2, lane 63");
  EXPECT_EQ(diagnostic(f),
            "vadd.cl:3:5: error: memory fault: unmapped address 0xdead0: right past the end of 'out' (256 bytes)");
}

TEST(Fault, NoLaneNoAddress) {
  Fault f;
  f.kind = FaultKind::trap;
  f.pc = 4;
  EXPECT_EQ(describe(f), "fault: trap\n  at 0x4\n  workgroup (0, 0, 0), wave 0");
  EXPECT_EQ(diagnostic(f), "");
}
