// Jobs that LLVM does not come back from.
#include "jit/compile/rescue.h"
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <gmock/gmock.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>
#include <thread>

namespace crosslane::test {
namespace {

using testing::HasSubstr;

volatile sig_atomic_t of_the_program = 0; // signals

class Rescue : public testing::Test {
protected:
  // As a program may have done before it comes to its first kernel.
  static void SetUpTestSuite() {
    signal(SIGURG, [](int) { of_the_program = of_the_program + 1; });
  }
  static std::string spins() {
    return jit::rescued(
        [] {
          for (;;)
            asm volatile("");
        },
        0.05);
  }
};

TEST_F(Rescue, IsNotNoticedByWhatEnds) {
  int done = 0;
  EXPECT_EQ(jit::rescued([&] { ++done; }, 10), "");
  EXPECT_EQ(jit::rescued([&] { ++done; }, 1e-6), ""); // before the clock has ticked
  EXPECT_EQ(done, 2);
}

TEST_F(Rescue, EndsWhatDoesNot) {
  timespec before, after;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  EXPECT_EQ(spins(), "LLVM had not compiled it after 0.05 seconds, and was given up");
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const double took = double(after.tv_sec - before.tv_sec) + double(after.tv_nsec - before.tv_nsec) * 1e-9;
  EXPECT_GE(took, 0.05);
  EXPECT_LT(took, 1);
  EXPECT_NE(spins(), ""); // and again
}

// Time that it does not run does not count.
TEST_F(Rescue, WaitsForWhatSleeps) {
  EXPECT_EQ(jit::rescued([] { usleep(100'000); }, 0.05), "");
}

// The jump leaves no lock of the allocator's behind.
TEST_F(Rescue, LetsTheAllocatorEnd) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer's allocator is of this executable";
#endif
  for (int n = 0; n < 5; ++n)
    EXPECT_NE(jit::rescued(
                  [] {
                    for (size_t bytes = 1;; bytes = bytes * 7 % 5'000'011 + 1) {
                      void* volatile memory = std::malloc(bytes);
                      std::free(memory);
                    }
                  },
                  0.02),
              "");
  std::thread([] { EXPECT_TRUE(std::string(5'000'000, 'x').back() == 'x'); }).join();
  EXPECT_TRUE(std::string(5'000'000, 'x').back() == 'x');
}

TEST_F(Rescue, ComesBackFromFatalErrors) {
  EXPECT_EQ(jit::rescued([] { llvm::report_fatal_error("no such thing", false); }, 10),
            "LLVM cannot compile it: no such thing");
  EXPECT_EQ(jit::rescued([] {}, 10), "");
}

TEST_F(Rescue, WorksInThreadsThatTakeNoSignals) {
  std::thread([] {
    sigset_t all, before, behind;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    EXPECT_NE(spins(), "");
    pthread_sigmask(SIG_SETMASK, nullptr, &behind);
    for (int signal = 1; signal < SIGRTMAX; ++signal)
      EXPECT_EQ(sigismember(&behind, signal), sigismember(&before, signal)) << signal;
  }).join();
}

TEST_F(Rescue, LeavesSignalsOfTheProgramToIt) {
  const int before = of_the_program;
  EXPECT_EQ(jit::rescued([] { raise(SIGURG); }, 10), "");
  raise(SIGURG);
  EXPECT_EQ(of_the_program, before + 2);
  EXPECT_NE(spins(), "");
  EXPECT_EQ(of_the_program, before + 2);
}

} // namespace
} // namespace crosslane::test
