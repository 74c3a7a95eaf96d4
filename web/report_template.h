// Owns the page of the HTML report as the binary holds it. web/README.md says how it is made.
#pragma once
#include <string_view>

namespace crosslane::web {

// What stands once in the page for the profile: to be replaced, quotes included, by the JSON document of
// docs/profile-format.md with every `<` written as \u003c (so that no text in it can end the element).
inline constexpr std::string_view report_marker = "\"@CROSSLANE_PROFILE@\"";

// A whole HTML document, UTF-8.
std::string_view report_template();

} // namespace crosslane::web
