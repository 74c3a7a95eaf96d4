// The list of targets against LLVM's numbers and features, and against the code object layer's list of processors.
#include "codeobject/processor.h"
#include "isa/target.h"
#include <gtest/gtest.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/TargetParser/TargetParser.h>

namespace crosslane::isa {
namespace {

TEST(Target, ElfNumbersAndFeaturesAreLlvms) {
  for (const TargetInfo& t : targets()) {
    EXPECT_EQ(&info(t.target), &t);
    EXPECT_EQ(parse_target(t.name), t.target);
    EXPECT_EQ(target_from_mach(t.elf_mach), t.target) << t.name;
    const llvm::AMDGPU::GPUKind kind = llvm::AMDGPU::parseArchAMDGCN(t.name);
    ASSERT_NE(kind, llvm::AMDGPU::GK_NONE) << t.name;
    const unsigned features = llvm::AMDGPU::getArchAttrAMDGCN(kind);
    EXPECT_EQ(t.xnack, (features & llvm::AMDGPU::FEATURE_XNACK) != 0) << t.name;
    EXPECT_EQ(t.sramecc, (features & llvm::AMDGPU::FEATURE_SRAMECC) != 0) << t.name;
    // 1/2 and 1/4 rate, or 1/8 and less: LLVM's "fast" FMA follows the same line for f32.
    const bool fast_fma = (features & llvm::AMDGPU::FEATURE_FAST_FMA_F32) != 0;
    EXPECT_EQ(fast_fma, t.f64_rate < 16 || t.generation >= Generation::gfx9) << t.name;
  }
}

TEST(Target, CodeObjectsNameTheSameProcessors) {
  for (const TargetInfo& t : targets()) {
    const codeobject::Processor* processor = codeobject::find_processor(t.elf_mach);
    ASSERT_NE(processor, nullptr) << t.name;
    EXPECT_EQ(processor->name, t.name);
    EXPECT_EQ(processor->xnack, t.xnack) << t.name;
    EXPECT_EQ(processor->sramecc, t.sramecc) << t.name;
  }
  // Every GCN processor of LLVM that is not gfx940 or generic is a target.
  int known = 0;
  for (unsigned mach = llvm::ELF::EF_AMDGPU_MACH_AMDGCN_FIRST; mach <= llvm::ELF::EF_AMDGPU_MACH_AMDGCN_LAST; ++mach)
    if (const codeobject::Processor* p = codeobject::find_processor(mach))
      known += p->major <= 9 && !p->name.starts_with("gfx94") && p->name != "gfx9-generic";
  EXPECT_EQ(known, int(targets().size()));
}

TEST(Target, Limits) {
  EXPECT_EQ(info(Target::gfx600).lds_per_workgroup, 32768u);
  EXPECT_EQ(info(Target::gfx700).lds_per_workgroup, 65536u);
  EXPECT_EQ(info(Target::gfx701).addressable_sgprs, 104);
  EXPECT_EQ(info(Target::gfx802).addressable_sgprs, 96);
  EXPECT_EQ(info(Target::gfx803).addressable_sgprs, 102);
  EXPECT_EQ(info(Target::gfx90a).vgpr_granule, 8);
  EXPECT_EQ(parse_target("gfx90c:xnack-"), Target::gfx90c);
  EXPECT_EQ(parse_target("gfx90"), std::nullopt);
}

} // namespace
} // namespace crosslane::isa
