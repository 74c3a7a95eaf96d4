// What the shared object exports: from a request to code.
#include "jit/compile/emitter.h"
#include "jit/compile/object.h"
#include <ctime>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace crosslane::jit {

namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

void compile(const Request& request, Compiled& out) {
  double last = now();
  const auto lap = [&](double& into) {
    const double t = now();
    into += t - last, last = t;
  };
  auto context = std::make_unique<llvm::LLVMContext>();
  auto bodies = Bodies::open(*context, request.level, out.error);
  if (!bodies)
    return;
  auto module = std::make_unique<llvm::Module>("unit", *context);
  module->setDataLayout(bodies->module().getDataLayout());
  module->setTargetTriple(bodies->module().getTargetTriple());
  lap(out.phases.open);
  if (!Emitter(request, *module, *bodies, out).run())
    return;
  lap(out.phases.translate);
  if (!bodies->link(*module, out.error))
    return;
  bodies.reset();
  lap(out.phases.link);
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
#ifndef NDEBUG
  const bool verify = true;
#else
  const bool verify = request.keep_text;
#endif
  if (verify && llvm::verifyModule(*module, &stream)) {
    out.error = "the translation is not well formed: " + wrong;
    if (request.keep_text) {
      llvm::raw_string_ostream text(out.ir);
      module->print(text, nullptr);
    }
    return;
  }
  optimize(*module, request, out);
  lap(out.phases.optimize);
  for (const llvm::Function& f : *module)
    out.ir_instructions += f.getInstructionCount();
  if (request.keep_text) {
    llvm::raw_string_ostream text(out.ir);
    module->print(text, nullptr);
  }
  if (!out.error.empty())
    return;
  generate(std::move(module), std::move(context), request, out);
  lap(out.phases.generate);
}

} // namespace
} // namespace crosslane::jit

extern "C" [[gnu::visibility("default")]] void crosslane_jit_compile(const crosslane::jit::Request& request,
                                                                     crosslane::jit::Compiled& out) {
  crosslane::jit::compile(request, out);
}
