// Code of one block, as the cycle model's tests replay it.
#pragma once
#include "events/listener.h"
#include "isa/parse.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace crosslane::timing::replay {

// Straight-line code with an address.
class Code {
public:
  Code(isa::Target target, const std::vector<std::string>& lines, uint32_t id = 0, uint64_t pc = 0x10000) {
    for (const std::string& line : lines) {
      const isa::Parsed parsed = isa::parse(target, line);
      EXPECT_TRUE(parsed) << line << ": " << parsed.error.message;
      instructions_.push_back(parsed.instruction);
    }
    for (const isa::Instruction& i : instructions_) {
      sites_.push_back({pc, &i});
      pc += i.size;
    }
    block_ = {id, sites_};
  }
  Code(const Code&) = delete;
  const events::Block& block() const { return block_; }

private:
  std::vector<isa::Instruction> instructions_;
  std::vector<events::Site> sites_;
  events::Block block_{};
};

} // namespace crosslane::timing::replay
