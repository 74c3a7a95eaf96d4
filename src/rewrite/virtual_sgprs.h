// Owns virtual SGPRs: numbers from first_virtual_sgpr on, by which probes name SGPRs where the program leaves them too
// few. What is assembled with such names remembers which of an instruction's operands they are, until each piece of a
// probe gets registers (rewrite/sgpr_allocation.h).
#pragma once
#include "isa/instruction.h"
#include "rewrite/listing.h"
#include <span>

namespace crosslane::rewrite {

// A multiple of 4, and above all that have names.
inline constexpr uint16_t first_virtual_sgpr = 128;
constexpr bool is_virtual(uint16_t sgpr) { return sgpr >= first_virtual_sgpr; }

// Whether assembly names some, "s130" or "s[128:131]"; the same with s[128] called s[first] and so on.
bool names_virtual_sgprs(std::string_view assembly);
std::string with_virtual_sgprs_at(uint16_t first, std::string_view assembly);

// The members of an instruction that name registers.
std::array<uint16_t*, 10> register_fields(isa::Instruction&);

// An instruction whose fields in `virtual_fields`, bits by register_fields(), number virtual SGPRs from 0 on; and back,
// with number n as `sgprs[n]`. Tuples have to be tuples there, too.
Item virtual_item(const isa::Instruction&, uint16_t virtual_fields);
isa::Instruction instruction_of(const Item&, isa::Target, std::span<const uint16_t> sgprs);
// The item with these registers, and nothing virtual left in it.
Item with_registers(const Item&, isa::Target, std::span<const uint16_t> sgprs);

} // namespace crosslane::rewrite
