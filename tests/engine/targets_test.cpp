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

TEST(Targets, Fp16OverflowModeIsRefusedWhereItExists) {
  alignas(64) uint8_t image[512] = {};
  const uint32_t rsrc1 = 1u << 26;
  const int64_t entry = 256;
  std::memcpy(image + 48, &rsrc1, 4);
  std::memcpy(image + 16, &entry, 8);
  const uint32_t endpgm = 0xbf810000;
  std::memcpy(image + 256, &endpgm, 4);
  engine::AqlPacket packet;
  packet.kernel_object = reinterpret_cast<uint64_t>(image);
  for (const isa::Target target : {isa::Target::gfx803, isa::Target::gfx900}) {
    const engine::Code loaded(target, reinterpret_cast<uint64_t>(image), sizeof image);
    const auto outcome = engine::run(loaded, packet, "k");
    EXPECT_EQ(outcome.fault.has_value(), target == isa::Target::gfx900) << isa::info(target).name;
    if (outcome.fault) EXPECT_NE(outcome.fault->detail.find("FP16_OVFL"), std::string::npos);
  }
}

}  // namespace
}  // namespace crosslane
