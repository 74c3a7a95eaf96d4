// Virtual memory, by hsa_ext_amd.h. What its tests in rocrtst (virtual_memory.cc) settle where the header is silent is
// said where it is expected.
#include "hsa/newer.h"
#include "tests/hsa/memory_fixture.h"
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::test {
namespace {

using Handle = hsa_amd_vmem_alloc_handle_t;
constexpr size_t page = 4096;

class VmemTest : public MemoryTest {
protected:
  explicit VmemTest(const char* cards = "vega10") : MemoryTest(cards) {}
  char* reserve(size_t size, uint64_t address = 0) {
    void* va = nullptr;
    EXPECT_SUCCESS(hsa_amd_vmem_address_reserve(&va, size, address, 0));
    return static_cast<char*>(va);
  }
  Handle create(size_t size, hsa_amd_memory_type_t type = MEMORY_TYPE_NONE) {
    Handle handle{};
    EXPECT_SUCCESS(hsa_amd_vmem_handle_create(vram, size, type, 0, &handle));
    return handle;
  }
  hsa_status_t allow(void* va, size_t size, hsa_agent_t agent, hsa_access_permission_t permission) {
    const hsa_amd_memory_access_desc_t access{permission, agent};
    return hsa_amd_vmem_set_access(va, size, &access, 1);
  }
  hsa_access_permission_t access(void* va, hsa_agent_t agent) {
    auto permission = hsa_access_permission_t(3);
    EXPECT_SUCCESS(hsa_amd_vmem_get_access(va, &permission, agent));
    return permission;
  }
  void undo(char* va, size_t mapped, size_t reserved, Handle handle) {
    EXPECT_SUCCESS(hsa_amd_vmem_unmap(va, mapped));
    EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
    EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, reserved));
  }
  uint64_t available() {
    uint64_t bytes = 0;
    EXPECT_SUCCESS(hsa_agent_get_info(gpu(), hsa_agent_info_t(HSA_AMD_AGENT_INFO_MEMORY_AVAIL), &bytes));
    return bytes;
  }
};

TEST_F(VmemTest, KernelsAndTheHostUseIt) {
  constexpr size_t size = 16 * page;
  char* va = reserve(2 * size);
  const Handle handle = create(size);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va + size, size, 0, handle, 0));
  EXPECT_SUCCESS(allow(va + size, size, gpu(), HSA_ACCESS_PERMISSION_RW));
  auto* words = reinterpret_cast<uint32_t*>(va + size);
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(words[i], 0u) << "new memory is zeroed";
  AddOne add(gpu());
  add.start(words, 64, signal);
  wait();
  EXPECT_EQ(add.error(), HSA_STATUS_SUCCESS);
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(words[i], i % 2 ? 0u : 1u);
  EXPECT_SUCCESS(hsa_amd_memory_fill(words, 7, size / 4));
  EXPECT_EQ(words[size / 4 - 1], 7u);
  EXPECT_EQ(hsa_amd_memory_fill(words, 7, size / 4 + 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  std::vector<uint32_t> copy(size / 4);
  EXPECT_SUCCESS(hsa_memory_copy(copy.data(), words, size));
  EXPECT_EQ(copy[5], 7u);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(va + size, size));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, 2 * size));
}

TEST_F(VmemTest, AddressesAsAskedFor) {
  EXPECT_EQ(hsa_amd_vmem_address_reserve(nullptr, page, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  void* va = nullptr;
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&va, 0, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&va, page + 1, 0, 0), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&va, uint64_t(1) << 62, 0, 0), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  for (const uint64_t bad : {uint64_t(512), uint64_t(3 * page)}) // "Must be >= page-size and a power of 2"
    EXPECT_EQ(hsa_amd_vmem_address_reserve_align(&va, page, 0, bad, 0), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(va, nullptr);
  for (uint64_t alignment = page; alignment <= uint64_t(1) << 30; alignment *= 8) {
    EXPECT_SUCCESS(hsa_amd_vmem_address_reserve_align(&va, page, 0, alignment, 0));
    EXPECT_EQ(reinterpret_cast<uint64_t>(va) % alignment, 0u);
    EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, page));
  }
  // What was free a moment ago is to be had again; what is taken is not.
  char* first = reserve(4 * page);
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(first, 4 * page));
  EXPECT_EQ(reserve(2 * page, reinterpret_cast<uint64_t>(first)), first);
  char* behind = reserve(2 * page, reinterpret_cast<uint64_t>(first + 2 * page));
  EXPECT_EQ(behind, first + 2 * page);
  char* other = reserve(2 * page, reinterpret_cast<uint64_t>(first));
  EXPECT_NE(other, first);
  EXPECT_EQ(hsa_amd_vmem_address_free(nullptr, page), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_address_free(first, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_address_free(first, page), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_address_free(first + page, page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  for (char* p : {first, behind, other})
    EXPECT_SUCCESS(hsa_amd_vmem_address_free(p, 2 * page));
  EXPECT_EQ(hsa_amd_vmem_address_free(first, 2 * page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

// Addresses that the driver is not told of are the host's at once.
TEST_F(VmemTest, AddressesForTheHost) {
  void* va = nullptr;
  EXPECT_SUCCESS(hsa_amd_vmem_address_reserve_align(&va, 4 << 20, 0, 2 << 20, HSA_AMD_VMEM_ADDRESS_NO_REGISTER));
  EXPECT_EQ(reinterpret_cast<uint64_t>(va) % (2 << 20), 0u);
  std::memset(va, 1, 4 << 20);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(va, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, 4 << 20));
}

TEST_F(VmemTest, MemoryOfAPool) {
  Handle handle{};
  const uint64_t before = available();
  EXPECT_EQ(hsa_amd_vmem_handle_create(vram, 0, MEMORY_TYPE_NONE, 0, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_handle_create(vram, page + 1, MEMORY_TYPE_NONE, 0, &handle),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_handle_create(vram, page, hsa_amd_memory_type_t(2), 0, &handle),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_handle_create(vram, page, MEMORY_TYPE_NONE, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_handle_create({0}, page, MEMORY_TYPE_NONE, 0, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_handle_create(host, page, MEMORY_TYPE_NONE, 0, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_handle_create(pools_of(gpu()).back(), page, MEMORY_TYPE_NONE, 0, &handle),
            HSA_STATUS_ERROR_INVALID_ALLOCATION); // LDS
  const auto whole = pool_info<size_t>(vram, HSA_AMD_MEMORY_POOL_INFO_SIZE);
  EXPECT_EQ(hsa_amd_vmem_handle_create(vram, whole + page, MEMORY_TYPE_NONE, 0, &handle),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(available(), before);
  const Handle first = create(4 << 20), pinned = create(page, MEMORY_TYPE_PINNED);
  EXPECT_NE(first.handle, pinned.handle);
  EXPECT_EQ(before - available(), (4u << 20) + page);
  EXPECT_EQ(hsa_amd_vmem_handle_create(vram, whole, MEMORY_TYPE_NONE, 0, &handle), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  for (const Handle asked : {first, pinned}) {
    hsa_amd_memory_pool_t pool{};
    hsa_amd_memory_type_t type{};
    EXPECT_SUCCESS(hsa_amd_vmem_get_alloc_properties_from_handle(asked, &pool, &type));
    EXPECT_EQ(pool.handle, vram.handle);
    EXPECT_EQ(type, asked.handle == pinned.handle ? MEMORY_TYPE_PINNED : MEMORY_TYPE_NONE);
    EXPECT_EQ(hsa_amd_vmem_get_alloc_properties_from_handle(asked, nullptr, &type), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_amd_vmem_get_alloc_properties_from_handle(asked, &pool, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_SUCCESS(hsa_amd_vmem_handle_release(asked));
    EXPECT_EQ(hsa_amd_vmem_handle_release(asked), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    EXPECT_EQ(hsa_amd_vmem_get_alloc_properties_from_handle(asked, &pool, &type), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  }
  EXPECT_EQ(available(), before);
}

// The steps of rocrtst's TestPartialMapping.
TEST_F(VmemTest, PartsOfARange) {
  char* va = reserve(15 * page);
  const Handle a = create(8 * page), b = create(8 * page);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va + 2 * page, 6 * page, 0, a, 0));
  EXPECT_SUCCESS(hsa_amd_vmem_map(va + 11 * page, 3 * page, 0, b, 0));
  constexpr auto bad = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  EXPECT_EQ(hsa_amd_vmem_map(va + 14 * page, 2 * page, 0, b, 0), bad); // past the end
  EXPECT_EQ(hsa_amd_vmem_map(va + 15 * page, page, 0, b, 0), bad);
  EXPECT_EQ(hsa_amd_vmem_map(va - page, page, 0, b, 0), bad);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va + 14 * page, page, 0, b, 0));
  EXPECT_EQ(hsa_amd_vmem_map(va + 8 * page, 4 * page, 0, b, 0), bad); // meets the next
  EXPECT_EQ(hsa_amd_vmem_map(va + 7 * page, 2 * page, 0, b, 0), bad); // and the one before
  EXPECT_EQ(hsa_amd_vmem_map(va + 3 * page, page, 0, b, 0), bad);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va + 8 * page, 3 * page, 0, b, 0));
  EXPECT_EQ(hsa_amd_vmem_map(va, 2 * page, 0, {77}, 0), bad);
  EXPECT_EQ(hsa_amd_vmem_map(nullptr, page, 0, b, 0), bad);
  EXPECT_EQ(hsa_amd_vmem_map(va, 0, 0, b, 0), bad);
  EXPECT_EQ(hsa_amd_vmem_map(va, page / 2, 0, b, 0), bad);
  // One call for several mappings that join; not for parts of one.
  EXPECT_SUCCESS(allow(va + 2 * page, 9 * page, gpu(), HSA_ACCESS_PERMISSION_RW));
  va[2 * page] = va[8 * page] = 1;
  EXPECT_EQ(hsa_amd_vmem_address_free(va, 15 * page), HSA_STATUS_ERROR_RESOURCE_FREE);
  EXPECT_EQ(hsa_amd_vmem_unmap(va + 2 * page, 5 * page), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_unmap(va + 3 * page, 5 * page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_unmap(va, 15 * page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(va + 2 * page, 12 * page));
  EXPECT_EQ(hsa_amd_vmem_unmap(va + 2 * page, 6 * page), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(va + 14 * page, page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(a));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(b));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, 15 * page));
}

TEST_F(VmemTest, OneMemoryAtTwoAddressesAndFromAnOffset) {
  char* va = reserve(8 * page);
  const Handle handle = create(4 * page);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va, 4 * page, 0, handle, 0));
  EXPECT_SUCCESS(hsa_amd_vmem_map(va + 4 * page, 2 * page, 2 * page, handle, 0));
  EXPECT_EQ(hsa_amd_vmem_map(va + 6 * page, 2 * page, 3 * page, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_map(va + 6 * page, 2 * page, 5 * page, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_map(va + 6 * page, page, 100, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(allow(va, 6 * page, gpu(), HSA_ACCESS_PERMISSION_RW));
  for (size_t i = 0; i < 4; ++i)
    va[i * page] = char(i + 1);
  EXPECT_EQ(va[4 * page], 3);
  va[5 * page] = 9;
  EXPECT_EQ(va[3 * page], 9);
  undo(va, 6 * page, 8 * page, handle);
}

// rocrtst's TestRefCount.
TEST_F(VmemTest, HandlesAreCounted) {
  const uint64_t before = available();
  char* va = reserve(4 * page);
  const Handle handle = create(4 * page);
  Handle again{};
  EXPECT_EQ(hsa_amd_vmem_retain_alloc_handle(&again, va), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_retain_alloc_handle(&again, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_retain_alloc_handle(nullptr, va), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va, 4 * page, 0, handle, 0));
  EXPECT_SUCCESS(allow(va, 4 * page, gpu(), HSA_ACCESS_PERMISSION_RW));
  EXPECT_SUCCESS(hsa_amd_vmem_retain_alloc_handle(&again, va));
  EXPECT_EQ(again.handle, handle.handle);
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(again));
  EXPECT_EQ(hsa_amd_vmem_handle_release(again), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  va[5] = 5; // "released while there are still outstanding mappings"
  EXPECT_EQ(before - available(), 4 * page);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(va, 4 * page));
  EXPECT_EQ(available(), before);
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, 4 * page));
}

TEST_F(VmemTest, AccessIsWhatWasSet) {
  char* va = reserve(8 * page);
  const Handle handle = create(4 * page);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va, 4 * page, 0, handle, 0));
  EXPECT_EQ(access(va, gpu()), HSA_ACCESS_PERMISSION_NONE); // never set: success and none, as rocrtst wants it
  EXPECT_SUCCESS(allow(va, 4 * page, gpu(), HSA_ACCESS_PERMISSION_RO));
  EXPECT_EQ(access(va, gpu()), HSA_ACCESS_PERMISSION_RO);
  EXPECT_EQ(access(va + 3 * page + 5, gpu()), HSA_ACCESS_PERMISSION_RO);
  EXPECT_EQ(access(va, cpu), HSA_ACCESS_PERMISSION_NONE);
  EXPECT_SUCCESS(allow(va, 4 * page, cpu, HSA_ACCESS_PERMISSION_RW)); // leaves the other's as they are
  EXPECT_EQ(access(va, gpu()), HSA_ACCESS_PERMISSION_RO);
  auto permission = HSA_ACCESS_PERMISSION_RW;
  EXPECT_EQ(hsa_amd_vmem_get_access(va + 4 * page, &permission, gpu()), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(permission, HSA_ACCESS_PERMISSION_NONE);
  EXPECT_EQ(hsa_amd_vmem_get_access(va, &permission, {5}), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_vmem_get_access(va, nullptr, gpu()), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  constexpr auto rw = HSA_ACCESS_PERMISSION_RW;
  EXPECT_EQ(allow(va, 4 * page, {5}, rw), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(allow(va, 4 * page, gpu(), hsa_access_permission_t(4)), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(allow(va, 9 * page, gpu(), rw), HSA_STATUS_ERROR_INVALID_ARGUMENT); // not within the range
  EXPECT_EQ(allow(va, 3 * page, gpu(), rw), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(allow(va, 5 * page, gpu(), rw), HSA_STATUS_ERROR_INVALID_ALLOCATION); // not mapped
  EXPECT_EQ(allow(va + 4 * page, page, gpu(), rw), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_set_access(va, 4 * page, nullptr, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_amd_memory_access_desc_t desc{rw, gpu()};
  EXPECT_EQ(hsa_amd_vmem_set_access(va, 4 * page, &desc, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(access(va, gpu()), HSA_ACCESS_PERMISSION_RO);
  // hsa_amd_agents_allow_access knows such memory too, and gives all.
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(1, &gpus[0], nullptr, va));
  EXPECT_EQ(access(va, gpu()), rw);
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(va, 4 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_map(va, 4 * page, 0, handle, 0));
  EXPECT_EQ(access(va, gpu()), HSA_ACCESS_PERMISSION_NONE); // a new mapping
  undo(va, 4 * page, 8 * page, handle);
}

class TwoCardsVmemTest : public VmemTest {
protected:
  TwoCardsVmemTest() : VmemTest("vega10,vega20") {}
};

TEST_F(TwoCardsVmemTest, EachCardHasItsOwnAccess) {
  char* va = reserve(4 * page);
  Handle handle{};
  EXPECT_SUCCESS(hsa_amd_vmem_handle_create(pools_of(gpus[1])[0], 4 * page, MEMORY_TYPE_NONE, 0, &handle));
  EXPECT_SUCCESS(hsa_amd_vmem_map(va, 4 * page, 0, handle, 0));
  const hsa_amd_memory_access_desc_t both[] = {{HSA_ACCESS_PERMISSION_RO, gpus[0]},
                                               {HSA_ACCESS_PERMISSION_RO, gpus[1]}};
  EXPECT_SUCCESS(hsa_amd_vmem_set_access(va, 4 * page, both, 2));
  EXPECT_SUCCESS(allow(va, 4 * page, gpus[1], HSA_ACCESS_PERMISSION_RW));
  EXPECT_EQ(access(va, gpus[0]), HSA_ACCESS_PERMISSION_RO);
  EXPECT_EQ(access(va, gpus[1]), HSA_ACCESS_PERMISSION_RW);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(va, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.agentOwner.handle, gpus[1].handle);
  undo(va, 4 * page, 4 * page, handle);
}

TEST_F(VmemTest, PointerInfoTellsTheReservation) {
  char* va = reserve(8 * page);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info_set_userdata(va, &info));
  EXPECT_SUCCESS(hsa_amd_pointer_info(va + page + 5, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_RESERVED_ADDR);
  EXPECT_EQ(info.agentBaseAddress, va);
  EXPECT_EQ(info.sizeInBytes, 8 * page);
  EXPECT_EQ(info.userData, &info);
  const Handle handle = create(page);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va, page, 0, handle, 0));
  EXPECT_SUCCESS(allow(va, page, gpu(), HSA_ACCESS_PERMISSION_RW));
  uint32_t count = 0;
  hsa_agent_t* agents = nullptr;
  EXPECT_SUCCESS(hsa_amd_pointer_info(va, &info, std::malloc, &count, &agents));
  EXPECT_EQ(info.agentOwner.handle, gpu().handle);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(agents[0].handle, gpu().handle);
  std::free(agents);
  undo(va, page, 8 * page, handle);
  EXPECT_SUCCESS(hsa_amd_pointer_info(va, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

// What a kernel is told of that touches what it must not.
struct Fault {
  std::atomic<uint64_t> address{0};
  std::atomic<uint32_t> reason{0};
};

class VmemFaultTest : public VmemTest {
protected:
  void SetUp() override {
    VmemTest::SetUp();
    EXPECT_SUCCESS(hsa_amd_register_system_event_handler(
        [](const hsa_amd_event_t* event, void* data) {
          auto* seen = static_cast<Fault*>(data);
          seen->reason = event->memory_fault.fault_reason_mask;
          seen->address = event->memory_fault.virtual_address;
          return HSA_STATUS_SUCCESS;
        },
        &fault));
  }
  // Adds to the first word, which must fault; what is said of it.
  std::string touch(char* address) {
    fault.address = 0;
    testing::internal::CaptureStderr();
    {
      AddOne add(gpu());
      add.start(address, 1, signal);
      for (int i = 0; i < 2000 && !fault.address; ++i)
        usleep(5000);
    }
    hsa_signal_store_relaxed(signal, 1);
    return testing::internal::GetCapturedStderr();
  }
  Fault fault;
};

TEST_F(VmemFaultTest, WhatIsNotAccessibleIsAMemoryFaultThatNamesIt) {
  char* va = reserve(8 * page);
  const auto expect = [&](char* address, uint32_t reason, const char* words) {
    const std::string said = touch(address);
    EXPECT_NE(said.find(words), said.npos) << said;
    EXPECT_EQ(fault.address / page, reinterpret_cast<uint64_t>(address) / page);
    EXPECT_EQ(fault.reason, reason);
  };
  constexpr uint32_t absent = HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT, read_only = HSA_AMD_MEMORY_FAULT_READ_ONLY;
  expect(va + 4, absent, "4 bytes into 'addresses reserved as virtual memory 1, without memory' (32768 bytes)");
  const Handle handle = create(4 * page);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va + 2 * page, 4 * page, 0, handle, 0));
  expect(va, absent, "0 bytes into 'addresses reserved as virtual memory 1, without memory' (8192 bytes)");
  expect(va + 3 * page, absent, "4096 bytes into 'virtual memory 1, which no agent may access' (16384 bytes)");
  expect(va + 6 * page, absent, "0 bytes into 'addresses reserved as virtual memory 1, without memory' (8192 bytes)");
  EXPECT_SUCCESS(allow(va + 2 * page, 4 * page, gpu(), HSA_ACCESS_PERMISSION_RO));
  EXPECT_EQ(va[3 * page], 0);
  expect(va + 3 * page, read_only, "4096 bytes into 'virtual memory 1, which agents may only read' (16384 bytes)");
  EXPECT_SUCCESS(allow(va + 2 * page, 4 * page, gpu(), HSA_ACCESS_PERMISSION_RW));
  {
    AddOne add(gpu());
    add.start(va + 3 * page, 1, signal);
    wait();
  }
  EXPECT_EQ(va[3 * page], 1);
  EXPECT_SUCCESS(allow(va + 2 * page, 4 * page, gpu(), HSA_ACCESS_PERMISSION_NONE));
  expect(va + 3 * page, absent, "which no agent may access");
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(va + 2 * page, 4 * page));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, 8 * page));
}

TEST_F(VmemFaultTest, WhatIsGoneIsAMemoryFaultToo) {
  char* va = reserve(8 * page);
  const Handle handle = create(4 * page);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va, 4 * page, 0, handle, 0));
  EXPECT_SUCCESS(allow(va, 4 * page, gpu(), HSA_ACCESS_PERMISSION_RW));
  EXPECT_SUCCESS(hsa_amd_vmem_unmap(va, 4 * page));
  std::string said = touch(va + page);
  EXPECT_NE(said.find("without memory' (32768 bytes)"), said.npos) << said;
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_vmem_address_free(va, 8 * page));
  said = touch(va + page);
  EXPECT_NE(said.find("which has been freed"), said.npos) << said;
}

// The other process is made by fork before this one has a runtime, and is sent file descriptors.
class SharedVmemTest : public VmemTest {
protected:
  void SetUp() override {
    ASSERT_EQ(pipe(to_child_), 0);
    ASSERT_EQ(pipe(from_child_), 0);
    child_ = fork();
    if (!child_)
      _exit(other_process());
    VmemTest::SetUp();
  }
  void TearDown() override {
    VmemTest::TearDown();
    for (const int file : {to_child_[0], to_child_[1], from_child_[0], from_child_[1]})
      close(file);
  }
  struct Message {
    pid_t process;
    int file;
  };
  int to_child_[2], from_child_[2];
  pid_t child_ = 0;

private:
  // 0, or the number of the step that failed.
  int other_process() {
    Message message;
    if (read(to_child_[0], &message, sizeof message) != ssize_t(sizeof message) || hsa_init() != HSA_STATUS_SUCCESS)
      return 1;
    const std::string path = "/proc/" + std::to_string(message.process) + "/fd/" + std::to_string(message.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    Handle handle{}, again{};
    if (hsa_amd_vmem_import_shareable_handle(file, &handle) != HSA_STATUS_SUCCESS ||
        hsa_amd_vmem_import_shareable_handle(file, &again) != HSA_STATUS_SUCCESS || handle.handle == again.handle)
      return 2;
    close(file); // which the handle does not need
    hsa_amd_memory_pool_t pool{};
    hsa_amd_memory_type_t type{};
    if (hsa_amd_vmem_get_alloc_properties_from_handle(handle, &pool, &type) != HSA_STATUS_SUCCESS ||
        type != MEMORY_TYPE_PINNED)
      return 3;
    void* va = nullptr;
    if (hsa_amd_vmem_address_reserve(&va, 4 * page, 0, 0) != HSA_STATUS_SUCCESS ||
        hsa_amd_vmem_map(va, 4 * page, 0, handle, 0) != HSA_STATUS_SUCCESS)
      return 4;
    hsa_agent_t agent{};
    hsa_iterate_agents(
        [](hsa_agent_t each, void* last) {
          *static_cast<hsa_agent_t*>(last) = each;
          return HSA_STATUS_SUCCESS;
        },
        &agent);
    const hsa_amd_memory_access_desc_t access{HSA_ACCESS_PERMISSION_RW, agent};
    if (hsa_amd_vmem_set_access(va, 4 * page, &access, 1) != HSA_STATUS_SUCCESS)
      return 5;
    auto* words = static_cast<int*>(va);
    if (words[3 * page / 4] != 42)
      return 6;
    words[1] = 43;
    char done = 1;
    if (write(from_child_[1], &done, 1) != 1)
      return 7;
    if (hsa_amd_vmem_unmap(va, 4 * page) != HSA_STATUS_SUCCESS ||
        hsa_amd_vmem_handle_release(handle) != HSA_STATUS_SUCCESS ||
        hsa_amd_vmem_handle_release(again) != HSA_STATUS_SUCCESS || hsa_shut_down() != HSA_STATUS_SUCCESS)
      return 8;
    return 0;
  }
};

TEST_F(SharedVmemTest, AnotherProcessMapsIt) {
  char* va = reserve(4 * page);
  const Handle handle = create(4 * page, MEMORY_TYPE_PINNED);
  EXPECT_SUCCESS(hsa_amd_vmem_map(va, 4 * page, 0, handle, 0));
  EXPECT_SUCCESS(allow(va, 4 * page, gpu(), HSA_ACCESS_PERMISSION_RW));
  auto* words = reinterpret_cast<int*>(va);
  words[3 * page / 4] = 42;
  int file = 77;
  EXPECT_EQ(hsa_amd_vmem_export_shareable_handle(&file, {99}, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(file, -1);
  EXPECT_EQ(hsa_amd_vmem_export_shareable_handle(nullptr, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_vmem_export_shareable_handle(&file, handle, 0));
  const Message message{getpid(), file};
  ASSERT_EQ(write(to_child_[1], &message, sizeof message), ssize_t(sizeof message));
  char done = 0;
  EXPECT_EQ(read(from_child_[0], &done, 1), 1);
  EXPECT_EQ(words[1], 43);
  int status = 0;
  waitpid(child_, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  // In the same process it is another handle of the same memory. HIP keeps the bytes behind each apart.
  Handle again{};
  EXPECT_SUCCESS(hsa_amd_vmem_import_shareable_handle(file, &again));
  EXPECT_GE(again.handle, handle.handle + 4 * page);
  char* second = reserve(4 * page);
  EXPECT_SUCCESS(hsa_amd_vmem_map(second, 4 * page, 0, again, 0));
  EXPECT_SUCCESS(allow(second, 4 * page, gpu(), HSA_ACCESS_PERMISSION_RO));
  EXPECT_EQ(reinterpret_cast<int*>(second)[1], 43);
  undo(second, 4 * page, 4 * page, again);
  EXPECT_SUCCESS(hsa_amd_portable_close_dmabuf(file));
  undo(va, 4 * page, 4 * page, handle);
}

TEST_F(VmemTest, OtherFilesAreNoMemory) {
  Handle handle{};
  EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(-1, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(12345, &handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  const int null = open("/dev/null", O_RDWR);
  const int other = memfd_create("crosslane-vmem-1-0", 0); // of the name, but its size is not sealed
  EXPECT_EQ(ftruncate(other, page), 0);
  for (const int file : {null, other}) {
    EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(file, &handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    close(file);
  }
}

// More handles than a program may usually have files; and what is left at the end is no burden.
TEST_F(VmemTest, ManyHandles) {
  constexpr size_t many = 1500;
  char* va = reserve(many * page);
  for (size_t i = 0; i < many; ++i) {
    const Handle handle = create(page);
    ASSERT_SUCCESS(hsa_amd_vmem_map(va + i * page, page, 0, handle, 0));
    ASSERT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  }
  EXPECT_SUCCESS(allow(va, many * page, gpu(), HSA_ACCESS_PERMISSION_RW));
  std::memset(va, 1, many * page);
}

TEST(Vmem, NeedsARuntime) {
  void* va = nullptr;
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&va, page, 0, 0), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_amd_vmem_unmap(&va, page), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

} // namespace
} // namespace crosslane::test
