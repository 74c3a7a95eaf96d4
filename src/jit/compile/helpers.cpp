// Functions of the module, for what is done with many registers where waves come and leave.
#include "jit/compile/emitter.h"

namespace crosslane::jit {

// A new one, of which `body` emits the inside, from the rows of an affine value, if it is of one. Its arguments: a
// pointer to a register, then base and distances of the value (columns, odd rows, the last two, the last eight
// columns), then `more` integers.
template <class F>
llvm::Function* Emitter::helper(const char* name, llvm::Type* result, bool affine, unsigned more, F body) {
  llvm::IRBuilderBase::InsertPointGuard keep(b_);
  std::vector<llvm::Type*> arguments(1 + (affine ? 5 : 0) + more, int32_);
  arguments[0] = b_.getPtrTy();
  auto* f = llvm::Function::Create(llvm::FunctionType::get(result, arguments, false), llvm::Function::InternalLinkage,
                                   name, module_);
  f->setCallingConv(llvm::CallingConv::Fast);
  f->addFnAttr(llvm::Attribute::NoUnwind), f->addFnAttr(llvm::Attribute::NoInline);
  b_.SetInsertPoint(llvm::BasicBlock::Create(c_, "", f));
  Rows value{};
  for (int r = 0; affine && r < rows; ++r) {
    value[size_t(r)] = r ? value[0] : b_.CreateAdd(splat(f->getArg(1)), b_.CreateMul(splat(f->getArg(2)), iota(1)));
    if (!r)
      value[0] = b_.CreateAdd(value[0], in_last_columns(f->getArg(5)));
    for (const int bit : {1, 2})
      if (r & bit)
        value[size_t(r)] = b_.CreateAdd(value[size_t(r)], splat(f->getArg(2 + unsigned(bit))));
  }
  if (Value* back = body(*f, value))
    b_.CreateRet(back);
  else
    b_.CreateRetVoid();
  return f;
}

std::vector<Value*> Emitter::affine_arguments(Value* to, const Lane& l) {
  return {to,
          l.base,
          i32(uint32_t(l.column)),
          b_.CreateSub(row_base(l, 1), l.base),
          b_.CreateSub(row_base(l, 2), l.base),
          last_columns(l)};
}

// To the Wave.
llvm::Function* Emitter::store_affine() {
  if (!store_affine_)
    store_affine_ =
        helper("store_affine", b_.getVoidTy(), true, 0, [&](llvm::Function& f, const Rows& value) -> Value* {
          for (int r = 0; r < rows; ++r)
            b_.CreateAlignedStore(value[size_t(r)], b_.CreateConstInBoundsGEP1_64(words_, f.getArg(0), uint64_t(r)),
                                  llvm::Align(64));
          return nullptr;
        });
  return store_affine_;
}

// Not 0: in a lane of the mask, whose halves come last, a register of the Wave is not the affine value, or has bits
// that it must not have.
llvm::Function* Emitter::misfit(bool affine) {
  llvm::Function*& known = misfit_[affine];
  if (!known)
    known = helper("misfit", int32_, affine, 3, [&](llvm::Function& f, const Rows& value) {
      const auto from_behind = [&](unsigned n) { return f.getArg(unsigned(f.arg_size()) - n); };
      Value* wrong = llvm::Constant::getNullValue(words_);
      Value* never = splat(from_behind(3));
      for (int r = 0; r < rows; ++r) {
        Value* is = b_.CreateAlignedLoad(words_, b_.CreateConstInBoundsGEP1_64(words_, f.getArg(0), uint64_t(r)),
                                         llvm::Align(64));
        Value* wrong_here = b_.CreateAnd(is, never);
        if (affine)
          wrong_here = b_.CreateOr(wrong_here, b_.CreateXor(is, value[size_t(r)]));
        Value* half = b_.CreateTrunc(b_.CreateLShr(from_behind(r < 2 ? 2 : 1), uint64_t(16 * (r & 1))), int16_);
        wrong = b_.CreateOr(
            wrong, b_.CreateSelect(b_.CreateBitCast(half, mask_), wrong_here, llvm::Constant::getNullValue(words_)));
      }
      return b_.CreateOrReduce(wrong);
    });
  return known;
}

} // namespace crosslane::jit
