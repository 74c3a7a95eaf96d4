// The list of views, made of the rows of findings/views.inc.
#include "report/view.h"
#include <algorithm>
#include <vector>

namespace crosslane::report {

#define VIEW(name) extern const ViewParts name##_view;
#include "findings/views.inc"
#undef VIEW

std::span<const View> all_views() {
  static const View all[] = {
#define VIEW(name) {#name, &findings::Views::name, name##_view},
#include "findings/views.inc"
#undef VIEW
  };
  return all;
}

std::span<const View> views_to_report() {
  static const std::vector<View> sorted = [] {
    std::vector<View> list;
    for (const bool counting : {true, false})
      std::ranges::copy_if(all_views(), std::back_inserter(list),
                           [&](const View& v) { return v.parts.counts_executions == counting; });
    return list;
  }();
  return sorted;
}

std::string view_names(const char* last) {
  std::string text;
  for (const View& view : all_views())
    text += (text.empty() ? "" : &view == &all_views().back() ? last : ", ") + std::string(view.name);
  return text;
}

} // namespace crosslane::report
