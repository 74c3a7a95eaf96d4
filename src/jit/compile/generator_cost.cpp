// The count of registers: of each instruction the widest value, in registers of the level.
#include "jit/compile/generator_cost.h"
#include <algorithm>
#include <llvm/IR/InstIterator.h>

namespace crosslane::jit {

double GeneratorCost::registers(const llvm::Module& module, std::string_view level) {
  const bool v4 = level == "v4";
  const uint64_t bits_of_one = v4 ? 512 : 256;
  const auto bits = [&](llvm::Type* type) -> uint64_t {
    return type->isSized() ? module.getDataLayout().getTypeSizeInBits(type).getFixedValue() : 0;
  };
  double sum = 0;
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& i : llvm::instructions(function)) {
      uint64_t widest = bits(i.getType());
      for (const llvm::Value* operand : i.operand_values())
        widest = std::max(widest, bits(operand->getType()));
      const auto filled = double(std::max<uint64_t>(1, (widest + bits_of_one - 1) / bits_of_one));
      // AVX2 multiplies, shifts and converts 64 bits in several steps.
      const bool in_steps = !v4 && i.getType()->isVectorTy() && i.getType()->getScalarSizeInBits() == 64;
      sum += in_steps ? 3 * filled : filled;
    }
  return sum;
}

} // namespace crosslane::jit
