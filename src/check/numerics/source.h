// Owns what an instruction reads: of each source its value, and the register and lane that it comes from.
#pragma once
#include "check/numerics/code.h"
#include "check/slots.h"
#include "cross_lane/control.h"
#include "machine/wave.h"
#include <array>

namespace crosslane::check::numerics {

// Registers as they were before an instruction wrote them.
struct Kept {
  unsigned first = 0, count = 0; // slots
  std::array<std::array<uint32_t, machine::lanes_per_wave>, 32> values;
};

// A number that takes part in a result.
struct Item {
  uint64_t bits = 0;
  Format format = Format::none;
  unsigned slot = slot::end; // of the dword that says whether it is special; slot::end: a constant
  int lane = 0;
  bool is_special() const { return numerics::is_special(format, bits); }
};

class Source {
public:
  // Source 0, 1 or 2.
  Source(const machine::Wave&, const Instruction&, int n, const Kept*);
  // The destination, where it is read too.
  static Source accumulator(const machine::Wave&, const Instruction&, const Kept*);

  bool exists() const { return exists_; }
  bool is_vector() const { return slot_ >= slot::vgpr && slot_ < slot::end; }
  unsigned slot() const { return slot_; } // slot::end: a constant
  unsigned dwords() const { return dwords_; }
  // The lane that `lane` reads, with DPP; -1: none.
  int from(int lane) const { return moved_ ? from_[size_t(lane)] : lane; }
  uint32_t dword(unsigned k, int lane) const; // of lane from(...)
  // Of integers: all of the register, or a byte or a half, which SDWA takes out of it.
  bool is_whole() const { return selected_ == isa::SdwaSel::dword; }
  uint32_t integer(int lane) const;
  // What of it takes part in the `result`th item of the destination; a second one of dot products.
  std::array<Item, 2> items(unsigned result, int lane) const;

private:
  Source(const machine::Wave& wave, const Kept* kept) : wave_(&wave), kept_(kept) {}
  Item item(unsigned part, Format, int lane) const; // a half, or a dword or two
  const machine::Wave* wave_;
  const Kept* kept_;
  const isa::Instruction* in_ = nullptr;
  int n_ = 0;
  isa::Type type_{};
  bool exists_ = false, moved_ = false;
  unsigned slot_ = slot::end, dwords_ = 1;
  uint64_t constant_ = 0;
  isa::SdwaSel selected_ = isa::SdwaSel::dword;
  cross_lane::Sources from_{};
};

// A dword of a wave's register.
uint32_t dword_of(const machine::Wave&, unsigned slot, int lane);
const uint32_t* lanes_of(const machine::Wave&, unsigned slot); // of a vector register
// Lanes that an instruction writes, of those in EXEC.
uint64_t written_lanes(const isa::Instruction&, uint64_t exec);
unsigned result_items(isa::Type); // of a row's destination: 2 of packed pairs

} // namespace crosslane::check::numerics
