// Owns what is said where an undefined value matters, and what is not said twice: who tells makes the value defined.
#pragma once
#include "check/init/code.h"
#include "check/told.h"
#include "isa/target.h"

namespace crosslane::check::init {

enum class Matter : uint8_t { branch, exec, address, message, store };

class Judge {
public:
  Judge(Told& told, isa::Generation generation) : told_(told), generation_(generation) {}
  // The value is in register `slot`. `times`: lanes that it is undefined in, -1 as `lane`: it is the wave's. `address`:
  // of what is stored.
  void tell(Matter, const machine::Wave&, uint64_t pc, unsigned slot, int lane, uint64_t times, const Origin&,
            uint64_t address = 0);

private:
  Told& told_;
  const isa::Generation generation_;
};

// An instruction that a wave is about to execute.
struct At {
  const machine::Wave& wave;
  Registers& registers;
  const Instruction& i;
  uint64_t exec;
  Judge& judge;

  // Of a register with undefined bits, which is read here.
  const Origin& origin(unsigned slot) const {
    Origin& o = registers.origin(slot);
    if (o.kind == Origin::Kind::none)
      o = {i.pc, slot, Origin::Kind::slot};
    return o;
  }
};

// What becomes of undefined bits, and what is judged of them. Scalar: SOP*, but for memory.
void follow_scalar(const At&);
void follow_vector(const At&);
// EXEC is about to be what may have undefined bits.
void write_exec(const At&, uint64_t undefined, const Origin&);
// Scalar registers from `first` on.
void write_scalar(const At&, unsigned first, unsigned dwords, uint64_t undefined, const Origin&);

} // namespace crosslane::check::init
