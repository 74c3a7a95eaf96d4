// Two processes whose kernels wait for each other in memory that both reach, by the calls that clients make: RCCL's
// transport over shared memory (a file that both map and lock), UCX's rocm_ipc and RCCL's P2P (a handle to device
// memory), and a dma-buf of a part of an allocation, sent over a socket. The second process is this program started
// anew: a fork has no GPU.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/hsa/hsa_check.h"

extern char** environ;

constexpr uint32_t rounds = 24;
constexpr size_t shared_bytes = 8192, words = 4096, part = 1000; // of uint32_t: the dma-buf is asked for from there on

struct Message {
  hsa_amd_ipc_memory_t handle;
  size_t handle_bytes;
  uint64_t dmabuf_offset;
};

// Flag i becomes i + 1 by a kernel that has seen flag i - 1: of this process if i is odd, of the other if it is even,
// or the other way round. Flags of 64 bytes each have two words.
static void take_turns(Gpu& gpu, const Kernel& wait_for, uint32_t* flags, bool first) {
  hsa_queue_t* queue = gpu.queue();
  char* arguments = gpu.allocate<char>(gpu.kernarg, 64 * rounds);
  const hsa_signal_t done = new_signal(rounds / 2);
  for (uint32_t i = first ? 0 : 1; i < rounds; i += 2)
    launch(queue, wait_for, arguments + i * 64, flags + i, i + 1, 64, done);
  wait_zero(done, "kernels that wait for those of the other process");
  HSA(hsa_signal_destroy(done));
  HSA(hsa_queue_destroy(queue));
  HSA(hsa_amd_memory_pool_free(arguments));
}

static void send_file(int socket, const Message& message, int file) {
  char control[CMSG_SPACE(sizeof file)] = {};
  iovec data = {const_cast<Message*>(&message), sizeof message};
  msghdr header = {};
  header.msg_iov = &data, header.msg_iovlen = 1, header.msg_control = control, header.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS, rights->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(rights), &file, sizeof file);
  REQUIRE(sendmsg(socket, &header, 0) == ssize_t(sizeof message));
}

static int receive_file(int socket, Message& message) {
  int file = -1;
  char control[CMSG_SPACE(sizeof file)] = {};
  iovec data = {&message, sizeof message};
  msghdr header = {};
  header.msg_iov = &data, header.msg_iovlen = 1, header.msg_control = control, header.msg_controllen = sizeof control;
  REQUIRE(recvmsg(socket, &header, 0) == ssize_t(sizeof message));
  REQUIRE(CMSG_FIRSTHDR(&header), "no file came");
  memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof file);
  return file;
}

static uint32_t* lock_shared(Gpu& gpu, int file, void*& host) {
  host = mmap(nullptr, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(host != MAP_FAILED);
  void* device = nullptr;
  HSA(hsa_amd_memory_lock(host, shared_bytes, &gpu.agent, 1, &device));
  return static_cast<uint32_t*>(device);
}

static void other_process(int file, int socket) {
  Gpu gpu;
  const Kernel wait_for = gpu.kernel("wait_for");
  void* host = nullptr;
  take_turns(gpu, wait_for, lock_shared(gpu, file, host), false);
  HSA(hsa_amd_memory_unlock(host));

  Message message;
  const int dmabuf = receive_file(socket, message);
  uint32_t* flags = nullptr;
  HSA(hsa_amd_ipc_memory_attach(&message.handle, message.handle_bytes, 0, nullptr, reinterpret_cast<void**>(&flags)));
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  HSA(hsa_amd_pointer_info(flags + 1, &info, nullptr, nullptr, nullptr));
  REQUIRE(info.type == HSA_EXT_POINTER_TYPE_IPC && info.agentOwner.handle == gpu.agent.handle, "%d", info.type);
  HSA(hsa_amd_agents_allow_access(1, &gpu.agent, nullptr, flags)); // as UCX before each copy
  take_turns(gpu, wait_for, flags, false);

  size_t size = 0;
  char* mapped = nullptr;
  HSA(hsa_amd_interop_map_buffer(1, &gpu.agent, dmabuf, 0, &size, reinterpret_cast<void**>(&mapped), nullptr, nullptr));
  REQUIRE(size >= message.dmabuf_offset + (words - part) * 4, "%zu bytes", size);
  uint32_t* const there = reinterpret_cast<uint32_t*>(mapped + message.dmabuf_offset);
  REQUIRE(there[0] == 1 && flags[part] == 1, "%u", there[0]); // both are the same memory
  take_turns(gpu, wait_for, there, false);
  HSA(hsa_amd_interop_unmap_buffer(mapped));
  HSA(hsa_amd_ipc_memory_detach(flags));
  close(dmabuf);
  gpu.release();
}

static void first_process(int file, int socket) {
  Gpu gpu;
  const Kernel wait_for = gpu.kernel("wait_for");
  void* host = nullptr;
  uint32_t* const flags = lock_shared(gpu, file, host);
  static_cast<uint32_t*>(host)[0] = 1;
  take_turns(gpu, wait_for, flags, true);
  HSA(hsa_amd_memory_unlock(host));
  for (uint32_t i = 0; i < rounds; ++i) // the last is the other's to write
    REQUIRE(static_cast<uint32_t*>(host)[i] == i + 1, "shared flag %u is %u", i, static_cast<uint32_t*>(host)[i]);
  puts("kernels took turns in shared host memory");

  uint32_t* const memory = gpu.allocate<uint32_t>(gpu.vram, words);
  std::vector<uint32_t> start(words, 0);
  start[0] = 1;
  HSA(hsa_memory_copy(memory, start.data(), words * 4));
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  HSA(hsa_amd_pointer_info(memory + 5, &info, nullptr, nullptr,
                           nullptr)); // UCX asks for base and size, and hands on those
  Message message = {};
  HSA(hsa_amd_ipc_memory_create(info.agentBaseAddress, info.sizeInBytes, &message.handle));
  message.handle_bytes = info.sizeInBytes;
  // Not in Debian's headers; UCX and RCCL look for it by name.
  const auto export_dmabuf = reinterpret_cast<hsa_status_t (*)(const void*, size_t, int*, uint64_t*)>(
      dlsym(RTLD_DEFAULT, "hsa_amd_portable_export_dmabuf"));
  REQUIRE(export_dmabuf, "no hsa_amd_portable_export_dmabuf");
  int dmabuf = -1;
  HSA(export_dmabuf(memory + part, (words - part) * 4, &dmabuf, &message.dmabuf_offset));
  start[part] = 1;
  HSA(hsa_memory_copy(memory + part, &start[part], 4)); // after the export: it is no copy
  send_file(socket, message, dmabuf);
  close(dmabuf);
  take_turns(gpu, wait_for, memory, true);
  puts("kernels took turns in device memory");
  take_turns(gpu, wait_for, memory + part, true);
  HSA(hsa_memory_copy(start.data(), memory, words * 4));
  for (uint32_t i = 0; i < rounds; ++i)
    REQUIRE(start[i] == i + 1 && start[part + i] == i + 1, "flags %u are %u and %u", i, start[i], start[part + i]);
  puts("kernels took turns in a dma-buf");
  HSA(hsa_amd_memory_pool_free(memory));
  gpu.release();
}

int main(int argc, char** argv) {
  const int file = argc > 1 ? 3 : memfd_create("processes", 0);
  int sockets[2] = {4, 4};
  pid_t child = 0;
  if (argc == 1) {
    REQUIRE(file >= 0 && ftruncate(file, shared_bytes) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int high = 100; // dup2 of a file onto itself, or over the other, would not do
    posix_spawn_file_actions_adddup2(&actions, file, high);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], high + 1);
    posix_spawn_file_actions_adddup2(&actions, high, 3);
    posix_spawn_file_actions_adddup2(&actions, high + 1, 4);
    char other[] = "other";
    char* arguments[] = {argv[0], other, nullptr};
    REQUIRE(posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, environ) == 0);
    close(sockets[1]);
  }
  HSA(hsa_init());
  if (child)
    first_process(file, sockets[0]);
  else
    other_process(file, sockets[0]);
  HSA(hsa_shut_down());
  if (!child)
    return 0;
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0, "the other process ended with %x", status);
  return pass();
}
