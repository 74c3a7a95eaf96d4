// Starting the runtime, making kernels of text, dispatching them.
#include "tests/hsa/runtime_fixture.h"
#include "tests/engine/assembler.h"
#include <cstdlib>
#include <cstring>

namespace crosslane::test {

void HsaTest::SetUp() {
  setenv("CROSSLANE_GPU", gpus_.c_str(), 1);
  ASSERT_SUCCESS(hsa_init());
  ASSERT_SUCCESS(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        auto* test = static_cast<HsaTest*>(data);
        hsa_device_type_t type;
        EXPECT_SUCCESS(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        if (type == HSA_DEVICE_TYPE_GPU)
          test->gpus.push_back(agent);
        else
          test->cpu = agent;
        return HSA_STATUS_SUCCESS;
      },
      this));
  ASSERT_FALSE(gpus.empty());
}

void HsaTest::TearDown() { EXPECT_SUCCESS(hsa_shut_down()); }

TestQueue::TestQueue(hsa_agent_t gpu, uint32_t size) {
  EXPECT_SUCCESS(hsa_queue_create(
      gpu, size, HSA_QUEUE_TYPE_MULTI,
      [](hsa_status_t status, hsa_queue_t*, void* data) { static_cast<TestQueue*>(data)->error_ = status; }, this,
      UINT32_MAX, UINT32_MAX, &queue_));
}

TestQueue::~TestQueue() { EXPECT_SUCCESS(hsa_queue_destroy(queue_)); }

void TestQueue::submit(const void* packet, hsa_packet_type_t type) {
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue_) >= queue_->size)
    ;
  auto* slot = static_cast<uint8_t*>(queue_->base_address) + index % queue_->size * 64;
  std::memcpy(slot + 2, static_cast<const uint8_t*>(packet) + 2, 62);
  const uint16_t header = uint16_t(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                                   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  __atomic_store_n(reinterpret_cast<uint16_t*>(slot), header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue_->doorbell_signal, int64_t(index));
}

TestKernel::TestKernel(hsa_agent_t gpu, const std::string& processor, const std::string& body,
                       const std::string& directives) {
  const std::string text = ".text\n.globl k\n.p2align 8\n.type k,@function\nk:\n" + body + R"(
.size k, .-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_sgpr 32
)" + (directives.find(".amdhsa_next_free_vgpr") != std::string::npos ? "" : ".amdhsa_next_free_vgpr 32\n") +
                           directives + ".end_amdhsa_kernel\n";
  const auto bytes = assemble_code_object(text, *isa::parse_target(processor));
  hsa_code_object_reader_t reader;
  EXPECT_SUCCESS(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader));
  EXPECT_SUCCESS(
      hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable_));
  EXPECT_SUCCESS(hsa_executable_load_agent_code_object(executable_, gpu, reader, nullptr, nullptr));
  EXPECT_SUCCESS(hsa_executable_freeze(executable_, nullptr));
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
  hsa_executable_symbol_t symbol;
  EXPECT_SUCCESS(hsa_executable_get_symbol_by_name(executable_, "k.kd", &gpu, &symbol));
  EXPECT_SUCCESS(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object_));
}

TestKernel::~TestKernel() { EXPECT_SUCCESS(hsa_executable_destroy(executable_)); }

void* reachable_memory(size_t bytes) {
  hsa_agent_t cpu{};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* found) {
        hsa_device_type_t type{};
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        if (type != HSA_DEVICE_TYPE_CPU)
          return HSA_STATUS_SUCCESS;
        *static_cast<hsa_agent_t*>(found) = agent;
        return HSA_STATUS_INFO_BREAK;
      },
      &cpu);
  void* p = nullptr;
  EXPECT_SUCCESS(hsa_amd_memory_pool_allocate(pools_of(cpu).at(0), bytes, 0, &p));
  return p;
}

hsa_kernel_dispatch_packet_t TestKernel::packet(uint32_t grid, uint16_t block, const void* arguments, size_t bytes,
                                                hsa_signal_t completion) const {
  hsa_kernel_dispatch_packet_t packet{};
  packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet.workgroup_size_x = block;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = grid;
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.kernel_object = object_;
  if (bytes) {
    packet.kernarg_address = reachable_memory(bytes);
    std::memcpy(packet.kernarg_address, arguments, bytes);
  }
  packet.completion_signal = completion;
  return packet;
}

} // namespace crosslane::test
