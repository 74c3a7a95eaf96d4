// The per-level entry point: which lower_* an encoding goes to. Compiled once per level.
#include "engine/decode/backend.h"
#include "engine/memory/atomic.h"
#include "engine/memory/image.h"
#include "engine/valu/matrix.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

bool lower_vector(Lowering& l) {
  using enum isa::Encoding;
  switch (l.row.encoding) {
  case VOP1:
  case VOP2:
  case VOPC:
  case VOP3: return lower_valu(l);
  case VOP3P: return lower_matrix(l) || lower_valu(l);
  case SMEM: return lower_smem(l);
  case FLAT:
  case GLOBAL:
  case SCRATCH: return lower_flat(l);
  case MUBUF:
  case MTBUF: return lower_buffer(l);
  case DS: return lower_ds(l);
  case MIMG: return lower_image(l, pick_atomic, clear_status);
  default: return false;
  }
}

CROSSLANE_LEVEL_END

#define CROSSLANE_CAT_(a, b) a##b
#define CROSSLANE_CAT(a, b) CROSSLANE_CAT_(a, b)
#define CROSSLANE_STR_(a) #a
#define CROSSLANE_STR(a) CROSSLANE_STR_(a)
extern const Backend CROSSLANE_CAT(backend_, CROSSLANE_LEVEL);
const Backend CROSSLANE_CAT(backend_, CROSSLANE_LEVEL) = {CROSSLANE_STR(CROSSLANE_LEVEL), CROSSLANE_LEVEL::lower_vector,
                                                          CROSSLANE_LEVEL::address_loops,
                                                          CROSSLANE_LEVEL::matrix_together};

} // namespace crosslane::engine
