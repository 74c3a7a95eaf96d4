// isa/operands.h against LLVM 19: what MCInstrDesc says an instruction reads and writes, explicitly and implicitly, for
// every instance of every row on all targets. It goes through LLVM's assembler, which has gfx6 and gfx7 too. Where the
// two differ there is a rule with its reason; a rule that nothing needs fails.
#include "isa/access.h"
#include "isa/instances.h"
#include "isa/op.h"
#include "isa/operands.h"
#include "isa/print.h"
#include "tests/isa/llvm_assembler.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crosslane::tests {
namespace {

using isa::Access;
using isa::Encoding;
using isa::Extent;
using isa::Generation;
using isa::Instruction;
using isa::Operand;
using isa::RegisterFile;
namespace code = isa::code;
namespace special = isa::special;

// Reads include what a write keeps some of, which LLVM has as an operand that is tied to the result.
struct Sets {
  std::set<RegisterName> reads, writes;
};

// As LLVM has it: of indexed operands and image addresses what is named, without what follows from VCC and EXEC.
Sets of_ours(const Instruction& inst) {
  Sets s;
  for (const Operand& o : isa::operands(inst)) {
    if (o.role == isa::Role::stack)
      continue;
    const int dwords = o.extent == Extent::exact ? o.dwords : std::max(1, isa::dwords(o.type));
    for (int d = 0; d < dwords; ++d) {
      const RegisterName n{o.file, unsigned(o.first + d)};
      if (o.read || o.ties())
        s.reads.insert(n);
      if (o.written)
        s.writes.insert(n);
    }
  }
  return s;
}

enum class What : uint8_t { read, write };
struct Difference {
  What what;
  bool ours; // only here; else only in LLVM
  RegisterName name;
};

std::string text(const Difference& d) {
  static constexpr const char *files[] = {"s", "v", "a", "special "}, *whats[] = {"reads", "writes"};
  return fmt::format("only {} {} {}{}", d.ours ? "we say it" : "LLVM says it", whats[int(d.what)],
                     files[int(d.name.file)], d.name.number);
}

template <class Set> void compare(What what, const Set& ours, const Set& llvm, std::vector<Difference>& all) {
  for (const RegisterName& n : ours)
    if (!llvm.contains(n))
      all.push_back({what, true, n});
  for (const RegisterName& n : llvm)
    if (!ours.contains(n))
      all.push_back({what, false, n});
}

using isa::Implicit;
using isa::Op;
bool is(const Difference& d, RegisterFile f, unsigned number) { return d.name == RegisterName{f, number}; }
bool is_mode(const Difference& d) { return is(d, RegisterFile::special, special::mode); }
bool is_m0(const Difference& d) { return is(d, RegisterFile::scalar, code::m0); }
bool is_exec(const Difference& d) {
  return is(d, RegisterFile::scalar, code::exec) || is(d, RegisterFile::scalar, code::exec + 1u);
}
bool is_flat_scratch(const Difference& d) {
  return d.name.file == RegisterFile::scalar && d.name.number >= code::flat_scratch &&
         d.name.number < code::flat_scratch + 2u;
}
bool in_role(const Instruction& i, const Difference& d, std::initializer_list<isa::Role> roles) {
  for (const Operand& o : isa::operands(i))
    if (std::ranges::find(roles, o.role) != roles.end() && o.holds(d.name.file, d.name.number))
      return true;
  return false;
}
bool is_dst(const Instruction& i, const Difference& d) { return in_role(i, d, {isa::Role::dst}); }
bool is_data(const Instruction& i, const Difference& d) { return in_role(i, d, {isa::Role::dst, isa::Role::data}); }
bool is_atomic(const isa::Row& r) { return isa::is_atomic(r.access); }
bool compares(const isa::Row& r) { return isa::is_compare_and_swap(r.access); }

// Where the two differ, and why.
struct Rule {
  const char* reason;
  bool (*matches)(const Instruction&, const isa::Row&, const Difference&);
};
const Rule rules[] = {
    {"LLVM has no VCCZ and EXECZ beside VCC and EXEC",
     [](const Instruction&, const isa::Row&, const Difference& d) {
       return d.ours && (is(d, RegisterFile::special, special::vccz) || is(d, RegisterFile::special, special::execz));
     }},
    {"of the hardware registers LLVM knows MODE only",
     [](const Instruction&, const isa::Row&, const Difference& d) {
       return d.ours && d.name.file == RegisterFile::special && d.name.number > special::mode;
     }},
    {"s_trap leaves the pc and its number to the handler: GCN3 and Vega ISA manuals",
     [](const Instruction& i, const isa::Row&, const Difference& d) {
       const unsigned ttmp0 = isa::first_ttmp(isa::info(i.target).generation);
       return d.ours && i.op == Op::s_trap &&
              (is(d, RegisterFile::scalar, ttmp0) || is(d, RegisterFile::scalar, ttmp0 + 1));
     }},
    {"LLVM never generates forks and joins, and says nothing of EXEC and MODE.CSP",
     [](const Instruction&, const isa::Row& r, const Difference& d) {
       return d.ours && has(r.implicit, Implicit::stack_r | Implicit::stack_w) && (is_exec(d) || is_mode(d));
     }},
    {"LLVM has some conversions and v_cmp_class read no MODE; here whatever has a float does, denormals matter to all",
     [](const Instruction&, const isa::Row& r, const Difference& d) {
       return d.ours && d.what == What::read && is_mode(d) &&
              (r.mnemonic.starts_with("v_cvt_") || r.mnemonic.find("_class_") != std::string_view::npos);
     }},
    {"atomics on floats read MODE: its denormal mode",
     [](const Instruction&, const isa::Row& r, const Difference& d) {
       return d.ours && d.what == What::read && is_mode(d) && r.access != Access::none;
     }},
    {"matrix operations work on all lanes, with a rounding and denormals of their own: MI100 and MI200 ISA manuals",
     [](const Instruction& i, const isa::Row& r, const Difference& d) {
       return !d.ours && r.encoding == Encoding::VOP3P && isa::ignores_exec(i) && (is_exec(d) || is_mode(d));
     }},
    {"from gfx9 on M0 does not limit LDS; LLVM's assembler has one description for both",
     [](const Instruction& i, const isa::Row& r, const Difference& d) {
       return !d.ours && is_m0(d) && r.encoding == Encoding::DS && isa::info(i.target).generation >= Generation::gfx9;
     }},
    {"GDS has its base and size in M0 on every generation",
     [](const Instruction& i, const isa::Row&, const Difference& d) { return d.ours && is_m0(d) && i.gds; }},
    {"v_nop, v_clrexcp, ds_nop and cache operations do nothing to lanes or LDS",
     [](const Instruction& i, const isa::Row&, const Difference& d) {
       return !d.ours && d.what == What::read && (is_exec(d) || is_m0(d)) && i.dst == code::none &&
              i.src[0] == code::none && i.addr == code::none;
     }},
    {"LLVM's image atomics return the old value with or without GLC",
     [](const Instruction& i, const isa::Row& r, const Difference& d) {
       return !d.ours && d.what == What::write && r.encoding == Encoding::MIMG && is_atomic(r) && !i.glc &&
              d.name.file == RegisterFile::vgpr;
     }},
    {"of a compare and swap LLVM has both registers written; the hardware returns one value",
     [](const Instruction& i, const isa::Row& r, const Difference& d) {
       return !d.ours && d.what == What::write && compares(r) && i.glc && is_data(i, d);
     }},
    {"LLVM ties the status of TFE to what it was before, and has a store's read",
     [](const Instruction& i, const isa::Row&, const Difference& d) {
       return !d.ours && d.what == What::read && i.tfe && d.name.file == RegisterFile::vgpr;
     }},
    {"D16 loads keep the other half; what LLVM's assembler matches ties nothing",
     [](const Instruction& i, const isa::Row& r, const Difference& d) {
       return d.ours && d.what == What::read && r.access != Access::none && has(r.implicit, Implicit::dst_r) &&
              is_dst(i, d);
     }},
    {"SCRATCH with the LDS bit reads FLAT_SCRATCH as without it",
     [](const Instruction& i, const isa::Row& r, const Difference& d) {
       return d.ours && is_flat_scratch(d) && r.encoding == Encoding::SCRATCH && i.lds;
     }},
    {"s_scratch_* have their base in an operand",
     [](const Instruction&, const isa::Row& r, const Difference& d) {
       return !d.ours && is_flat_scratch(d) && r.encoding == Encoding::SMEM;
     }},
    {"s_set_gpr_idx_idx and _mode change M0 alone, and keep the rest of it",
     [](const Instruction& i, const isa::Row&, const Difference& d) {
       return (!d.ours && i.op == Op::s_set_gpr_idx_idx && is_mode(d)) ||
              (d.ours && i.op == Op::s_set_gpr_idx_mode && is_m0(d));
     }},
    {"s_setvskip writes MODE.VSKIP, no SCC as LLVM has it of every compare",
     [](const Instruction& i, const isa::Row&, const Difference& d) {
       return i.op == Op::s_setvskip && (d.ours ? is_mode(d) : is(d, RegisterFile::special, special::scc));
     }},
    {"s_setreg of a whole register keeps nothing of it",
     [](const Instruction&, const isa::Row& r, const Difference& d) {
       return !d.ours && d.what == What::read && is_mode(d) && r.encoding == Encoding::SOPK;
     }},
    {"beyond the SGPRs a relative source is SGPR 0",
     [](const Instruction&, const isa::Row& r, const Difference& d) {
       return d.ours && d.what == What::read && has(r.implicit, Implicit::src_rel) && d.name.number < 2;
     }},
    {"of a relative destination LLVM has the named register as a source",
     [](const Instruction& i, const isa::Row& r, const Difference& d) {
       return d.ours && d.what == What::write && has(r.implicit, Implicit::dst_rel) && is_dst(i, d);
     }},
    {"LLVM never generates these, and ties no operand to their destination",
     [](const Instruction& i, const isa::Row& r, const Difference& d) {
       return d.ours && d.what == What::read && r.access == Access::none && has(r.implicit, Implicit::dst_r) &&
              is_dst(i, d);
     }},
    {"16-bit results that keep the other half of their register on gfx9: LLVM sees to it elsewhere "
     "(GCNSubtarget::zeroesHigh16BitsOfDest)",
     [](const Instruction& i, const isa::Row&, const Difference& d) {
       return d.ours && d.what == What::read && isa::preserves_other_half(i) && is_dst(i, d);
     }},
    {"s_quadmask_* set SCC: GCN3 and Vega ISA manuals",
     [](const Instruction& i, const isa::Row&, const Difference& d) {
       return d.ours && (i.op == Op::s_quadmask_b32 || i.op == Op::s_quadmask_b64) &&
              is(d, RegisterFile::special, special::scc);
     }},
    {"v_interp_* have the parameters' place in M0, whatever half they write",
     [](const Instruction&, const isa::Row& r, const Difference& d) {
       return d.ours && is_m0(d) && r.src[1] == isa::Type::Attr;
     }},
};

// What LLVM's assembler does not take of what the decoder gives.
struct Refusal {
  const char *error, *reason;
};
const Refusal refusals[] = {
    {"TFE modifier has no meaning for store instructions", "the bit may be set"},
    {"image data size does not match dmask and tfe", "its disassembler prints them so"},
    {"instruction not supported on this GPU", "v_qsad_pk_u16_u8 of gfx6"},
    {"invalid instruction, did you mean", "buffer_atomic_rsub of gfx6"},
    {"invalid operand for instruction", "image_atomic_fcmpswap with DMASK 1, and the like"},
};

class OperandsLlvm : public testing::Test {
protected:
  void compare_target(const isa::TargetInfo&);
  int used_[std::size(rules)] = {}, refused_[std::size(refusals)] = {};
  size_t compared_ = 0;
};

void OperandsLlvm::compare_target(const isa::TargetInfo& t) {
  LlvmAssembler assembler(std::string(t.name), {.registers = true});
  std::vector<Instruction> all;
  std::vector<std::string> lines;
  for (size_t o = 0; o < isa::rows().size(); ++o)
    for (Instruction i : isa::instances(Op(o), t.target)) {
      if (i.op == Op::v_writelane_b32)
        i.src[1] = code::m0; // two SGPRs are one too many
      all.push_back(i), lines.push_back(isa::print(i));
    }
  const auto answers = assembler.assemble(lines);
  for (size_t n = 0; n < all.size(); ++n) {
    if (const std::string& error = answers[n].error; !error.empty()) {
      const auto known = std::ranges::find_if(refusals, [&](const Refusal& r) { return error.starts_with(r.error); });
      if (known == std::end(refusals))
        ADD_FAILURE() << t.name << " " << lines[n] << ": LLVM says " << error;
      else
        ++refused_[known - refusals];
      continue;
    }
    ++compared_;
    EXPECT_EQ(answers[n].registers.unknown, "") << t.name << " " << lines[n];
    const Sets ours = of_ours(all[n]);
    std::vector<Difference> differences;
    compare(What::read, ours.reads, answers[n].registers.reads, differences);
    compare(What::write, ours.writes, answers[n].registers.writes, differences);
    for (const Difference& d : differences) {
      const auto rule =
          std::ranges::find_if(rules, [&](const Rule& r) { return r.matches(all[n], isa::row(all[n].op), d); });
      if (rule == std::end(rules))
        ADD_FAILURE() << t.name << " " << lines[n] << ": " << text(d);
      else
        ++used_[rule - rules];
    }
  }
}

TEST_F(OperandsLlvm, EveryInstanceOfEveryRowOnAllTargets) {
  for (const isa::TargetInfo& t : isa::targets())
    compare_target(t);
  for (size_t n = 0; n < std::size(rules); ++n)
    EXPECT_GT(used_[n], 0) << "needed by nothing: " << rules[n].reason;
  for (size_t n = 0; n < std::size(refusals); ++n)
    EXPECT_GT(refused_[n], 0) << "needed by nothing: " << refusals[n].error;
  fmt::print("{} instances compared\n", compared_);
}

} // namespace
} // namespace crosslane::tests
