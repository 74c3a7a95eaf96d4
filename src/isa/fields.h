// Where each encoding has its fields: the one place that decoder and encoder both read. What gfx6 and gfx7 have in
// another place is named *_gfx6; everything else is where gfx8 has it. Bits are numbered through the instruction's 64,
// as the manuals do; `prefix` is what the first word has where no field is. Source: Southern Islands, Sea Islands, GCN3
// and Vega ISA manuals, "Microcode formats"; CDNA2 manual for gfx90a. Not for other layers.
#pragma once
#include <cstdint>

namespace crosslane::isa::detail {

struct Field {
  uint8_t low, count;
  constexpr uint32_t mask() const { return (1u << count) - 1; }
};

namespace sop1 {
inline constexpr uint32_t prefix = 0xbe800000;
inline constexpr Field ssrc0{0, 8}, opcode{8, 8}, sdst{16, 7};
} // namespace sop1
namespace sop2 {
inline constexpr uint32_t prefix = 0x80000000;
inline constexpr Field ssrc0{0, 8}, ssrc1{8, 8}, sdst{16, 7}, opcode{23, 7};
} // namespace sop2
namespace sopc {
inline constexpr uint32_t prefix = 0xbf000000;
inline constexpr Field ssrc0{0, 8}, ssrc1{8, 8}, opcode{16, 7};
} // namespace sopc
namespace sopk {
inline constexpr uint32_t prefix = 0xb0000000;
inline constexpr Field simm{0, 16}, sdst{16, 7}, opcode{23, 5};
} // namespace sopk
namespace sopp {
inline constexpr uint32_t prefix = 0xbf800000;
inline constexpr Field simm{0, 16}, opcode{16, 7};
} // namespace sopp
namespace vop1 {
inline constexpr uint32_t prefix = 0x7e000000;
inline constexpr Field src0{0, 9}, opcode{9, 8}, vdst{17, 8};
} // namespace vop1
namespace vop2 {
inline constexpr uint32_t prefix = 0;
inline constexpr Field src0{0, 9}, vsrc1{9, 8}, vdst{17, 8}, opcode{25, 6};
} // namespace vop2
namespace vopc {
inline constexpr uint32_t prefix = 0x7c000000;
inline constexpr Field src0{0, 9}, vsrc1{9, 8}, opcode{17, 8};
} // namespace vopc
// The second word of SDWA. sdst, sd (whether there is one), omod, s0 and s1 (an SGPR) are gfx9's.
namespace sdwa {
inline constexpr Field src0{32, 8}, dst_sel{40, 3}, dst_unused{43, 2}, clamp{45, 1}, omod{46, 2}, sdst{40, 7},
    sd{47, 1}, src0_sel{48, 3}, src0_sext{51, 1}, src0_neg{52, 1}, src0_abs{53, 1}, s0{55, 1}, src1_sel{56, 3},
    src1_sext{59, 1}, src1_neg{60, 1}, src1_abs{61, 1}, s1{63, 1}, all_of_src1{56, 6};
inline constexpr Field sext[] = {src0_sext, src1_sext}, neg[] = {src0_neg, src1_neg}, abs[] = {src0_abs, src1_abs};
} // namespace sdwa
// The second word of DPP.
namespace dpp {
inline constexpr Field src0{32, 8}, dpp_ctrl{40, 9}, bound_ctrl{51, 1}, src0_neg{52, 1}, src0_abs{53, 1},
    src1_neg{54, 1}, src1_abs{55, 1}, bank_mask{56, 4}, row_mask{60, 4};
inline constexpr Field neg[] = {src0_neg, src1_neg}, abs[] = {src0_abs, src1_abs};
} // namespace dpp
namespace vop3 { // sdst: VOP3B, where abs and op_sel are otherwise
inline constexpr uint32_t prefix = 0xd0000000;
inline constexpr Field vdst{0, 8}, sdst{8, 7}, abs{8, 3}, op_sel{11, 4}, clamp{15, 1}, clamp_gfx6{11, 1},
    opcode{16, 10}, opcode_gfx6{17, 9}, src0{32, 9}, src1{41, 9}, src2{50, 9}, omod{59, 2}, neg{61, 3};
inline constexpr Field src[] = {src0, src1, src2};
// v_interp_*: the attribute in the place of src0.
inline constexpr Field attr{32, 6}, attrchan{38, 2}, high{40, 1};
} // namespace vop3
namespace vop3p {
inline constexpr uint32_t prefix = 0xd3800000;
inline constexpr Field vdst{0, 8}, neg_hi{8, 3}, op_sel{11, 3}, op_sel_hi2{14, 1}, clamp{15, 1}, opcode{16, 7},
    op_sel_hi01{59, 2}, neg{61, 3};
} // namespace vop3p
// The matrix operations among VOP3P. acc: SRC0 and SRC1 are AGPRs; acc_cd: SRC2 and VDST are (gfx90a; always on
// gfx908).
namespace mai {
inline constexpr Field vdst{0, 8}, cbsz{8, 3}, abid{11, 4}, acc_cd{15, 1}, acc0{59, 1}, acc1{60, 1}, blgp{61, 3};
}
namespace vintrp {
inline constexpr uint32_t prefix_gfx6 = 0xc8000000;
inline constexpr uint32_t prefix = 0xd4000000;
inline constexpr Field vsrc{0, 8}, attrchan{8, 2}, attr{10, 6}, opcode{16, 2}, vdst{18, 8};
} // namespace vintrp
namespace smem {
inline constexpr uint32_t prefix = 0xc0000000;
inline constexpr Field sbase{0, 6}, sdata{6, 7}, soffset_en{14, 1}, glc{16, 1}, imm{17, 1}, opcode{18, 8},
    offset_gfx8{32, 20}, offset{32, 21}, offset_sgpr{32, 7}, soffset{57, 7};
} // namespace smem
// SMEM of gfx6 and gfx7: one word. The offset is an SGPR, or an immediate in dwords; 255 without imm is a literal.
namespace smrd {
inline constexpr uint32_t prefix = 0xc0000000;
inline constexpr Field offset{0, 8}, imm{8, 1}, sbase{9, 6}, sdst{15, 7}, opcode{22, 5};
} // namespace smrd
namespace ds {
inline constexpr uint32_t prefix = 0xd8000000;
inline constexpr Field offset{0, 16}, offset0{0, 8}, offset1{8, 8}, gds{16, 1}, gds_gfx6{17, 1}, opcode{17, 8},
    opcode_gfx6{18, 8}, acc{25, 1}, addr{32, 8}, data0{40, 8}, data1{48, 8}, vdst{56, 8};
} // namespace ds
namespace flat {
inline constexpr uint32_t prefix = 0xdc000000;
inline constexpr Field offset{0, 13}, lds{13, 1}, seg{14, 2}, glc{16, 1}, slc{17, 1}, opcode{18, 7}, scc{25, 1},
    addr{32, 8}, data{40, 8}, saddr{48, 7}, nv{55, 1}, acc{55, 1}, vdst{56, 8};
inline constexpr unsigned no_saddr = 0x7f;
} // namespace flat
namespace buffer { // MUBUF and MTBUF
inline constexpr Field offset{0, 12}, offen{12, 1}, idxen{13, 1}, glc{14, 1}, addr64_gfx6{15, 1}, vaddr{32, 8},
    vdata{40, 8}, srsrc{48, 5}, tfe{55, 1}, acc{55, 1}, soffset{56, 8};
} // namespace buffer
namespace mubuf {
inline constexpr uint32_t prefix = 0xe0000000;
inline constexpr Field scc{15, 1}, lds{16, 1}, slc{17, 1}, slc_gfx6{54, 1}, opcode{18, 7};
} // namespace mubuf
namespace mtbuf {
inline constexpr uint32_t prefix = 0xe8000000;
inline constexpr Field opcode{15, 4}, opcode_gfx6{16, 3}, dfmt{19, 4}, nfmt{23, 3}, scc{53, 1}, slc{54, 1};
} // namespace mtbuf
namespace mimg {
inline constexpr uint32_t prefix = 0xf0000000;
inline constexpr Field reserved{0, 1}, scc{7, 1}, dmask{8, 4}, unorm{12, 1}, glc{13, 1}, da{14, 1}, r128{15, 1},
    a16{15, 1}, tfe{16, 1}, acc{16, 1}, lwe{17, 1}, opcode{18, 7}, slc{25, 1}, vaddr{32, 8}, vdata{40, 8}, srsrc{48, 5},
    ssamp{53, 5}, d16{63, 1};
} // namespace mimg
namespace exp_ {
inline constexpr uint32_t prefix_gfx6 = 0xf8000000;
inline constexpr uint32_t prefix = 0xc4000000;
inline constexpr Field en{0, 4}, tgt{4, 6}, compr{10, 1}, done{11, 1}, vm{12, 1}, vsrc0{32, 8}, vsrc1{40, 8},
    vsrc2{48, 8}, vsrc3{56, 8};
inline constexpr Field vsrc[] = {vsrc0, vsrc1, vsrc2, vsrc3};
} // namespace exp_

} // namespace crosslane::isa::detail
