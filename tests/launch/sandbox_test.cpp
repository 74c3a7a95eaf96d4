// What a process in the sandbox can still do, tried in child processes: each attempt would succeed outside of it.
#include "files/read.h"
#include "files/write.h"
#include "launch/sandbox.h"
#include "tests/expected.h"
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace crosslane::launch {
namespace {

using namespace test;

// Exit status of a child that runs `body`.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// The errno of an attempt that returns -1 if it fails, in a child: with and without a sandbox.
int error_of_attempt(bool sandboxed, const std::function<long()>& attempt) {
  return in_child([&] {
    if (sandboxed && !error_of(restrict_system_calls()).empty())
      return 255;
    errno = 0;
    return attempt() == -1 ? errno : 0;
  });
}

class SandboxTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "crosslane-sandbox-XXXXXX";
    folder = mkdtemp(name.data());
    std::ofstream(folder + "/file") << "contents";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder;
};

struct Attempt {
  const char* what;
  std::function<long()> attempt;
};

// Each succeeds in a child without a sandbox, so that its failure is the sandbox's doing.
TEST_F(SandboxTest, RefusesWhatReachesBeyondTheProcess) {
  const std::string file = folder + "/file", other = folder + "/other";
  const pid_t parent = getpid();
  const Attempt attempts[] = {
      {"fork", [] { return syscall(SYS_fork); }},
      {"a process by clone", [] { return syscall(SYS_clone, SIGCHLD, nullptr); }},
      {"open for writing", [&] { return open(file.c_str(), O_WRONLY); }},
      {"open for reading and writing", [&] { return open(file.c_str(), O_RDWR); }},
      {"empty a file", [&] { return open(file.c_str(), O_RDONLY | O_TRUNC); }},
      {"make a file", [&] { return open(other.c_str(), O_RDONLY | O_CREAT, 0600); }},
      {"creat", [&] { return syscall(SYS_creat, other.c_str(), 0600); }},
      {"unlink", [&] { return unlink(file.c_str()); }},
      {"rename", [&] { return rename(file.c_str(), other.c_str()); }},
      {"link", [&] { return link(file.c_str(), other.c_str()); }},
      {"symlink", [&] { return symlink(file.c_str(), other.c_str()); }},
      {"mkdir", [&] { return mkdir(other.c_str(), 0700); }},
      {"chmod", [&] { return chmod(file.c_str(), 0777); }},
      {"truncate", [&] { return truncate(file.c_str(), 0); }},
      {"utimensat", [&] { return utimensat(AT_FDCWD, file.c_str(), nullptr, 0); }},
      {"socket", [] { return socket(AF_INET, SOCK_STREAM, 0); }},
      {"socket of this machine", [] { return socket(AF_UNIX, SOCK_STREAM, 0); }},
      {"socket pair",
       [] {
         int two[2];
         return socketpair(AF_UNIX, SOCK_STREAM, 0, two);
       }},
      {"kill", [&] { return kill(parent, 0); }},
      {"signal a thread of another process", [&] { return syscall(SYS_tgkill, parent, parent, 0); }},
      {"ptrace", [] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
      {"read another process",
       [&] {
         char byte = 0;
         iovec here = {&byte, 1}, there = {const_cast<char*>(folder.data()), 1};
         return process_vm_readv(parent, &here, 1, &there, 1, 0);
       }},
      {"limit another process",
       [&] {
         rlimit limit{};
         return prlimit(parent, RLIMIT_CORE, nullptr, &limit);
       }},
      {"executable memory",
       [] {
         return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1L : 0L;
       }},
      {"make memory executable",
       [] {
         void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return mprotect(page, 4096, PROT_READ | PROT_EXEC);
       }},
      {"memory as a file", [] { return memfd_create("x", 0); }},
      {"chdir", [&] { return chdir(folder.c_str()); }},
      {"umask",
       [] {
         errno = 0;
         return syscall(SYS_umask, 0) < 0 ? -1 : 0;
       }},
      {"setsid", [] { return setsid(); }},
      {"a terminal's ioctl",
       [] {
         int zero = 0;
         const int null = open("/dev/null", O_RDONLY);
         return ioctl(null, TIOCSTI, &zero) == -1 && errno == ENOTTY ? 0 : -1;
       }},
      {"prctl", [] { return prctl(PR_SET_DUMPABLE, 0); }},
  };
  for (const auto& [what, attempt] : attempts) {
    std::filesystem::remove_all(other);
    std::ofstream(file) << "contents";
    EXPECT_EQ(error_of_attempt(false, attempt), 0) << what << ": must succeed outside";
    std::filesystem::remove_all(other);
    std::ofstream(file) << "contents";
    EXPECT_EQ(error_of_attempt(true, attempt), EPERM) << what;
  }
}

TEST_F(SandboxTest, RefusesToStartPrograms) {
  char program[] = "/bin/true";
  char* const arguments[] = {program, nullptr};
  const auto start = [&] { return execve(program, arguments, nullptr); };
  EXPECT_EQ(error_of_attempt(false, start), 0); // the status of /bin/true
  EXPECT_EQ(error_of_attempt(true, start), EPERM);
  const auto by_descriptor = [&] { return fexecve(open(program, O_RDONLY), arguments, environ); };
  EXPECT_EQ(error_of_attempt(true, by_descriptor), EPERM);
}

TEST_F(SandboxTest, LeavesWhatARunNeeds) {
  const std::string file = folder + "/file";
  EXPECT_EQ(in_child([&] {
              const int out = open((folder + "/out").c_str(), O_WRONLY | O_CREAT, 0600);
              if (!error_of(restrict_system_calls()).empty())
                return 1;
              if (write(out, "x", 1) != 1)
                return 2;
              char text[8];
              if (read(open(file.c_str(), O_RDONLY), text, 8) != 8 || std::memcmp(text, "contents", 8) != 0)
                return 3;
              std::vector<uint8_t> memory(64 << 20, 1);
              if (std::accumulate(memory.begin(), memory.end(), 0) != 64 << 20)
                return 4;
              int sum = 0;
              std::thread([&] { sum = 7; }).join();
              if (sum != 7)
                return 5;
              static int signals = 0;
              std::signal(SIGUSR1, [](int) { ++signals; });
              std::raise(SIGUSR1);
              if (signals != 1)
                return 6;
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
              return isatty(out) || errno != ENOTTY ? 7 : 0;
            }),
            0);
}

// Threads that were there before, and no new privileges: a program with the set-user-ID bit would get none.
TEST_F(SandboxTest, HoldsForAllThreadsAndForGood) {
  EXPECT_EQ(in_child([&] {
              std::atomic<int> state = 0;
              int error = 0;
              std::thread early([&] {
                while (state == 0)
                  std::this_thread::yield();
                error = socket(AF_INET, SOCK_STREAM, 0) == -1 ? errno : 0;
              });
              const bool entered = error_of(restrict_system_calls()).empty();
              state = 1;
              early.join();
              std::ifstream status("/proc/self/status");
              const std::string text(std::istreambuf_iterator<char>(status), {});
              return !entered                                    ? 1
                     : error != EPERM                            ? 2
                     : !contains(text, "NoNewPrivs:\t1")         ? 3
                     : !contains(text, "Seccomp:\t2")            ? 4
                     : error_of(restrict_system_calls()).empty() ? 5 // a second filter could only take more away
                                                                 : 0;
            }),
            0);
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST_F(SandboxTest, TheBrokerWritesWhatWasNamedAndNothingElse) {
  const std::string one = folder + "/one", two = folder + "/missing/two", file = folder + "/file";
  auto broker = value_of(Broker::start({one, two}, files::write));
  ASSERT_NE(broker, nullptr);
  const std::string large(5 << 20, 'x');
  EXPECT_EQ(error_of(broker->write(one, bytes_of("first"))), "");
  EXPECT_EQ(error_of(broker->write(one, bytes_of(large))), ""); // once more, and more than a pipe holds
  EXPECT_EQ(value_of(files::read(one)).size(), large.size());
  EXPECT_HAS(error_of(broker->write(two, bytes_of("second"))), "missing/two: No such file or directory");
  EXPECT_HAS(error_of(broker->write(file, bytes_of("third"))), "the sandbox writes only what the command line names");
  EXPECT_EQ(error_of(broker->write(one, {})), "");
  EXPECT_EQ(value_of(files::read(one)).size(), 0u);
  EXPECT_EQ(value_of(files::read(file)).size(), 8u);
}

// A writer that ends its process stands for whatever may end it.
TEST_F(SandboxTest, ABrokerThatHasEndedIsAnError) {
  auto broker =
      value_of(Broker::start({"x"}, [](const std::string&, std::span<const uint8_t>) -> llvm::Error { _exit(0); }));
  ASSERT_NE(broker, nullptr);
  EXPECT_HAS(error_of(broker->write("x", bytes_of("text"))), "x: the process that writes for the sandbox has ended");
  EXPECT_HAS(error_of(broker->write("x", bytes_of("text"))), "has ended");
}

} // namespace
} // namespace crosslane::launch
