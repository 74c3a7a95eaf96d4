// What --help, manual pages and completions have in common, on a verb of this test's own.
#include "cli/help/completion.h"
#include "cli/help/man.h"
#include "cli/help/text.h"
#include "cli/help/values.h"
#include <gtest/gtest.h>

namespace crosslane::cli {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Command {
  CLI::App root{"a command"};
  CLI::App* verb = root.add_subcommand("weave", "make cloth");
  std::string text;
  int number = 0;
  bool flag = false;
  std::vector<std::string> list;

  Command() {
    verb->add_option("FILE", list, "yarn (.wool .silk)")->type_name("");
    verb->add_option("-o,--output", text, "where to, as .cloth\nor .rag")->type_name("FILE");
    verb->add_option("--how", text, "fast or well (default: well)")
        ->check(CLI::IsMember({"fast", "well", "dear"}))
        ->type_name("HOW");
    verb->add_option("--rows", number, "how many (default: 9)")->check(CLI::Range(1, 64))->type_name("N");
    verb->add_option("--at", text, "which knot")->type_name("ROW:KNOT[:HUE]");
    verb->add_option("--secret", text, "nobody is told")->group("");
    verb->add_flag("--dry", flag, "no water")->group("Care");
  }
};

TEST(Page, IsOutOfTheOptions) {
  Command command;
  const Page page = page_of(command.root);
  ASSERT_EQ(page.verbs.size(), 1u);
  const Page& verb = page.verbs[0];
  EXPECT_EQ(verb.usage(), "crosslane weave [OPTIONS] [FILE...]");
  ASSERT_EQ(verb.options.size(), 6u); // with --help, without --secret
  EXPECT_EQ(verb.options[1].names, (std::vector<std::string>{"-o", "--output"}));
  EXPECT_EQ(verb.options[1].what, "where to, as .cloth or .rag");
  EXPECT_EQ(verb.options[2].value, "HOW");
  EXPECT_EQ(verb.options[2].what, "fast or well (default: well) (fast, well, dear)")
      << "a choice that is not mentioned";
  EXPECT_EQ(verb.options[3].what, "how many (default: 9; 1 to 64)");
  EXPECT_EQ(verb.options[4].value, "ROW:KNOT[:HUE]");
  EXPECT_EQ(verb.options[5].value, "");
  EXPECT_EQ(verb.options[5].group, "Care");
}

TEST(Page, ReadsFooters) {
  Page page;
  read_footer("One\ntwo.\n\nThree:\n  a  b\n  c\nFour.\nExamples: crosslane a\n          crosslane b", page);
  EXPECT_EQ(page.notes, (std::vector<Page::Block>{
                            {false, "One two."}, {false, "Three:"}, {true, "  a  b\n  c"}, {false, "Four."}}));
  EXPECT_EQ(page.examples, (std::vector<std::string>{"crosslane a", "crosslane b"}));
}

TEST(Values, AreOfTheirKind) {
  Command command;
  const Page verb = page_of(*command.verb);
  EXPECT_EQ(values_of(verb.words[0]), (Values{.files = true, .endings = {"wool", "silk"}}));
  EXPECT_EQ(values_of(verb.options[1]), (Values{.files = true, .endings = {"cloth", "rag"}}));
  EXPECT_EQ(values_of(verb.options[2]).words, (std::vector<std::string>{"fast", "well", "dear"}));
  EXPECT_EQ(values_of(verb.options[3]), Values{});
  EXPECT_TRUE(values_of({.names = {"--check"}, .value = "CHECKS"}).list);
}

TEST(HelpText, KeepsToItsWidth) {
  Command command;
  command.verb->footer("A sentence that is somewhat longer than the line may be.\n\nExample: crosslane weave 'a b c d "
                       "e f g h i j k l m' --how well");
  const std::string text = help_text(page_of(*command.verb), 50);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 50u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_TRUE(has(text, "  crosslane weave 'a b c d e f g h i j k l m' \\\n      --how well\n")) << text;
  EXPECT_FALSE(has(text, "--secret"));
}

TEST(HelpText, BreaksCommandsOutsideOfQuotes) {
  EXPECT_EQ(broken_command("a 'b c d e f g h' i", 10, 2), "a \\\n  'b c d e f g h' \\\n  i");
  EXPECT_EQ(broken_command("a b", 10, 2), "a b");
}

TEST(ManualPage, EscapesWhatRoffReads) {
  Command command;
  command.verb->footer(".s is no request, 'neither'; back\\slash -1 ^ ~\n\n  .verbatim\n  'x'\n");
  const Page page = page_of(command.root);
  const std::string text = manual_page(page, page.verbs[0], {"2026-01-02", "1.2.3"});
  EXPECT_TRUE(text.starts_with(".TH CROSSLANE\\-WEAVE 1 \"2026-01-02\" \"crosslane 1.2.3\"")) << text;
  EXPECT_TRUE(has(text, "\n\\&.s is no request, \\(aqneither\\(aq; back\\eslash \\-1 \\(ha \\(ti\n")) << text;
  EXPECT_TRUE(has(text, "\n.EX\n  .verbatim\n  \\(aqx\\(aq\n.EE\n")) << text;
  EXPECT_TRUE(has(text, "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n")) << text;
}

TEST(Completion, DescribesInShort) {
  EXPECT_EQ(brief("short (and more); much more"), "short");
  EXPECT_EQ(brief("GPU: gfx803, ... (default)"), "GPU: gfx803, ...");
  EXPECT_EQ(brief("one two three four", 12), "one two ...");
}

} // namespace
} // namespace crosslane::cli
