// The JSON is put into a script element, where only `<` could do harm. U+2028 and U+2029, which JSON allows in strings
// and old JavaScript does not, are escaped as well.
#include "report/html.h"
#include "report/json.h"
#include "web/report_template.h"
#include <cassert>
#include <string_view>

namespace crosslane::report {

using namespace findings;

namespace {

std::string escaped(std::string_view document) {
  std::string text;
  text.reserve(document.size() + document.size() / 64);
  for (size_t i = 0; i < document.size(); ++i) {
    if (document[i] == '<') {
      text += "\\u003c";
    } else if (document.substr(i, 2) == "\xe2\x80" &&
               (document.substr(i + 2, 1) == "\xa8" || document.substr(i + 2, 1) == "\xa9")) {
      text += document[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      text += document[i];
    }
  }
  return text;
}

} // namespace

std::string html(const Profile& profile, const std::string& more) {
  const std::string_view page = web::report_template();
  const size_t at = page.find(web::report_marker);
  assert(at != std::string_view::npos);
  std::string document = json(profile, more);
  document.pop_back(); // the line break
  std::string text(page.substr(0, at));
  text += escaped(document);
  text += page.substr(at + web::report_marker.size());
  return text;
}

} // namespace crosslane::report
