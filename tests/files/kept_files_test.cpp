// The cache's files: whole or not there, nobody else's, and not too many.
#include "files/kept_files.h"
#include "tests/files/scratch_folder.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::files {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;
using Bytes = std::vector<uint8_t>;

constexpr uint64_t plenty = 1 << 30;

std::string name(int number) {
  std::string digits = std::to_string(number);
  return std::string(64 - digits.size(), 'a') + digits;
}

class KeptFilesTest : public testing::Test {
protected:
  std::optional<Bytes> read(const std::string& name) {
    trouble_.clear();
    return folder_.read(name, trouble_);
  }
  fs::path file(const std::string& name) const { return fs::path(folder_.path()) / name; }
  uint64_t bytes_there() const {
    uint64_t sum = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      sum += entry.path().filename().string().size() >= 64 ? entry.file_size() : 0;
    return sum;
  }
  size_t temporaries() const {
    return size_t(std::ranges::count_if(fs::directory_iterator(folder_.path()), [](const auto& entry) {
      return entry.path().filename().string().size() > 64;
    }));
  }

  // In a process of its own; as a user without privileges, to whom all that is there belongs.
  void as_plain_user(const std::function<void()>& body) {
    constexpr uid_t nobody = 65534;
    in_process([&] {
      if (geteuid() == 0) {
        fs::permissions(scratch_.path(), fs::perms::all);
        for (const auto& entry : fs::recursive_directory_iterator(scratch_.path()))
          ASSERT_EQ(lchown(entry.path().c_str(), nobody, nobody), 0);
        ASSERT_EQ(seteuid(nobody), 0);
      }
      body();
    });
  }
  void in_process(const std::function<void()>& body) {
    const pid_t child = fork();
    if (!child) {
      body();
      _exit(HasFailure());
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  const ScratchFolder scratch_;
  const KeptFiles folder_{scratch_ / "home" / "cache", plenty};
  const Bytes some_ = {1, 2, 3};
  std::string trouble_;
};

TEST_F(KeptFilesTest, KeepsFilesForItsUserAlone) {
  fs::create_directory(scratch_ / "home");
  EXPECT_EQ(read(name(1)), std::nullopt);
  EXPECT_EQ(trouble_, "");
  EXPECT_FALSE(fs::exists(folder_.path())) << "nothing was written yet";
  EXPECT_EQ(folder_.write(name(1), some_), "");
  EXPECT_EQ(read(name(1)), some_);
  EXPECT_EQ(read(name(2)), std::nullopt);
  EXPECT_EQ(fs::status(folder_.path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file(name(1))).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const Bytes other = {9};
  EXPECT_EQ(folder_.write(name(1), other), "");
  EXPECT_EQ(read(name(1)), other);
  folder_.remove(name(1));
  EXPECT_EQ(read(name(1)), std::nullopt);
  EXPECT_EQ(trouble_, "");
}

TEST_F(KeptFilesTest, MakesTheFolderAroundItButNoMore) {
  EXPECT_EQ(folder_.write(name(1), some_), "");
  EXPECT_EQ(fs::status(scratch_ / "home").permissions(), fs::perms::owner_all);
  const KeptFiles deep(scratch_ / "none" / "none" / "cache", plenty);
  EXPECT_NE(deep.write(name(1), some_), "");
  EXPECT_FALSE(fs::exists(scratch_ / "none"));
}

TEST_F(KeptFilesTest, BelievesNoFolderThatOthersMayWriteTo) {
  ASSERT_EQ(folder_.write(name(1), some_), "");
  for (const auto perms : {fs::perms::others_write, fs::perms::group_write}) {
    fs::permissions(folder_.path(), fs::perms::owner_all | perms);
    EXPECT_EQ(read(name(1)), std::nullopt);
    EXPECT_EQ(trouble_, folder_.path() + " is open to others for writing");
    EXPECT_EQ(folder_.write(name(2), some_), trouble_);
    EXPECT_FALSE(fs::exists(file(name(2))));
  }
  fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_read);
  EXPECT_EQ(read(name(1)), some_);
}

TEST_F(KeptFilesTest, BelievesNothingOfAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(folder_.write(name(1), some_), "");
  ASSERT_EQ(folder_.write(name(2), some_), "");
  ASSERT_EQ(chown(file(name(1)).c_str(), 1, gid_t(-1)), 0);
  EXPECT_EQ(read(name(1)), std::nullopt);
  EXPECT_EQ(read(name(2)), some_);
  ASSERT_EQ(chown(folder_.path().c_str(), 1, gid_t(-1)), 0);
  EXPECT_EQ(read(name(2)), std::nullopt);
  EXPECT_EQ(trouble_, folder_.path() + " is another user's");
  EXPECT_EQ(folder_.write(name(3), some_), trouble_);
}

TEST_F(KeptFilesTest, FollowsNoLinksAndWaitsForNoPipe) {
  ASSERT_EQ(folder_.write(name(1), some_), "");
  fs::rename(file(name(1)), scratch_ / "elsewhere");
  fs::create_symlink(scratch_ / "elsewhere", file(name(1)));
  EXPECT_EQ(read(name(1)), std::nullopt);
  EXPECT_EQ(folder_.write(name(1), some_), "") << "it takes the link's place";
  EXPECT_FALSE(fs::is_symlink(file(name(1))));
  ASSERT_EQ(mkfifo(file(name(2)).c_str(), 0600), 0);
  EXPECT_EQ(read(name(2)), std::nullopt);
  fs::create_directory(file(name(3)));
  EXPECT_EQ(read(name(3)), std::nullopt);
  EXPECT_NE(folder_.write(name(3), some_), "");
  EXPECT_EQ(temporaries(), 0u);
  fs::create_directory_symlink(folder_.path(), scratch_ / "link");
  EXPECT_EQ(KeptFiles(scratch_ / "link", plenty).read(name(1), trouble_), std::nullopt);
  EXPECT_NE(trouble_, "");
}

TEST_F(KeptFilesTest, BelievesNoFileThatOthersMayWriteTo) {
  ASSERT_EQ(folder_.write(name(1), some_), "");
  fs::permissions(file(name(1)), fs::perms::owner_read | fs::perms::others_write);
  EXPECT_EQ(read(name(1)), std::nullopt);
}

TEST_F(KeptFilesTest, IsReadWhereItCannotBeWritten) {
  ASSERT_EQ(folder_.write(name(1), some_), "");
  as_plain_user([&] {
    fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(read(name(1)), some_);
    EXPECT_EQ(folder_.write(name(2), some_), folder_.path() + ": Permission denied");
    EXPECT_EQ(read(name(2)), std::nullopt);
  });
}

TEST_F(KeptFilesTest, WhatDoesNotFitTheDiskLeavesNothing) {
  ASSERT_EQ(folder_.write(name(1), some_), "");
  in_process([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {8000, 8000}; // EFBIG; of a full disk it is ENOSPC
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_NE(folder_.write(name(1), Bytes(10'000, 7)), "");
    EXPECT_EQ(read(name(1)), some_);
    EXPECT_EQ(temporaries(), 0u);
  });
}

TEST_F(KeptFilesTest, WhatWasUsedLongestAgoMakesRoom) {
  const KeptFiles small(folder_.path(), 10'000);
  const auto age = [&](int number, int hours) {
    fs::last_write_time(file(name(number)), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (int n = 0; n < 9; ++n) {
    ASSERT_EQ(small.write(name(n), Bytes(1000, uint8_t(n))), "");
    age(n, 100 - n);
  }
  EXPECT_EQ(small.read(name(0), trouble_), Bytes(1000, 0)); // which makes it the newest
  std::ofstream(file(name(100) + ".123")) << "of a process that is gone";
  fs::last_write_time(file(name(100) + ".123"), fs::file_time_type::clock::now() - std::chrono::hours(2));
  std::ofstream(file(name(100) + ".124")) << "of one that is at it";
  std::ofstream(file("of another program")) << "";
  for (const int n : {9, 10})
    ASSERT_EQ(small.write(name(n), Bytes(1000, 0)), "");
  EXPECT_LE(bytes_there(), 7500u + 100);
  EXPECT_GE(bytes_there(), 6500u);
  for (const int n : {1, 2, 3, 4})
    EXPECT_EQ(small.read(name(n), trouble_), std::nullopt) << n;
  for (const int n : {0, 5, 8, 9, 10})
    EXPECT_NE(small.read(name(n), trouble_), std::nullopt) << n;
  EXPECT_EQ(temporaries(), 1u);
  EXPECT_TRUE(fs::exists(file("of another program")));
  EXPECT_EQ(small.write(name(11), Bytes(10'001, 0)), "") << "more than there may be at all is not kept";
  EXPECT_EQ(small.read(name(11), trouble_), std::nullopt);
}

TEST_F(KeptFilesTest, ASumThatIsLostIsFoundAgain) {
  const KeptFiles small(folder_.path(), 10'000);
  for (int n = 0; n < 30; ++n) {
    if (n % 3 == 0)
      fs::remove(file("total"));
    if (n % 5 == 0)
      std::ofstream(file("total")) << "odd";
    ASSERT_EQ(small.write(name(n), Bytes(1000, 0)), "");
    EXPECT_LE(bytes_there(), 10'000u);
  }
}

// Contents tell who wrote them, and that they are whole.
TEST_F(KeptFilesTest, ManyProcessesAndSomeThatDie) {
  constexpr int writers = 4, names = 5;
  const KeptFiles small(folder_.path(), 400'000);
  const auto contents = [](uint8_t writer) { return Bytes(20'000 + writer * 1000, writer); };
  const auto is_whole = [&](const Bytes& b) { return !b.empty() && b == contents(b[0]); };
  std::vector<pid_t> all;
  for (uint8_t w = 0; w < writers; ++w)
    if (all.push_back(fork()); !all.back()) {
      bool good = true;
      for (int i = 0; w == 0 || i < 300; ++i) { // the first one goes on until it is killed
        good &= small.write(name(i % names), contents(w)).empty();
        const auto found = small.read(name((i + w) % names), trouble_);
        good &= !found || is_whole(*found);
      }
      _exit(!good);
    }
  for (size_t w = 1; w < writers; ++w) {
    int status = 0;
    ASSERT_EQ(waitpid(all[w], &status, 0), all[w]);
    EXPECT_EQ(status, 0);
  }
  ASSERT_EQ(kill(all[0], SIGKILL), 0);
  ASSERT_EQ(waitpid(all[0], nullptr, 0), all[0]);
  for (int n = 0; n < names; ++n) {
    const auto found = small.read(name(n), trouble_);
    EXPECT_TRUE(found && is_whole(*found)) << n;
  }
  EXPECT_LE(temporaries(), 1u);
  EXPECT_EQ(small.write(name(0), contents(1)), "");
  EXPECT_EQ(small.read(name(0), trouble_), contents(1));
}

} // namespace
} // namespace crosslane::files
