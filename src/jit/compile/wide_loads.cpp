// LLVM divides such loads itself, but goes through the parts as it likes, often downwards, which hosts prefetch less
// for: a copy by 16 bytes a lane took a quarter longer on Zen 5.
#include "jit/compile/wide_loads.h"
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <numeric>

namespace crosslane::jit {

namespace {

constexpr unsigned register_bits = 512;

llvm::FixedVectorType* type_of(const llvm::LoadInst& load) {
  return llvm::dyn_cast<llvm::FixedVectorType>(load.getType());
}

bool is_wide(const llvm::LoadInst& load) {
  const llvm::FixedVectorType* type = type_of(load);
  const auto bits = type ? unsigned(type->getPrimitiveSizeInBits()) : 0;
  return load.isSimple() && bits > register_bits && bits % register_bits == 0 &&
         register_bits % type->getScalarSizeInBits() == 0;
}

llvm::Value* joined(llvm::IRBuilderBase& b, llvm::Value* first, unsigned count, llvm::Value* second, unsigned more) {
  llvm::SmallVector<int, 64> lanes(count + more);
  std::iota(lanes.begin(), lanes.end(), 0);
  if (count == more)
    return b.CreateShuffleVector(first, second, lanes);
  llvm::SmallVector<int, 64> longer(count, llvm::PoisonMaskElem); // as long as the first
  std::iota(longer.begin(), longer.begin() + more, 0);
  return b.CreateShuffleVector(first, b.CreateShuffleVector(second, longer), lanes);
}

// Of `parts`, each with so many elements: halves first, as LLVM divides them again.
llvm::Value* joined(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> parts, unsigned each) {
  if (parts.size() == 1)
    return parts[0];
  const size_t half = llvm::PowerOf2Ceil(parts.size()) / 2;
  return joined(b, joined(b, parts.take_front(half), each), unsigned(half) * each,
                joined(b, parts.drop_front(half), each), unsigned(parts.size() - half) * each);
}

void divide(llvm::LoadInst& load) {
  llvm::IRBuilder<> b(&load);
  llvm::Type* const element = type_of(load)->getElementType();
  const unsigned each = register_bits / unsigned(element->getPrimitiveSizeInBits());
  auto* const type = llvm::FixedVectorType::get(element, each);
  llvm::SmallVector<llvm::Value*, 4> parts;
  for (unsigned n = 0; n * each < type_of(load)->getNumElements(); ++n) {
    const uint64_t offset = n * uint64_t(register_bits / 8);
    llvm::Value* place =
        n ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), load.getPointerOperand(), offset) : load.getPointerOperand();
    auto* const part = b.CreateAlignedLoad(type, place, llvm::commonAlignment(load.getAlign(), offset));
    part->setAAMetadata(load.getAAMetadata());
    parts.push_back(part);
  }
  load.replaceAllUsesWith(joined(b, parts, each));
  load.eraseFromParent();
}

} // namespace

void divide_wide_loads(llvm::Function& f) {
  llvm::SmallVector<llvm::LoadInst*, 16> wide;
  for (llvm::Instruction& i : llvm::instructions(f))
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i); load && is_wide(*load))
      wide.push_back(load);
  for (llvm::LoadInst* load : wide)
    divide(*load);
}

} // namespace crosslane::jit
