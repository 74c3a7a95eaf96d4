// Stitching: copying a body's instructions in among others.
#include "jit/compile/bodies.h"
#include "jit/bodies/bodies.h"
#include "jit/compile/modes.h"
#include <algorithm>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace crosslane::jit {

std::unique_ptr<Bodies> Bodies::open(llvm::LLVMContext& context, std::string_view level, std::string& error) {
  const auto bytes = bodies(level);
  if (bytes.empty()) {
    error = "there is no library of bodies for level " + std::string(level);
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getMemBuffer(
      llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "bodies", false);
  auto module = llvm::getOwningLazyBitcodeModule(std::move(buffer), context);
  if (!module) {
    error = llvm::toString(module.takeError());
    return nullptr;
  }
  auto out = std::make_unique<Bodies>();
  out->module_ = std::move(*module);
  return out;
}

const llvm::Function* Bodies::find(llvm::StringRef name) const { return module_->getFunction(name); }
bool Bodies::has(llvm::StringRef name) const { return find(name) != nullptr; }

namespace {

// One block, and nothing named from outside but intrinsics.
bool is_plain(const llvm::Function& f) {
  if (f.size() != 1)
    return false;
  for (const llvm::Instruction& i : f.front()) {
    if (llvm::isa<llvm::AllocaInst>(i))
      return false;
    for (const llvm::Value* operand : i.operands()) {
      if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(operand)) {
        const auto* callee = llvm::dyn_cast<llvm::Function>(global);
        if (!callee || !callee->isIntrinsic())
          return false;
      } else if (llvm::isa<llvm::ConstantExpr>(operand)) {
        return false;
      }
    }
  }
  return true;
}

llvm::FunctionCallee declared(llvm::Module& to, const llvm::Function& f) {
  auto callee = to.getOrInsertFunction(f.getName(), f.getFunctionType());
  if (f.isIntrinsic())
    llvm::cast<llvm::Function>(callee.getCallee())->setAttributes(f.getAttributes());
  return callee;
}

// While a body is copied: values of it that repeat the same few items over and over, as a scalar does that all lanes
// have. What converts them is done with these items alone: `items` is a scalar, or a vector of less than the value has.
class Repeated {
public:
  Repeated(llvm::IRBuilderBase& b, llvm::Module& to, llvm::ValueToValueMapTy& map) : b_(b), to_(to), map_(map) {}

  void note_argument(const llvm::Argument& a, llvm::Value* given) {
    if (!llvm::isa<llvm::Constant>(given))
      if (llvm::Value* scalar = given->getType()->isVectorTy() ? llvm::getSplatValue(given) : nullptr)
        items_[&a] = scalar;
  }
  // Whether it was done with few items.
  bool apply(const llvm::Instruction& i) {
    llvm::Value* const from = i.getNumOperands() ? items_.lookup(i.getOperand(0)) : nullptr;
    if (!from)
      return false;
    auto* const all = llvm::dyn_cast<llvm::FixedVectorType>(i.getType());
    auto* const before = llvm::cast<llvm::FixedVectorType>(i.getOperand(0)->getType());
    if (!all)
      return false;
    const unsigned count = count_of(from), copies = before->getNumElements() / count;
    llvm::Value* to = nullptr;
    if (llvm::isa<llvm::BitCastInst>(i) && all->getNumElements() % copies == 0)
      to = b_.CreateBitCast(from, type_of(*all, all->getNumElements() / copies));
    else if (const auto* c = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&i);
             c && c->getIntrinsicID() == llvm::Intrinsic::experimental_constrained_fpext)
      to = extended(*c, from, type_of(*all, count));
    else if (const auto* s = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i); s && count > 1)
      to = picked(*s, from, count);
    if (to)
      items_[&i] = to;
    return to;
  }
  // For who wants all of it.
  void spell_out(const llvm::Value* v) {
    llvm::Value* const items = map_.count(v) ? nullptr : items_.lookup(v);
    if (!items)
      return;
    const unsigned all = llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements(), count = count_of(items);
    if (count == 1) {
      map_[v] = b_.CreateVectorSplat(all, items);
      return;
    }
    llvm::SmallVector<int, 64> pick;
    for (unsigned n = 0; n < all; ++n)
      pick.push_back(int(n % count));
    map_[v] = b_.CreateShuffleVector(items, pick);
  }

private:
  static unsigned count_of(const llvm::Value* items) {
    const auto* t = llvm::dyn_cast<llvm::FixedVectorType>(items->getType());
    return t ? t->getNumElements() : 1;
  }
  static llvm::Type* type_of(const llvm::FixedVectorType& all, unsigned count) {
    return count == 1 ? all.getElementType() : llvm::FixedVectorType::get(all.getElementType(), count);
  }
  llvm::Value* extended(const llvm::ConstrainedFPIntrinsic& i, llvm::Value* from, llvm::Type* type) {
    llvm::Function* f = llvm::Intrinsic::getDeclaration(&to_, i.getIntrinsicID(), {type, from->getType()});
    llvm::CallInst* call = b_.CreateCall(f, {from, i.getArgOperand(1)});
    call->setAttributes(i.getAttributes());
    return call;
  }
  // The one item that a shuffle gives to all lanes.
  llvm::Value* picked(const llvm::ShuffleVectorInst& s, llvm::Value* from, unsigned count) {
    const auto mask = s.getShuffleMask();
    const unsigned elements = llvm::cast<llvm::FixedVectorType>(s.getOperand(0)->getType())->getNumElements();
    for (const int m : mask)
      if (m < 0 || unsigned(m) >= elements || unsigned(m) % count != unsigned(mask[0]) % count)
        return nullptr;
    return b_.CreateExtractElement(from, uint64_t(unsigned(mask[0]) % count));
  }

  llvm::IRBuilderBase& b_;
  llvm::Module& to_;
  llvm::ValueToValueMapTy& map_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> items_;
};

} // namespace

llvm::Function& Bodies::materialized(llvm::StringRef name) {
  llvm::Function& body = *module_->getFunction(name);
  if (body.isMaterializable())
    llvm::cantFail(body.materialize());
  return body;
}

bool Bodies::depends_on_modes(llvm::StringRef name) {
  const auto [at, is_new] = depends_.try_emplace(name);
  if (is_new)
    at->second = jit::depends_on_modes(materialized(name));
  return at->second;
}

llvm::Value* Bodies::apply(llvm::IRBuilderBase& b, llvm::Module& to, llvm::StringRef name,
                           std::span<llvm::Value* const> arguments) {
  llvm::Function& body = materialized(name);
  if (!is_plain(body))
    return b.CreateCall(declared(to, body), llvm::ArrayRef(arguments.data(), arguments.size()));
  llvm::ValueToValueMapTy map;
  Repeated repeated(b, to, map);
  size_t n = 0;
  for (llvm::Argument& a : body.args()) {
    repeated.note_argument(a, arguments[n]);
    map[&a] = arguments[n++];
  }
  for (llvm::Instruction& i : body.front()) {
    if (repeated.apply(i))
      continue;
    for (const llvm::Value* operand : i.operands())
      repeated.spell_out(operand);
    if (auto* result = llvm::dyn_cast<llvm::ReturnInst>(&i)) {
      llvm::Value* v = result->getReturnValue();
      const auto found = map.find(v);
      return found != map.end() ? static_cast<llvm::Value*>(found->second) : v;
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i))
      if (llvm::Function* callee = call->getCalledFunction(); callee && !map.count(callee))
        map[callee] = declared(to, *callee).getCallee();
    llvm::Instruction* copy = i.clone();
    copy->setDebugLoc({});
    llvm::RemapInstruction(copy, map, llvm::RF_IgnoreMissingLocals);
    b.Insert(copy); // with the builder's location
    map[&i] = copy;
  }
  return nullptr;
}

namespace {

// A table of the library's, in the module.
llvm::GlobalVariable* copied(llvm::Module& to, const llvm::GlobalVariable& g) {
  if (llvm::GlobalVariable* there = to.getGlobalVariable(g.getName(), true))
    return there;
  auto* copy = new llvm::GlobalVariable(to, g.getValueType(), true, llvm::GlobalValue::InternalLinkage,
                                        const_cast<llvm::Constant*>(g.getInitializer()), g.getName());
  copy->setAlignment(g.getAlign());
  return copy;
}

// Maps what a function of the library names from outside, and tells of functions that have a body.
template <class F> void map_globals(const llvm::Value& v, llvm::Module& to, llvm::ValueToValueMapTy& map, F called) {
  if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(&v)) {
    map[g] = copied(to, *g);
  } else if (const auto* f = llvm::dyn_cast<llvm::Function>(&v)) {
    map[f] = declared(to, *f).getCallee();
    if (!f->isIntrinsic())
      called(const_cast<llvm::Function*>(f));
  } else if (const auto* e = llvm::dyn_cast<llvm::ConstantExpr>(&v)) {
    for (const llvm::Value* operand : e->operands())
      map_globals(*operand, to, map, called);
  }
}

// Copies of what is large and used often (v_div_scale_f64, four times for each instruction) would be most of a kernel,
// and most of the time that it takes to compile. What is small gains by standing where it is used.
bool is_better_called(const llvm::Function& f) {
  constexpr size_t many_instructions = 1500;
  return f.getNumUses() * f.getInstructionCount() >= many_instructions;
}

void make_called(llvm::Function& f) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : f.users())
    calls.push_back(llvm::cast<llvm::CallInst>(user));
  for (llvm::Argument& a : f.args()) { // MODE: the same in all of them
    const auto value = [&](const llvm::CallInst* call) { return call->getArgOperand(a.getArgNo()); };
    if (llvm::isa<llvm::Constant>(value(calls[0])) &&
        std::ranges::all_of(calls, [&](llvm::CallInst* call) { return value(call) == value(calls[0]); }))
      a.replaceAllUsesWith(value(calls[0]));
  }
  f.addFnAttr(llvm::Attribute::NoInline);
  f.setCallingConv(llvm::CallingConv::Fast);
  for (llvm::CallInst* call : calls)
    call->setCallingConv(llvm::CallingConv::Fast);
}

} // namespace

void Bodies::link(llvm::Module& to) {
  llvm::SetVector<llvm::Function*> called;
  std::vector<llvm::Function*> copies;
  for (const llvm::Function& f : to)
    if (llvm::Function* body = f.isDeclaration() ? module_->getFunction(f.getName()) : nullptr;
        body && !f.isIntrinsic())
      called.insert(body);
  for (size_t n = 0; n < called.size(); ++n) { // more come
    llvm::Function& body = *called[n];
    if (body.isMaterializable())
      llvm::cantFail(body.materialize());
    auto* copy = llvm::cast<llvm::Function>(declared(to, body).getCallee());
    llvm::ValueToValueMapTy map;
    for (unsigned i = 0; i < body.arg_size(); ++i)
      map[body.getArg(i)] = copy->getArg(i);
    for (const llvm::BasicBlock& block : body)
      for (const llvm::Instruction& i : block)
        for (const llvm::Value* operand : i.operands())
          map_globals(*operand, to, map, [&](llvm::Function* f) { called.insert(f); });
    llvm::SmallVector<llvm::ReturnInst*> returns;
    llvm::CloneFunctionInto(copy, &body, map, llvm::CloneFunctionChangeType::DifferentModule, returns);
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copies.push_back(copy);
  }
  for (llvm::Function* copy : copies)
    if (!is_better_called(*copy))
      copy->addFnAttr(llvm::Attribute::AlwaysInline);
    else
      make_called(*copy);
}

} // namespace crosslane::jit
