// The page with the profile inside.
#include "report/html.h"
#include "report/json.h"
#include "tests/findings/made_up.h"
#include "web/report_template.h"
#include <nlohmann/json.hpp>

namespace crosslane::report {

using namespace findings;
namespace {

// The text between the tags of the element that holds the profile, as a browser finds its end: at the first `</script`.
std::string embedded(const std::string& page) {
  const size_t element = page.find("id=\"crosslane-profile\"");
  const size_t begin = page.find('>', element) + 1;
  return page.substr(begin, page.find("</script", begin) - begin);
}

TEST(Html, HoldsTheProfile) {
  made_up::Kernel k;
  k.add("v_add_f32_e32 v1, v2, v3", 3);
  Profile p;
  p.kernels = {k.k};
  const std::string page = html(p);
  EXPECT_EQ(nlohmann::json::parse(embedded(page)), nlohmann::json::parse(json(p)));
  EXPECT_EQ(page.find(web::report_marker), std::string::npos);
  EXPECT_EQ(page, html(p));
}

TEST(Html, NoTextEndsTheElement) {
  Profile p;
  p.command = "</script><script>alert(1)</script><!-- \"@CROSSLANE_PROFILE@\"";
  p.sources = {{"x.hip", "hip", "#include <a>\n\u2028\u2029\u2030 a < b"}};
  const std::string page = html(p), text = embedded(page);
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find("\u2028"), std::string::npos);
  EXPECT_EQ(text.find("\u2029"), std::string::npos);
  EXPECT_NE(text.find("\u2030"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(json(p)));
}

} // namespace
} // namespace crosslane::report
