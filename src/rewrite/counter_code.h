// Owns what counts: the instructions that change a counter where it is, an SGPR or a lane of a VGPR.
#pragma once
#include "rewrite/registers.h"
#include <string>
#include <string_view>

namespace crosslane::rewrite {

// counter += 1; SCC is lost.
std::string count(const ProbeRegisters&, uint32_t counter);
// counter += `value`, an SGPR or a constant; SCC is the carry.
std::string add(const ProbeRegisters&, uint32_t counter, std::string_view value);
// counter += `value` + SCC; SCC is the carry.
std::string add_carry(const ProbeRegisters&, uint32_t counter, std::string_view value = "0");
// counter -= `value`, an SGPR or a constant; SCC is the borrow.
std::string subtract(const ProbeRegisters&, uint32_t counter, std::string_view value);
// counter -= `value` + SCC; SCC is the borrow.
std::string subtract_borrow(const ProbeRegisters&, uint32_t counter, std::string_view value);
// The text with SCC as it was behind it; it must leave ProbeRegisters::scratch + 4 alone.
std::string keeping_scc(const ProbeRegisters&, std::string_view text);

// An SGPR pair as an operand: "s[8:9]", "vcc", "exec".
std::string pair(uint16_t code);

} // namespace crosslane::rewrite
