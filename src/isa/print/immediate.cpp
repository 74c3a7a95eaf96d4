// Immediates that print as names: wait counts, messages, hardware registers, GPR index modes, DS swizzles, buffer
// formats, DPP. Source: LLVM AMDGPUUsage and "Syntax of AMDGPU Instruction Modifiers/Operands"; GCN3 and Vega ISA
// manuals.
#include "isa/print/operand.h"
#include "isa/shape.h"
#include "isa/wait_counts.h"
#include <bit>

namespace crosslane::isa::detail {

void append_waitcnt(std::string& s, Generation g, unsigned v) {
  const WaitCounts counts = wait_counts(g, v), most = most_waits(g);
  const bool all = counts == most;
  bool first = true;
  const auto counter = [&](std::string_view name, unsigned value, unsigned max) {
    if (value == max && !all)
      return;
    if (!first)
      s += ' ';
    first = false;
    s += name;
    s += '(';
    append_decimal(s, value);
    s += ')';
  };
  counter("vmcnt", counts.vm, most.vm);
  counter("expcnt", counts.exp, most.exp);
  counter("lgkmcnt", counts.lgkm, most.lgkm);
}

void append_sendmsg(std::string& s, Generation g, unsigned v) {
  const unsigned id = v & 15, operation = v >> 4 & 7, stream = v >> 8 & 3;
  const bool gfx9 = g >= Generation::gfx9;
  std::string_view name;
  switch (id) {
  case 1: name = "MSG_INTERRUPT"; break;
  case 2: name = "MSG_GS"; break;
  case 3: name = "MSG_GS_DONE"; break;
  case 4: name = g >= Generation::gfx8 ? "MSG_SAVEWAVE" : ""; break;
  case 5: name = gfx9 ? "MSG_STALL_WAVE_GEN" : ""; break;
  case 6: name = gfx9 ? "MSG_HALT_WAVES" : ""; break;
  case 7: name = gfx9 ? "MSG_ORDERED_PS_DONE" : ""; break;
  case 8: name = gfx9 ? "MSG_EARLY_PRIM_DEALLOC" : ""; break;
  case 9: name = gfx9 ? "MSG_GS_ALLOC_REQ" : ""; break;
  case 10: name = gfx9 ? "MSG_GET_DOORBELL" : ""; break;
  case 15: name = "MSG_SYSMSG"; break;
  default: break;
  }
  constexpr std::string_view gs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
  constexpr std::string_view sys[] = {"", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK",
                                      "SYSMSG_OP_TTRACE_PC"};
  const bool is_gs = id == 2 || id == 3, is_sys = id == 15;
  bool named = !name.empty();
  if (named && is_gs)
    named = operation < 4 && !(id == 2 && operation == 0) && (operation != 0 || stream == 0);
  else if (named && is_sys)
    named = operation >= 1 && operation <= 4 && !(gfx9 && operation == 3) && stream == 0;
  else if (named)
    named = operation == 0 && stream == 0;
  if (!named && (v & ~0x37fu) != 0) { // bits that no field holds
    append_decimal(s, v);
    return;
  }
  s += "sendmsg(";
  if (named) {
    s += name;
    if (is_gs || is_sys) {
      s += ", ";
      s += is_gs ? gs[operation] : sys[operation];
      if (is_gs && operation != 0) {
        s += ", ";
        append_decimal(s, stream);
      }
    }
  } else {
    append_decimal(s, id);
    s += ", ";
    append_decimal(s, operation);
    s += ", ";
    append_decimal(s, stream);
  }
  s += ')';
}

void append_hwreg(std::string& s, Generation g, unsigned v) {
  constexpr std::string_view names[] = {"",
                                        "HW_REG_MODE",
                                        "HW_REG_STATUS",
                                        "HW_REG_TRAPSTS",
                                        "HW_REG_HW_ID",
                                        "HW_REG_GPR_ALLOC",
                                        "HW_REG_LDS_ALLOC",
                                        "HW_REG_IB_STS",
                                        "",
                                        "",
                                        "",
                                        "",
                                        "",
                                        "",
                                        "",
                                        "HW_REG_SH_MEM_BASES",
                                        "HW_REG_TBA_LO",
                                        "HW_REG_TBA_HI",
                                        "HW_REG_TMA_LO",
                                        "HW_REG_TMA_HI"};
  const unsigned id = v & 63, offset = v >> 6 & 31, width = (v >> 11 & 31) + 1;
  s += "hwreg(";
  const bool known = id < std::size(names) && !names[id].empty() && (id < 15 || g >= Generation::gfx9);
  if (known)
    s += names[id];
  else
    append_decimal(s, id);
  if (offset != 0 || width != 32) {
    s += ", ";
    append_decimal(s, offset);
    s += ", ";
    append_decimal(s, width);
  }
  s += ')';
}

void append_gpr_idx(std::string& s, unsigned v) {
  constexpr std::string_view names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (v > 15) {
    append_hex(s, v);
    return;
  }
  s += "gpr_idx(";
  bool first = true;
  for (int i = 0; i < 4; ++i)
    if (v >> i & 1) {
      if (!first)
        s += ',';
      first = false;
      s += names[i];
    }
  s += ')';
}

void append_swizzle(std::string& s, unsigned v) {
  if (v == 0)
    return;
  s += " offset:";
  if ((v & 0xff00) == 0x8000) {
    s += "swizzle(QUAD_PERM";
    for (int i = 0; i < 4; ++i) {
      s += ',';
      append_decimal(s, v >> 2 * i & 3);
    }
    s += ')';
    return;
  }
  if (v & 0x8000) {
    append_decimal(s, v);
    return;
  }
  const unsigned and_mask = v & 31, or_mask = v >> 5 & 31, xor_mask = v >> 10 & 31;
  if (and_mask == 31 && or_mask == 0 && std::has_single_bit(xor_mask)) {
    s += "swizzle(SWAP,";
    append_decimal(s, xor_mask);
  } else if (and_mask == 31 && or_mask == 0 && xor_mask > 0 && std::has_single_bit(xor_mask + 1)) {
    s += "swizzle(REVERSE,";
    append_decimal(s, xor_mask + 1);
  } else {
    const unsigned group = 32 - and_mask;
    if (group > 1 && std::has_single_bit(group) && or_mask < group && xor_mask == 0) {
      s += "swizzle(BROADCAST,";
      append_decimal(s, group);
      s += ',';
      append_decimal(s, or_mask);
    } else {
      // Per bit of the lane number, what a 0 and a 1 become: same, swapped, always 0, always 1.
      s += "swizzle(BITMASK_PERM,\"";
      for (unsigned bit = 16; bit != 0; bit >>= 1) {
        const auto through = [&](unsigned in) { return (((in & and_mask) | or_mask) ^ xor_mask) & bit; };
        const unsigned zero = through(0), one = through(bit);
        s += zero == one ? (zero ? '1' : '0') : (zero ? 'i' : 'p');
      }
      s += '"';
    }
  }
  s += ')';
}

void append_buffer_format(std::string& s, Generation g, unsigned dfmt, unsigned nfmt) {
  constexpr std::string_view data[] = {"INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
                                       "10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
                                       "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
  constexpr std::string_view number[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"};
  constexpr unsigned default_dfmt = 1, default_nfmt = 0;
  if (dfmt == default_dfmt && nfmt == default_nfmt)
    return;
  s += " format:[";
  if (dfmt != default_dfmt) {
    s += "BUF_DATA_FORMAT_";
    s += data[dfmt];
    if (nfmt != default_nfmt)
      s += ',';
  }
  if (nfmt != default_nfmt) {
    s += "BUF_NUM_FORMAT_";
    s += nfmt == 6 && g <= Generation::gfx7 ? "SNORM_OGL" : number[nfmt];
  }
  s += ']';
}

void append_dpp(std::string& s, const Instruction& i) {
  const unsigned c = i.dpp_ctrl;
  const auto named = [&](std::string_view name, unsigned value) {
    s += name;
    append_decimal(s, value);
  };
  s += ' ';
  const bool gfx90a = info(i.target).generation == Generation::gfx90a;
  if (gfx90a && c >= 0x150 && c <= 0x15f) {
    named("row_newbcast:", c - 0x150);
  } else if (gfx90a && !shape(i.op).dpp) {
    s += "/* DP ALU dpp only supports row_newbcast */";
  } else if (c <= 0xff) {
    s += "quad_perm:[";
    for (int k = 0; k < 4; ++k) {
      if (k)
        s += ',';
      append_decimal(s, c >> 2 * k & 3);
    }
    s += ']';
  } else if (c > 0x100 && c <= 0x10f) {
    named("row_shl:", c - 0x100);
  } else if (c > 0x110 && c <= 0x11f) {
    named("row_shr:", c - 0x110);
  } else if (c > 0x120 && c <= 0x12f) {
    named("row_ror:", c - 0x120);
  } else if (c == 0x130) {
    s += "wave_shl:1";
  } else if (c == 0x134) {
    s += "wave_rol:1";
  } else if (c == 0x138) {
    s += "wave_shr:1";
  } else if (c == 0x13c) {
    s += "wave_ror:1";
  } else if (c == 0x140) {
    s += "row_mirror";
  } else if (c == 0x141) {
    s += "row_half_mirror";
  } else if (c == 0x142) {
    s += "row_bcast:15";
  } else if (c == 0x143) {
    s += "row_bcast:31";
  } else if (c >= 0x150 && c <= 0x15f) {
    s += "/* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */";
  } else if (c >= 0x160 && c <= 0x16f) {
    s += "/* row_xmask is not supported on ASICs earlier than GFX10 */";
  } else {
    s += "/* Invalid dpp_ctrl value */";
  }
  s += " row_mask:";
  append_hex(s, i.row_mask);
  s += " bank_mask:";
  append_hex(s, i.bank_mask);
  if (i.bound_ctrl)
    s += " bound_ctrl:1";
}

} // namespace crosslane::isa::detail
