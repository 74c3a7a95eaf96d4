// Bodies and the interpreter's handlers compute the same: each uop that has a body is executed by its handler and by
// its body, compiled here, on the same values under several MODEs. All results are compared bit for bit, but which of
// two NaNs a result takes its payload from.
#include "engine/scalar/hwreg.h"
#include "engine/types.h"
#include "isa/enum_name.h"
#include "isa/float_mode.h"
#include "isa/shape.h"
#include "jit/bodies/bodies.h"
#include "lanes/host_level.h"
#include "tests/jit/library.h"
#include "tests/semantics/inputs.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <map>
#include <set>
#include <xmmintrin.h>

namespace crosslane::engine {
extern const Backend backend_v3, backend_v4;
}

namespace crosslane::test {
namespace {

using engine::Uop;
using engine::UopKind;
using isa::Encoding;
using isa::Implicit;
using isa::Type;
using machine::Wave;

// Operands and results of a call lie in slots of memory, each as big as the biggest value.
struct alignas(128) Slot {
  uint8_t bytes[128] = {};
};
struct Frame {
  Slot in[8], out[2];
};
using Call = void (*)(Frame*);

// Whose name is "v16.v_add_f32" has the stem "v_add_f32".
std::string stem(std::string_view body) { return std::string(body.substr(body.find('.') + 1)); }

// A body with some of its operands constants, for LLVM to fold if it dares.
struct Specialized {
  std::string body, name;
  std::map<size_t, uint64_t> constants; // operand -> its bits
};

// Bodies whose name passes `wanted`, compiled for a level; each behind a function of a Frame.
class Compiled {
public:
  Compiled(std::string_view level, const std::function<bool(std::string_view)>& wanted,
           const std::vector<Specialized>& specialized = {}) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::orc::JITTargetMachineBuilder machine(llvm::Triple("x86_64-unknown-linux-gnu"));
    machine.setCPU("x86-64-" + std::string(level));
    machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(machine).create());
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = library(*context, level);
    std::vector<llvm::Function*> bodies;
    for (llvm::Function& f : llvm::make_early_inc_range(*module)) {
      if (f.isDeclaration())
        continue;
      if (!wanted(f.getName())) {
        f.eraseFromParent();
        continue;
      }
      f.setLinkage(llvm::Function::InternalLinkage);
      f.addFnAttr("prefer-vector-width", "512");
      bodies.push_back(&f);
    }
    for (llvm::Function* f : bodies)
      wrap(*f, f->getName().str(), {});
    for (const Specialized& s : specialized)
      wrap(*module->getFunction(s.body), s.name, s.constants);
    if (!specialized.empty())
      optimize(*module, bodies);
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    module->setDataLayout(jit_->getDataLayout());
    llvm::cantFail(jit_->addIRModule({std::move(module), std::move(context)}));
  }
  Call find(const std::string& name) {
    Call& call = calls_[name];
    if (!call && names_.contains(name))
      call = llvm::cantFail(jit_->lookup("call." + name)).toPtr<Call>();
    return call;
  }
  const std::set<std::string>& names() const { return names_; }

private:
  static void optimize(llvm::Module& module, const std::vector<llvm::Function*>& bodies) {
    for (llvm::Function* f : bodies)
      f->addFnAttr(llvm::Attribute::AlwaysInline);
    llvm::PassBuilder builder;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
  }
  void wrap(llvm::Function& body, const std::string& name, const std::map<size_t, uint64_t>& constants) {
    llvm::LLVMContext& c = body.getContext();
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(c), {llvm::PointerType::getUnqual(c)}, false);
    auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "call." + name, body.getParent());
    f->addFnAttr(llvm::Attribute::StrictFP);
    f->addFnAttr("prefer-vector-width", "512");
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(c, "", f));
    b.setIsFPConstrained(true);
    const auto slot = [&](size_t n) {
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), f->getArg(0), n * sizeof(Slot));
    };
    std::vector<llvm::Value*> in;
    for (const llvm::Argument& a : body.args()) {
      const auto k = constants.find(a.getArgNo());
      in.push_back(k == constants.end() ? static_cast<llvm::Value*>(b.CreateLoad(a.getType(), slot(a.getArgNo())))
                                        : llvm::ConstantInt::get(a.getType(), k->second));
    }
    llvm::Value* out = b.CreateCall(&body, in);
    const auto results = out->getType()->isStructTy() ? 2u : 1u;
    for (unsigned i = 0; i < results; ++i)
      b.CreateStore(results == 2 ? b.CreateExtractValue(out, i) : out, slot(std::size(Frame{}.in) + i));
    b.CreateRetVoid();
    names_.insert(name);
  }
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::set<std::string> names_;
  std::map<std::string, Call> calls_;
};

struct Free {
  void operator()(Wave* w) const { std::free(w); }
};
std::unique_ptr<Wave, Free> new_wave() { // with AccVGPRs behind it
  return std::unique_ptr<Wave, Free>(static_cast<Wave*>(std::aligned_alloc(alignof(Wave), machine::wave_bytes(true))));
}

size_t bytes(Type t) { return isa::is_16bit(t) ? 2 : engine::is_64bit(t) ? 8 : 4; }

// A wave's lane of an operand, register or constant, and writing it.
uint64_t item(const Wave& w, uint32_t offset, uint64_t k, Type t, int lane) {
  const char* p = reinterpret_cast<const char*>(&w) + offset;
  uint64_t v = 0;
  if (offset < machine::tmp_offset(0)) {
    std::memcpy(&v, p, bytes(t) == 8 ? 8 : 4);
    v |= bytes(t) == 8 ? k : uint32_t(k);
  } else {
    std::memcpy(&v, p + 4 * lane, 4);
    if (bytes(t) == 8)
      std::memcpy(reinterpret_cast<char*>(&v) + 4, p + machine::vgpr_bytes + 4 * lane, 4);
  }
  return bytes(t) == 2 ? v & 0xffff : v;
}
template <class Next> void fill(Wave& w, uint32_t offset, Type t, Next next) {
  char* p = reinterpret_cast<char*>(&w) + offset;
  if (offset < machine::tmp_offset(0)) {
    const uint64_t v = next();
    if (offset != machine::sgpr_offset(machine::scalar_zero))
      std::memcpy(p, &v, bytes(t) == 8 ? 8 : 4);
    return;
  }
  for (int lane = 0; lane < 64; ++lane) {
    const uint64_t v = next();
    std::memcpy(p + 4 * lane, &v, 4);
    if (bytes(t) == 8)
      std::memcpy(p + machine::vgpr_bytes + 4 * lane, reinterpret_cast<const char*>(&v) + 4, 4);
  }
}

// NaNs among the items that a value holds.
template <class U> bool nan(U v, U infinity) { return U(v & (U(~U(0)) >> 1)) > infinity; }
int nans(Type t, uint64_t v) {
  switch (t) {
  case Type::F16: return nan<uint16_t>(uint16_t(v), 0x7c00);
  case Type::F32: return nan<uint32_t>(uint32_t(v), 0x7f800000);
  case Type::F64: return nan<uint64_t>(v, 0x7ff0000000000000);
  case Type::PkF16: return nans(Type::F16, v) + nans(Type::F16, v >> 16);
  case Type::PkF32: return nans(Type::F32, v) + nans(Type::F32, v >> 32);
  default: return 0;
  }
}
// Whether both are the same but for NaNs in the same places.
bool differs_by_payload(Type t, uint64_t a, uint64_t b) {
  if (t == Type::PkF16)
    return ((a ^ b) & 0xffff) == 0 ? differs_by_payload(Type::F16, a >> 16, b >> 16)
           : (a ^ b) >> 16 == 0    ? differs_by_payload(Type::F16, a, b)
                                   : nans(t, a) == 2 && nans(t, b) == 2;
  if (t == Type::PkF32)
    return uint32_t(a ^ b) == 0 ? differs_by_payload(Type::F32, a >> 32, b >> 32)
           : (a ^ b) >> 32 == 0 ? differs_by_payload(Type::F32, a, b)
                                : nans(t, a) == 2 && nans(t, b) == 2;
  return nans(t, a) != 0 && nans(t, b) != 0;
}

// An operand of a body: where it is in the Wave. A mask or a number: at `offset` the same for all lanes.
struct Operand {
  enum Kind { value, mask, number } kind;
  Type type = Type::B32;
  uint32_t offset = 0;
  uint64_t k = 0;
};
// A uop as a call of a body.
struct Use {
  std::string body; // without v16. or s1.
  std::vector<Operand> in;
  Type out = Type::None; // None: a mask alone
  uint32_t flag = 0;     // where a mask goes
  bool mode64 = false;
};

Operand source(const Uop& op, Type t, uint32_t offset) { return {Operand::value, t, offset, op.k0}; }
Operand number(uint32_t n) { return {Operand::number, Type::U32, 0, n}; }
const uint32_t mode_argument = ~0u; // stands for MODE

Use vector_use(const isa::Instruction& inst, const Uop& op, bool saturated) {
  const isa::Row& row = isa::row(inst.op);
  Use use;
  use.body = row.mnemonic;
  if (saturated)
    use.body += ".clamped";
  const uint32_t offsets[3] = {op.a, op.b, op.c};
  const bool k = isa::shape(inst.op).k;
  int count = 0;
  for (int i = 0; i < 3; ++i)
    if (row.src[i] != Type::None || k)
      use.in.push_back(source(op, k ? row.dst : row.src[i], offsets[i])), count = i + 1;
  if (isa::has(row.implicit, Implicit::dst_r))
    use.in.push_back({Operand::value, row.dst, op.dst});
  if (isa::has(row.implicit, Implicit::vcc_r))
    use.in.push_back({Operand::mask, Type::Mask, count > 2 ? op.aux : op.c});
  use.in.push_back({Operand::number, Type::U32, mode_argument});
  use.out = row.dst == Type::Mask ? Type::None : row.dst;
  use.flag = row.dst == Type::Mask ? op.dst : uint32_t(op.imm);
  use.mode64 =
      row.dst == Type::Mask ? isa::uses_mode64(row.src[0]) : isa::uses_mode64(row.dst) || row.src[0] == Type::F64;
  return use;
}

Use scalar_use(const isa::Instruction& inst, const Uop& op) {
  const isa::Row& row = isa::row(inst.op);
  Use use;
  use.body = row.mnemonic;
  const auto add = [&](Type t, uint32_t offset, uint64_t k) { use.in.push_back({Operand::value, t, offset, k}); };
  if (row.encoding == Encoding::SOPK) {
    add(row.dst == Type::None ? row.src[0] : row.dst, op.a, op.k0);
    if (row.dst == Type::None)
      add(row.src[0], op.b, op.k1);
  } else {
    add(row.src[0], op.a, op.k0);
    if (row.src[1] != Type::None)
      add(row.src[1], op.b, op.k1);
  }
  if (isa::has(row.implicit, Implicit::dst_r))
    add(row.dst, op.dst, 0);
  if (isa::has(row.implicit, Implicit::scc_r))
    use.in.push_back({Operand::mask, Type::Mask, offsetof(Wave, scc)});
  use.out = row.dst;
  use.flag = offsetof(Wave, scc);
  return use;
}

Use stage_use(UopKind kind, const Uop& op) {
  using enum UopKind;
  const auto dwords = [&](uint32_t offset) { return Operand{Operand::value, Type::B32, offset}; };
  const auto pair = [&](uint32_t offset) { return Operand{Operand::value, Type::PkF16, offset}; };
  const Operand mode{Operand::number, Type::U32, mode_argument};
  switch (kind) {
  case bits: return {"stage.bits", {dwords(op.a), number(uint32_t(op.k0)), number(uint32_t(op.k0 >> 32))}, Type::B32};
  case field:
    return {
        op.k1 ? "stage.field_s" : "stage.field_u", {dwords(op.a), number(uint32_t(op.imm)), number(op.aux)}, Type::B32};
  case halves: return {"stage.halves", {dwords(op.a), number(op.aux & 1), number(op.aux >> 1)}, Type::B32};
  case half_to_float: return {"stage.half_to_float", {pair(op.a)}, Type::F32};
  case put_overflow: return {"stage.put_overflow", {pair(op.dst), pair(op.a)}, Type::B32};
  case put_field:
    return {"stage.put_field." + std::string(isa::enum_name(isa::SdwaUnused(op.k1))),
            {dwords(op.dst), dwords(op.a), number(uint32_t(op.k0)), number(uint32_t(op.imm)), number(op.aux)},
            Type::B32};
  case put_float: {
    const Type t = Type(op.k1);
    std::string name(isa::enum_name(t)); // "PkF16"
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return char(std::tolower(c)); });
    return {"stage.put_float." + name,
            {{Operand::value, t, op.dst}, number(uint32_t(op.imm)), number(op.aux), mode},
            t,
            0,
            isa::uses_mode64(t)};
  }
  default: return {};
  }
}

const uint32_t modes[] = {0x2f0, 0x1f0, 0x100, 0x1c5, 0x33a, 0x0ff, 0x1e0, 0x1d6, 0x3b9};

// What one test runs: the rows of an encoding, those of scalar arithmetic, or staging.
struct Group {
  const char* name;
  Encoding first, last;
  bool staging = false;
};
void PrintTo(const Group& group, std::ostream* out) { *out << group.name; }
Use use_of(const Group& group, const isa::Instruction& inst, const Lowered::Step& step) {
  switch (step.kind) {
  case UopKind::scalar: return group.staging ? Use{} : scalar_use(inst, step.op);
  case UopKind::vector:
  case UopKind::saturated: return group.staging ? Use{} : vector_use(inst, step.op, step.kind == UopKind::saturated);
  default: return group.staging ? stage_use(step.kind, step.op) : Use{};
  }
}

struct Example {
  isa::Instruction inst;
  Uop op;
  Use use;
};

class BodiesRun : public testing::TestWithParam<std::tuple<std::string, Group>> {
protected:
  void SetUp() override {
    if (lanes::host_level(nullptr) < (level() == "v4" ? 4 : 3))
      GTEST_SKIP() << "this host lacks " << level();
  }
  static const Group& group() { return std::get<1>(GetParam()); }
  static std::string_view level() { return std::get<0>(GetParam()); }
  const engine::Backend& backend() const { return level() == "v4" ? engine::backend_v4 : engine::backend_v3; }

  struct Stop {
    static CROSSLANE_CC void stop(const Uop*, Wave*) {}
  };
  // The interpreter's handler of one uop.
  static void interpret(Wave& w, const Uop& op) {
    const Uop run[2] = {op, Uop{.fn = Stop::stop}};
    _mm_setcsr(w.mxcsr32);
    run[0].fn(run, &w);
    _mm_setcsr(0x1f80);
  }
  static void call(Call body, Frame& frame, const Wave& w, bool mode64) {
    _mm_setcsr(mode64 ? w.mxcsr64 : w.mxcsr32);
    body(&frame);
    _mm_setcsr(0x1f80);
  }
  // Runs the body on lanes [first, first + count) of the wave and compares with what the handler left.
  void compare(Call body, const std::string& name, const Use& use, int first, int count, const Uop& op) {
    const Wave &before = *before_, &after = *after_;
    Frame frame;
    for (size_t i = 0; i < use.in.size(); ++i) {
      const Operand& o = use.in[i];
      uint8_t* to = frame.in[i].bytes;
      if (o.kind == Operand::number) {
        const uint32_t n = o.offset == mode_argument ? before.mode : uint32_t(o.k);
        std::memcpy(to, &n, 4);
      } else if (o.kind == Operand::mask) {
        uint64_t m;
        std::memcpy(&m, reinterpret_cast<const char*>(&before) + o.offset, 8);
        m = m >> first & ((1ull << count) - 1);
        std::memcpy(to, &m, 2);
      } else {
        for (int l = 0; l < count; ++l) {
          const uint64_t v = item(before, o.offset, o.k, o.type, first + l);
          std::memcpy(to + l * bytes(o.type), &v, bytes(o.type));
        }
      }
    }
    call(body, frame, before, use.mode64);
    int result = 0;
    for (int l = 0; use.out != Type::None && l < count; ++l) {
      uint64_t got = 0;
      std::memcpy(&got, frame.out[0].bytes + l * bytes(use.out), bytes(use.out));
      const uint64_t want = item(after, op.dst, 0, use.out, first + l);
      result = 1;
      if (got == want)
        continue;
      int source_nans = 0, values = 0;
      std::string sources;
      for (const Operand& o : use.in)
        if (o.kind == Operand::value) {
          const uint64_t v = item(before, o.offset, o.k, o.type, first + l);
          source_nans += nans(o.type, v), ++values;
          char text[24];
          std::snprintf(text, sizeof text, " %#lx", v);
          sources += text;
        }
      // With three operands a product may be a NaN of its own, which meets the third.
      if (source_nans >= (values > 2 ? 1 : 2) && differs_by_payload(use.out, got, want)) {
        payloads_.insert(name);
        continue;
      }
      ADD_FAILURE() << name << " lane " << first + l << " mode " << std::hex << before.mode << ":" << sources
                    << " gives " << got << ", handler " << want;
    }
    const bool flags = use.out == Type::None || has_flag_.contains(use.body);
    if (flags) {
      uint64_t want;
      std::memcpy(&want, reinterpret_cast<const char*>(&after) + use.flag, 8);
      want = want >> first & ((1ull << count) - 1);
      uint64_t got = 0;
      std::memcpy(&got, frame.out[result].bytes, 2);
      got &= (1ull << count) - 1;
      EXPECT_EQ(got, want) << name << " mode " << std::hex << before.mode << " lane " << first;
    }
  }
  std::map<std::string, std::vector<Example>> examples();
  void run(Compiled&, const std::string& body, const std::string& suffix, const Example&,
           const std::map<size_t, uint64_t>& constants, Inputs&, int rounds);

  std::unique_ptr<Wave, Free> before_ = new_wave(), after_ = new_wave();
  std::set<std::string> payloads_, has_flag_;
};

// Uops of the group by the body that computes them.
std::map<std::string, std::vector<Example>> BodiesRun::examples() {
  std::map<std::string, std::vector<Example>> all;
  engine::DecodeMode overflow;
  overflow.set(engine::DecodeMode::fp16_ovfl, true);
  for (size_t o = 0; o < isa::rows().size(); ++o) {
    const isa::Row& row = isa::rows()[o];
    if (row.encoding < group().first || row.encoding > group().last)
      continue;
    if (isa::has(row.implicit, Implicit::vcc_w) || isa::has(row.implicit, Implicit::scc_w) || row.sdst == Type::Mask)
      for (const char* suffix : {"", ".clamped"})
        has_flag_.insert(std::string(row.mnemonic) + suffix);
    for (const isa::Instruction& inst : variants(isa::Op(o)))
      for (const auto& step : lowered(inst, backend(), group().staging ? overflow : engine::DecodeMode{})) {
        const Use use = use_of(group(), inst, step);
        if (use.body.empty())
          continue;
        auto& list = all[use.body];
        if (list.size() < (group().staging ? 40u : 3u))
          list.push_back({inst, step.op, use});
      }
  }
  return all;
}

void BodiesRun::run(Compiled& compiled, const std::string& body, const std::string& suffix, const Example& e,
                    const std::map<size_t, uint64_t>& constants, Inputs& inputs, int rounds) {
  for (const uint32_t mode : modes)
    for (int round = 0; round < rounds; ++round) {
      std::memset(static_cast<void*>(before_.get()), 0, machine::wave_bytes(true));
      before_->mode = mode;
      engine::apply_mode(*before_);
      for (size_t i = 0; i < e.use.in.size(); ++i)
        if (const Operand& o = e.use.in[i]; o.kind == Operand::value) {
          const auto k = constants.find(i);
          fill(*before_, o.offset, o.type, [&] { return k == constants.end() ? inputs.next(o.type) : k->second; });
        }
      before_->scc = inputs.bits() & 1;
      before_->set_pair(106, inputs.bits());
      before_->set_pair(126, ~uint64_t(0));
      std::memcpy(static_cast<void*>(after_.get()), before_.get(), machine::wave_bytes(true));
      interpret(*after_, e.op);
      if (const Call wide = compiled.find("v16." + body + suffix))
        for (int lane = 0; lane < 64; lane += 16)
          compare(wide, "v16." + body + suffix, e.use, lane, 16, e.op);
      if (const Call narrow = compiled.find("s1." + body + suffix))
        for (int lane = 0; lane < 64; ++lane)
          compare(narrow, "s1." + body + suffix, e.use, lane, 1, e.op);
      if (const Call scalar = compiled.find("salu." + body + suffix))
        compare(scalar, "salu." + body + suffix, e.use, 0, 1, e.op);
      if (HasFailure())
        return;
    }
}

// CROSSLANE_TEST_ROUNDS=2000: so many for each body and MODE, which takes half an hour.
int rounds_wanted(int usual) {
  const char* const wanted = std::getenv("CROSSLANE_TEST_ROUNDS");
  return wanted ? std::max(usual, std::atoi(wanted)) : usual;
}

TEST_P(BodiesRun, AsTheInterpreter) {
  const auto all = examples();
  Compiled compiled(level(), [&](std::string_view name) { return all.contains(stem(name)); });
  for (const auto& [body, list] : all) {
    const bool scalar = compiled.names().contains("salu." + body);
    EXPECT_TRUE(scalar || (compiled.names().contains("v16." + body) && compiled.names().contains("s1." + body)))
        << body;
    Inputs inputs(std::hash<std::string>()(body));
    for (const Example& e : list)
      run(compiled, body, "", e, {}, inputs, rounds_wanted(scalar ? 60 : 3));
  }
  if (group().staging) { // by name, since rows are told by bodies_test.cpp
    llvm::LLVMContext context;
    const auto module = library(context, level());
    for (const llvm::Function& f : *module)
      if (f.getName().contains(".stage."))
        EXPECT_TRUE(all.contains(stem(f.getName()))) << f.getName().str() << " was not run";
  }
  std::string differ;
  for (const std::string& name : payloads_)
    differ += (differ.empty() ? "" : " ") + name;
  RecordProperty("bodies", int(compiled.names().size()));
  RecordProperty("payloads_differ", differ);
}

// Constants that LLVM would fold with, or an identity that it would use, if it took MODE to be the default.
class BodiesFold : public BodiesRun {};
TEST_P(BodiesFold, ConstantsAreNotFoldedAgainstMode) {
  const auto all = examples();
  // Per type: 1, -0, a third, the smallest denormal, the largest number, 0, a signalling NaN.
  const auto constant = [](Type t, size_t n) -> uint64_t {
    const uint64_t f16[] = {0x3c00, 0x8000, 0x3555, 1, 0x7bff, 0, 0x7c01};
    const uint64_t f32[] = {0x3f800000, 0x80000000, 0x3eaaaaab, 1, 0x7f7fffff, 0, 0x7f800001};
    const uint64_t f64[] = {0x3ff0000000000000, 0x8000000000000000, 0x3fd5555555555555, 1, 0x7fefffffffffffff, 0,
                            0x7ff0000000000001};
    switch (t) {
    case Type::F16: return f16[n];
    case Type::F64: return f64[n];
    case Type::PkF16: return f16[n] * 0x10001;
    case Type::PkF32: return f32[n] * 0x100000001;
    default: return f32[n];
    }
  };
  const uint32_t zero = machine::sgpr_offset(machine::scalar_zero); // where the instruction's own constants are
  std::memset(static_cast<void*>(before_.get()), 0, machine::wave_bytes(true));
  std::vector<Specialized> specialized;
  for (const auto& [body, list] : all) {
    const auto& in = list[0].use.in;
    const auto floats = std::count_if(in.begin(), in.end(), [](const Operand& o) { return isa::is_float(o.type); });
    if (floats == 0)
      continue;
    const auto add = [&](const std::map<size_t, uint64_t>& constants) {
      const std::string suffix = "." + std::to_string(specialized.size());
      specialized.push_back({"s1." + body, "s1." + body + suffix, constants});
    };
    for (size_t n = 0; n < 2; ++n) // one of them
      for (size_t i = 0; i < in.size(); ++i)
        if (isa::is_float(in[i].type) && in[i].offset != zero)
          add({{i, constant(in[i].type, n)}});
    // All of them: the second one, and the others.
    for (const auto& [second, others] : {std::pair(3, 2), {4, 3}, {0, 4}, {5, 3}, {3, 5}, {1, 3}, {5, 6}}) {
      std::map<size_t, uint64_t> constants;
      for (size_t i = 0; i < in.size(); ++i)
        if (in[i].kind == Operand::value)
          constants[i] = in[i].offset == zero        ? item(*before_, zero, in[i].k, in[i].type, 0)
                         : isa::is_float(in[i].type) ? constant(in[i].type, size_t(i == 1 ? second : others))
                                                     : 3;
      add(constants);
    }
  }
  std::set<std::string> wanted;
  for (const Specialized& s : specialized)
    wanted.insert(s.body);
  Compiled compiled(level(), [&](std::string_view name) { return wanted.contains(std::string(name)); }, specialized);
  Inputs inputs(1);
  for (const Specialized& s : specialized) {
    const std::string body = stem(s.body);
    run(compiled, body, s.name.substr(s.body.size()), all.at(body)[0], s.constants, inputs, 1);
  }
}

const Group salu{"SALU", Encoding::SOP1, Encoding::SOPC};
const Group floating[] = {{"VOP1", Encoding::VOP1, Encoding::VOP1}, {"VOP2", Encoding::VOP2, Encoding::VOP2},
                          {"VOP3", Encoding::VOP3, Encoding::VOP3}, {"VOP3P", Encoding::VOP3P, Encoding::VOP3P},
                          {"VOPC", Encoding::VOPC, Encoding::VOPC}, {"Staging", Encoding::VOP1, Encoding::VOP3P, true}};
std::string name_of(const testing::TestParamInfo<std::tuple<std::string, Group>>& info) {
  return std::string(std::get<1>(info.param).name) + "_" + std::get<0>(info.param);
}
const auto levels = testing::Values(std::string("v3"), std::string("v4"));
INSTANTIATE_TEST_SUITE_P(Jit, BodiesRun, testing::Combine(levels, testing::ValuesIn(floating)), name_of);
INSTANTIATE_TEST_SUITE_P(JitScalar, BodiesRun, testing::Combine(levels, testing::Values(salu)), name_of);
INSTANTIATE_TEST_SUITE_P(Jit, BodiesFold, testing::Combine(levels, testing::ValuesIn(floating)), name_of);

} // namespace
} // namespace crosslane::test
