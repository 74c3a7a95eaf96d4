// MUBUF and MTBUF.
#include "engine/lowering.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

bool lower_buffer(Lowering&) { return false; }

CROSSLANE_LEVEL_END
}  // namespace crosslane::engine
