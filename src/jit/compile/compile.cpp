// What the shared object exports: from a request to code.
#include "jit/compile/emitter.h"
#include "jit/compile/generator_cost.h"
#include "jit/compile/modes.h"
#include "jit/compile/object.h"
#include "jit/compile/rescue.h"
#include <cstdio>
#include <ctime>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <set>
#include <utility>

namespace crosslane::jit {

namespace {

// What is longer takes LLVM more than some seconds.
constexpr size_t most_translated = 60'000;

// Of instructions, one of so many may be called: registers go through the Wave for each, and behind some the
// interpreter is as fast, or faster.
constexpr size_t called_one_in = 10;

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

// What compilations share: the library is read once. A context keeps what was ever named in it, so there is a new one
// now and then.
struct Workshop {
  llvm::LLVMContext context;
  std::unique_ptr<Bodies> bodies;
  std::string level;
  int left = 64; // compilations
};
Workshop* workshop = nullptr;

Bodies* open_bodies(const Request& request, Compiled& out) {
  if (workshop && (workshop->left-- == 0 || workshop->level != request.level))
    delete std::exchange(workshop, nullptr);
  if (!workshop) {
    auto made = std::make_unique<Workshop>();
    made->level = request.level;
    made->bodies = Bodies::open(made->context, request.level, out.error);
    if (!made->bodies)
      return nullptr;
    workshop = made.release();
  }
  workshop->context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* to) { // which would print, and exit
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream stream(static_cast<Compiled*>(to)->error);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
      },
      &out);
  return workshop->bodies.get();
}

void compile(const Request& request, Compiled& out) {
  double last = now();
  const auto lap = [&](double& into) {
    const double t = now();
    into += t - last, last = t;
  };
  Bodies* bodies = open_bodies(request, out);
  if (!bodies)
    return;
  auto module = std::make_unique<llvm::Module>("unit", workshop->context);
  module->setDataLayout(bodies->module().getDataLayout());
  module->setTargetTriple(bodies->module().getTargetTriple());
  lap(out.phases.open);
  if (!Emitter(request, *module, *bodies, out).run())
    return;
  lap(out.phases.translate);
  std::set<uint32_t> called_once;
  for (const Call& call : out.calls)
    called_once.insert(call.instruction);
  std::erase_if(called_once, [&](uint32_t i) { // it is worth its call
    return request.unit->uops[request.unit->instructions[i].first].kind == engine::UopKind::matrix;
  });
  const size_t called = called_once.size(), all = request.unit->instructions.size();
  if (request.worth && called * called_one_in > all) {
    out.error = std::to_string(called) + " of its " + std::to_string(all) +
                " instructions have no translation, so that the interpreter is as fast";
    return;
  }
  bodies->link(*module);
  keep_in_modes(*module);
  lap(out.phases.link);
  size_t translated = 0;
  for (const llvm::Function& f : *module)
    translated += f.getInstructionCount();
  if (translated > most_translated) {
    out.error = "the translation has " + std::to_string(translated) + " instructions of LLVM's, more than " +
                std::to_string(most_translated);
    out.lasting = true;
    return;
  }
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
  static GeneratorCost generator_cost;
  const double registers = GeneratorCost::registers(*module, request.level);
  out.phases.expected = generator_cost.seconds(registers);
  const double cost = out.phases.translate + out.phases.link + out.phases.optimize + out.phases.expected;
  if (request.worth && cost > request.worth && out.error.empty()) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", cost);
    out.error = "compiling it would take about " + std::string(text) + " seconds", out.cost = cost;
  }
  if (request.keep_assembly && out.error.empty()) {
    write_assembly(*module, request, out);
    llvm::StripDebugInfo(*module); // which has said where code comes from
    last = now();
  }
  if (request.keep_text) {
    llvm::raw_string_ostream text(out.ir);
    module->print(text, nullptr);
  }
  if (!out.error.empty())
    return;
  while (request.endless)
    asm volatile("");
  generate(*module, request, out);
  lap(out.phases.generate);
  generator_cost.took(registers, out.phases.generate);
}

// A unit is not worth the process, nor a thread for ever: it is left to the interpreter.
void compile_or_refuse(const Request& request, Compiled& out) {
  const double begin = now();
  auto* const answer = new Compiled; // it stays as it is if LLVM does
  std::string why = rescued([&] { compile(request, *answer); }, request.patience);
  if (why.empty()) {
    out = std::move(*answer);
    delete answer;
    return;
  }
  out.error = std::move(why), out.lasting = true;
  out.phases.generate = now() - begin;
  workshop = nullptr, forget_machines();
}

} // namespace
} // namespace crosslane::jit

extern "C" [[gnu::visibility("default")]] const uint64_t crosslane_jit_layout = crosslane::jit::layout;
extern "C" [[gnu::visibility("default")]] void crosslane_jit_compile(const crosslane::jit::Request& request,
                                                                     crosslane::jit::Compiled& out) {
  crosslane::jit::compile_or_refuse(request, out);
}

// What LLVM keeps in static objects stays until the process is gone: a thread of the HSA runtime may compile while the
// program exits. Hidden, so it is meant for this shared object alone, which is never closed.
extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
