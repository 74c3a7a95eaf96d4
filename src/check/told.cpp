// One lock: whoever tells the same thing a million times has an error of more worth than the time it takes.
#include "check/told.h"
#include "lint/lint.h"
#include <utility>

namespace crosslane::check {

void Told::add(lint::Rule rule, uint64_t pc, uint64_t other, const machine::Wave& wave, int lane, uint64_t times,
               const std::function<Said()>& say) {
  const machine::Workgroup& group = *wave.workgroup;
  add(rule, pc, other, {group.number, {group.id[0], group.id[1], group.id[2]}, wave.id, lane}, times, say);
}

void Told::add(lint::Rule rule, uint64_t pc, uint64_t other, const Where& where, uint64_t times,
               const std::function<Said()>& say) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[{rule, pc, other}];
  lint::Finding& f = entry.finding;
  const uint64_t before = f.seen ? f.seen->times : 0;
  if (std::pair(where.number, where.wave) < std::pair(entry.group, entry.wave)) {
    entry.group = where.number, entry.wave = where.wave;
    Said said = say();
    f = {.rule = rule,
         .severity = lint::text_of(rule).severity,
         .said = lint::Said::nobody,
         .pc = pc,
         .message = std::move(said.message),
         .notes = std::move(said.notes),
         .seen = lint::Seen{.workgroup = {where.workgroup[0], where.workgroup[1], where.workgroup[2]},
                            .wave = where.wave,
                            .lane = where.lane,
                            .address = said.address},
         .callers = std::move(said.callers)};
  }
  f.seen->times = before + times;
}

lint::Report Told::report() const {
  lint::Report report;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_)
    report.findings.push_back(entry.finding);
  lint::bring_into_order(report);
  return report;
}

} // namespace crosslane::check
