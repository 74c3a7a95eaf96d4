// Owns what the dispatch tests share: a kernel assembled from text, linked, loaded as the launcher would load it, and
// run with arguments; and the assembly macros that hide what differs between gfx8 and gfx9.
#pragma once
#include "codeobject/code_object.h"
#include "engine/part.h"
#include "machine/memory.h"
#include "tests/engine/assembler.h"
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace crosslane::test {

inline constexpr isa::Target all_targets[] = {isa::Target::gfx803, isa::Target::gfx900, isa::Target::gfx906};

struct Shape {
  uint32_t grid[3] = {64, 1, 1};
  uint32_t group[3] = {64, 1, 1};
};

class Kernel {
public:
  // `body` is the code of kernel "k"; `directives` are lines of its .amdhsa_kernel block. The kernarg pointer is in
  // s[0:1], workgroup ids are in s2, s3, s4 and work-item ids in v0, v1, v2, unless `bare`, which leaves all of it to
  // `directives`.
  //
  // Macros for the body:
  //   add_u32 dst, a, b            dst = a + b (b a VGPR); VCC is clobbered
  //   address lo, sbase, voff      v[lo:lo+1] = s[sbase:sbase+1] + voff; VCC is clobbered
  //   branch_back label            s_branch, for loops without a condition
  Kernel(isa::Target target, const std::string& body, const std::string& directives = "", bool bare = false);

  // `arguments` are 64-bit each.
  engine::Outcome run(const Shape& shape, const std::vector<uint64_t>& arguments, const engine::Options& options = {},
                      uint32_t lds = 0, uint32_t scratch = 0) const;
  // ... as if CROSSLANE_JIT were off.
  engine::Outcome interpret(const Shape& shape, const std::vector<uint64_t>& arguments,
                            const engine::Options& options = {}, uint32_t lds = 0, uint32_t scratch = 0) const;

  engine::Part part; // the workgroups that are run
  const engine::Code& code() const { return *code_; }
  const codeobject::CodeObject& object() const { return *object_; }
  uint64_t entry() const { return entry_; }           // address of the first instruction
  uint8_t* descriptor() const { return descriptor_; } // in loaded memory, 64 bytes
  uint64_t symbol(const std::string& name) const;     // address in loaded memory

private:
  std::unique_ptr<codeobject::CodeObject> object_;
  std::unique_ptr<uint8_t, void (*)(void*)> image_{nullptr, std::free};
  std::unique_ptr<engine::Code> code_;
  uint64_t entry_ = 0;
  uint8_t* descriptor_ = nullptr;
};

// Guest memory for one test, freed with it.
template <class T> class Buffer {
public:
  Buffer(machine::Memory& memory, size_t count, std::string name = "buffer")
      : memory_(memory), data_(static_cast<T*>(memory.allocate(count * sizeof(T), std::move(name)))), count_(count) {}
  ~Buffer() { memory_.free(data_); }
  Buffer(const Buffer&) = delete;
  T& operator[](size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + count_; }
  size_t size() const { return count_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }

private:
  machine::Memory& memory_;
  T* data_;
  size_t count_;
};

#define FOR_ALL_TARGETS(target)                                                                                        \
  for (const isa::Target target : test::all_targets)                                                                   \
    if (SCOPED_TRACE(std::string(isa::info(target).name)); true)
#define EXPECT_NO_FAULT(outcome) EXPECT_FALSE((outcome).fault) << machine::describe(*(outcome).fault)

} // namespace crosslane::test
