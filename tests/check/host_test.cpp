// What is told of the host's program: memory that it does not free, copies that go too far; and whose a call stack is.
#include "check/copies.h"
#include "check/host_places.h"
#include "check/leaks.h"
#include "check/runtime_kernels.h"
#include "machine/memory.h"
#include "machine/window.h"
#include "tests/check/stacks/stack.h"
#include <gtest/gtest.h>

namespace crosslane::test {

namespace {

check::HostStack of(const Stack& stack) { return {stack.frames, stack.frames + stack.count}; }

// As the first call of all may be another test's.
Stack once() {
  static Stack stack = [] {
    Stack asked{}, first{};
    hipMalloc(&asked, &first);
    return first;
  }();
  return stack;
}

[[gnu::noinline]] check::HostStack from_here() {
  once();
  Stack asked{}, none{};
  hipMalloc(&asked, &none);
  return of(asked);
}

[[gnu::noinline]] check::HostStack from_there() {
  const check::HostStack stack = from_here();
  asm volatile("");
  return stack;
}

check::HostStack of_stream() {
  Stack asked{};
  hipStreamCreate(&asked);
  return of(asked);
}

check::HostStack of_hsa() {
  Stack asked{};
  hsa_like(&asked);
  return of(asked);
}

constexpr uint64_t device = uint64_t(machine::window.first) << 32; // an address of its memory

machine::Allocation allocation(uint64_t address, uint64_t size) { return {address, size, "device memory 1"}; }

std::vector<std::string> messages(const std::vector<lint::PlacedFinding>& findings) {
  std::vector<std::string> all;
  for (const lint::PlacedFinding& f : findings)
    all.push_back(f.message);
  return all;
}

} // namespace

TEST(HostStack, SaysWhatTheProgramCalled) {
  EXPECT_EQ(check::request_of(from_here()).function(), "hipMalloc");
  EXPECT_EQ(check::request_of(of_stream()).function(), "hipStreamCreate");
  EXPECT_TRUE(check::request_of(of_hsa()).direct);
  EXPECT_FALSE(check::request_of(from_here()).direct);
  EXPECT_NE(check::request_of(from_here()).within, check::request_of(of(once())).within);
  EXPECT_EQ(check::request_of({}).function(), "");
  EXPECT_FALSE(check::request_of({}).direct);
  EXPECT_TRUE(check::program_function(from_here()).find("check_test+0x") != std::string::npos);
}

TEST(HostStack, HasTheProgramsFramesAlone) {
  const auto here = check::program_frames(from_here()), there = check::program_frames(from_there());
  ASSERT_GE(here.size(), 2u);
  EXPECT_EQ(here[0], there[0]);
  EXPECT_NE(here[1], there[1]);
  EXPECT_TRUE(check::program_frames({}).empty());
  check::HostPlaces places;
  EXPECT_EQ(places.place(here[0]).file, "check_test");
  EXPECT_EQ(places.place(nullptr).file, "host");
}

TEST(Leaks, AreOfFunctionsThatAllocate) {
  const check::Leaks leaks;
  EXPECT_TRUE(leaks.is_programs(from_here()));
  EXPECT_TRUE(leaks.is_programs(of_hsa()));
  EXPECT_FALSE(leaks.is_programs(of_stream()));
  EXPECT_FALSE(leaks.is_programs({}));
}

// What GCC's OpenMP loads code by, at the first omp_target_alloc.
TEST(Leaks, AreNotOfOtherFunctionsOnTheWay) {
  Stack asked{};
  hipMallocHost(&asked);
  const check::Request request = check::request_of(of(asked));
  EXPECT_EQ(request.functions, (std::vector<std::string>{"hipModuleLoad", "hipMallocHost"}));
  EXPECT_FALSE(check::Leaks().is_programs(of(asked)));
}

TEST(Leaks, AreNotOfTheWayThatInitialisesHsa) {
  check::Leaks leaks;
  EXPECT_TRUE(leaks.is_programs(of(once())));
  leaks.initialised(of(once()));
  EXPECT_FALSE(leaks.is_programs(of(once())));
  EXPECT_TRUE(leaks.is_programs(from_here()));
}

TEST(Leaks, AreToldOnceForEachWay) {
  std::vector<check::Allocations::Named> left;
  const auto leave = [&](uint64_t bytes, check::HostStack stack) {
    left.push_back({{0x1000, 0x1000 + bytes}, "device memory", std::move(stack)});
  };
#pragma clang loop unroll(disable)
  for (const uint64_t bytes : {100u, 200u})
    leave(bytes, from_here());
  leave(1, from_there());
  leave(1 << 20, of_stream());
  leave(4096, of_hsa());
  const auto found = check::Leaks().in(left);
  EXPECT_EQ(messages(found), (std::vector<std::string>{"4096 bytes are never freed",
                                                       "2 allocations of hipMalloc, 300 bytes in all, are never freed",
                                                       "1 byte of hipMalloc is never freed"}));
  for (const lint::PlacedFinding& f : found) {
    EXPECT_EQ(f.rule, lint::Rule::memory_leak);
    EXPECT_EQ(f.place.file, "check_test");
    EXPECT_FALSE(f.callers.empty());
  }
}

TEST(Copies, AreExactToTheByte) {
  using Side = check::Copies::Side;
  check::Allocations allocations;
  check::Copies copies(allocations);
  allocations.allocated(allocation(device, 1000));
  copies.judge(Side::writes, {device, device + 1000}, "hsa_memory_copy");
  copies.judge(Side::reads, {device + 999, device + 1000}, "hsa_memory_copy");
  copies.judge(Side::reads, {device + 1000, device + 2000}, "hsa_memory_copy"); // not known whose
  EXPECT_TRUE(copies.findings().empty());
#pragma clang loop unroll(disable)
  for (int n = 0; n < 3; ++n)
    copies.judge(Side::writes, {device + 8, device + 1001}, "hsa_memory_copy");
  EXPECT_EQ(messages(copies.findings()),
            std::vector<std::string>{"hsa_memory_copy writes 993 bytes at byte 8 of 'device memory 1' (1000 bytes), 1 "
                                     "byte past its end; 3 times"});
}

TEST(Copies, KnowWhatHasBeenFreed) {
  check::Allocations allocations;
  check::Copies copies(allocations);
  allocations.allocated(allocation(device, 1000));
  allocations.freed(allocation(device, 1000));
  copies.judge(check::Copies::Side::reads, {device + 4, device + 8}, "hsa_memory_copy");
  EXPECT_EQ(
      messages(copies.findings()),
      std::vector<std::string>{"hsa_memory_copy reads 4 bytes at byte 4 of 'device memory 1' (1000 bytes, freed)"});
}

TEST(RuntimeKernels, AreNamed) {
  lint::Judged judged;
  for (const char* function : {"__amd_rocclr_fillBufferAligned2D", "sort"})
    judged.findings.push_back({.place = {.file = "k.co", .function = function}});
  check::name_runtime_kernels(judged);
  ASSERT_EQ(judged.findings[0].notes.size(), 1u);
  EXPECT_EQ(judged.findings[0].notes[0].text, "a kernel of HIP's own, for hipMemset, hipMemset2D and their kin");
  EXPECT_TRUE(judged.findings[1].notes.empty());
}

} // namespace crosslane::test
