// The topics about registers, memory and modes, in one walk over the code.
#include "lint/checks.h"
#include "lint/checks/barrier.h"
#include "lint/checks/counts.h"
#include "lint/checks/encoding.h"
#include "lint/checks/lds_size.h"
#include "lint/checks/modes.h"
#include "lint/checks/undefined.h"
#include "lint/checks/vcc_alias.h"

namespace crosslane::lint {

void check_code(const Subject& subject, Report& report) {
  const Launches launches(subject);
  EncodingRules encoding(subject, report);
  Counts counts(subject, launches, report);
  Undefined undefined(subject, launches, report);
  Modes modes(subject, report);
  VccAlias vcc_alias(subject, launches, report);
  LdsSize lds_size(subject, launches, report);
  Barriers barriers(subject, launches, report);
  Together topics(encoding, counts, undefined, modes, vcc_alias, lds_size, barriers);
  walk_forward(subject, topics);
  counts.finish();
  undefined.finish();
  barriers.finish();
}

} // namespace crosslane::lint
