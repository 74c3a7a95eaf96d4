// Parsing the library, and lowering instructions.
#include "tests/jit/library.h"
#include "isa/instances.h"
#include "jit/bodies/bodies.h"
#include <gtest/gtest.h>
#include <llvm/Bitcode/BitcodeReader.h>

namespace crosslane::test {

std::unique_ptr<llvm::Module> library(llvm::LLVMContext& context, std::string_view level) {
  const auto bytes = jit::bodies(level);
  auto module = llvm::parseBitcodeFile(
      {llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "bodies"}, context);
  EXPECT_TRUE(bool(module)) << llvm::toString(module.takeError());
  return module ? std::move(*module) : nullptr;
}

std::deque<Lowered::Step> lowered(const isa::Instruction& inst, const engine::Backend& backend,
                                  engine::DecodeMode mode) {
  Lowered sink;
  engine::Lowering l{inst, isa::row(inst.op), sink, 0, 0, 0, false, mode};
  if (!engine::lower(l, backend))
    sink.steps.clear();
  return std::move(sink.steps);
}

std::vector<isa::Instruction> variants(isa::Op op) {
  std::vector<isa::Instruction> all;
  const isa::Row& row = isa::row(op);
  for (const isa::Target target : {isa::Target::gfx600, isa::Target::gfx700, isa::Target::gfx803, isa::Target::gfx900,
                                   isa::Target::gfx904, isa::Target::gfx906, isa::Target::gfx908, isa::Target::gfx90a})
    for (const isa::Instruction& inst : isa::instances(op, target)) {
      const auto also = [&](auto change) {
        isa::Instruction other = inst;
        change(other);
        all.push_back(other);
      };
      all.push_back(inst);
      if (row.encoding < isa::Encoding::VOP1 || row.encoding > isa::Encoding::VOP3P)
        continue;
      if (inst.form == isa::Form::vop3) {
        also([](auto& i) { i.clamp = true; });
        if (isa::is_float(row.dst))
          for (int omod : {1, 2, 3})
            also([&](auto& i) { i.omod = uint8_t(omod), i.clamp = omod == 3; });
        if (isa::is_float(row.src[0]))
          also([](auto& i) { i.neg = 1; }), also([](auto& i) { i.abs = 1, i.neg = 1; });
      }
      if (row.encoding == isa::Encoding::VOP3P)
        for (int s = 0; s < 4; ++s)
          also([&](auto& i) { i.op_sel = s & 1 ? 3 : 0, i.op_sel_hi = s & 2 ? 7 : 0, i.clamp = s == 2; });
      if (inst.form == isa::Form::sdwa)
        for (const auto sel : {isa::SdwaSel::byte1, isa::SdwaSel::word0, isa::SdwaSel::word1})
          for (const auto unused : {isa::SdwaUnused::pad, isa::SdwaUnused::sext, isa::SdwaUnused::preserve})
            also([&](auto& i) {
              i.src0_sel = i.dst_sel = sel, i.dst_unused = unused, i.sext = sel == isa::SdwaSel::word1;
            });
    }
  return all;
}

} // namespace crosslane::test
