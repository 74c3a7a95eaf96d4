// Apertures that the client did not write into the kernel's arguments.
#include "hsa/queue/hidden_arguments.h"
#include <cstring>
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

struct Kernarg {
  machine::Memory memory;
  uint32_t* words;
  codeobject::Kernel kernel;
  Kernarg() : words(static_cast<uint32_t*>(memory.allocate(16, "kernarg"))) {
    const auto add = [&](const char* kind, uint32_t offset) {
      auto& argument = kernel.arguments.emplace_back();
      argument.value_kind = kind;
      argument.offset = offset;
      argument.size = 4;
    };
    add("by_value", 0);
    add("hidden_private_base", 4);
    add("hidden_shared_base", 8);
  }
  void fill(isa::Target target, uint64_t offset = 0) {
    hsa::fill_in_apertures(kernel, target, reinterpret_cast<uint64_t>(words) + offset, memory);
  }
};

TEST(HiddenArguments, EmptyAperturesAreFilledIn) {
  Kernarg k;
  k.fill(isa::Target::gfx803);
  EXPECT_EQ(k.words[0], 0u);
  EXPECT_EQ(uint64_t(k.words[1]) << 32, machine::apertures().private_base);
  EXPECT_EQ(uint64_t(k.words[2]) << 32, machine::apertures().shared_base);
  EXPECT_EQ(k.words[3], 0u);
}

TEST(HiddenArguments, WhatTheClientWroteStays) {
  Kernarg k;
  k.words[1] = 17;
  k.fill(isa::Target::gfx803);
  EXPECT_EQ(k.words[1], 17u);
}

TEST(HiddenArguments, Gfx9ReadsThemFromRegisters) {
  Kernarg k;
  k.fill(isa::Target::gfx900);
  EXPECT_EQ(k.words[1], 0u);
}

TEST(HiddenArguments, NothingIsWrittenOutsideOfAllocations) {
  Kernarg k;
  k.fill(isa::Target::gfx803, 12); // both end behind it, where nothing may be written
  k.fill(isa::Target::gfx803, 1 << 20);
  k.memory.free(k.words);
  k.fill(isa::Target::gfx803);
}

} // namespace
} // namespace crosslane::test
