// Guest faults: what stops a dispatch, and what the fault says about the place.
#include "engine/registers.h"
#include "isa/parse.h"
#include "tests/engine/kernel_fixture.h"
#include <sys/mman.h>
#include <thread>

namespace crosslane {
namespace {

using machine::FaultKind;
using test::Buffer;
using test::Kernel;
using test::Shape;

machine::Fault fault_of(const engine::Outcome& outcome) { return outcome.fault.value_or(machine::Fault{}); }

TEST(Fault, TrapStopsTheDispatch) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, "s_nop 0\ns_cmp_eq_u32 s2, 3\ns_cbranch_scc0 end\ns_trap 2\nend:\ns_endpgm");
    const auto f = fault_of(kernel.run({{640, 1, 1}, {64, 1, 1}}, {}));
    EXPECT_EQ(f.kind, FaultKind::trap);
    EXPECT_EQ(f.kernel, "k");
    EXPECT_EQ(f.pc, kernel.entry() + 12);
    EXPECT_EQ(f.instruction, "s_trap 2");
    EXPECT_EQ(f.workgroup[0], 3u);
    EXPECT_EQ(f.wave, 0u);
    // A debug trap without a debugger goes on.
    EXPECT_FALSE(Kernel(target, "s_trap 3\ns_endpgm").run({}, {}).fault);
  }
}

TEST(Fault, NamesIllegalAndUnimplementedInstructions) {
  FOR_ALL_TARGETS(target) {
    const Kernel illegal(target, "s_nop 0\n.long 0xffffffff\ns_endpgm");
    auto f = fault_of(illegal.run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::illegal_instruction);
    EXPECT_EQ(f.pc, illegal.entry() + 4);
    EXPECT_EQ(f.instruction, ".long 0xffffffff");

    const Kernel unimplemented(target, "exp mrt0 v0, v1, v2, v3\ns_endpgm");
    f = fault_of(unimplemented.run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::unimplemented);
    EXPECT_EQ(f.pc, unimplemented.entry());
    EXPECT_EQ(f.instruction, "exp mrt0 v0, v1, v2, v3");
    EXPECT_EQ(f.detail, "graphics: exports to the rasteriser");

    // Code that is never reached may be anything.
    EXPECT_FALSE(
        Kernel(target, "s_branch over\n.long 0xffffffff\nover:\ns_endpgm\n.long 0xffffffff").run({}, {}).fault);
    EXPECT_FALSE(Kernel(target, "s_cbranch_scc1 bad\ns_endpgm\nbad:\n.long 0xffffffff").run({}, {}).fault);
  }
}

TEST(Fault, NamesJumpsOutOfTheCode) {
  FOR_ALL_TARGETS(target) {
    auto f = fault_of(Kernel(target, "s_mov_b32 s10, 0x1000\ns_mov_b32 s11, 0\ns_setpc_b64 s[10:11]").run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::bad_pc);
    EXPECT_EQ(f.pc, 0x1000u);
    EXPECT_EQ(f.detail, "there is no loaded code here");
    f = fault_of(
        Kernel(target, "s_mov_b32 s10, 0x1000\ns_mov_b32 s11, 0x7fff\ns_swappc_b64 s[12:13], s[10:11]").run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::bad_pc);
    EXPECT_EQ(f.pc, 0x7fff00001000u);
    // Misaligned.
    f = fault_of(Kernel(target, "s_getpc_b64 s[10:11]\ns_add_u32 s10, s10, 2\ns_setpc_b64 s[10:11]").run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::bad_pc);
    EXPECT_EQ(f.pc % 4, 2u);
    EXPECT_EQ(f.detail, "instructions are at multiples of 4");
    // Direct branches know where they would have gone.
    const Kernel forward(target, "s_nop 0\ns_branch 30000\ns_endpgm");
    f = fault_of(forward.run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::bad_pc);
    EXPECT_EQ(f.pc, forward.entry() + 8 + 4 * 30000);
    const Kernel backward(target, "s_nop 0\ns_branch -30000\ns_endpgm");
    f = fault_of(backward.run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::bad_pc);
    EXPECT_EQ(f.pc, backward.entry() + 8 - 4 * 30000);
    const Kernel conditional(target, "s_cmp_eq_u32 s0, s0\ns_cbranch_scc1 20000\ns_endpgm");
    f = fault_of(conditional.run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::bad_pc);
    EXPECT_EQ(f.pc, conditional.entry() + 8 + 4 * 20000);
    // Not taken: no fault.
    EXPECT_FALSE(Kernel(target, "s_cmp_lg_u32 s0, s0\ns_cbranch_scc1 20000\ns_endpgm").run({}, {}).fault);
  }
}

// A stack that goes deeper than the compiler declared: lane 7 alone leaves what the dispatch gives.
TEST(Fault, SaysWhatPrivateMemoryThereIs) {
  const Kernel kernel(isa::Target::gfx900,
                      "v_cmp_eq_u32 vcc, 7, v0\nv_mov_b32 v1, 8\nv_mov_b32 v2, 0x1000\nv_cndmask_b32 v1, v1, v2, vcc\n"
                      "v_mov_b32 v2, 2\nv_lshlrev_b32 v2, 16, v2\nflat_load_dword v3, v[1:2]\ns_endpgm",
                      ".amdhsa_private_segment_fixed_size 80");
  const auto f = fault_of(kernel.run({}, {}, {}, 0, 256));
  EXPECT_EQ(f.kind, FaultKind::scratch_out_of_range);
  EXPECT_EQ(f.lane, 7);
  EXPECT_TRUE(f.detail.starts_with(
      "byte 4096 of a work-item's private memory, which has 256 bytes (the kernel declares 80, the dispatch "
      "asks for 256); compilers cannot tell how deep a recursion goes"))
      << f.detail;
}

// Arguments: buffer, wrong lane, wrong offset. Every lane accesses its dword, the wrong lane `offset` bytes from the
// start.
std::string access(const std::string& instruction) {
  return R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_load_dword s11, s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v3, 2, v0
  v_mov_b32 v4, s11
  v_cmp_eq_u32 vcc, s10, v0
  v_cndmask_b32 v3, v3, v4, vcc
  address 8, 8, v3
  v_mov_b32 v5, 7
)" + instruction +
         "\ns_waitcnt vmcnt(0)\ns_endpgm";
}

// Lanes before it that are outside of their buffer access nothing.
TEST(Fault, NamesTheOneLaneWithinItsBuffer) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_mov_b32 s10, 64
  s_mov_b32 s11, 0x27000
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v3, 0x100000
  v_cmp_eq_u32 vcc, 5, v0
  v_cndmask_b32 v3, v3, 0, vcc
  buffer_load_dword v2, v3, s[8:11], 0 offen offset:8
  s_waitcnt vmcnt(0)
  s_endpgm
)");
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 65, "victim");
    engine::Options options;
    options.memory = &memory;
    options.threads = 1;
    const auto f = fault_of(kernel.run({}, {out.address() + 4096}, options));
    EXPECT_EQ(f.kind, FaultKind::unmapped_address);
    EXPECT_EQ(f.lane, 5);
    EXPECT_EQ(f.address, out.address() + 4096 + 8);
  }
}

TEST(Fault, NamesTheLaneOfAnUnmappedAccess) {
  FOR_ALL_TARGETS(target) {
    std::vector<std::string> instructions = {"flat_load_dword v5, v[8:9]", "flat_store_dword v[8:9], v5",
                                             "flat_load_dwordx2 v[5:6], v[8:9]", "flat_atomic_add v[8:9], v5",
                                             "flat_load_ubyte v5, v[8:9]"};
    if (target != isa::Target::gfx803)
      for (const char* i : {"global_load_dword v5, v[8:9], off", "global_store_dword v[8:9], v5, off",
                            "global_store_byte v[8:9], v5, off"})
        instructions.push_back(i);
    for (const auto& instruction : instructions) {
      SCOPED_TRACE(instruction);
      const Kernel kernel(target, access(instruction));
      machine::Memory memory;
      Buffer<uint32_t> out(memory, 64 + 1, "victim"); // 260 bytes; the page after it is unmapped
      engine::Options options;
      options.memory = &memory;
      options.threads = 1;
      for (const uint32_t lane : {0u, 5u, 31u, 63u}) {
        const uint32_t offset = 4096 + 64;
        const auto f = fault_of(kernel.run({}, {out.address(), lane, offset}, options));
        EXPECT_EQ(f.kind, FaultKind::unmapped_address);
        EXPECT_EQ(f.lane, int(lane));
        EXPECT_EQ(f.address, out.address() + offset);
        EXPECT_EQ(f.instruction.substr(0, f.instruction.find(' ')), instruction.substr(0, instruction.find(' ')));
        EXPECT_NE(f.detail.find("'victim'"), std::string::npos) << f.detail;
        EXPECT_NE(f.detail.find("past the end"), std::string::npos) << f.detail;
        // The lane that is wrong does not take part: no fault.
        EXPECT_FALSE(
            kernel.run({{lane ? lane : 1, 1, 1}, {64, 1, 1}}, {out.address(), lane ? lane : 1, offset}, options).fault);
      }
      // Alone in a row that lies in an unmapped page as a whole, and may be read as a whole.
      for (const uint32_t lane : {0u, 3u}) {
        const std::string only = "s_mov_b64 exec, " + std::to_string(1 << lane) + "\n";
        const auto f =
            fault_of(Kernel(target, access(only + instruction)).run({}, {out.address(), lane, 4096}, options));
        EXPECT_EQ(f.lane, int(lane));
        EXPECT_EQ(f.address, out.address() + 4096);
      }
      // And it works again at once.
      EXPECT_FALSE(kernel.run({}, {out.address(), 99, 0}, options).fault);
    }
  }
}

TEST(Fault, AnAccessAcrossTheEndSaysSo) {
  FOR_ALL_TARGETS(target) {
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 64, "victim");
    engine::Options options;
    options.memory = &memory;
    const auto detail = [&](const char* instruction, uint32_t offset) {
      const auto f = fault_of(Kernel(target, access(instruction)).run({}, {out.address(), 5, offset}, options));
      EXPECT_EQ(f.kind, FaultKind::unmapped_address);
      EXPECT_EQ(f.address, out.address() + offset);
      EXPECT_EQ(f.lane, 5);
      return f.detail;
    };
    EXPECT_EQ(detail("flat_store_dword v[8:9], v5", 253),
              "4 bytes from byte 253 on cross the end of 'victim' (256 bytes)");
    EXPECT_EQ(detail("flat_load_dwordx2 v[5:6], v[8:9]", 252),
              "8 bytes from byte 252 on cross the end of 'victim' (256 bytes)");
    EXPECT_EQ(detail("flat_store_dword v[8:9], v5", 256), "right past the end of 'victim' (256 bytes)");
  }
}

TEST(Fault, AStoreToReadOnlyMemorySaysSo) {
  void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const auto address = reinterpret_cast<uint64_t>(page);
  machine::Memory memory;
  engine::Options options;
  options.memory = &memory;
  FOR_ALL_TARGETS(target) {
    EXPECT_FALSE(Kernel(target, access("flat_load_dword v5, v[8:9]")).run({}, {address, 99, 0}, options).fault);
    const auto f = fault_of(Kernel(target, access("flat_store_dword v[8:9], v5")).run({}, {address, 99, 0}, options));
    EXPECT_EQ(f.kind, FaultKind::unmapped_address);
    EXPECT_TRUE(f.detail.starts_with("the memory there is read-only; ")) << f.detail;
  }
  munmap(page, 4096);
}

TEST(Fault, NullAndNonCanonicalAddresses) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
  s_mov_b64 exec, 0x100
  flat_load_dword v5, v[8:9]
  s_endpgm
)");
    for (const uint64_t address :
         {uint64_t(0), uint64_t(16), uint64_t(0x800000000000), ~uint64_t(0) - 3, uint64_t(1) << 63}) {
      const auto f = fault_of(kernel.run({}, {address}));
      EXPECT_EQ(f.kind, FaultKind::unmapped_address) << std::hex << address;
#if __has_feature(address_sanitizer)
      if (address >> 46)
        continue; // AddressSanitizer's own look-up faults first, at its shadow address
#endif
      EXPECT_EQ(f.address, address);
      EXPECT_EQ(f.lane, 8);
    }
  }
}

TEST(Fault, ScalarLoadsFaultToo) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(
        target, "s_mov_b32 s8, 64\ns_mov_b32 s9, 0\ns_load_dword s10, s[8:9], 0x0\ns_waitcnt lgkmcnt(0)\ns_endpgm");
    const auto f = fault_of(kernel.run({}, {}));
    EXPECT_EQ(f.kind, FaultKind::unmapped_address);
    EXPECT_EQ(f.address, 64u);
    EXPECT_EQ(f.pc, kernel.entry() + 8);
  }
}

// Whole granules are the kernel's.
TEST(Fault, NamesRegistersBeyondTheKernels) {
  FOR_ALL_TARGETS(target) {
    const char* few = "  .amdhsa_next_free_vgpr 8\n  .amdhsa_next_free_sgpr 10\n";
    engine::Options options;
    options.register_faults = true;
    const auto detail_of = [&](const std::string& body) {
      const Kernel kernel(target, body + "\ns_endpgm", std::string(few) + "  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n",
                          true);
      EXPECT_FALSE(kernel.run({}, {}).fault);
      const auto f = fault_of(kernel.run({}, {}, options));
      if (f.kind != FaultKind::none) {
        EXPECT_EQ(f.kind, FaultKind::register_out_of_range);
        EXPECT_EQ(f.pc, kernel.entry());
      }
      return f.detail;
    };
    EXPECT_EQ(detail_of("v_mov_b32 v7, v0"), "");
    EXPECT_NE(detail_of("v_mov_b32 v8, v0").find("v8 is beyond the 8 VGPRs that the kernel was given"),
              std::string::npos);
    EXPECT_NE(detail_of("v_mov_b32 v0, v200").find("v200 "), std::string::npos);
    EXPECT_NE(detail_of("v_add_f64 v[0:1], v[2:3], v[7:8]").find("v8 "), std::string::npos);
    EXPECT_EQ(detail_of("s_mov_b32 s15, s2"), ""); // whole granules of 16
    EXPECT_EQ(detail_of("s_mov_b64 vcc, exec"), "");
    EXPECT_NE(detail_of("s_mov_b32 s40, s2").find("s40 is beyond the "), std::string::npos);
    EXPECT_NE(detail_of("s_mov_b64 s[46:47], 0").find("s47 "), std::string::npos);
    // Code that is never reached may name any.
    EXPECT_EQ(detail_of("s_branch over\nv_mov_b32 v100, v0\nover:"), "");
  }
}

// Where the row's types alone do not say how many.
TEST(Fault, CountsTheRegistersOfMemoryInstructions) {
  const auto beyond = [](isa::Target target, std::string_view line) {
    const auto parsed = isa::parse(target, line);
    EXPECT_TRUE(parsed) << line << ": " << parsed.error.message;
    const std::string found = engine::beyond_registers(parsed.instruction, {.sgprs = 48, .vgprs = 8, .agprs = 0});
    return found.substr(0, found.find(' '));
  };
  using isa::Target;
  EXPECT_EQ(beyond(Target::gfx900, "global_atomic_cmpswap v[0:1], v[6:7], off"), "");
  EXPECT_EQ(beyond(Target::gfx900, "global_atomic_cmpswap v[0:1], v[7:8], off"), "v8");
  EXPECT_EQ(beyond(Target::gfx900, "ds_write2_b64 v0, v[2:3], v[7:8]"), "v8");
  EXPECT_EQ(beyond(Target::gfx900, "buffer_load_dword v[6:7], off, s[4:7], s0 tfe"), "");
  EXPECT_EQ(beyond(Target::gfx900, "buffer_load_dword v[7:8], off, s[4:7], s0 tfe"), "v8");
  EXPECT_EQ(beyond(Target::gfx803, "buffer_load_format_d16_xy v[7:8], off, s[4:7], s0"), "v8"); // one each
  EXPECT_EQ(beyond(Target::gfx900, "buffer_load_format_d16_xy v7, off, s[4:7], s0"), "");       // packed
  EXPECT_EQ(beyond(Target::gfx900, "image_load v[5:7], v0, s[8:15] dmask:0x7"), "");
  EXPECT_EQ(beyond(Target::gfx900, "image_load v[6:8], v0, s[8:15] dmask:0x7"), "v8");
  EXPECT_EQ(beyond(Target::gfx900, "image_sample v0, v0, s[40:47], s[44:47] dmask:0x1"), "");
  EXPECT_EQ(beyond(Target::gfx900, "image_sample v0, v0, s[40:47], s[48:51] dmask:0x1"), "s51");
  EXPECT_EQ(beyond(Target::gfx900, "s_load_dwordx8 s[44:51], s[2:3], 0x0"), "s51");
}

TEST(Fault, LdsBeyondTheWorkgroups) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_load_dword s10, s[0:1], 0x0
  s_mov_b32 m0, -1
  v_lshlrev_b32 v3, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, s10
  v_cmp_eq_u32 vcc, 9, v0
  v_cndmask_b32 v3, v3, v4, vcc
  ds_read_b32 v5, v3
  s_waitcnt lgkmcnt(0)
  s_endpgm
)");
    engine::Options options;
    for (const uint64_t offset : {508u, 512u, 65532u}) {
      options.lds_faults = false;
      EXPECT_FALSE(kernel.run({}, {offset}, options, 300).fault); // as a card: reads 0
      options.lds_faults = true;
      const auto f = fault_of(kernel.run({}, {offset}, options, 300));
      if (offset == 508) { // in the rest of the granule
        EXPECT_EQ(f.kind, FaultKind::none);
        continue;
      }
      EXPECT_EQ(f.kind, FaultKind::lds_out_of_range);
      EXPECT_EQ(f.lane, 9);
      EXPECT_EQ(f.address, offset);
      EXPECT_EQ(f.detail, "the workgroup has 512 bytes");
      EXPECT_EQ(f.instruction, "ds_read_b32 v5, v3");
    }
  }
}

// What the host has in its own memory is neither read nor written, whatever way leads there; 10 of 64 lanes may be on
// the right side.
TEST(Fault, HostMemoryIsOutOfReach) {
  if (machine::device_reach() == machine::everything)
    GTEST_SKIP() << "this host does not let a process choose addresses";
  FOR_ALL_TARGETS(target) {
    machine::Memory memory;
    std::vector<uint32_t> host(128, 5);
    Buffer<uint32_t> device(memory, 128, "device");
    const auto text = [](const char* pair, uint64_t v) {
      return "s_mov_b32 s" + std::string(pair) + ", " + std::to_string(uint32_t(v)) + "\ns_mov_b32 s" +
             std::to_string(std::stoi(pair) + 1) + ", " + std::to_string(uint32_t(v >> 32)) + "\n";
    };
    const std::string prologue = text("8", reinterpret_cast<uint64_t>(host.data())) + text("12", device.address()) + R"(
  s_mov_b32 s10, -1
  s_mov_b32 s11, 0x27000
  v_lshlrev_b32 v3, 2, v0
  v_mov_b32 v5, 7
  address 6, 12, v3
  address 8, 8, v3
  v_cmp_gt_u32 vcc, 10, v0
  v_cndmask_b32 v10, v8, v6, vcc
  v_cndmask_b32 v11, v9, v7, vcc
)";
    std::vector<std::string> ways = {"flat_store_dword v[8:9], v5",
                                     "flat_store_dword v[10:11], v5",
                                     "flat_atomic_add v[10:11], v5",
                                     "flat_load_dword v5, v[8:9]",
                                     "buffer_store_dword v5, v3, s[8:11], 0 offen",
                                     "buffer_load_dword v5, v3, s[8:11], 0 offen",
                                     "s_load_dword s14, s[8:9], 0x0",
                                     "s_buffer_load_dword s14, s[8:11], 0x0",
                                     "buffer_atomic_add v5, v3, s[8:11], 0 offen"};
    if (target != isa::Target::gfx803)
      for (const char* way : {"global_store_dword v3, v5, s[8:9]", "global_store_dwordx2 v[10:11], v[4:5], off",
                              "global_atomic_add v3, v5, s[8:9]"})
        ways.push_back(way);
    for (const std::string& way : ways) {
      SCOPED_TRACE(way);
      const Kernel kernel(target, prologue + way + "\ns_waitcnt 0\ns_endpgm");
      engine::Options options;
      options.memory = &memory;
      EXPECT_FALSE(kernel.run({}, {}, options).fault); // all of memory is within reach
      const bool stores = way.find("store") != way.npos || way.find("atomic") != way.npos;
      EXPECT_EQ(host != std::vector<uint32_t>(128, 5), stores);
      host.assign(128, 5);
      options.reach = machine::window;
      const auto f = fault_of(kernel.run({}, {}, options));
      EXPECT_EQ(f.kind, FaultKind::unmapped_address);
      EXPECT_EQ(f.instruction, way);
      const uint64_t offset = f.address - reinterpret_cast<uint64_t>(host.data());
      EXPECT_EQ(offset, way.find("v[10:11]") != way.npos ? 40u : 0u);
      EXPECT_NE(f.detail.find("memory of the host program"), std::string::npos) << f.detail;
      EXPECT_EQ(host, std::vector<uint32_t>(128, 5));
    }
  }
}

// Every workgroup faults: one fault comes back, from a workgroup that exists, and the process lives on.
TEST(Fault, FromEveryThreadAtOnce) {
  const Kernel trap(isa::Target::gfx900, "s_trap 2\ns_endpgm");
  const Kernel null(isa::Target::gfx900,
                    "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\nglobal_load_dword v5, v[8:9], off\ns_endpgm");
  for (int round = 0; round < 50; ++round) {
    const auto f = fault_of((round & 1 ? trap : null).run({{64 * 100, 1, 1}, {64, 1, 1}}, {}));
    EXPECT_EQ(f.kind, round & 1 ? FaultKind::trap : FaultKind::unmapped_address);
    EXPECT_LT(f.workgroup[0], 100u);
  }
}

TEST(Fault, StopsWavesThatWouldSpinForever) {
  const Kernel kernel(isa::Target::gfx900,
                      "s_cmp_eq_u32 s2, 7\ns_cbranch_scc1 bad\nspin:\ns_branch spin\nbad:\ns_trap 2\ns_endpgm");
  for (const unsigned threads : {1u, 0u}) {
    engine::Options options;
    options.threads = threads;
    EXPECT_EQ(fault_of(kernel.run({{64 * 20, 1, 1}, {64, 1, 1}}, {}, options)).workgroup[0], 7u);
  }
}

// Faults in one dispatch leave another one, on another host thread, alone.
TEST(Fault, DoesNotDisturbAnotherDispatch) {
  const Kernel bad(isa::Target::gfx900,
                   "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\nglobal_load_dword v5, v[8:9], off\ns_endpgm");
  const Kernel good(isa::Target::gfx900,
                    "s_movk_i32 s10, 1000\nl:\ns_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 l\ns_endpgm");
  std::atomic<int> wrong{0};
  std::thread faulting([&] {
    for (int i = 0; i < 100; ++i)
      wrong += fault_of(bad.run({{640, 1, 1}, {64, 1, 1}}, {})).kind != FaultKind::unmapped_address;
  });
  for (int i = 0; i < 100; ++i) {
    const auto outcome = good.run({{64 * 64, 1, 1}, {64, 1, 1}}, {});
    wrong += outcome.fault.has_value() || outcome.stats.workgroups != 64;
  }
  faulting.join();
  EXPECT_EQ(wrong, 0);
}

// A wave of many, deep in a workgroup.
TEST(Fault, NamesTheWave) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(
        target,
        "v_readfirstlane_b32 s10, v0\ns_cmp_eq_u32 s10, 320\ns_cbranch_scc0 end\ns_trap 2\nend:\ns_barrier\ns_endpgm");
    const auto f = fault_of(kernel.run({{3072, 2, 1}, {1024, 1, 1}}, {}));
    EXPECT_EQ(f.kind, FaultKind::trap);
    EXPECT_EQ(f.wave, 5u);
  }
}

} // namespace
} // namespace crosslane
