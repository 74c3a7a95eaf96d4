// LLVM's passes, code generation and ORC.
#include "jit/compile/object.h"
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <mutex>

namespace crosslane::jit {

namespace {

llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine_for(const Request& request) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::InitializeNativeTarget(), llvm::InitializeNativeTargetAsmPrinter(); });
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder;
  if (request.level == "v3") {
    builder->setCPU("x86-64-v3");
    builder->getFeatures() = llvm::SubtargetFeatures();
  }
  builder->setCodeGenOptLevel(request.optimize >= 2 ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less);
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return builder;
}

} // namespace

void optimize(llvm::Module& module, const Request& request, Compiled& out) {
  auto builder = machine_for(request);
  auto machine = builder ? builder->createTargetMachine() : builder.takeError();
  if (!machine) {
    out.error = llvm::toString(machine.takeError());
    return;
  }
  for (llvm::Function& f : module)
    if (!f.isDeclaration())
      f.addFnAttr("prefer-vector-width", "512"), f.addFnAttr("min-legal-vector-width", "512");
  llvm::PassBuilder passes(machine->get());
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
            "simplifycfg,gvn,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg,dce),globaldce"
          : "always-inline,function(sroa,early-cse,simplifycfg,dce),globaldce";
  llvm::cantFail(passes.parsePassPipeline(all, text));
  all.run(module, modules);
}

void generate(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context, const Request& request,
              Compiled& out) {
  auto builder = machine_for(request);
  if (!builder) {
    out.error = llvm::toString(builder.takeError());
    return;
  }
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*builder)).create();
  if (!jit) {
    out.error = llvm::toString(jit.takeError());
    return;
  }
  if (auto error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context)))) {
    out.error = llvm::toString(std::move(error));
    return;
  }
  auto symbol = (*jit)->lookup("unit");
  if (!symbol) {
    out.error = llvm::toString(symbol.takeError());
    return;
  }
  out.function = symbol->toPtr<void*>();
  out.owner = std::shared_ptr<void>((*jit).release(), [](void* p) { delete static_cast<llvm::orc::LLJIT*>(p); });
}

} // namespace crosslane::jit
