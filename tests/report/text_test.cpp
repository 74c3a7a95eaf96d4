// Text out of files that means no good, in whatever a report becomes.
#include "findings/branches.h"
#include "findings/fidelity.h"
#include "findings/names.h"
#include "findings/text.h"
#include "report/counter_csv.h"
#include "report/html.h"
#include "report/json.h"
#include "report/summary.h"
#include "tests/findings/made_up.h"
#include <llvm/Support/ConvertUTF.h>
#include <nlohmann/json.hpp>

namespace crosslane::report {

using namespace findings;
namespace {

bool is_utf8(const std::string& text) {
  const auto* at = reinterpret_cast<const llvm::UTF8*>(text.data());
  return llvm::isLegalUTF8String(&at, at + text.size());
}

bool no_controls(const std::string& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if ((c < 0x20 && c != '\n') || c == 0x7f || c1)
      return false;
  }
  return true;
}

TEST(Text, PlainTextStays) {
  for (const char* text : {"", "void f<a::b>(int*, char const*)", "/src/größe/漢字.cl", "a \\ \"b\" ~"})
    EXPECT_EQ(plain(text), text);
}

TEST(Text, ControlCharactersShow) {
  EXPECT_EQ(plain("a\x1b[31mb\nc\td\x7f"), "a\\x1b[31mb\\x0ac\\x09d\\x7f");
  EXPECT_EQ(plain("\xc2\x9b"
                  "31m"),
            "\\xc2\\x9b31m"); // the one-character form of ESC [
  EXPECT_EQ(plain(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(plain_lines("a\n\tb\r\x1b"), "a\n\tb\\x0d\\x1b");
}

TEST(Text, WhatIsNoUtf8Shows) {
  EXPECT_EQ(plain("\xff"), "\\xff");
  EXPECT_EQ(plain("ab\xe2\x82"), "ab\\xe2\\x82");      // cut short
  EXPECT_EQ(plain("\xc0\xaf"), "\\xc0\\xaf");          // '/' in two bytes
  EXPECT_EQ(plain("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // half of a pair
  EXPECT_EQ(plain("\x80\xc3\xa9"), "\\x80\xc3\xa9");
}

TEST(Text, NamesAreCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 50; ++i)
    name += "\xc3\xa9";
  for (size_t width = 20; width < 24; ++width) {
    const std::string cut = short_name(name, width);
    EXPECT_TRUE(is_utf8(cut)) << cut;
    EXPECT_LE(cut.size(), width);
    EXPECT_TRUE(cut.starts_with("..."));
  }
  EXPECT_EQ(readable_name("a\x1b[2J\n"), "a\\x1b[2J\\x0a");
}

class HostileProfile : public testing::Test {
protected:
  HostileProfile() {
    const std::string evil = "</script><script>alert(1)</script>\"'&\n,\r\x1b]0;t\x07\x7f\xff\xe2\x80\xa8\xc2\x9b";
    made_up::Kernel k(evil.c_str());
    k.line = 1;
    made_up::count_branch(k.add("s_and_saveexec_b64 s[0:1], vcc", 128), {128, 120, 0, 8192, 8000});
    made_up::count_memory(k.add("global_store_dword v2, v1, s[4:5]", 128, 60), 128, 8192, 512, views::Pattern::strided,
                          256);
    for (auto& i : k.k.instructions)
      i.text += evil, i.branch ? void(i.branch->source = i.branch->function = evil) : void();
    p.views = {.branches = true, .divergence = true, .memory = true, .lds = true};
    p.command = p.interrupted = p.untraced = evil;
    p.damaged = {evil};
    p.sources = {{evil, "hip", evil + evil}};
    k.k.card = k.k.target = evil;
    p.kernels = {k.k, k.k};
    for (auto& kernel : p.kernels)
      derive(kernel, p.sources, p.views);
  }
  Profile p;
};

TEST_F(HostileProfile, TextDisturbsNoTerminal) {
  for (const By by : {By::line, By::instruction, By::kernel}) {
    const std::string text = summary(p, by, 100);
    EXPECT_TRUE(no_controls(text)) << text;
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST_F(HostileProfile, JsonAndPageAreWhole) {
  const auto document = nlohmann::json::parse(json(p));
  EXPECT_EQ(document["kernels"].size(), 2u);
  EXPECT_EQ(document["damaged"].size(), 1u);
  const std::string page = html(p);
  EXPECT_TRUE(is_utf8(page));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  const size_t begin = page.find('>', page.find("id=\"crosslane-profile\"")) + 1;
  EXPECT_EQ(nlohmann::json::parse(page.substr(begin, page.find("</script", begin) - begin)), document);
}

TEST_F(HostileProfile, OtherReportsAreWhole) {
  const std::string& evil = p.command;
  EXPECT_FALSE(nlohmann::json::parse(json(FidelityReport{.kernel = evil, .target = evil})).empty());
  const auto site = *p.kernels[0].instructions[0].branch;
  const BranchReport branches{evil, evil, std::span(&site, 1), {}};
  EXPECT_EQ(nlohmann::json::parse(json(branches))["branches"].size(), 1u);
  EXPECT_TRUE(no_controls(table(branches)));
  EXPECT_TRUE(no_controls(table(FidelityReport{.kernel = evil, .target = evil})));
}

TEST_F(HostileProfile, CsvHasOneLineForEachValue) {
  size_t values = 0;
  for (const auto& k : p.kernels)
    for (const auto& counter : k.counters)
      values += counter.value.has_value();
  const std::string text = counter_csv(p);
  EXPECT_GT(values, 10u);
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), values + 1);
  EXPECT_TRUE(no_controls(text));
}

} // namespace
} // namespace crosslane::report
