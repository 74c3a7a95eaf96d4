// isa/classify.h and isa/flow.h against LLVM 19: what MCInstrDesc says of branches, memory and units, for every
// instance of every row on all targets. Where the two differ there is a rule with its reason; a rule that nothing needs
// fails. As operands_llvm_test.cpp has it of registers.
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/instances.h"
#include "isa/matrix.h"
#include "isa/print.h"
#include "tests/isa/llvm_assembler.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crosslane::tests {
namespace {

using isa::Access;
using isa::Counter;
using isa::Encoding;
using isa::FlowKind;
using isa::Generation;
using isa::Instruction;
using isa::Op;
using isa::Row;
using isa::Unit;

// SIInstrFlags of LLVM 19.
namespace flag {
constexpr uint64_t salu = 1 << 0, valu = 1 << 1, vintrp = 1 << 13, trans = 1 << 16, mubuf = 1 << 17, mtbuf = 1 << 18,
                   smrd = 1 << 19, mimg = 1 << 20, exp = 1 << 23, flat = 1 << 24, ds = 1 << 25,
                   vm_cnt = uint64_t(1) << 32, exp_cnt = uint64_t(1) << 33, lgkm_cnt = uint64_t(1) << 34,
                   flat_global = uint64_t(1) << 51, is_mai = uint64_t(1) << 54, flat_scratch = uint64_t(1) << 56,
                   atomic_no_return = uint64_t(1) << 57, atomic_return = uint64_t(1) << 58, gws = uint64_t(1) << 62;
}

bool is_scalar_unit(Unit u) {
  return u == Unit::salu || u == Unit::branch || u == Unit::message || u == Unit::internal;
}
bool raises(const Instruction& i, Counter c) { return isa::waits(i).raises(c); }

struct Fact {
  const char* name;
  bool (*ours)(const Instruction&);
  bool (*llvm)(const LlvmKind&);
};
const Fact facts[] = {
    {"salu", [](const Instruction& i) { return is_scalar_unit(isa::unit(i)); },
     [](const LlvmKind& k) { return (k.flags & flag::salu) != 0; }},
    {"valu", [](const Instruction& i) { return isa::unit(i) == Unit::valu; },
     [](const LlvmKind& k) { return (k.flags & (flag::valu | flag::vintrp)) != 0; }},
    {"smem", [](const Instruction& i) { return isa::unit(i) == Unit::smem; },
     [](const LlvmKind& k) { return (k.flags & flag::smrd) != 0; }},
    {"vmem", [](const Instruction& i) { return isa::unit(i) == Unit::vmem; },
     [](const LlvmKind& k) { return (k.flags & (flag::mubuf | flag::mtbuf | flag::mimg)) != 0; }},
    {"flat", [](const Instruction& i) { return isa::unit(i) == Unit::flat; },
     [](const LlvmKind& k) { return (k.flags & flag::flat) != 0; }},
    {"lds or gds", [](const Instruction& i) { return isa::unit(i) == Unit::lds || isa::unit(i) == Unit::gds; },
     [](const LlvmKind& k) { return (k.flags & flag::ds) != 0; }},
    {"export", [](const Instruction& i) { return isa::unit(i) == Unit::export_; },
     [](const LlvmKind& k) { return (k.flags & flag::exp) != 0; }},
    {"global", [](const Instruction& i) { return i.encoding == Encoding::GLOBAL; },
     [](const LlvmKind& k) { return (k.flags & flag::flat_global) != 0; }},
    {"scratch", [](const Instruction& i) { return i.encoding == Encoding::SCRATCH; },
     [](const LlvmKind& k) { return (k.flags & flag::flat_scratch) != 0; }},
    {"vmcnt", [](const Instruction& i) { return raises(i, Counter::vm); },
     [](const LlvmKind& k) { return (k.flags & flag::vm_cnt) != 0; }},
    {"lgkmcnt", [](const Instruction& i) { return raises(i, Counter::lgkm); },
     [](const LlvmKind& k) { return (k.flags & flag::lgkm_cnt) != 0; }},
    {"expcnt", [](const Instruction& i) { return raises(i, Counter::exp); },
     [](const LlvmKind& k) { return (k.flags & flag::exp_cnt) != 0; }},
    {"loads", [](const Instruction& i) { return isa::memory_use(i).loads; }, [](const LlvmKind& k) { return k.loads; }},
    {"stores", [](const Instruction& i) { return isa::memory_use(i).stores; },
     [](const LlvmKind& k) { return k.stores; }},
    {"atomic", [](const Instruction& i) { return isa::memory_use(i).atomic; },
     [](const LlvmKind& k) { return (k.flags & (flag::atomic_return | flag::atomic_no_return)) != 0; }},
    {"atomic that returns",
     [](const Instruction& i) { return isa::memory_use(i).atomic && isa::memory_use(i).returns; },
     [](const LlvmKind& k) { return (k.flags & flag::atomic_return) != 0; }},
    {"matrix", [](const Instruction& i) { return isa::is_matrix(i.op); },
     [](const LlvmKind& k) { return (k.flags & flag::is_mai) != 0; }},
    {"transcendental", [](const Instruction& i) { return isa::is_transcendental(row(i.op)); },
     [](const LlvmKind& k) { return (k.flags & flag::trans) != 0; }},
    {"gws", [](const Instruction& i) { return isa::row(i.op).access == Access::gws; },
     [](const LlvmKind& k) { return (k.flags & flag::gws) != 0; }},
    {"branch",
     [](const Instruction& i) {
       const FlowKind k = isa::flow(i).kind;
       return k == FlowKind::branch || k == FlowKind::fork || k == FlowKind::join || k == FlowKind::jump;
     },
     [](const LlvmKind& k) { return k.branch; }},
    {"indirect branch", [](const Instruction& i) { return isa::flow(i).kind == FlowKind::jump; },
     [](const LlvmKind& k) { return k.indirect; }},
    {"call", [](const Instruction& i) { return isa::flow(i).kind == FlowKind::call; },
     [](const LlvmKind& k) { return k.call; }},
    {"end of a block",
     [](const Instruction& i) {
       return isa::flow(i).ends_basic_block() && isa::flow(i).kind != FlowKind::call; // whose code comes back
     },
     [](const LlvmKind& k) { return k.terminator; }},
    {"passes no control on", [](const Instruction& i) { return !isa::flow(i).falls_through; },
     [](const LlvmKind& k) { return k.barrier; }},
};

// Where the two differ, and why.
struct Rule {
  const char* reason;
  bool (*matches)(const Instruction&, const Row&, std::string_view fact, bool ours);
};
bool never_generated(const Instruction& i) {
  const FlowKind k = isa::flow(i).kind;
  return k == FlowKind::fork || k == FlowKind::join || k == FlowKind::trap || k == FlowKind::trap_end ||
         k == FlowKind::halt;
}
const Rule rules[] = {
    {"LLVM never generates forks, joins, traps and halts as ends of blocks",
     [](const Instruction& i, const Row&, std::string_view fact, bool ours) {
       return ours && never_generated(i) &&
              (fact == "branch" || fact == "end of a block" || fact == "passes no control on");
     }},
    {"of s_setpc_b64 LLVM calls a pseudo instruction indirect",
     [](const Instruction& i, const Row&, std::string_view fact, bool ours) {
       return ours && fact == "indirect branch" && i.op == Op::s_setpc_b64;
     }},
    {"stores raise EXPCNT on gfx6 only: in LLVM SIInsertWaitcnts decides (vmemWriteNeedsExpWaitcnt), its flag is of "
     "all",
     [](const Instruction& i, const Row&, std::string_view fact, bool ours) {
       return !ours && fact == "expcnt" && isa::unit(i) == Unit::vmem &&
              (isa::info(i.target).generation > Generation::gfx6 || i.data == isa::code::none);
     }},
    {"invalidations of the cache raise nothing: LLVM has that in SIInsertWaitcnts (getMUBUFIsBufferInv), not in its "
     "flag",
     [](const Instruction& i, const Row& r, std::string_view fact, bool ours) {
       return !ours && fact == "vmcnt" && r.encoding == Encoding::MUBUF && r.access == Access::cache &&
              i.op != Op::buffer_wbl2;
     }},
    {"GDS raises EXPCNT: LLVM has that in SIInsertWaitcnts (GDS_GPR_LOCK), not in its flag",
     [](const Instruction& i, const Row&, std::string_view fact, bool ours) {
       return ours && fact == "expcnt" && i.gds;
     }},
    {"messages raise LGKMCNT: likewise (SQ_MESSAGE); and address probes as all SMEM",
     [](const Instruction& i, const Row& r, std::string_view fact, bool ours) {
       return ours && fact == "lgkmcnt" && (isa::unit(i) == Unit::message || r.access == Access::probe);
     }},
    {"between memory and LDS: LLVM flags another unit and counter, and waits for VMCNT all the same",
     [](const Instruction& i, const Row&, std::string_view fact, bool ours) {
       return !ours && i.lds && (fact == "valu" || fact == "lgkmcnt");
     }},
    {"GWS, s_wakeup and exports touch no memory; LLVM keeps them in order that way",
     [](const Instruction& i, const Row& r, std::string_view fact, bool ours) {
       return !ours && (fact == "loads" || fact == "stores") &&
              (r.access == Access::gws || i.op == Op::s_wakeup || r.encoding == Encoding::EXP);
     }},
    {"plain stores to LDS are of one class with its atomics in LLVM",
     [](const Instruction&, const Row& r, std::string_view fact, bool ours) {
       return !ours && fact == "atomic" && r.encoding == Encoding::DS && isa::is_store(r.access);
     }},
    {"DS that LLVM does not flag: an operand from LDS, two addresses, append, consume, ordered count",
     [](const Instruction&, const Row& r, std::string_view fact, bool ours) {
       return ours && r.encoding == Encoding::DS && fact.starts_with("atomic") &&
              (r.src[0] == isa::Type::None || isa::has_two_addresses(r.access) || r.access >= Access::append);
     }},
    {"LLVM's image atomics return the old value with or without GLC",
     [](const Instruction& i, const Row& r, std::string_view fact, bool ours) {
       return !ours && fact == "atomic that returns" && r.encoding == Encoding::MIMG && !i.glc;
     }},
    {"moves of AccVGPRs are in the encoding of matrix operations",
     [](const Instruction& i, const Row&, std::string_view fact, bool ours) {
       return !ours && fact == "matrix" && (i.op == Op::v_accvgpr_read_b32 || i.op == Op::v_accvgpr_write_b32);
     }},
    {"gfx6 and gfx7 alone have these, and LLVM no flag",
     [](const Instruction& i, const Row&, std::string_view fact, bool ours) {
       return ours && fact == "transcendental" && (i.op == Op::v_rcp_clamp_f64 || i.op == Op::v_rsq_clamp_f64);
     }},
};

class ClassifyLlvm : public testing::Test {
protected:
  void compare_target(const isa::TargetInfo&);
  int used_[std::size(rules)] = {};
  size_t compared_ = 0;
};

void ClassifyLlvm::compare_target(const isa::TargetInfo& t) {
  LlvmAssembler assembler(std::string(t.name), {.registers = true});
  std::vector<Instruction> all;
  std::vector<std::string> lines;
  for (size_t o = 0; o < isa::rows().size(); ++o)
    for (Instruction i : isa::instances(Op(o), t.target)) {
      if (i.op == Op::v_writelane_b32)
        i.src[1] = isa::code::m0; // two SGPRs are one too many
      all.push_back(i), lines.push_back(isa::print(i));
    }
  const auto answers = assembler.assemble(lines);
  for (size_t n = 0; n < all.size(); ++n) {
    if (!answers[n].error.empty())
      continue; // operands_llvm_test.cpp knows them
    ++compared_;
    const Row& r = isa::row(all[n].op);
    for (const Fact& f : facts) {
      const bool ours = f.ours(all[n]);
      if (ours == f.llvm(answers[n].kind))
        continue;
      const auto rule = std::ranges::find_if(rules, [&](const Rule& x) { return x.matches(all[n], r, f.name, ours); });
      if (rule == std::end(rules))
        ADD_FAILURE() << t.name << " " << lines[n] << ": only " << (ours ? "we say it: " : "LLVM says it: ") << f.name;
      else
        ++used_[rule - rules];
    }
  }
}

TEST_F(ClassifyLlvm, EveryInstanceOfEveryRowOnAllTargets) {
  for (const isa::TargetInfo& t : isa::targets())
    compare_target(t);
  for (size_t n = 0; n < std::size(rules); ++n)
    EXPECT_GT(used_[n], 0) << "needed by nothing: " << rules[n].reason;
  EXPECT_GT(compared_, 20000u);
  fmt::print("{} instances compared\n", compared_);
}

} // namespace
} // namespace crosslane::tests
