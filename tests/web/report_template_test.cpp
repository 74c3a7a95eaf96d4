// The page that the binary holds is the whole page that npm built, with one place for the profile and nothing to fetch.
#include "web/report_template.h"
#include <gtest/gtest.h>

namespace crosslane::web {
namespace {

size_t count(std::string_view text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size()))
    n++;
  return n;
}

TEST(ReportTemplate, IsAWholePage) {
  std::string_view page = report_template();
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  size_t end = page.find_last_not_of(" \n");
  ASSERT_NE(end, page.npos);
  EXPECT_EQ(page.substr(end - 6, 7), "</html>");
}

TEST(ReportTemplate, HasOnePlaceForTheProfile) {
  std::string_view page = report_template();
  EXPECT_EQ(count(page, report_marker), 1u);
  size_t at = page.find(report_marker);
  constexpr std::string_view before = "<script type=\"application/json\" id=\"crosslane-profile\">",
                             after = "</script>";
  ASSERT_GE(at, before.size());
  EXPECT_EQ(page.substr(at - before.size(), before.size()), before);
  EXPECT_EQ(page.substr(at + report_marker.size(), after.size()), after);
}

TEST(ReportTemplate, LoadsNothing) {
  std::string_view page = report_template();
  EXPECT_EQ(count(page, "<script src="), 0u);
  EXPECT_EQ(count(page, "<script type=\"module\" crossorigin src="), 0u);
  EXPECT_EQ(count(page, "<link rel=\"stylesheet\""), 0u);
  EXPECT_EQ(count(page, "@import"), 0u);
}

TEST(ReportTemplate, BringsTheNoticesOfItsPackages) {
  std::string_view page = report_template();
  EXPECT_EQ(count(page, "@LICENCES@"), 0u);
  for (const char* package : {"\npreact 1", "\nchart.js 4", "\n@codemirror/view 6", "\n@tanstack/table-core 8"})
    EXPECT_EQ(count(page, package), 1u) << package;
  EXPECT_GE(count(page, "Permission is hereby granted, free of charge"), 10u);
}

} // namespace
} // namespace crosslane::web
