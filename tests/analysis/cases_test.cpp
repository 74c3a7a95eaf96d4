// The behaviour cases of the engine, which are judged by the registers that they leave: that a wave ends here must not
// make its registers dead. So what is analysed is the case with s_rfe_b64 in place of each s_endpgm: control goes
// somewhere that nobody knows, where all registers are live.
#include "tests/analysis/oracle.h"
#include "tests/engine/case.h"
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

struct Judged final : events::Listener {
  Judged(const std::vector<uint8_t>& code, isa::Target target, Counts& sum) : bytes(code), sum(sum) {
    regions = {{reinterpret_cast<uint64_t>(code.data()), bytes, analysis::RegionKind::code}};
    entries = {{regions[0].address, true}};
    image.bias = regions[0].address;
    image.code = {target, regions, entries};
    const auto leave = assemble("s_rfe_b64 s[0:1]\n", target);
    for (const auto& block : analysis::build(image.code).blocks)
      if (block.exit == analysis::Exit::ends)
        std::memcpy(bytes.data() + (block.last - image.bias), leave.data(), leave.size());
    findings.emplace(image.code);
    oracle.emplace(image, *findings);
  }
  ~Judged() override {
    sum += oracle->take_counts();
    for (const auto& d : oracle->take_deviations())
      ADD_FAILURE() << d;
  }
  bool wants_steps() const override { return true; }
  void began(const events::Began& event) override { oracle->began(event); }
  void step(const events::Step& step) override { oracle->step(step); }

  std::vector<uint8_t> bytes;
  std::vector<analysis::Region> regions;
  std::vector<analysis::Entry> entries;
  analysis::CodeImage image;
  std::optional<Findings> findings;
  std::optional<Oracle> oracle;
  Counts& sum;
};

TEST(Cases, EndWithTheExpectedRegisters) {
  Counts sum;
  uint64_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CROSSLANE_CASES))
    if (const std::string path = entry.path(); entry.path().extension() == ".s")
      for (const isa::Target target : targets_of(path)) {
        SCOPED_TRACE(fmt::format("{} on {}", path, isa::info(target).name));
        for (const auto& result : run_cases(path, target, [&](const auto& code, isa::Target t) {
               return ++cases, std::make_unique<Judged>(code, t, sum);
             }))
          for (const auto& m : result.mismatches)
            ADD_FAILURE() << result.name << ": " << m;
      }
  fmt::print("{} cases: {}\n", cases, sum.text());
  EXPECT_GT(sum.registers, 0u);
}

} // namespace
} // namespace crosslane::test
