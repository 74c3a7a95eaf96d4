// A child that is forked while the runtime is up: errors, a message, and no wait without end.
#include "tests/hsa/runtime_fixture.h"
#include <csignal>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::test {
namespace {

class Forks : public HsaTest {
protected:
  struct End {
    int status;
    std::string messages; // on standard error
  };
  // Of a child that does this and ends with what it returns; SIGALRM: it hung.
  static End child(const std::function<int()>& body) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t pid = fork();
    if (!pid) {
      signal(SIGABRT, SIG_DFL);
      alarm(20);
      dup2(ends[1], STDERR_FILENO);
      _exit(body());
    }
    close(ends[1]);
    End end{};
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
      end.messages.append(buffer, size_t(n));
    close(ends[0]);
    EXPECT_EQ(waitpid(pid, &end.status, 0), pid);
    return end;
  }
};

constexpr const char* message = "crosslane: this process was forked from one that uses the GPU";

TEST_F(Forks, FunctionsFail) {
  const auto [status, messages] = child([&] {
    hsa_queue_t* queue = nullptr;
    hsa_signal_t signal{};
    if (hsa_queue_create(gpu(), 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue) !=
        HSA_STATUS_ERROR_NOT_INITIALIZED)
      return 1;
    if (hsa_signal_create(1, 0, nullptr, &signal) != HSA_STATUS_ERROR_NOT_INITIALIZED)
      return 2;
    if (hsa_init() != HSA_STATUS_ERROR_OUT_OF_RESOURCES)
      return 3;
    return hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED ? 0 : 4;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(messages.starts_with(message)) << messages;
  EXPECT_EQ(messages.find('\n'), messages.size() - 1) << messages; // once
}

TEST_F(Forks, AWaitEndsTheChild) {
  TestQueue queue(gpu());
  const TestKernel kernel(gpu(), "gfx900", "s_endpgm\n");
  hsa_signal_t done{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &done));
  // The packet is written; the thread that would process it is the parent's.
  const auto [status, messages] = child([&] {
    queue.submit(kernel.packet(64, 64, nullptr, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  EXPECT_TRUE(messages.starts_with(message)) << messages;
  // The parent is as it was.
  queue.submit(kernel.packet(64, 64, nullptr, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_F(Forks, AChildThatDoesNotCareIsLeftAlone) {
  const auto [status, messages] = child([] { return 7; });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(messages, "");
}

} // namespace
} // namespace crosslane::test
