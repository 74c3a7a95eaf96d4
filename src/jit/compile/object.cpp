// LLVM's passes, code generation and ORC.
#include "jit/compile/object.h"
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <mutex>

namespace crosslane::jit {

namespace {

// Passes of code generation that cost much and gain nothing: loops here count in registers that are there already.
void leave_out(llvm::StringRef pass) {
  const auto& all = llvm::cl::getRegisteredOptions();
  if (const auto found = all.find(pass); found != all.end())
    static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

llvm::Expected<llvm::orc::JITTargetMachineBuilder> host() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget(), llvm::InitializeNativeTargetAsmPrinter();
    leave_out("disable-lsr"), leave_out("disable-x86-domain-reassignment");
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
  }
  if (builder) {
    builder->setCodeGenOptLevel(request.optimize >= 2 ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less);
    builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  }
  auto made = builder ? builder->createTargetMachine() : builder.takeError();
  if (!made) {
    out.error = llvm::toString(made.takeError());
    return nullptr;
  }
  machine = std::move(*made);
  return machine.get();
}

namespace {

// Where objects are put in memory. Never destroyed: code may run until the process ends.
llvm::orc::LLJIT* linker(Compiled& out) {
  static llvm::orc::LLJIT* only = nullptr;
  if (only)
    return only;
  auto builder = host();
  auto jit = builder ? llvm::orc::LLJITBuilder()
                           .setJITTargetMachineBuilder(std::move(*builder))
                           .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                           .create()
                     : builder.takeError();
  if (!jit) {
    out.error = llvm::toString(jit.takeError());
    return nullptr;
  }
  return only = jit->release();
}

size_t code_bytes(llvm::MemoryBufferRef bytes) {
  auto object = llvm::object::ObjectFile::createObjectFile(bytes);
  size_t sum = 0;
  if (!object)
    llvm::consumeError(object.takeError());
  else
    for (const llvm::object::SectionRef& section : (*object)->sections())
      sum += section.isText() ? section.getSize() : 0;
  return sum;
}

} // namespace

void forget_machines() { machines() = new Machines; } // what was there is no more to be touched

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
            "simplifycfg,early-cse,dce),globaldce"
          : "always-inline,function(sroa,early-cse,simplifycfg,dce),globaldce";
  llvm::cantFail(passes.parsePassPipeline(all, text));
  all.run(module, modules);
}

void generate(llvm::Module& module, const Request& request, Compiled& out) {
  llvm::TargetMachine* machine = machine_for(request, out);
  llvm::orc::LLJIT* jit = machine ? linker(out) : nullptr;
  if (!jit)
    return;
  auto object = llvm::orc::SimpleCompiler(*machine)(module);
  if (!object) {
    out.error = llvm::toString(object.takeError());
    return;
  }
  if (request.report)
    out.code_bytes = code_bytes(**object);
  static uint64_t count = 0;
  auto library = jit->createJITDylib("unit" + std::to_string(count++));
  if (!library) {
    out.error = llvm::toString(library.takeError());
    return;
  }
  const auto remove = [jit](void* p) {
    llvm::consumeError(jit->getExecutionSession().removeJITDylib(*static_cast<llvm::orc::JITDylib*>(p)));
  };
  out.owner = std::shared_ptr<void>(&*library, remove);
  if (auto error = jit->addObjectFile(*library, std::move(*object))) {
    out.error = llvm::toString(std::move(error));
    return;
  }
  auto symbol = jit->lookup(*library, "unit");
  if (!symbol)
    out.error = llvm::toString(symbol.takeError());
  else
    out.function = symbol->toPtr<void*>();
}

} // namespace crosslane::jit
