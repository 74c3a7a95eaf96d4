// Memory and signals between two processes. The other one is made by fork before this one has a runtime.
#include "tests/hsa/memory_fixture.h"
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
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
    setenv("CROSSLANE_BOUNDS", "exact", 1); // memory that does not begin with a page
    ASSERT_EQ(pipe(pipe_), 0);
    child_ = fork();
    if (!child_)
      _exit(other_process());
    MemoryTest::SetUp();
    unsetenv("CROSSLANE_BOUNDS");
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
    if (hsa_amd_ipc_memory_attach(&message.memory, message.bytes, 0, nullptr, reinterpret_cast<void**>(&words)) !=
        HSA_STATUS_SUCCESS)
      return 2;
    hsa_signal_t theirs{};
    if (hsa_amd_ipc_signal_attach(&message.signal, &theirs) != HSA_STATUS_SUCCESS)
      return 3;
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    if (hsa_amd_pointer_info(words + 1, &info, nullptr, nullptr, nullptr) != HSA_STATUS_SUCCESS ||
        info.type != HSA_EXT_POINTER_TYPE_IPC || info.agentBaseAddress != words || info.sizeInBytes != message.bytes)
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
    if (hsa_amd_ipc_memory_detach(words) != HSA_STATUS_SUCCESS ||
        hsa_amd_ipc_memory_detach(words) != HSA_STATUS_ERROR_INVALID_ARGUMENT)
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
  auto* words = allocate<uint32_t>(vram, 4000); // a page
  words[1] = 5;
  hsa_amd_ipc_memory_t handle, again;
  EXPECT_SUCCESS(hsa_amd_ipc_memory_create(words, 4000, &handle));
  EXPECT_EQ(hsa_amd_ipc_memory_create(words, 4095, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_ipc_memory_create(words, 4096, &again));
  EXPECT_EQ(std::memcmp(&handle, &again, sizeof handle), 0);
  uint32_t* other = nullptr;
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 100, 0, nullptr, reinterpret_cast<void**>(&other)),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
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
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&nonsense, 4096, 0, nullptr, reinterpret_cast<void**>(&other)),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// A handle as another process might forge it: that of real memory, but for the file that it names. hsa/memory/ipc.cpp
// has its form.
hsa_amd_ipc_memory_t naming(hsa_amd_ipc_memory_t handle, int file) {
  const int32_t process = getpid();
  struct stat status{};
  EXPECT_EQ(fstat(file, &status), 0);
  const uint64_t inode = status.st_ino;
  auto* bytes = reinterpret_cast<uint8_t*>(&handle);
  std::memcpy(bytes + 4, &process, 4);
  std::memcpy(bytes + 8, &file, 4);
  std::memcpy(bytes + 24, &inode, 8);
  return handle;
}

int memory_file(const char* name, unsigned flags, uint64_t bytes, int seals) {
  const int file = memfd_create(name, flags);
  EXPECT_EQ(ftruncate(file, off_t(bytes)), 0);
  if (seals)
    EXPECT_EQ(fcntl(file, F_ADD_SEALS, seals), 0);
  return file;
}

TEST_F(MemoryTest, ForgedHandlesAreRefused) {
  auto* words = allocate<uint32_t>(vram, 4096);
  hsa_amd_ipc_memory_t handle;
  EXPECT_SUCCESS(hsa_amd_ipc_memory_create(words, 4096, &handle));
  int32_t genuine = 0;
  std::memcpy(&genuine, reinterpret_cast<const uint8_t*>(&handle) + 8, 4);
  void* p = nullptr;
  EXPECT_SUCCESS(hsa_amd_ipc_memory_attach(&handle, 4096, 0, nullptr, &p));
  EXPECT_SUCCESS(hsa_amd_ipc_memory_detach(p));

  const auto refused = [&](int file, const char* what) {
    const auto forged = naming(handle, file);
    EXPECT_EQ(hsa_amd_ipc_memory_attach(&forged, 4096, 0, nullptr, &p), HSA_STATUS_ERROR_INVALID_ARGUMENT) << what;
    close(file);
  };
  // A file that was opened for reading only, and a new one in the folder of shared memory
  char name[] = "/tmp/crosslane-ipc-XXXXXX", shared[] = "/dev/shm/crosslane-ipc-XXXXXX";
  for (char* path : {name, shared}) {
    const int file = mkstemp(path);
    ASSERT_GE(file, 0);
    EXPECT_EQ(ftruncate(file, 4096), 0);
    refused(open(path, O_RDONLY), path);
    unlink(path);
    refused(file, path);
  }
  // Somebody else's memory, our name on memory that can shrink under us, and memory of another size
  const int seals = fcntl(genuine, F_GET_SEALS);
  EXPECT_EQ(seals & (F_SEAL_SHRINK | F_SEAL_GROW), F_SEAL_SHRINK | F_SEAL_GROW);
  refused(memory_file("other", MFD_ALLOW_SEALING, 4096, seals), "name");
  refused(memory_file("crosslane-memory", MFD_ALLOW_SEALING, 4096, 0), "no seals");
  refused(memory_file("crosslane-memory", 0, 4096, 0), "no seals possible");
  refused(memory_file("crosslane-memory", MFD_ALLOW_SEALING, 8192, seals), "size");
  refused(open("/dev/zero", O_RDONLY), "device");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  refused(ends[0], "pipe");
  close(ends[1]);
  // A size that wraps round to the file's
  auto wrapped = handle;
  const uint64_t offset_and_size[] = {4095ull << 32, UINT64_MAX - 4093};
  std::memcpy(reinterpret_cast<uint8_t*>(&wrapped) + 12, reinterpret_cast<const uint8_t*>(offset_and_size) + 4, 12);
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&wrapped, size_t(offset_and_size[1]), 0, nullptr, &p),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(words));
}

// What an unprivileged user offers, root does not take.
TEST_F(MemoryTest, HandlesOfAnotherUserAreRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can be another user";
  auto* words = allocate<uint32_t>(vram, 4096);
  hsa_amd_ipc_memory_t handle;
  EXPECT_SUCCESS(hsa_amd_ipc_memory_create(words, 4096, &handle));
  int32_t genuine = 0;
  std::memcpy(&genuine, reinterpret_cast<const uint8_t*>(&handle) + 8, 4);
  const int seals = fcntl(genuine, F_GET_SEALS);
  int file = -1;
  ASSERT_EQ(seteuid(65534), 0);
  file = memory_file("crosslane-memory", MFD_ALLOW_SEALING, 4096, seals);
  ASSERT_EQ(seteuid(0), 0);
  void* p = nullptr;
  const auto forged = naming(handle, file);
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&forged, 4096, 0, nullptr, &p), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  close(file);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(words));
}

} // namespace
} // namespace crosslane::test
