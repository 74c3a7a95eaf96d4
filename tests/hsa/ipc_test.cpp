// Memory and signals between two processes. The other one is made by fork before this one has a runtime.
#include "tests/hsa/memory_fixture.h"
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::test {
namespace {

class IpcTest : public MemoryTest {
protected:
  struct Message {
    hsa_amd_ipc_memory_t memory;
    hsa_amd_ipc_signal_t signal;
    uint64_t bytes;
  };
  void SetUp() override {
    ASSERT_EQ(pipe(pipe_), 0);
    child_ = fork();
    if (!child_)
      _exit(other_process());
    MemoryTest::SetUp();
  }
  void TearDown() override {
    MemoryTest::TearDown();
    close(pipe_[0]);
    close(pipe_[1]);
  }
  void tell(const Message& message) { ASSERT_EQ(write(pipe_[1], &message, sizeof message), ssize_t(sizeof message)); }
  int result() {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

private:
  // 0, or the number of the step that failed.
  int other_process() {
    Message message;
    if (read(pipe_[0], &message, sizeof message) != ssize_t(sizeof message) || hsa_init() != HSA_STATUS_SUCCESS)
      return 1;
    uint32_t* words = nullptr;
    if (hsa_amd_ipc_memory_attach(&message.memory, message.bytes, 0, nullptr, reinterpret_cast<void**>(&words)) != HSA_STATUS_SUCCESS)
      return 2;
    hsa_signal_t theirs{};
    if (hsa_amd_ipc_signal_attach(&message.signal, &theirs) != HSA_STATUS_SUCCESS)
      return 3;
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    if (hsa_amd_pointer_info(words + 1, &info, nullptr, nullptr, nullptr) != HSA_STATUS_SUCCESS || info.type != HSA_EXT_POINTER_TYPE_IPC ||
        info.agentBaseAddress != words || info.sizeInBytes != message.bytes)
      return 4;
    if (hsa_signal_wait_scacquire(theirs, HSA_SIGNAL_CONDITION_EQ, 1, 10'000'000'000, HSA_WAIT_STATE_BLOCKED) != 1)
      return 5;
    for (uint64_t i = 0; i < message.bytes / 4; ++i)
      if (words[i] != i * 3)
        return 6;
    words[message.bytes / 4 - 1] = 77;
    hsa_signal_store_screlease(theirs, 2);
    if (hsa_signal_wait_scacquire(theirs, HSA_SIGNAL_CONDITION_EQ, 3, 10'000'000'000, HSA_WAIT_STATE_BLOCKED) != 3)
      return 7;
    if (words[0] != 1234) // written after it was attached
      return 8;
    if (hsa_amd_memory_pool_free(words) == HSA_STATUS_SUCCESS) // it is not this process's to free
      return 9;
    if (hsa_amd_ipc_memory_detach(words) != HSA_STATUS_SUCCESS || hsa_amd_ipc_memory_detach(words) != HSA_STATUS_ERROR_INVALID_ARGUMENT)
      return 10;
    if (hsa_signal_destroy(theirs) != HSA_STATUS_SUCCESS || hsa_shut_down() != HSA_STATUS_SUCCESS)
      return 11;
    return 0;
  }
  int pipe_[2];
  pid_t child_ = 0;
};

TEST_F(IpcTest, TwoProcessesUseTheSameMemoryAndSignal) {
  for (const uint64_t bytes : {5u << 20 | 300u}) { // it neither begins nor ends with a page
    auto* words = allocate<uint32_t>(vram, bytes);
    for (uint64_t i = 0; i < bytes / 4; ++i)
      words[i] = uint32_t(i * 3);
    hsa_signal_t shared{};
    ASSERT_SUCCESS(hsa_amd_signal_create(0, 0, nullptr, HSA_AMD_SIGNAL_IPC, &shared));
    Message message{{}, {}, bytes};
    EXPECT_EQ(hsa_amd_ipc_memory_create(words + 1, bytes - 4, &message.memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_amd_ipc_memory_create(words, bytes - 4, &message.memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_amd_ipc_signal_create(signal, &message.signal), HSA_STATUS_ERROR_INVALID_ARGUMENT); // not made for it
    EXPECT_SUCCESS(hsa_amd_ipc_memory_create(words, bytes, &message.memory));
    EXPECT_SUCCESS(hsa_amd_ipc_signal_create(shared, &message.signal));
    EXPECT_EQ(words[7], 21u);
    tell(message);
    hsa_signal_store_screlease(shared, 1);
    EXPECT_EQ(hsa_signal_wait_scacquire(shared, HSA_SIGNAL_CONDITION_EQ, 2, 10'000'000'000, HSA_WAIT_STATE_BLOCKED), 2);
    EXPECT_EQ(words[bytes / 4 - 1], 77u);
    words[0] = 1234;
    hsa_signal_store_screlease(shared, 3);
    EXPECT_EQ(result(), 0);
    EXPECT_EQ(words[0], 1234u);
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(words));
    EXPECT_SUCCESS(hsa_signal_destroy(shared));
    // What is gone is not found.
    void* p = nullptr;
    EXPECT_EQ(hsa_amd_ipc_memory_attach(&message.memory, bytes, 0, nullptr, &p), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_amd_ipc_signal_attach(&message.signal, &shared), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
}

TEST_F(MemoryTest, HandlesWithinOneProcess) {
  auto* words = allocate<uint32_t>(vram, 4096);
  words[1] = 5;
  hsa_amd_ipc_memory_t handle, again;
  EXPECT_SUCCESS(hsa_amd_ipc_memory_create(words, 4096, &handle));
  EXPECT_SUCCESS(hsa_amd_ipc_memory_create(words, 4096, &again));
  EXPECT_EQ(std::memcmp(&handle, &again, sizeof handle), 0);
  uint32_t* other = nullptr;
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 100, 0, nullptr, reinterpret_cast<void**>(&other)), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_ipc_memory_attach(&handle, 4096, 1, &gpus[0], reinterpret_cast<void**>(&other)));
  EXPECT_NE(other, words);
  EXPECT_EQ(other[1], 5u);
  other[2] = 6;
  EXPECT_EQ(words[2], 6u);
  // Kernels see it as well.
  {
    AddOne add_one(gpu());
    add_one.start(other, 64, signal);
    wait();
  }
  EXPECT_EQ(words[2], 7u);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(words)); // the other mapping lives on
  EXPECT_EQ(other[1], 5u);
  EXPECT_SUCCESS(hsa_amd_ipc_memory_detach(other));
  hsa_amd_ipc_memory_t nonsense{};
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&nonsense, 4096, 0, nullptr, reinterpret_cast<void**>(&other)), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

} // namespace
} // namespace crosslane::test
