// Owns how numbers and rows of a difference are worded, for all of its forms.
#pragma once
#include "diff/difference.h"

namespace crosslane::diff {

std::string text_of(std::optional<double>); // "36000", "0.125", "-"
std::string change_of(const Row&);          // "+28.4 %", "from 0", "new", "gone", "same"
std::string text_of(const Finding&);        // "k.cl:3:7: error: reads ... [memory-bounds]"
// The changed ones, most changed first, those of host time last; then, if `all`, the others as they come.
std::vector<Row> ordered(const std::vector<Row>&, bool all);
// What has changed of lines, or of branches, most of the kernel's whole first. A part that is not there counts as 0.
struct PartRow {
  const PartDifference* part;
  Row row;
};
std::vector<PartRow> changed_parts(const KernelDifference&, bool branches);
std::string shown_of(const PartDifference&); // "k.cl:8 (was k.cl:7)"
// "profile: before.json -> after.json"
std::string heading(const Difference&);

} // namespace crosslane::diff
