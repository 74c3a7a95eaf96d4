// A tool of the build: makes the library of bodies from what clang made of the sources here.
//   finish OUT.bc IN.bc...
// Each function that a crosslane_bodies lists becomes one of that name, of direct values only: results and operands in
// memory, and floats, become values and integers. Refused is whatever a compiler of uops could not take as it is: a
// call, memory other than a table of constants, and any floating-point operation that LLVM may fold as if MODE were the
// default.
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace {

[[noreturn]] void fail(const Twine& why) {
  errs() << "finish: " << why << '\n';
  std::exit(1);
}

// The type that a value of a body's interface has outside: an integer, or a vector of them.
// At 16 lanes an integer of 16 bits is a Mask, at one lane one of 8 bits (a bool in memory) is.
Type* outside(Type* t, int lanes) {
  LLVMContext& c = t->getContext();
  if (lanes == 16 && t->isIntegerTy(16))
    return FixedVectorType::get(Type::getInt1Ty(c), 16);
  if (lanes == 1 && t->isIntegerTy(8))
    return Type::getInt1Ty(c);
  if (t->isFPOrFPVectorTy())
    return t->getWithNewType(Type::getIntNTy(c, t->getScalarSizeInBits()));
  return t;
}
Value* convert(IRBuilder<>& b, Value* v, Type* to) {
  return v->getType()->isIntegerTy(8) && to->isIntegerTy(1) ? b.CreateTrunc(v, to) : b.CreateBitCast(v, to);
}

// The values that a result's class holds: Out -> Vec or Mask, or Pair of them.
void leaves(Type* t, SmallVectorImpl<unsigned>& path, SmallVectorImpl<std::pair<Type*, SmallVector<unsigned>>>& out) {
  if (auto* s = dyn_cast<StructType>(t)) {
    for (unsigned i = 0; i < s->getNumElements(); ++i) {
      if (s->getElementType(i)->isArrayTy()) // padding
        continue;
      path.push_back(i);
      leaves(s->getElementType(i), path, out);
      path.pop_back();
    }
    return;
  }
  out.push_back({t, SmallVector<unsigned>(path.begin(), path.end())});
}

// A function `name` of direct values, with `inner` inlined.
Function* direct(Function& inner, StringRef name) {
  Module& m = *inner.getParent();
  LLVMContext& c = m.getContext();
  const int lanes = name.starts_with("v16.") ? 16 : 1;
  Type* memory = inner.arg_empty() ? nullptr : inner.getParamStructRetType(0);
  if (!memory)
    fail(name + ": its result is not in memory");
  SmallVector<std::pair<Type*, SmallVector<unsigned>>> results;
  SmallVector<unsigned> path;
  leaves(memory, path, results);
  SmallVector<Type*> result_types, argument_types;
  for (auto& [type, where] : results)
    result_types.push_back(outside(type, lanes));
  const auto passed = [](Argument& a) { return a.hasByValAttr() ? a.getParamByValType() : a.getType(); };
  for (Argument& a : drop_begin(inner.args()))
    argument_types.push_back(lanes == 16 ? outside(passed(a), lanes) : passed(a));
  Type* result = result_types.size() == 1 ? result_types[0] : StructType::get(c, result_types);

  Function* f = Function::Create(FunctionType::get(result, argument_types, false), Function::ExternalLinkage, name, m);
  IRBuilder<> b(BasicBlock::Create(c, "", f));
  b.setIsFPConstrained(true);
  Value* returned = b.CreateAlloca(memory);
  SmallVector<Value*> arguments{returned};
  for (auto [outer, argument] : zip(f->args(), drop_begin(inner.args()))) {
    Value* v = convert(b, &outer, passed(argument));
    if (argument.hasByValAttr()) {
      Value* copy = b.CreateAlloca(v->getType());
      b.CreateStore(v, copy);
      v = copy;
    }
    arguments.push_back(v);
  }
  f->addFnAttr(Attribute::StrictFP);
  CallInst* call = b.CreateCall(&inner, arguments);
  Value* value = result_types.size() == 1 ? nullptr : PoisonValue::get(result);
  for (unsigned i = 0; i < results.size(); ++i) {
    SmallVector<Value*> index{b.getInt32(0)};
    for (const unsigned step : results[i].second)
      index.push_back(b.getInt32(step));
    Value* v =
        convert(b, b.CreateLoad(results[i].first, b.CreateInBoundsGEP(memory, returned, index)), result_types[i]);
    value = value ? b.CreateInsertValue(value, v, i) : v;
  }
  b.CreateRet(value);
  inner.removeFnAttr(Attribute::NoInline);
  inner.removeFnAttr(Attribute::OptimizeNone);
  InlineFunctionInfo info;
  if (const InlineResult inlined = InlineFunction(*call, info); !inlined.isSuccess())
    fail(name + ": not inlined: " + inlined.getFailureReason());
  // No attribute of clang's: which CPU it is for is the caller's to say.
  f->setAttributes({});
  for (const Attribute::AttrKind kind : {Attribute::StrictFP, Attribute::NoUnwind, Attribute::WillReturn})
    f->addFnAttr(kind);
  return f;
}

// What a constrained operation computes is up to MODE, and LLVM is to know nothing else of it. clang says
// round.tonearest where it does not ask what the rounding mode is (fma, rint). And LLVM evaluates what is exact in any
// rounding mode, as if denormals were kept, and with +0 for x - x: not where the call is nobuiltin. Nor is x + 0 then
// x, which may be a denormal or a signalling NaN: not where operations may trap.
void leave_to_mode(Function& f) {
  LLVMContext& c = f.getContext();
  auto* dynamic = MetadataAsValue::get(c, MDString::get(c, "round.dynamic"));
  auto* may_trap = MetadataAsValue::get(c, MDString::get(c, "fpexcept.maytrap"));
  for (Instruction& i : instructions(f)) {
    i.dropUnknownNonDebugMetadata(LLVMContext::MD_prof); // no alias scopes: there is no memory
    auto* fp = dyn_cast<ConstrainedFPIntrinsic>(&i);
    if (!fp)
      continue;
    fp->addFnAttr(Attribute::NoBuiltin);
    if (fp->getIntrinsicID() == Intrinsic::experimental_constrained_fadd ||
        fp->getIntrinsicID() == Intrinsic::experimental_constrained_fsub)
      fp->setArgOperand(fp->arg_size() - 1, may_trap);
    for (Use& operand : fp->args())
      if (auto* text = dyn_cast<MetadataAsValue>(operand))
        if (auto* s = dyn_cast<MDString>(text->getMetadata()); s && s->getString() == "round.tonearest")
          operand.set(dynamic);
  }
}

// Of registers of 256 bits, a comparison is the host's own instruction, whose lanes of 0 and ~0 are what selects and
// what bits are taken of: LLVM would make bytes of a constrained one.
Value* compare_on_host(IRBuilder<>& b, CmpInst::Predicate predicate, Value* x, Value* y) {
  // The immediate of vcmpps, in the order of LLVM's predicates from FCMP_FALSE on. None signals: nobody looks.
  static constexpr uint8_t immediate[] = {0x0b, 0x00, 0x1e, 0x1d, 0x11, 0x12, 0x0c, 0x07,
                                          0x03, 0x08, 0x16, 0x15, 0x19, 0x1a, 0x04, 0x0f};
  auto* type = cast<FixedVectorType>(x->getType());
  const auto host =
      type->getElementType()->isDoubleTy() ? Intrinsic::x86_avx_cmp_pd_256 : Intrinsic::x86_avx_cmp_ps_256;
  Value* lanes = b.CreateBitCast(b.CreateIntrinsic(host, {}, {x, y, b.getInt8(immediate[predicate])}),
                                 VectorType::getInteger(type));
  return b.CreateICmpSLT(lanes, Constant::getNullValue(lanes->getType()));
}

// LLVM 19 cannot split comparisons and conversions to half of more than a register, where they are constrained (of
// selections by comparisons of two registers it makes new nodes for ever): they are split here.
void split_wide(Function& f, unsigned register_bits) {
  for (Instruction& i : make_early_inc_range(instructions(f))) {
    auto* fp = dyn_cast<ConstrainedFPIntrinsic>(&i);
    auto* type = fp ? dyn_cast<FixedVectorType>(fp->getArgOperand(0)->getType()) : nullptr;
    if (!type)
      continue;
    const bool compare = isa<ConstrainedFPCmpIntrinsic>(fp);
    const bool to_half = fp->getIntrinsicID() == Intrinsic::experimental_constrained_fptrunc &&
                         fp->getType()->getScalarType()->isHalfTy();
    if (!compare && !to_half)
      continue;
    const unsigned lanes = type->getNumElements();
    const unsigned piece = register_bits / type->getScalarSizeInBits();
    if (lanes <= piece)
      continue;
    IRBuilder<> b(fp);
    b.setIsFPConstrained(true);
    SmallVector<Type*> overloads;
    if (to_half)
      overloads.push_back(FixedVectorType::get(fp->getType()->getScalarType(), piece));
    overloads.push_back(FixedVectorType::get(type->getScalarType(), piece));
    Function* narrow = Intrinsic::getDeclaration(f.getParent(), fp->getIntrinsicID(), overloads);
    SmallVector<Value*> parts;
    for (unsigned first = 0; first < lanes; first += piece) {
      SmallVector<Value*> arguments;
      for (Value* v : fp->args())
        arguments.push_back(v->getType()->isVectorTy() ? b.CreateShuffleVector(v, createSequentialMask(first, piece, 0))
                                                       : v);
      if (auto* compared = dyn_cast<ConstrainedFPCmpIntrinsic>(fp);
          compared && register_bits == 256 && !type->getScalarType()->isHalfTy()) {
        parts.push_back(compare_on_host(b, compared->getPredicate(), arguments[0], arguments[1]));
        continue;
      }
      CallInst* call = b.CreateCall(narrow, arguments);
      call->setAttributes(fp->getAttributes());
      parts.push_back(call);
    }
    fp->replaceAllUsesWith(concatenateVectors(b, parts));
    fp->eraseFromParent();
  }
}

// Masks that are inverted or combined as numbers stay masks, where the host has no registers for them.
Value* as_mask(IRBuilder<>& b, Value* number, Type* mask) {
  if (auto* cast = dyn_cast<BitCastInst>(number))
    return cast->getSrcTy() == mask ? cast->getOperand(0) : nullptr;
  if (auto* constant = dyn_cast<Constant>(number))
    return b.CreateBitCast(constant, mask);
  auto* logic = dyn_cast<BinaryOperator>(number);
  if (!logic || !logic->isBitwiseLogicOp())
    return nullptr;
  Value* const x = as_mask(b, logic->getOperand(0), mask);
  Value* const y = x ? as_mask(b, logic->getOperand(1), mask) : nullptr;
  return y ? b.CreateBinOp(logic->getOpcode(), x, y) : nullptr;
}
void keep_masks(Function& f) {
  SmallVector<Instruction*> casts;
  for (Instruction& i : instructions(f))
    if (isa<BitCastInst>(i) && i.getType()->isVectorTy() && i.getType()->getScalarType()->isIntegerTy(1))
      casts.push_back(&i);
  for (Instruction* i : casts) {
    IRBuilder<> b(i);
    if (Value* mask = as_mask(b, i->getOperand(0), i->getType())) {
      i->replaceAllUsesWith(mask);
      RecursivelyDeleteTriviallyDeadInstructions(i);
    }
  }
}

// What may be called besides constrained operations: the same in any mode.
bool allowed(const IntrinsicInst& i) {
  switch (i.getIntrinsicID()) {
  case Intrinsic::fabs:
  case Intrinsic::copysign:
  case Intrinsic::is_fpclass:
  case Intrinsic::abs:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::sadd_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_or: return true;
  default: break;
  }
  // By MXCSR, and never folded; in its mode if keep_in_modes (compile/modes.h) sees to it.
  static const StringSet<> host{"llvm.x86.avx.cmp.ps.256", "llvm.x86.avx.cmp.pd.256", "llvm.x86.avx2.pshuf.b",
                                "llvm.x86.avx2.pblendvb", "llvm.x86.avx512.pshuf.b.512"};
  return isa<ConstrainedFPIntrinsic>(i) || host.contains(i.getCalledFunction()->getName());
}
// Whether all of it is what a compiler of uops can take; says what is not.
bool check(Function& f) {
  bool good = true;
  for (Instruction& i : instructions(f)) {
    const auto refuse = [&](StringRef why) {
      std::string text;
      raw_string_ostream(text) << i;
      errs() << "finish: " << f.getName() << ": " << why << ':' << text << '\n';
      good = false;
    };
    switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::FCmp:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
    case Instruction::SIToFP:
    case Instruction::UIToFP: refuse("LLVM may fold it, whatever MODE says"); break;
    case Instruction::Load:
      if (auto* g = dyn_cast<GlobalVariable>(getUnderlyingObject(i.getOperand(0))); !g || !g->isConstant())
        refuse("memory");
      break;
    case Instruction::Store:
    case Instruction::Alloca: refuse("memory"); break;
    case Instruction::Call:
      if (auto* intrinsic = dyn_cast<IntrinsicInst>(&i); !intrinsic || !allowed(*intrinsic))
        refuse("not a call that finish knows to be right in any MODE");
      break;
    default: break;
    }
  }
  return good;
}

void simplify(Module& m, ArrayRef<Function*> functions) {
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager analyses;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(analyses);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, analyses, graphs, modules);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(ADCEPass());
  for (Function* f : functions)
    passes.run(*f, analyses);
}

// The host's registers, of the level that clang was told.
unsigned register_bits(const Module& m) {
  for (const Function& f : m)
    if (const Attribute features = f.getFnAttribute("target-features"); features.isValid())
      return features.getValueAsString().contains("+avx512f") ? 512 : 256;
  fail(m.getModuleIdentifier() + ": for no level");
}

// The functions that crosslane_bodies names.
SmallVector<Function*> bodies(Module& m) {
  GlobalVariable* list = m.getNamedGlobal("crosslane_bodies");
  if (!list || !list->hasInitializer())
    fail(m.getModuleIdentifier() + ": lists no crosslane_bodies");
  SmallVector<Function*> made;
  for (const Use& line : cast<ConstantArray>(list->getInitializer())->operands()) {
    auto* body = cast<ConstantStruct>(line.get());
    auto* inner = dyn_cast<Function>(body->getOperand(1)->stripPointerCasts());
    if (!inner)
      continue; // a row without a body
    auto* name = cast<GlobalVariable>(body->getOperand(0)->stripPointerCasts());
    made.push_back(direct(*inner, cast<ConstantDataArray>(name->getInitializer())->getAsCString()));
  }
  removeFromUsedLists(m, [&](Constant* c) { return c->stripPointerCasts() == list; });
  list->eraseFromParent();
  return made;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    fail("OUT.bc IN.bc...");
  LLVMContext context;
  context.setDiscardValueNames(true);
  auto library = std::make_unique<Module>("crosslane bodies", context);
  Linker linker(*library);
  bool good = true;
  for (int i = 2; i < argc; ++i) {
    auto file = MemoryBuffer::getFile(argv[i]);
    if (!file)
      fail(Twine(argv[i]) + ": " + file.getError().message());
    auto parsed = parseBitcodeFile(**file, context);
    if (!parsed)
      fail(Twine(argv[i]) + ": " + toString(parsed.takeError()));
    std::unique_ptr<Module> m = std::move(*parsed);
    const unsigned width = register_bits(*m);
    const SmallVector<Function*> made = bodies(*m);
    for (Function* f : made)
      leave_to_mode(*f);
    simplify(*m, made);
    for (Function* f : made) {
      split_wide(*f, width);
      if (width == 256)
        keep_masks(*f);
    }
    ModuleAnalysisManager none;
    for (Function& f : *m) // clang's own, which are inlined now
      if (!f.isDeclaration() && !is_contained(made, &f))
        f.setLinkage(Function::InternalLinkage);
    ModulePassManager cleanup;
    cleanup.addPass(GlobalDCEPass());
    PassBuilder builder;
    FunctionAnalysisManager functions;
    builder.registerModuleAnalyses(none);
    builder.registerFunctionAnalyses(functions);
    none.registerPass([&] { return FunctionAnalysisManagerModuleProxy(functions); });
    cleanup.run(*m, none);
    for (Function* f : made)
      good &= check(*f);
    if (linker.linkInModule(std::move(m)))
      fail(Twine(argv[i]) + ": not linked");
  }
  if (!good)
    return 1;
  for (GlobalVariable& g : library->globals())
    if (!g.isConstant())
      fail("a variable: " + g.getName());
  if (NamedMDNode* ident = library->getNamedMetadata("llvm.ident"))
    ident->eraseFromParent();
  if (verifyModule(*library, &errs()))
    fail("the library is not valid");
  std::error_code error;
  raw_fd_ostream out(argv[1], error);
  if (error)
    fail(Twine(argv[1]) + ": " + error.message());
  WriteBitcodeToFile(*library, out);
  return 0;
}
