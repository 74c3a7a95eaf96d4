// Host memory under a second address: kernels and host must see the same bytes, whatever happens meanwhile.
#include "engine/guard.h"
#include "tests/hsa/memory_fixture.h"
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace crosslane::test {
namespace {

using Words = std::vector<uint32_t>;

void add(uint32_t& word) { // one store each time
  auto& each = static_cast<volatile uint32_t&>(word);
  each = each + 1;
}

class LockedMemoryTest : public MemoryTest {
protected:
  void SetUp() override {
    MemoryTest::SetUp();
    add_one = std::make_unique<AddOne>(gpu());
  }
  void TearDown() override {
    EXPECT_EQ(add_one->error(), HSA_STATUS_SUCCESS);
    add_one.reset();
    MemoryTest::TearDown();
  }
  void* lock(void* memory, size_t bytes) {
    void* alias = nullptr;
    EXPECT_SUCCESS(hsa_amd_memory_lock(memory, bytes, &gpus[0], 1, &alias));
    return alias;
  }
  // `count` even words of memory go up by one.
  void run(void* alias, uint32_t count) {
    add_one->start(alias, count, signal);
    wait();
  }
  std::unique_ptr<AddOne> add_one;
};

TEST_F(LockedMemoryTest, BothSidesSeeTheSame) {
  Words words(3 << 20, 7); // 12 MiB: several granules, and neither begin nor end is that of a page
  void* alias = lock(words.data(), words.size() * 4);
  ASSERT_NE(alias, nullptr);
  EXPECT_NE(alias, words.data());
  EXPECT_EQ(reinterpret_cast<uint64_t>(alias) % 4096, reinterpret_cast<uint64_t>(words.data()) % 4096);
  run(alias, uint32_t(words.size() / 2));
  for (size_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(words[i], i % 2 ? 7u : 8u) << i;
  words[0] = 100, words[words.size() - 2] = 200;
  run(alias, uint32_t(words.size() / 2));
  EXPECT_EQ(words[0], 101u);
  EXPECT_EQ(words[2], 9u);
  EXPECT_EQ(words[words.size() - 2], 201u);
  static_cast<uint32_t*>(alias)[4] = 55; // a host thread may use it as well
  EXPECT_EQ(words[4], 55u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  EXPECT_EQ(words[0], 101u);
  EXPECT_EQ(words[words.size() - 2], 201u);
}

TEST_F(LockedMemoryTest, SeveralLocks) {
  Words words(1 << 20);
  const auto begin = reinterpret_cast<uint64_t>(words.data());
  void* all = lock(words.data(), words.size() * 4);
  EXPECT_EQ(lock(words.data(), words.size() * 4), all); // the same range
  void* part = lock(words.data() + 1000, 100000);       // an overlapping one
  EXPECT_NE(part, all);
  run(part, 12500);
  run(all, uint32_t(words.size() / 2));
  for (size_t i = 0; i < words.size(); i += 2)
    ASSERT_EQ(words[i], i >= 1000 && i < 26000 ? 2u : 1u) << i;
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data())); // one of two
  run(all, 2000);
  run(part, 64);
  EXPECT_EQ(words[0], 2u);
  EXPECT_EQ(words[1000], 4u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  words[1000] = 10; // the other lock still stands
  run(part, 64);
  EXPECT_EQ(words[1000], 11u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data() + 1000));
  // And anew, at what is now another address.
  void* again = lock(words.data(), words.size() * 4);
  EXPECT_NE(again, all);
  run(again, 2000);
  EXPECT_EQ(words[0], 3u);
  EXPECT_EQ(words[1000], 12u);
  hsa_amd_pointer_info_t info{};
  for (void* p : {static_cast<void*>(words.data() + 5), static_cast<void*>(static_cast<uint32_t*>(again) + 5)}) {
    info.size = sizeof info;
    EXPECT_SUCCESS(hsa_amd_pointer_info(p, &info, nullptr, nullptr, nullptr));
    EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
    EXPECT_EQ(info.agentBaseAddress, again);
    EXPECT_EQ(reinterpret_cast<uint64_t>(info.hostBaseAddress), begin);
    EXPECT_EQ(info.sizeInBytes, words.size() * 4);
    EXPECT_EQ(info.agentOwner.handle, cpu.handle);
  }
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
}

// What UCX 1.22 does when a buffer comes again with another length: locks it, then unlocks what it had locked at that
// address. AMD's thunk (fmm.c, vm_find_object_by_userptr) leaves both, for an unlock could mean either.
TEST_F(LockedMemoryTest, TwoRangesThatBeginAtOneAddress) {
  Words words(1 << 16);
  void* const shorter = lock(words.data(), 4096);
  void* const longer = lock(words.data(), words.size() * 4);
  ASSERT_NE(shorter, longer);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  run(longer, uint32_t(words.size() / 2));
  run(shorter, 512);
  EXPECT_EQ(words[0], 2u);
  EXPECT_EQ(words[words.size() - 2], 1u);
  // With as many unlocks as locks there is none left: the range is locked anew.
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(words.data(), &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  void* const again = lock(words.data(), 4096);
  EXPECT_EQ(lock(words.data(), 4096), again);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  run(again, 512);
  EXPECT_EQ(words[0], 3u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
}

TEST_F(LockedMemoryTest, MemoryThatComesAnewAtTheSameAddress) {
  constexpr size_t bytes = 8 << 20;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  void* place = mmap(nullptr, bytes, PROT_NONE, flags, -1, 0);
  for (int i = 0; i < 3; ++i) {
    auto* p = static_cast<uint32_t*>(mmap(place, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0));
    p[0] = uint32_t(i * 100);
    void* alias = lock(p, bytes);
    run(alias, bytes / 8);
    EXPECT_EQ(p[0], uint32_t(i * 100 + 1));
    EXPECT_EQ(p[bytes / 4 - 2], 1u);
    EXPECT_SUCCESS(hsa_amd_memory_unlock(p));
  }
  munmap(place, bytes);
}

// As OpenCL of ROCm has it: a thread of its own unlocks what it had locked for a copy while the program gives that
// back.
TEST_F(LockedMemoryTest, MemoryThatIsFreedWhileItIsUnlocked) {
  constexpr size_t bytes = 4 << 20;
  for (int round = 0; round < 40; ++round) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* alias = static_cast<volatile uint32_t*>(lock(memory, bytes));
    for (size_t i = 0; i < bytes / 4; i += 1024)
      alias[i] = 1;
    std::atomic<bool> begun{false};
    std::thread other([&] {
      begun = true;
      EXPECT_SUCCESS(hsa_amd_memory_unlock(memory));
    });
    while (!begun)
      ;
    std::this_thread::sleep_for(std::chrono::microseconds(round * 25));
    munmap(memory, bytes);
    other.join();
  }
}

TEST_F(LockedMemoryTest, SharedMappingsAndReadOnlyOnes) {
  constexpr size_t bytes = 64 << 10;
  auto* p = static_cast<uint32_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  run(lock(p, bytes), bytes / 8);
  EXPECT_EQ(p[0], 1u);
  EXPECT_EQ(p[bytes / 4 - 2], 1u);
  const pid_t child = fork(); // shared it is and remains
  if (!child) {
    p[1] = 99;
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(p[1], 99u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(p));
  p[3] = 1;
  munmap(p, bytes);

  // A copy reads what nobody may write.
  static const uint32_t constant[4096] = {1, 2, 3};
  auto* alias = static_cast<const uint32_t*>(lock(const_cast<uint32_t*>(constant), sizeof constant));
  uint32_t out[3] = {};
  EXPECT_SUCCESS(hsa_memory_copy(out, alias, sizeof out));
  EXPECT_EQ(out[2], 3u);
  EXPECT_EQ(alias[1], 2u); // and so do loads
  EXPECT_SUCCESS(hsa_amd_memory_unlock(const_cast<uint32_t*>(constant)));
}

TEST_F(LockedMemoryTest, CopiesUnderstandBothAddresses) {
  Words words(10000);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = uint32_t(i);
  auto* alias = static_cast<uint32_t*>(lock(words.data(), words.size() * 4));
  auto* p = allocate<uint32_t>(vram, 40000);
  EXPECT_SUCCESS(hsa_amd_memory_async_copy(p, gpu(), alias + 10, cpu, 4000, 0, nullptr, signal));
  wait();
  EXPECT_EQ(p[999], 1009u);
  p[0] = 5555;
  EXPECT_SUCCESS(hsa_amd_memory_async_copy(alias + 2000, cpu, p, gpu(), 4000, 0, nullptr, signal));
  wait();
  EXPECT_EQ(words[2000], 5555u);
  EXPECT_EQ(words[2999], 1009u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

// Host threads write while the kernel's first touch converts the pages: no write may get lost, and none may fail.
TEST_F(LockedMemoryTest, HostWritesDuringTheConversion) {
  constexpr size_t count = 4 << 20; // 16 MiB
  Words words(count);
  for (int round = 0; round < 4; ++round) {
    std::atomic<bool> stop{false};
    std::vector<uint64_t> passes(2);
    std::vector<std::thread> writers;
    for (size_t t = 0; t < 2; ++t)
      writers.emplace_back([&, t] {
        do {
          // Thread 0: words 1, 5, 9...; thread 1: words 3, 7, ...; the kernel: the even ones
          for (size_t i = 1 + 2 * t; i < count; i += 4)
            add(words[i]);
          ++passes[t];
        } while (!stop);
      });
    void* alias = lock(words.data(), count * 4);
    run(alias, count / 2);
    EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data())); // and back again
    stop = true;
    for (auto& writer : writers)
      writer.join();
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(words[i], i % 2 == 0 ? 1u : uint32_t(passes[i % 4 / 2])) << i;
      words[i] = 0;
    }
  }
}

// The stack of the thread that writes meanwhile: its signal handler needs another one.
TEST_F(LockedMemoryTest, MemoryOnTheStack) {
  volatile uint32_t words[128 << 10] = {}; // 512 KiB
  constexpr size_t count = sizeof words / 4;
  for (uint32_t round = 1; round < 10; ++round) {
    void* alias = lock(const_cast<uint32_t*>(words), sizeof words);
    add_one->start(alias, count / 2, signal);
    uint32_t writes = 0;
    while (hsa_signal_load_scacquire(signal) == 1 || writes < 10) {
      for (size_t i = 1; i < count; i += 512)
        add(const_cast<uint32_t&>(words[i]));
      ++writes;
    }
    hsa_signal_store_relaxed(signal, 1);
    EXPECT_SUCCESS(hsa_amd_memory_unlock(const_cast<uint32_t*>(words)));
    for (size_t i = 1; i < count; i += 512) {
      ASSERT_EQ(words[i], writes);
      ASSERT_EQ(words[i - 1], round);
      words[i] = 0;
    }
  }
}

TEST_F(LockedMemoryTest, AChildOfForkHasItsOwnCopy) {
  Words words(1 << 20, 1);
  void* alias = lock(words.data(), words.size() * 4);
  run(alias, uint32_t(words.size() / 2));
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (!child) {
    words[0] = 1000;
    char c;
    if (read(ready[0], &c, 1) != 1)
      _exit(2);
    _exit(words[2] == 2 && words[1] == 1 ? 0 : 1);
  }
  words[2] = 2000;
  ASSERT_EQ(write(ready[1], "x", 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(words[0], 2u);
  run(alias, 64); // still the same memory on this side
  EXPECT_EQ(words[0], 3u);
  EXPECT_EQ(words[2], 2001u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
}

// Catch2 installs a handler of its own for each test case. Ours must still come first, and theirs get what is not ours.
TEST_F(LockedMemoryTest, AHandlerOfTheProgramComesAfterOurs) {
  struct sigaction theirs = {}, before;
  theirs.sa_handler = [](int) { _exit(42); };
  ASSERT_EQ(sigaction(SIGSEGV, &theirs, &before), 0);
  Words words(100000);
  run(lock(words.data(), words.size() * 4), uint32_t(words.size() / 2));
  EXPECT_EQ(words[0], 1u);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  const pid_t child = fork();
  if (!child) {
    *reinterpret_cast<volatile int*>(16) = 1;
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  // One that jumps away, again and again.
  static sigjmp_buf jump;
  theirs.sa_handler = [](int) { siglongjmp(jump, 1); };
  ASSERT_EQ(sigaction(SIGSEGV, &theirs, nullptr), 0);
  run(lock(words.data(), words.size() * 4), 64);
  volatile int jumps = 0;
  while (jumps < 3)
    if (sigsetjmp(jump, 1) == 0)
      *reinterpret_cast<volatile int*>(16) = 1;
    else
      jumps = jumps + 1;
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  // One that calls whoever was there before it, which is us: no endless recursion, but the end.
  const pid_t other = fork();
  if (!other) {
    static struct sigaction ours;
    theirs.sa_handler = nullptr;
    theirs.sa_flags = SA_SIGINFO;
    theirs.sa_sigaction = [](int s, siginfo_t* i, void* c) { ours.sa_sigaction(s, i, c); };
    sigaction(SIGSEGV, &theirs, &ours);
    engine::Guard guard; // installs ours again
    guard.disarm();
    *reinterpret_cast<volatile int*>(16) = 1;
    _exit(1);
  }
  waitpid(other, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  ASSERT_EQ(sigaction(SIGSEGV, &before, nullptr), 0);
}

TEST_F(LockedMemoryTest, TwoQueuesTouchAtOnce) {
  AddOne other(gpu());
  for (int round = 0; round < 20; ++round) {
    Words words(2 << 20);
    auto* alias = static_cast<uint32_t*>(lock(words.data(), words.size() * 4));
    hsa_signal_store_relaxed(signal, 2);
    add_one->start(alias, uint32_t(words.size() / 2), signal);
    other.start(alias + 1, uint32_t(words.size() / 2), signal);
    wait();
    for (size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(words[i], 1u) << i;
    EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
  }
}

TEST_F(LockedMemoryTest, Arguments) {
  int x = 0;
  void* alias = nullptr;
  const auto pool = pools_of(cpu)[2];
  EXPECT_EQ(hsa_amd_memory_lock(nullptr, 4, nullptr, 0, &alias), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(&x, 0, nullptr, 0, &alias), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(&x, 4, nullptr, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(&x, 4, nullptr, 1, &alias), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_lock(&x, 4, &gpus[0], 0, &alias), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_agent_t nobody{1234};
  EXPECT_EQ(hsa_amd_memory_lock(&x, 4, &nobody, 1, &alias), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_memory_lock_to_pool(&x, 4, nullptr, 0, vram, 0, &alias),
            hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  EXPECT_EQ(hsa_amd_memory_lock_to_pool(&x, 4, nullptr, 0, pool, 1, &alias), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_lock_to_pool(&x, 4, nullptr, 0, pool, 0, &alias));
  EXPECT_SUCCESS(hsa_amd_memory_unlock(&x));
  EXPECT_SUCCESS(hsa_amd_memory_unlock(&x)); // not locked any more
}

// The driver pins pages when they are locked, and there are none.
TEST_F(LockedMemoryTest, MemoryThatIsNotThere) {
  constexpr size_t page = 4096;
  auto* pages =
      static_cast<uint8_t*>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  munmap(pages + page, page);
  void* alias = nullptr;
  EXPECT_EQ(hsa_amd_memory_lock(pages + page, 1, nullptr, 0, &alias), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_memory_lock(pages, 3 * page, nullptr, 0, &alias), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_memory_lock(pages + page - 1, 2, nullptr, 0, &alias), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_memory_lock(pages + 8, SIZE_MAX, nullptr, 0, &alias), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_SUCCESS(hsa_amd_memory_lock(pages + page - 1, 1, nullptr, 0, &alias));
  EXPECT_SUCCESS(hsa_amd_memory_unlock(pages + page - 1));
  munmap(pages, 3 * page);
}

} // namespace
} // namespace crosslane::test
