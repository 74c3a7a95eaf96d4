// One line of hexadecimal -> one instruction, or one line of text: the whole of `crosslane disasm --hex` but for
// reading and writing lines.
#pragma once
#include "isa/instruction.h"
#include <string>
#include <string_view>

namespace crosslane::isa {

// The line holds one instruction, as little-endian dwords (`7e000280`, or `0x7e000280`; several separated by blanks or
// commas) or as bytes in memory order (`0x80,0x02,0x00,0x7e`, brackets allowed). The answer is the instruction's text
// as isa::print gives it, or "error: " and what is wrong; it never holds a line break.
std::string disassemble_hex_line(Target, std::string_view line);
// The same as an Instruction: what is wrong, without "error: ", or nothing.
std::string decode_hex_line(Target, std::string_view line, Instruction&);

} // namespace crosslane::isa
