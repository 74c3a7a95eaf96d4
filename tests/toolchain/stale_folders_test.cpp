// Temporary folders of processes that were killed: the next one removes them, and nothing else.
#include "toolchain/temporary_folder.h"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::toolchain {
namespace {

namespace fs = std::filesystem;

class StaleFolders : public ::testing::Test {
protected:
  void SetUp() override {
    if (const char* before = std::getenv("TMPDIR"))
      before_ = before;
    fs::create_directory(parent);
    setenv("TMPDIR", parent.c_str(), 1);
  }
  void TearDown() override {
    fs::remove_all(parent);
    before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1);
  }
  struct Child {
    pid_t pid;
    std::string folder;
  };
  // One that has made a folder with files in it and waits.
  static Child start() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t pid = fork();
    if (!pid) {
      const auto folder = llvm::cantFail(TemporaryFolder::create());
      fs::create_directory(folder.path("include"));
      std::ofstream(folder.path("include/x.h")) << "text";
      const std::string name = folder.path() + "\n";
      if (write(ends[1], name.data(), name.size()) == ssize_t(name.size()))
        for (;;)
          pause();
      _exit(1);
    }
    close(ends[1]);
    std::string folder;
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';)
      folder += c;
    close(ends[0]);
    EXPECT_TRUE(fs::exists(folder + "/include/x.h"));
    return {pid, folder};
  }
  static void end(const Child& child, int signal) {
    kill(child.pid, signal);
    int status = 0;
    EXPECT_EQ(waitpid(child.pid, &status, 0), child.pid);
    EXPECT_TRUE(WIFSIGNALED(status));
  }
  const std::string parent = fs::temp_directory_path() / ("stale-folders-" + std::to_string(getpid()));

private:
  std::string before_;
};

TEST_F(StaleFolders, ThoseOfKilledProcessesGo) {
  const Child killed = start(), alive = start();
  end(killed, SIGKILL);
  EXPECT_TRUE(fs::exists(killed.folder));
  // Whatever else has such a name is somebody's.
  fs::create_directory(parent + "/crosslane-abcdef");
  std::ofstream(parent + "/crosslane-000000") << "mine";
  std::string own;
  {
    const auto folder = llvm::cantFail(TemporaryFolder::create());
    own = folder.path();
    EXPECT_FALSE(fs::exists(killed.folder));
    EXPECT_TRUE(fs::exists(alive.folder + "/include/x.h"));
    EXPECT_TRUE(fs::exists(parent + "/crosslane-abcdef"));
    EXPECT_TRUE(fs::exists(parent + "/crosslane-000000"));
    const auto second = llvm::cantFail(TemporaryFolder::create()); // its own other one is none either
    EXPECT_TRUE(fs::exists(own));
  }
  EXPECT_FALSE(fs::exists(own));
  end(alive, SIGKILL);
  {
    const auto folder = llvm::cantFail(TemporaryFolder::create());
  }
  EXPECT_FALSE(fs::exists(alive.folder));
}

} // namespace
} // namespace crosslane::toolchain
