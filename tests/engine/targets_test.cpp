// What the engine does not execute is refused by name, never run as something else.
#include "engine/dispatch.h"
#include "tests/engine/assembler.h"
#include "tests/engine/case.h"
#include <cstring>
#include <gtest/gtest.h>

namespace crosslane {
namespace {

TEST(Targets, OlderGenerationsAreRefused) {
  uint8_t code[512] = {};
  const engine::Code loaded(isa::Target::gfx701, reinterpret_cast<uint64_t>(code), sizeof code);
  engine::AqlPacket packet;
  packet.kernel_object = reinterpret_cast<uint64_t>(code);
  const auto outcome = engine::run(loaded, packet, "k");
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, machine::FaultKind::bad_dispatch);
  EXPECT_NE(outcome.fault->detail.find("gfx701"), std::string::npos) << outcome.fault->detail;
}

}  // namespace
}  // namespace crosslane
