// Owns which half of the window (machine/window.h) a process begins with.
#pragma once

namespace crosslane::machine {

// From now on memory comes from the second half, unless it has come from there already: what programs of other
// processes had in the first one can be put back there (capture/placed.h).
void use_second_half();

} // namespace crosslane::machine
