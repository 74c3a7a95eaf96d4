// Device memory as file descriptors, by hsa_ext_amd.h.
#include "hsa/newer.h"
#include "tests/hsa/memory_fixture.h"
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace crosslane::test {
namespace {

class DmabufTest : public MemoryTest {
protected:
  static constexpr size_t bytes = (1 << 20) + 300; // neither whole pages nor a beginning with one
};

TEST_F(DmabufTest, TheFileIsTheMemory) {
  auto* memory = allocate<uint8_t>(vram, bytes);
  memory[1000] = 5;
  int file = -1;
  uint64_t offset = ~uint64_t(0);
  ASSERT_SUCCESS(hsa_amd_portable_export_dmabuf(memory + 1000, 20, &file, &offset));
  EXPECT_EQ(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  const size_t size = size_t(lseek(file, 0, SEEK_END)); // of a dma-buf that is its size
  ASSERT_LE(offset + 20, size);
  auto* mapped = static_cast<uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_EQ(mapped[offset], 5);
  memory[1001] = 6;
  EXPECT_EQ(mapped[offset + 1], 6);
  mapped[offset + 2] = 7;
  EXPECT_EQ(memory[1002], 7);
  // A kernel writes where the file's reader reads.
  const size_t at = 2000 + (4 - reinterpret_cast<uint64_t>(memory + 2000) % 4) % 4; // of a word
  auto* word = reinterpret_cast<uint32_t*>(memory + at);
  *word = 41;
  AddOne add(gpu());
  add.start(word, 1, signal);
  wait();
  uint32_t seen = 0;
  std::memcpy(&seen, mapped + offset + at - 1000, 4);
  EXPECT_EQ(seen, 42u);
  // A second one is of the same memory, and each is closed by itself.
  int again = -1;
  uint64_t start = 0;
  ASSERT_SUCCESS(hsa_amd_portable_export_dmabuf_v2(memory, bytes, &again, &start, HSA_AMD_DMABUF_MAPPING_TYPE_NONE));
  EXPECT_NE(again, file);
  EXPECT_EQ(start + 1000, offset);
  uint8_t byte = 0;
  EXPECT_EQ(pread(again, &byte, 1, off_t(offset + 2)), 1);
  EXPECT_EQ(byte, 7);
  EXPECT_SUCCESS(hsa_amd_portable_close_dmabuf(again));
  EXPECT_EQ(hsa_amd_portable_close_dmabuf(again), HSA_STATUS_ERROR_RESOURCE_FREE);
  // "The allocation's memory remains valid as long as the handle and any mapping"
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(mapped[offset + 2], 7);
  EXPECT_SUCCESS(hsa_amd_portable_close_dmabuf(file));
  EXPECT_EQ(mapped[offset + 2], 7);
  munmap(mapped, size);
}

TEST_F(DmabufTest, BadRangesAndMemory) {
  auto* memory = allocate<uint8_t>(vram, bytes);
  auto* of_host = allocate<uint8_t>(host, bytes);
  int file = 77;
  uint64_t offset = 78;
  const auto call = [&](const void* p, size_t size, int* f, uint64_t* o) {
    return hsa_amd_portable_export_dmabuf(p, size, f, o);
  };
  EXPECT_EQ(call(nullptr, 1, &file, &offset), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call(memory, 0, &file, &offset), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call(memory, 1, nullptr, &offset), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call(memory, 1, &file, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call(memory, (bytes / 4096 + 1) * 4096 + 1, &file, &offset), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(call(memory + 1, SIZE_MAX, &file, &offset), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(call(&file, 4, &file, &offset), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(call(of_host, 4, &file, &offset), HSA_STATUS_ERROR_INVALID_AGENT);
  // The host does not see all of the card's memory, so that no other device could over PCIe.
  EXPECT_EQ(hsa_amd_portable_export_dmabuf_v2(memory, 4, &file, &offset, HSA_AMD_DMABUF_MAPPING_TYPE_PCIE),
            int(HSA_STATUS_ERROR_NOT_SUPPORTED));
  EXPECT_EQ(file, 77); // "not be altered in the event of failure"
  EXPECT_EQ(offset, 78u);
  EXPECT_EQ(hsa_amd_portable_close_dmabuf(-1), HSA_STATUS_ERROR_RESOURCE_FREE);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(of_host));
}

// hsa_amd_vmem_import_shareable_handle takes any of these.
TEST_F(DmabufTest, VirtualMemoryCanBeMadeOfIt) {
  auto* memory = allocate<uint8_t>(vram, 2 << 20);
  memory[7] = 8;
  int file = -1;
  uint64_t offset = 0;
  ASSERT_SUCCESS(hsa_amd_portable_export_dmabuf(memory, 2 << 20, &file, &offset));
  hsa_amd_vmem_alloc_handle_t handle{};
  ASSERT_SUCCESS(hsa_amd_vmem_import_shareable_handle(file, &handle));
  void* va = nullptr;
  ASSERT_SUCCESS(hsa_amd_vmem_address_reserve(&va, 2 << 20, 0, 0));
  ASSERT_SUCCESS(hsa_amd_vmem_map(va, 2 << 20, 0, handle, 0));
  const hsa_amd_memory_access_desc_t access{HSA_ACCESS_PERMISSION_RW, gpu()};
  ASSERT_SUCCESS(hsa_amd_vmem_set_access(va, 2 << 20, &access, 1));
  auto* other = static_cast<uint8_t*>(va);
  EXPECT_EQ(other[offset + 7], 8);
  other[offset + 8] = 9;
  EXPECT_EQ(memory[8], 9);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(va, 2 << 20));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, 2 << 20));
  EXPECT_SUCCESS(hsa_amd_portable_close_dmabuf(file));
  EXPECT_EQ(memory[8], 9);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

// As rocrtst's MemoryAllocateContiguousTest; hsa_ext_amd.h: "multiple calls ... result in multiple mappings".
TEST_F(DmabufTest, AnAgentTakesItBack) {
  uint8_t* memory = nullptr;
  ASSERT_SUCCESS(hsa_amd_memory_pool_allocate(vram, 1 << 20, HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG,
                                              reinterpret_cast<void**>(&memory)));
  int file = -1;
  uint64_t offset = 0;
  ASSERT_SUCCESS(hsa_amd_portable_export_dmabuf(memory, 1 << 20, &file, &offset));
  size_t size = 0, metadata_size = 7;
  const void* metadata = this;
  void *one = nullptr, *two = nullptr;
  ASSERT_SUCCESS(hsa_amd_interop_map_buffer(1, &gpus[0], file, 0, &size, &one, &metadata_size, &metadata));
  ASSERT_SUCCESS(hsa_amd_interop_map_buffer(1, &gpus[0], file, 0, &size, &two, nullptr, nullptr));
  EXPECT_EQ(size, size_t(1) << 20);
  EXPECT_EQ(metadata_size, 0u);
  EXPECT_NE(one, two);
  close(file);
  auto* word = static_cast<uint32_t*>(two);
  memory[0] = 41;
  AddOne add(gpu());
  add.start(word, 1, signal);
  wait();
  EXPECT_EQ(memory[0], 42);
  EXPECT_EQ(*static_cast<uint8_t*>(one), 42);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(word + 1, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_GRAPHICS);
  EXPECT_EQ(info.agentBaseAddress, two);
  EXPECT_EQ(info.sizeInBytes, size);
  EXPECT_EQ(hsa_amd_ipc_memory_detach(two), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_free(two), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(*word, 42u);
  for (void* p : {one, two})
    EXPECT_SUCCESS(hsa_amd_interop_unmap_buffer(p));
  EXPECT_SUCCESS(hsa_amd_interop_unmap_buffer(two)); // ROCr's answer to anything
  EXPECT_SUCCESS(hsa_amd_pointer_info(two, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

TEST_F(DmabufTest, BuffersOfOthersAreRefused) {
  size_t size = 7;
  void* pointer = nullptr;
  hsa_agent_t none{1};
  testing::internal::CaptureStderr();
  EXPECT_EQ(hsa_amd_interop_map_buffer(1, &gpus[0], STDIN_FILENO, 0, &size, &pointer, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("is no memory of this runtime"), std::string::npos);
  EXPECT_EQ(hsa_amd_interop_map_buffer(1, &none, STDIN_FILENO, 0, &size, &pointer, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_interop_map_buffer(1, &gpus[0], STDIN_FILENO, 1, &size, &pointer, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(size, 7u);
}

} // namespace
} // namespace crosslane::test
