// Pieces of text that the printers of the encodings share. Not for other layers.
#pragma once
#include "isa/instruction.h"
#include "isa/op.h"
#include <string>

namespace crosslane::isa::detail {

void append_register(std::string&, const Instruction&, uint16_t code, int dwords);
// A source: register, inline constant or literal, as an operand of type `t` prints it.
void append_source(std::string&, const Instruction&, uint16_t code, Type t);
void append_hex(std::string&, uint64_t value);       // 0x1f
void append_signed_hex(std::string&, int64_t value); // -0x1f
void append_decimal(std::string&, int64_t value);

// Immediates with a syntax of their own.
void append_waitcnt(std::string&, Generation, unsigned value);
void append_sendmsg(std::string&, Generation, unsigned value);
void append_hwreg(std::string&, Generation, unsigned value);
void append_gpr_idx(std::string&, unsigned value);
void append_swizzle(std::string&, unsigned value); // " offset:swizzle(...)", nothing for 0
void append_buffer_format(std::string&, Generation, unsigned dfmt, unsigned nfmt);
void append_dpp(std::string&, const Instruction&);

} // namespace crosslane::isa::detail
