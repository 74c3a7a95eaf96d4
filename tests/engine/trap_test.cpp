// Traps, HALT and the instructions around them: what the Vega ISA manual says of S_TRAP, S_RFE_B64, S_SETHALT,
// S_SETKILL and S_CBRANCH_CDBG*, and handlers written as the ROCm runtime's are (the saved PC is that of the s_trap;
// STATUS is put back).
#include "tests/engine/kernel_fixture.h"

namespace crosslane {
namespace {

using machine::FaultKind;
using test::Buffer;
using test::Kernel;

// SGPRs s40..s47 of the last lane-wise dump go to out[0..7].
const char* const store = R"(
  s_load_dwordx2 s[50:51], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v10, 0
  .set i, 0
  .rept 8
  v_writelane_b32 v10, s[40+i], i
  .set i, i+1
  .endr
  v_lshlrev_b32 v11, 2, v0
  address 12, 50, v11
  s_mov_b64 exec, 0xff
  flat_store_dword v[12:13], v10
  s_endpgm
)";

// Leaves trap information and STATUS in s40..s43, TMA in s[44:45], and returns past the s_trap.
std::string handler(isa::Target target, const std::string& middle = "") {
  const bool gfx9 = target >= isa::Target::gfx900;
  const std::string tma = gfx9 ? "s_getreg_b32 ttmp4, hwreg(HW_REG_TMA_LO)\ns_getreg_b32 ttmp5, hwreg(HW_REG_TMA_HI)\n"
                                 "s_lshl_b64 [ttmp4, ttmp5], [ttmp4, ttmp5], 8\n"
                               : "s_mov_b64 [ttmp4, ttmp5], tma\n";
  return "s_getreg_b32 ttmp6, hwreg(HW_REG_STATUS)\ns_mov_b64 s[40:41], ttmp[0:1]\ns_mov_b32 s42, ttmp6\ns_mov_b32 "
         "s43, ttmp7\n" +
         tma + "s_load_dword s44, ttmp[4:5], 0x0\ns_waitcnt lgkmcnt(0)\n" + middle +
         "s_add_u32 ttmp0, ttmp0, 4\ns_addc_u32 ttmp1, ttmp1, 0\ns_and_b32 ttmp1, ttmp1, 0xffff\n"
         "s_setreg_b32 hwreg(HW_REG_STATUS), ttmp6\ns_rfe_b64 ttmp[0:1]\n";
}

struct WithHandler {
  Kernel handler;
  machine::Memory memory;
  Buffer<uint32_t> out{memory, 64};
  alignas(256) uint32_t tma[64] = {0x12345678};
  WithHandler(isa::Target target, const std::string& text) : handler(target, text) {}
  engine::Outcome run(const Kernel& kernel) {
    engine::Options options;
    options.trap_handler = &handler.code();
    options.trap_handler_address = handler.entry();
    options.trap_memory_address = reinterpret_cast<uint64_t>(tma);
    return kernel.run({}, {out.address()}, options);
  }
};

TEST(Trap, EntersTheHandlerAndComesBack) {
  FOR_ALL_TARGETS(target) {
    const std::string text = "s_mov_b32 ttmp7, 99\n" // ignored: no privilege
                             "s_getpc_b64 s[46:47]\ns_cmp_eq_u32 s0, s0\ns_trap 7\ns_cselect_b32 s45, 1, 0\n"
                             "s_sub_u32 s46, s40, s46\n";
    WithHandler setup(target, handler(target));
    const Kernel kernel(target, text + store);
    EXPECT_NO_FAULT(setup.run(kernel));
    EXPECT_EQ(setup.out[1] >> 16, 7u);     // trap id 7, HT 0, rewind 0
    EXPECT_EQ(setup.out[6], 4u);           // the s_trap is one instruction after what s_getpc gave
    EXPECT_EQ(setup.out[2] & 0x61, 0x61u); // TRAP_EN, PRIV, SCC
    EXPECT_EQ(setup.out[3], 0u);           // the write to a trap register did not happen
    EXPECT_EQ(setup.out[4], 0x12345678u);  // what TMA points to
    EXPECT_EQ(setup.out[5], 1u);           // SCC is as before, though the handler changed it
  }
}

TEST(Trap, WithoutAHandlerIsAFaultButForTheDebugTrap) {
  FOR_ALL_TARGETS(target) {
    const auto outcome = Kernel(target, "s_trap 3\ns_trap 2\ns_endpgm\n").run({}, {0});
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, FaultKind::trap);
    EXPECT_EQ(outcome.fault->instruction, "s_trap 2");
  }
}

TEST(Trap, IllegalInstructionsEnterTheHandler) {
  FOR_ALL_TARGETS(target) {
    WithHandler setup(target, handler(target, "s_getreg_b32 s43, hwreg(HW_REG_TRAPSTS)\n"));
    const Kernel kernel(target,
                        std::string("s_getpc_b64 s[46:47]\n.long 0xbfff0000\ns_sub_u32 s46, s40, s46\n") + store);
    EXPECT_NO_FAULT(setup.run(kernel));
    EXPECT_EQ(setup.out[1] >> 16, 0u); // trap id 0: an exception
    EXPECT_EQ(setup.out[3], 0x800u);   // TRAPSTS.ILLEGAL_INST
    EXPECT_EQ(setup.out[6], 0u);       // the PC is that of the instruction itself
    const auto outcome = kernel.run({}, {setup.out.address()});
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, FaultKind::illegal_instruction);
  }
}

TEST(Trap, FaultsInTheHandlerNameItsCode) {
  FOR_ALL_TARGETS(target) {
    WithHandler setup(target, "s_nop 0\n.long 0xbfff0000\n");
    const auto outcome = setup.run(Kernel(target, "s_trap 1\ns_endpgm\n"));
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, FaultKind::illegal_instruction);
    EXPECT_EQ(outcome.fault->pc, setup.handler.entry() + 4);
  }
}

TEST(Trap, PrivilegeIsNeededToReturnAndToWriteTheStatus) {
  FOR_ALL_TARGETS(target) {
    const auto outcome = Kernel(target, "s_rfe_b64 s[0:1]\ns_endpgm\n").run({}, {0});
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, FaultKind::illegal_instruction);
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 64);
    const Kernel status(target,
                        std::string("s_cmp_eq_u32 s0, s0\ns_setprio 2\ns_setreg_imm32_b32 hwreg(HW_REG_STATUS), 0\n"
                                    "s_getreg_b32 s40, hwreg(HW_REG_STATUS)\n") +
                            store);
    EXPECT_NO_FAULT(status.run({}, {out.address()}));
    EXPECT_EQ(out[0] & 0x1007f, 0x10011u); // SCC, WAVE_PRIO 2, VALID; no handler, no privilege
  }
}

TEST(Trap, SavingContextTraps) {
  WithHandler setup(isa::Target::gfx900,
                    "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 10, 1), 0\ns_mov_b32 s40, ttmp1\ns_mov_b32 s41, 5\n"
                    "s_rfe_b64 ttmp[0:1]\n");
  const Kernel kernel(isa::Target::gfx900, std::string("s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 10, 1), 1\n") + store);
  EXPECT_NO_FAULT(setup.run(kernel));
  EXPECT_EQ(setup.out[0] >> 16, 0u);
  EXPECT_EQ(setup.out[1], 5u);
}

TEST(Trap, HandlersThatCannotBeUsedAreRefused) {
  const Kernel kernel(isa::Target::gfx900, "s_endpgm\n"), other(isa::Target::gfx906, "s_endpgm\n");
  const auto refused = [&](const Kernel& handler, uint64_t address, const std::string& why,
                           const std::string& directives = "") {
    engine::Options options;
    options.trap_handler = &handler.code();
    options.trap_handler_address = address;
    const auto outcome = Kernel(isa::Target::gfx900, "s_endpgm\n", directives).run({}, {0}, options);
    ASSERT_TRUE(outcome.fault) << why;
    EXPECT_EQ(outcome.fault->kind, FaultKind::bad_dispatch);
    EXPECT_NE(outcome.fault->detail.find(why), std::string::npos) << outcome.fault->detail;
  };
  refused(other, other.entry(), "gfx906 code");
  refused(kernel, kernel.entry() + 4, "multiples of 256");
  refused(kernel, 0, "outside of its code");
  refused(kernel, kernel.entry(), "enables exceptions", ".amdhsa_exception_fp_ieee_div_zero 1\n");
}

TEST(Halt, StopsTheDispatchByName) {
  FOR_ALL_TARGETS(target) {
    for (const char* text : {"s_sethalt 1\n", "s_sendmsghalt sendmsg(MSG_INTERRUPT)\n"}) {
      const auto outcome = Kernel(target, std::string("s_sethalt 0\n") + text + "s_endpgm\n").run({}, {0});
      ASSERT_TRUE(outcome.fault) << text;
      EXPECT_EQ(outcome.fault->kind, FaultKind::halted) << text;
    }
    // Inside of a handler it counts from the return on.
    WithHandler setup(target, handler(target, "s_bitset1_b32 ttmp6, 13\ns_sethalt 1\n"));
    const auto outcome = setup.run(Kernel(target, "s_trap 1\ns_endpgm\n"));
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, FaultKind::halted);
    EXPECT_EQ(outcome.fault->instruction.substr(0, 9), "s_rfe_b64");
  }
}

TEST(Control, EndsAndDebugBranches) {
  FOR_ALL_TARGETS(target) {
    for (const char* end : {"s_setkill 1\n", "s_endpgm_saved\n"})
      EXPECT_NO_FAULT(Kernel(target, std::string("s_setkill 0\n") + end + "s_trap 2\n").run({}, {0}));
    const std::string text = "s_mov_b32 s40, 0\ns_cbranch_cdbguser a\ns_or_b32 s40, s40, 1\na:\ns_cbranch_cdbgsys "
                             "b\ns_or_b32 s40, s40, 2\nb:\n"
                             "s_cbranch_cdbgsys_or_user c\ns_or_b32 s40, s40, 4\nc:\ns_cbranch_cdbgsys_and_user "
                             "d\ns_or_b32 s40, s40, 8\nd:\n";
    for (const bool user : {false, true}) {
      const Kernel kernel(target, text + store);
      if (user)
        kernel.descriptor()[51] |= 2; // COMPUTE_PGM_RSRC1.CDBG_USER
      machine::Memory memory;
      Buffer<uint32_t> out(memory, 64);
      EXPECT_NO_FAULT(kernel.run({}, {out.address()}));
      EXPECT_EQ(out[0], user ? 10u : 15u);
    }
  }
}

TEST(Control, TheDoorbellAnswers) {
  machine::Memory memory;
  Buffer<uint32_t> out(memory, 64);
  const Kernel kernel(
      isa::Target::gfx900,
      std::string("s_mov_b64 s[40:41], exec\ns_mov_b32 exec_lo, 0x80000000\ns_sendmsg sendmsg(MSG_GET_DOORBELL)\n"
                  "w:\ns_nop 7\ns_bitcmp0_b32 exec_lo, 0x1f\ns_cbranch_scc0 w\ns_mov_b32 s42, exec_lo\n"
                  "s_mov_b64 exec, s[40:41]\n") +
          store);
  EXPECT_NO_FAULT(kernel.run({}, {out.address()}));
  EXPECT_EQ(out[2], 0u);
}

// s_icache_inv: code that the kernel itself has changed is decoded again.
TEST(Control, CodeThatWritesCode) {
  FOR_ALL_TARGETS(target) {
    const std::string text = R"(
      s_mov_b32 s42, 0
      s_getpc_b64 s[54:55]
    base:
      s_add_u32 s54, s54, patched-base
      s_addc_u32 s55, s55, 0
    again:
    patched:
      s_mov_b32 s40, 1
      s_cmp_eq_u32 s42, 1
      s_cbranch_scc1 done
      s_mov_b32 s41, s40
      v_mov_b32 v2, s54
      v_mov_b32 v3, s55
      v_mov_b32 v4, 0xbea80085      ; s_mov_b32 s40, 5
      flat_store_dword v[2:3], v4
      s_waitcnt vmcnt(0) & lgkmcnt(0)
      s_mov_b32 s42, 1
      s_icache_inv
      s_nop 0
      s_branch again
    done:
)";
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 64);
    const Kernel kernel(target, text + store);
    EXPECT_NO_FAULT(kernel.run({}, {out.address()}));
    EXPECT_EQ(out[0], 5u);
    EXPECT_EQ(out[1], 1u);
    EXPECT_NO_FAULT(kernel.run({}, {out.address()})); // nothing is left of the code that was
    EXPECT_EQ(out[1], 5u);
  }
}

} // namespace
} // namespace crosslane
