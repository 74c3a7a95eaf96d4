// Journals: what was added is there, whatever became of the process that wrote it, and of nothing else's.
#include "fleet/journal.h"
#include "tests/expected.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <random>

namespace crosslane::fleet {
namespace {

using test::error_of;
using testing::HasSubstr;

class FleetJournal : public testing::Test {
protected:
  FleetJournal() { std::filesystem::remove(file_); }
  void write(std::initializer_list<std::pair<uint64_t, std::string>> items) const {
    auto journal = llvm::cantFail(Journal::open(file_, work_, std::filesystem::exists(file_)));
    for (const auto& [item, result] : items)
      llvm::cantFail(journal->add(item, result));
  }
  std::map<uint64_t, std::string> read() const {
    return llvm::cantFail(Journal::open(file_, work_, true))->take_finished();
  }
  std::string bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void replace(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }

  const std::string work_ = "work with\nany name";
  const std::string file_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".journal";
};

using Items = std::map<uint64_t, std::string>;
const std::string odd("\0item 9 9 9\n\xff", 13);

TEST_F(FleetJournal, HoldsAnyBytes) {
  write({{7, odd}, {0, ""}, {UINT64_MAX, std::string(100000, 'x')}});
  EXPECT_EQ(read(), (Items{{7, odd}, {0, ""}, {UINT64_MAX, std::string(100000, 'x')}}));
}

TEST_F(FleetJournal, GoesOnWhereItWas) {
  write({{1, "one"}});
  write({{2, "two"}});
  EXPECT_EQ(read(), (Items{{1, "one"}, {2, "two"}}));
}

// Cut anywhere behind its head it has what was whole, and can be added to.
TEST_F(FleetJournal, CutOffAnywhere) {
  write({});
  const size_t head = bytes().size();
  write({{1, "one"}, {2, odd}, {3, "three"}});
  const std::string all = bytes();
  for (size_t size = head; size <= all.size(); ++size) {
    replace(all.substr(0, size));
    const size_t before = read().size();
    EXPECT_LE(before, 3u);
    write({{9, "nine"}});
    const Items now = read();
    EXPECT_EQ(now.size(), before + 1) << size;
    EXPECT_EQ(now.at(9), "nine");
  }
}

TEST_F(FleetJournal, DamageEndsIt) {
  write({{1, "one"}, {2, "two"}, {3, "three"}});
  const std::string all = bytes();
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string text = all;
    text[random() % text.size()] ^= static_cast<char>(1 + random() % 255);
    replace(text);
    auto journal = Journal::open(file_, work_, true);
    if (!journal) {
      EXPECT_THAT(error_of(std::move(journal)), HasSubstr(file_));
      continue;
    }
    for (const auto& entry : (*journal)->take_finished())
      EXPECT_THAT((Items{{1, "one"}, {2, "two"}, {3, "three"}}), testing::Contains(entry));
  }
}

TEST_F(FleetJournal, IsNotWrittenOver) {
  write({{1, "one"}});
  EXPECT_THAT(error_of(Journal::open(file_, work_, false)), HasSubstr("is there already; --resume goes on with it"));
  EXPECT_THAT(error_of(Journal::open(file_, "other work", true)), HasSubstr("is of other work"));
  EXPECT_EQ(read(), (Items{{1, "one"}}));
  replace("somebody's text\n");
  EXPECT_THAT(error_of(Journal::open(file_, work_, true)), HasSubstr("is no journal of a fleet"));
  EXPECT_EQ(bytes(), "somebody's text\n");
  EXPECT_THAT(error_of(Journal::open("/nowhere/j", work_, false)), HasSubstr("No such file"));
}

TEST_F(FleetJournal, HasOneWriter) {
  auto first = llvm::cantFail(Journal::open(file_, work_, false));
  EXPECT_THAT(error_of(Journal::open(file_, work_, true)), HasSubstr("another process writes it"));
}

} // namespace
} // namespace crosslane::fleet
