// LLVM's passes and code generation.
#include "jit/compile/object.h"
#include "jit/compile/link.h"
#include "jit/compile/long_blocks.h"
#include "jit/compile/mask_logic.h"
#include "jit/compile/row_order.h"
#include "jit/compile/wide_loads.h"
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <mutex>

namespace crosslane::jit {

namespace {

void set_option(llvm::StringRef name, llvm::StringRef value) {
  const auto& all = llvm::cl::getRegisteredOptions();
  if (const auto found = all.find(name); found != all.end())
    found->second->addOccurrence(0, name, value); // the target's own choice counts until it occurs
}

// What costs much in code generation and gains nothing.
void set_options() {
  // Loops here count in registers that are there already.
  set_option("disable-lsr", "true"), set_option("disable-x86-domain-reassignment", "true");
  // Hosts find a better order of instructions on their own, and in long blocks with many sums LLVM's keeps products in
  // memory until it adds all of them.
  set_option("enable-misched", "false");
  // Of what orders hundreds of stores among each other, as checkpoints have them, the square is looked at.
  set_option("combiner-tokenfactor-inline-limit", "64");
}

llvm::Expected<llvm::orc::JITTargetMachineBuilder> host() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget(), llvm::InitializeNativeTargetAsmPrinter();
    set_options();
  });
  return llvm::orc::JITTargetMachineBuilder::detectHost();
}

// By level and optimization. LLVM ended with a fatal error in one of them: then they are not used again.
using Machines = std::map<std::pair<std::string, int>, std::unique_ptr<llvm::TargetMachine>>;
Machines*& machines() {
  static Machines* all = new Machines;
  return all;
}

} // namespace

llvm::TargetMachine* machine_for(const Request& request, Compiled& out) {
  auto& machine = (*machines())[{std::string(request.level), request.optimize}];
  if (machine)
    return machine.get();
  auto builder = host();
  if (builder && request.level == "v3") {
    builder->setCPU("x86-64-v3");
    builder->getFeatures() = llvm::SubtargetFeatures();
    builder->getFeatures().AddFeature("fast-gather"); // without, a gather is sixteen branches where not all lanes read
  }
  if (builder) {
    // LLVM 19 takes the wrong matrix (getGFNICtrlImm) for an arithmetic shift of bytes by 0, which is left of one by
    // several amounts where the bytes of the others are not needed.
    builder->getFeatures().AddFeature("gfni", false);
    builder->setCodeGenOptLevel(request.optimize >= 2 ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less);
    builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    // It finds its constants from where it is itself.
    builder->setRelocationModel(llvm::Reloc::PIC_), builder->setCodeModel(llvm::CodeModel::Small);
  }
  auto made = builder ? builder->createTargetMachine() : builder.takeError();
  if (!made) {
    out.error = llvm::toString(made.takeError());
    return nullptr;
  }
  machine = std::move(*made);
  return machine.get();
}

void forget_machines() { machines() = new Machines; } // what was there is no more to be touched

namespace {

// Additions may trap only so that no pass takes x + 0 for x (bodies/finish.cpp). The code generator would keep an
// order.
void let_none_trap(llvm::Function& f) {
  llvm::LLVMContext& c = f.getContext();
  auto* const ignore = llvm::MetadataAsValue::get(c, llvm::MDString::get(c, "fpexcept.ignore"));
  for (llvm::Instruction& i : llvm::instructions(f))
    if (auto* const fp = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&i);
        fp && fp->getExceptionBehavior() == llvm::fp::ebMayTrap)
      fp->setArgOperand(fp->arg_size() - 1, ignore);
}

} // namespace

void optimize(llvm::Module& module, const Request& request, Compiled& out) {
  llvm::TargetMachine* machine = machine_for(request, out);
  if (!machine)
    return;
  for (llvm::Function& f : module)
    if (!f.isDeclaration())
      f.addFnAttr("prefer-vector-width", "512"), f.addFnAttr("min-legal-vector-width", "512");
  llvm::PassBuilder passes(machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager all;
  const char* text =
      request.optimize >= 2
          ? "always-inline,function(sroa,early-cse<memssa>,instcombine<max-iterations=1;no-verify-fixpoint>,"
            "simplifycfg,early-cse,loop-mssa(licm),break-crit-edges,sink,dce),globaldce"
          : "always-inline,function(sroa,early-cse,simplifycfg,dce),globaldce";
  llvm::cantFail(passes.parsePassPipeline(all, text));
  all.run(module, modules);
  for (llvm::Function& f : module)
    let_none_trap(f);
  for (llvm::Function& f : module)
    if (request.level == "v3")
      order_by_rows(f);
    else
      hide_masks_of_numbers(f), divide_wide_loads(f);
  for (llvm::Function& f : module)
    divide_long_blocks(f);
}

void generate(llvm::Module& module, const Request& request, Compiled& out) {
  llvm::TargetMachine* machine = machine_for(request, out);
  if (!machine)
    return;
  auto object = llvm::orc::SimpleCompiler(*machine)(module);
  if (auto error = object ? link((*object)->getMemBufferRef(), out) : object.takeError())
    out.error = llvm::toString(std::move(error));
}

} // namespace crosslane::jit
