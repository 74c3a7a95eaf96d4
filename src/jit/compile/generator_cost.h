// What LLVM's code generator will take for a module, which is most of what compiling costs.
#pragma once
#include <llvm/IR/Module.h>
#include <string_view>

namespace crosslane::jit {

// It goes by the registers of the host that instructions fill, and by what one took in this process so far: hosts
// differ, and so do their clocks.
class GeneratorCost {
public:
  // As many as each instruction's widest value fills, at least 1; on AVX2 thrice as many where it makes 64 bits.
  static double registers(const llvm::Module&, std::string_view level);

  double seconds(double registers) const { return registers * seconds_ / registers_; }
  void took(double registers, double seconds) { registers_ += registers, seconds_ += seconds; }

private:
  // Of a Zen 3 at v3: kernels of examples/ took 0.70 to 1.76 times as long as this says (`crosslane jit FILE`).
  double registers_ = 3000, seconds_ = 3000 * 36e-6;
};

} // namespace crosslane::jit
