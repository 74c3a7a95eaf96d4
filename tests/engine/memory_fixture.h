// Owns what the memory tests share: a wave built by hand, instructions from llvm-mc-19, every level that the host can
// run, the EXEC masks and address patterns to try, and guest memory between two guard pages.
#pragma once
#include "engine/decode/backend.h"
#include "isa/decode.h"
#include "machine/gds.h"
#include "machine/memory.h"
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace crosslane::engine {
extern const Backend backend_v1, backend_v3, backend_v4;
}

namespace crosslane::test {

using engine::Uop;
using machine::Wave;

std::vector<const engine::Backend*> host_levels();

// One instruction per line, through llvm-mc-19 (see assembler.h) and our decoder.
std::vector<isa::Instruction> assemble(isa::Target target, const std::vector<std::string>& lines);
isa::Instruction assemble(isa::Target target, const std::string& line);

inline constexpr uint32_t test_lds_bytes = 4096, test_scratch_bytes = 256, test_vgprs = 64;

// A wave with everything around it, filled with reproducible noise.
class TestWave {
public:
  explicit TestWave(unsigned seed = 1);
  Wave* operator->() { return wave_; }
  Wave& operator*() { return *wave_; }
  uint32_t& v(int reg, int lane) { return wave_->v[reg][lane]; }
  uint32_t& s(int reg) { return wave_->s[reg]; }
  void set_exec(uint64_t exec) { wave_->set_pair(126, exec); }
  void set_address(int reg, int lane, uint64_t address);
  bool active(int lane) const { return wave_->exec() >> lane & 1; }
  uint8_t* lds() { return lds_.data(); }
  machine::Gds& gds() { return gds_; }
  // The byte of a lane's scratch.
  uint8_t& scratch(uint32_t offset, int lane);
  std::vector<uint32_t> registers() const; // all VGPRs
  const machine::Fault& fault() const { return fault_; }

  // Lowers and runs one instruction. False: the level does not execute it.
  bool run(const engine::Backend&, const isa::Instruction&);

private:
  std::unique_ptr<uint8_t, void (*)(void*)> storage_;
  Wave* wave_;
  std::vector<uint8_t> lds_, scratch_;
  machine::Workgroup group_ = {};
  machine::Gds gds_;
  machine::Fault fault_;
};

// `bytes` (whole pages) of noise between two inaccessible pages.
class Guarded {
public:
  explicit Guarded(uint64_t bytes, unsigned seed = 7);
  ~Guarded();
  uint8_t* begin() const { return data_; }
  uint8_t* end() const { return data_ + size_; }
  uint64_t size() const { return size_; }

private:
  uint8_t* data_;
  uint64_t size_;
};

std::vector<uint64_t> exec_masks();

// Byte offsets of 64 items of `bytes` bytes, all within [0, span).
struct Pattern {
  std::string name;
  std::vector<uint32_t> offsets;
};
std::vector<Pattern> patterns(uint32_t bytes, uint32_t span);

// "v8" or "v[8:10]".
std::string vregs(int first, int dwords);

// What a load leaves in a lane, said as the manual does.
struct LoadKind {
  std::string suffix; // of global_, flat_, buffer_, scratch_ loads
  std::string ds;     // ds_ mnemonic, or empty
  int bytes;
  bool sign;
  int half; // -1 whole register, 0 low, 1 high half (the other is kept)
  bool gfx9_only;
};
const std::vector<LoadKind>& load_kinds();
// Dword k of the register after loading from `bytes` where it held `old`.
uint32_t loaded(const LoadKind&, const uint8_t* bytes, int k, uint32_t old);

struct StoreKind {
  std::string suffix, ds;
  int bytes;
  bool high;
  bool gfx9_only;
};
const std::vector<StoreKind>& store_kinds();

} // namespace crosslane::test
