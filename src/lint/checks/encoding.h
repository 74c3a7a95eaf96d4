// What an instruction by itself says that the hardware does not define, or that no assembler would write: reserved
// values, operands that do not go together, tuples at odd registers, ranges of immediates.
#pragma once
#include "lint/finding.h"
#include "lint/together.h"

namespace crosslane::lint {

class EncodingRules : public Topic<Nothing> {
public:
  EncodingRules(const Subject& subject, Report& report) : subject_(subject), report_(report) {}
  void look(const Step&);

private:
  const Subject& subject_;
  Report& report_;

  Finding& add(Rule, Severity, Said, const Step&, std::string message);
  std::string name(const Step&) const;
  void nop(const Step&);
  void message(const Step&);
  bool names_unaligned_sgprs(const Step&) const;
  void alignment(const Step&);
  void constant_bus(const Step&);
  void matrix(const Step&);
};

} // namespace crosslane::lint
