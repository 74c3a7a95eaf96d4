// One GiB of asynchronous copies: to the card, on it, between it and locked memory, and back; chained by dependencies
// that are given out of order; a rectangle; and their profiled times.
#include "tests/programs/hsa/hsa_check.h"

static uint64_t checksum(const uint64_t* data, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum = (sum << 7 | sum >> 57) ^ data[i];
  return sum;
}

int main() {
  HSA(hsa_init());
  {
    Gpu gpu;
    const size_t bytes = 32 << 20, count = bytes / 8;
    std::vector<uint64_t> pageable(count);
    for (size_t i = 0; i < count; ++i)
      pageable[i] = i * 0x9e3779b97f4a7c15ull;
    uint64_t* locked = nullptr;
    HSA(hsa_amd_memory_lock(pageable.data(), bytes, &gpu.agent, 1, reinterpret_cast<void**>(&locked)));
    uint64_t *a = gpu.allocate<uint64_t>(gpu.vram, count), *b = gpu.allocate<uint64_t>(gpu.vram, count);
    uint64_t* back = gpu.allocate<uint64_t>(gpu.fine, count);
    HSA(hsa_amd_profiling_async_copy_enable(true));

    size_t copied = 0;
    for (int round = 0; round < 8; ++round) {
      pageable[0] = round;
      memset(back, 0, 4096);
      const hsa_signal_t start = new_signal(1), first = new_signal(1), second = new_signal(1), third = new_signal(1),
                         last = new_signal(1);
      // The last one first
      HSA(hsa_amd_memory_async_copy(back, gpu.cpu, a, gpu.agent, bytes, 1, &third, last));
      HSA(hsa_amd_memory_async_copy(a, gpu.agent, b, gpu.agent, bytes, 1, &second, third));
      HSA(hsa_amd_memory_async_copy(b, gpu.agent, a, gpu.agent, bytes, 1, &first, second));
      HSA(hsa_amd_memory_async_copy(a, gpu.agent, locked, gpu.cpu, bytes, 1, &start, first));
      REQUIRE(hsa_signal_load_relaxed(last) == 1, "did not wait");
      hsa_signal_store_screlease(start, 0);
      wait_zero(last, "four copies");
      copied += 4 * bytes;
      REQUIRE(checksum(back, count) == checksum(pageable.data(), count), "round %d", round);
      hsa_amd_profiling_async_copy_time_t one, four;
      HSA(hsa_amd_profiling_get_async_copy_time(first, &one));
      HSA(hsa_amd_profiling_get_async_copy_time(last, &four));
      REQUIRE(one.start < one.end && one.end <= four.start && four.start < four.end, "times");
      for (hsa_signal_t signal : {start, first, second, third, last})
        HSA(hsa_signal_destroy(signal));
    }
    REQUIRE(copied == size_t(1) << 30);

    // A box of 100 x 20 x 3 bytes out of the middle of rows of 4096
    memset(back, 0, bytes);
    const hsa_signal_t done = new_signal(1);
    const hsa_pitched_ptr_t to = {back, 512, 512 * 64}, from = {a, 4096, 4096 * 128};
    const hsa_dim3_t to_offset = {16, 2, 1}, from_offset = {32, 5, 4}, range = {100, 20, 3};
    HSA(hsa_amd_memory_async_copy_rect(&to, &to_offset, &from, &from_offset, &range, gpu.agent, hsaDeviceToHost, 0,
                                       nullptr, done));
    wait_zero(done, "a rectangle");
    const unsigned char *rows = reinterpret_cast<unsigned char*>(back),
                        *source = reinterpret_cast<unsigned char*>(pageable.data());
    for (unsigned z = 0; z < 5; ++z)
      for (unsigned y = 0; y < 64; ++y)
        for (unsigned x = 0; x < 512; ++x) {
          const bool inside = x >= 16 && x < 116 && y >= 2 && y < 22 && z >= 1 && z < 4;
          const unsigned expected = inside ? source[(z - 1 + 4) * 4096 * 128 + (y - 2 + 5) * 4096 + x - 16 + 32] : 0;
          REQUIRE(rows[(z * 64 + y) * 512 + x] == expected, "x %u y %u z %u", x, y, z);
        }
    HSA(hsa_signal_destroy(done));

    HSA(hsa_amd_memory_fill(a, 0x01020304, count));
    HSA(hsa_memory_copy(back, a, bytes));
    REQUIRE(back[count / 2 - 1] == 0x0102030401020304ull && back[count / 2] == pageable[count / 2], "fill");
    HSA(hsa_amd_memory_unlock(pageable.data()));
    for (void* block : {a, b, back})
      HSA(hsa_amd_memory_pool_free(block));
    printf("%zu MiB copied\n", copied >> 20);
  }
  HSA(hsa_shut_down());
  return pass();
}
