// The writer of files: whole or not at all, whatever goes wrong, and nothing left behind.
#include "files/place.h"
#include "files/write.h"
#include "tests/files/folder.h"
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace crosslane::files {
namespace {

using test::message;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class Write : public test::InFolder {
protected:
  uint32_t mode(const std::string& name) const {
    struct stat status;
    return stat(path(name).c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
};

TEST_F(Write, ReplacesAFileAndLeavesNothingElse) {
  put("a", "old and longer");
  EXPECT_EQ(message(write(path("a"), "new")), "");
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(message(write(path("a"), "")), "");
  EXPECT_EQ(text("a"), "");
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(Write, KeepsTheModeAndElseAsksTheUmask) {
  put("a", "");
  for (const mode_t kept : {0640, 0755, 0600}) {
    chmod(path("a").c_str(), kept);
    EXPECT_EQ(message(write(path("a"), "x")), "");
    EXPECT_EQ(mode("a"), kept);
  }
  const mode_t before = umask(027);
  EXPECT_EQ(message(write(path("new"), "x")), "");
  umask(before);
  EXPECT_EQ(mode("new"), 0640u);
}

TEST_F(Write, KeepsTheOwner) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  put("a", "");
  ASSERT_EQ(chown(path("a").c_str(), 12345, 23456), 0);
  chmod(path("a").c_str(), 0640);
  EXPECT_EQ(message(write(path("a"), "x")), "");
  struct stat status;
  ASSERT_EQ(stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345u);
  EXPECT_EQ(status.st_gid, 23456u);
  EXPECT_EQ(mode("a"), 0640u);
}

TEST_F(Write, FollowsLinks) {
  put("real", "old");
  fs::create_symlink("real", path("link"));
  fs::create_symlink(path("link"), path("linklink"));
  EXPECT_EQ(message(write(path("linklink"), "new")), "");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("linklink")));
  EXPECT_EQ(text("real"), "new");
  fs::create_symlink("nothing", path("dangling"));
  EXPECT_EQ(message(write(path("dangling"), "made")), "");
  EXPECT_EQ(text("nothing"), "made");
  fs::create_symlink("circle", path("circle"));
  EXPECT_EQ(message(write(path("circle"), "x")), path("circle") + ": Too many levels of symbolic links");
}

// A second name of the file is a file of its own then.
TEST_F(Write, DoesNotWriteThroughHardLinks) {
  put("a", "old");
  fs::create_hard_link(path("a"), path("b"));
  EXPECT_EQ(message(write(path("a"), "new")), "");
  EXPECT_EQ(text("b"), "old");
}

TEST_F(Write, DoesNotFollowStrangersLinksInSharedFolders) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs a stranger";
  put("precious", "old");
  fs::create_directory(path("shared"));
  chmod(path("shared").c_str(), 01777);
  fs::create_symlink(path("precious"), path("shared/report"));
  EXPECT_EQ(message(write(path("shared/report"), "own link")), "");
  EXPECT_EQ(text("precious"), "own link");
  ASSERT_EQ(lchown(path("shared/report").c_str(), 12345, 12345), 0);
  const std::string refused =
      path("shared/report") + ": is a link of another user in a folder that everybody may write to";
  EXPECT_EQ(message(write(path("shared/report"), "x")).substr(0, refused.size()), refused);
  EXPECT_EQ(message(append(path("shared/report"), "x")).substr(0, refused.size()), refused);
  EXPECT_EQ(text("precious"), "own link");
  chmod(path("shared").c_str(), 0755); // nobody else can have put it there
  EXPECT_EQ(message(write(path("shared/report"), "new")), "");
}

// As on a full disk: a file may have so many bytes and no more.
TEST_F(Write, AFullDiskCostsNothing) {
  put("a", "good");
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &most);
    const bool good = message(write(path("a"), std::string(5000, 'x'))) == path("a") + ": File too large" &&
                      message(write(path("b"), std::string(5000, 'x'))) == path("b") + ": File too large" &&
                      create(path("c"), std::vector<uint8_t>(5000)) == std::errc::file_too_large;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text("a"), "good");
  EXPECT_EQ(names(), Names{"a"});
}

// However the process ends while it writes.
TEST_F(Write, AKilledWriterLeavesTheOldFile) {
  put("a", "good");
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string large(1 << 24, 'x');
      while (true)
        if (auto error = write(path("b"), large))
          _exit(1);
    }
    usleep(2000 * static_cast<unsigned>(i));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    if (fs::exists(path("b")))
      ASSERT_EQ(fs::file_size(path("b")), 1u << 24);
  }
  EXPECT_EQ(text("a"), "good");
}

TEST_F(Write, OneOfTwoWritersWins) {
  put("a", std::string(300'000, '0'));
  std::atomic<bool> done = false;
  std::vector<std::thread> writers;
  for (const char c : {'1', '2'})
    writers.emplace_back([&, c] {
      for (int i = 0; i < 30; ++i)
        EXPECT_EQ(message(write(path("a"), std::string(300'000, c))), "");
    });
  std::thread reader([&] {
    while (!done) {
      const std::string seen = text("a");
      EXPECT_EQ(seen, std::string(300'000, seen[0])) << "torn";
    }
  });
  for (auto& writer : writers)
    writer.join();
  done = true;
  reader.join();
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(Write, WritesIntoWhatIsNoFile) {
  EXPECT_EQ(message(write("/dev/null", "x")), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(message(write("/dev/full", "x")), "/dev/full: No space left on device");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(message(write(path("pipe"), "through")), "");
  char got[16] = {};
  EXPECT_EQ(read(reader, got, sizeof got), 7);
  EXPECT_STREQ(got, "through");
  close(reader);
  EXPECT_EQ(names(), Names{"pipe"});
}

// Of a file that a descriptor stands for nothing is replaced: what is there stays, as with >>.
TEST_F(Write, WritesToDescriptors) {
  put("log", "first\n");
  const int log = open(path("log").c_str(), O_WRONLY | O_APPEND);
  const std::string name = "/dev/fd/" + std::to_string(log);
  EXPECT_EQ(message(check_writable(name)), "");
  EXPECT_EQ(message(write(name, "second\n")), "");
  EXPECT_EQ(message(write("/proc/self/fd/" + std::to_string(log), "third\n")), "");
  EXPECT_EQ(message(append(name, "fourth\n")), "");
  EXPECT_EQ(text("log"), "first\nsecond\nthird\nfourth\n");
  const int standard = dup(STDOUT_FILENO);
  dup2(log, STDOUT_FILENO);
  const std::string written = message(write(standard_output, "fifth\n")) + message(write("/dev/stdout", "sixth\n"));
  dup2(standard, STDOUT_FILENO);
  close(standard);
  close(log);
  EXPECT_EQ(written, "");
  EXPECT_EQ(text("log"), "first\nsecond\nthird\nfourth\nfifth\nsixth\n");
  const int read_only = open(path("log").c_str(), O_RDONLY);
  EXPECT_EQ(message(write("/dev/fd/" + std::to_string(read_only), "x")),
            "/dev/fd/" + std::to_string(read_only) + ": Bad file descriptor");
  close(read_only);
  EXPECT_EQ(names(), Names{"log"});
}

TEST_F(Write, SaysWhatCannotBeWritten) {
  for (const auto& write_or_check :
       {+[](const std::string& p) { return write(p, "x"); }, +[](const std::string& p) { return check_writable(p); },
        +[](const std::string& p) { return append(p, "x"); }}) {
    EXPECT_EQ(message(write_or_check(path("no/a"))), path("no/a") + ": No such file or directory");
    EXPECT_EQ(message(write_or_check(folder.string())), folder.string() + ": is a folder");
    EXPECT_EQ(message(write_or_check(folder.string() + "/")), folder.string() + "/: is a folder");
  }
  // A folder that takes no files.
  const std::string refused = "/proc/crosslane: No such file or directory: a file is first written beside its place";
  EXPECT_EQ(message(write("/proc/crosslane", "x")).substr(0, refused.size()), refused);
  EXPECT_EQ(message(check_writable("/proc/crosslane")).substr(0, refused.size()), refused);
  put("a", "old");
  chmod(path("a").c_str(), 0444);
  if (geteuid() != 0)
    EXPECT_EQ(message(write(path("a"), "x")), path("a") + ": Permission denied");
  EXPECT_EQ(message(check_writable(path("b"))), "");
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(Write, LongNames) {
  const std::string longest(255, 'n');
  EXPECT_EQ(message(write(path(longest), "x")), "");
  EXPECT_EQ(names(), Names{longest});
  EXPECT_EQ(message(write(path(longest + "n"), "x")), path(longest + "n") + ": File name too long");
}

TEST_F(Write, AppendsInOnePiece) {
  std::vector<std::thread> writers;
  for (const char c : {'1', '2', '3'})
    writers.emplace_back([&, c] {
      for (int i = 0; i < 50; ++i)
        EXPECT_EQ(message(append(path("log"), std::string(999, c) + "\n")), "");
    });
  for (auto& writer : writers)
    writer.join();
  std::ifstream file(path("log"));
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines)
    EXPECT_EQ(line, std::string(999, line[0]));
  EXPECT_EQ(lines, 150);
}

TEST_F(Write, CreatesOnlyWhatIsNotThere) {
  const uint8_t bytes[] = {'a', 'b'};
  EXPECT_FALSE(create(path("a"), bytes));
  EXPECT_EQ(text("a"), "ab");
  EXPECT_EQ(create(path("a"), bytes), std::errc::file_exists);
  fs::create_symlink("nothing", path("link"));
  EXPECT_EQ(create(path("link"), bytes), std::errc::file_exists);
  EXPECT_EQ(create(path("no/a"), bytes), std::errc::no_such_file_or_directory);
  EXPECT_EQ(names(), (Names{"a", "link"}));
}

} // namespace
} // namespace crosslane::files
