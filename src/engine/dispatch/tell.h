// Owns what listeners hear of the coming and going of workgroups and waves. Only for workgroups that are observed: who
// calls asks that first, so that nothing else costs anything.
#pragma once
#include "engine/dispatch/slot.h"

namespace crosslane::engine {

void tell_began(Slot&);
void tell_ended(const Wave&, events::End);
void tell_ended(Slot&, events::End); // the workgroup, whose waves have all been told of
// The dispatch stops before the workgroup has come to its end: its waves that have not ended, then itself.
void tell_abandoned(Slot&);
// Its waves that have arrived at a barrier go on.
void tell_released(Slot&);

} // namespace crosslane::engine
