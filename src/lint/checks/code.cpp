// The topics about registers, memory and modes, in one walk over the code.
#include "lint/checks.h"
#include "lint/checks/counts.h"
#include "lint/checks/encoding.h"
#include "lint/checks/items.h"
#include "lint/checks/modes.h"
#include "lint/checks/undefined.h"
#include "lint/checks/vcc_alias.h"

namespace crosslane::lint {

namespace {

class CodeWalk final : public Walk {
public:
  CodeWalk(const Subject& subject, Report& report)
      : launches_(subject), encoding_(subject, report), counts_(subject, launches_, report),
        undefined_(subject, launches_, report), modes_(subject, report), vcc_alias_(subject, launches_, report),
        items_(subject, launches_, report), forward_(subject, topics_) {}
  void part(uint32_t number, PartReader& reader) override { forward_.part(number, reader); }
  void rest(PartReader& reader) override {
    forward_.rest(reader);
    counts_.finish();
    undefined_.finish();
    items_.finish();
  }

private:
  const Launches launches_;
  EncodingRules encoding_;
  Counts counts_;
  Undefined undefined_;
  Modes modes_;
  VccAlias vcc_alias_;
  Items items_;
  Together<EncodingRules, Counts, Undefined, Modes, VccAlias, Items> topics_{encoding_, counts_,    undefined_,
                                                                             modes_,    vcc_alias_, items_};
  Forward<decltype(topics_)> forward_;
};

} // namespace

std::unique_ptr<Walk> walk_code(const Subject& subject, Report& report) {
  return std::make_unique<CodeWalk>(subject, report);
}

} // namespace crosslane::lint
