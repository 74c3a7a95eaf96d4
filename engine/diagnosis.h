// Owns the words of a fault: instruction text, lane, and which allocation an address belongs to.
#pragma once
#include "engine/context.h"

namespace crosslane::engine {

void diagnose(machine::Fault& fault, const Wave& w);

}  // namespace crosslane::engine
