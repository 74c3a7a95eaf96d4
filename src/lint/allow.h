// Owns comments of assembly that allow findings:
//
//   v_mov_b32 v1, v0 // crosslane-lint: allow(valu-vgpr-dpp) why          of this line
//   ; crosslane-lint: allow(valu-vgpr-dpp, wait-states) why               alone on its line: of the next one with code
//   // crosslane-lint: off(waits) why ... // crosslane-lint: on(waits)    of the lines between
//
// A finding belongs to the line of the instruction that it is told of, in the file that was named.
#pragma once
#include "lint/placed.h"

namespace crosslane::lint {

// Takes out what is allowed and adds what is wrong with the comments. `judged` must have all findings of its code, or
// a comment may seem to be of no use. Returns how many were taken out.
size_t apply_comments(Judged& judged, const SourceText& text);

} // namespace crosslane::lint
