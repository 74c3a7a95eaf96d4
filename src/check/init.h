// Owns what was never initialised: which bits of registers, LDS, scratch and of memory (check/undefined_memory.h)
// nothing has defined, and where that decides something: a branch, EXEC, an address, a message. Copies, selections,
// permutes and spills carry undefined bits along, bit operations follow them bit by bit (check/init/bits.h), and what
// computes with one is undefined: nothing is said of any of these, as compilers do it all the time.
//
// Most blocks read nothing undefined. Those are done with when they begin, from what is known of their code
// (check/init/code.h); others are followed instruction by instruction.
#pragma once
#include "check/init/bytes.h"
#include "check/init/judge.h"
#include "check/per_wave.h"
#include "check/undefined_memory.h"
#include "events/listener.h"
#include "lint/slot_set.h"

namespace crosslane::check {

// What is the same for all dispatches of one code object.
struct InitCode {
  isa::Generation generation{};
  init::Code code;
};

// Of one dispatch.
class Init final : public events::Listener {
public:
  struct Launched {
    lint::SlotSet registers;                 // that a launch fills in
    bool scratch = false;                    // waves have some
    bool stores = false;                     // undefined values that are stored to memory are told of
    std::shared_ptr<UndefinedMemory> memory; // null: all is defined
  };
  Init(InitCode&, Launched, Told&);
  ~Init() override;

  bool wants_waves() const override { return true; }
  bool wants_issued() const override { return true; }
  bool wants_steps() const override { return true; }
  bool wants_accesses() const override { return true; }
  bool wants_space(events::Space) const override;
  void began(const events::Began&) override;
  void issued(const events::Issued&) override;
  void step(const events::Step&) override;
  void access(const events::Access&) override;
  void wave_ended(const events::WaveEnded&) override;
  void group_ended(const events::GroupEnded&) override;

private:
  struct OfWave {
    init::Registers registers;
    init::Scratch scratch;
    init::Bytes* lds = nullptr;
    bool clean = false; // no register has undefined bits
    OfWave() {}         // leaves what has no value yet alone
  };
  struct Recent {
    uint64_t init = 0;
    const machine::Wave* wave = nullptr;
    OfWave* of = nullptr;
  };
  // What the thread is at.
  struct Now {
    uint64_t init = 0; // serial number
    const machine::Wave* wave = nullptr;
    OfWave* of = nullptr;
    const events::Block* events = nullptr; // the block as it was told, and what is known of it once it is asked for
    const init::Block* block = nullptr;
    bool follows = false; // from `next` on
    size_t next = 0;
    uint64_t atomic_data = 0; // lanes whose operand was undefined
    uint64_t exec = 0;
    Recent waves[32]; // by address
    Recent& recent(const machine::Wave* w) { return waves[reinterpret_cast<uintptr_t>(w) / 1024 % std::size(waves)]; }
  };
  static Now& now();
  OfWave& find(Now&, const machine::Wave*);
  Slots undefined_of(const machine::Wave&) const;
  const init::Block& block_of(const events::Block&, const machine::Wave&);
  const init::Instruction& instruction_at(Now&, uint64_t pc);
  bool passes(OfWave&, const init::Block&, uint64_t exec) const;
  void follow_memory(const init::At&, Now&);

  // All that is accessed is defined as it is.
  bool is_defined(const events::Access&, OfWave&, const uint64_t* address, uint64_t lanes) const;
  bool defines_run(const events::Access&, const uint64_t* address, uint64_t lanes) const;
  // Where a byte of an access is kept. Undefined bits of up to four bytes from it on.
  struct Place;
  Place place(const events::Access&, OfWave&, uint64_t address, unsigned byte) const;
  void load(const events::Access&, const uint64_t* address, uint64_t lanes, unsigned first, Now&);
  void store(const events::Access&, const uint64_t* address, uint64_t lanes, const isa::Operand*, Now&);
  uint32_t undefined(const events::Access&, OfWave&, uint64_t address, unsigned byte, unsigned count) const;
  void set(const events::Access&, OfWave&, uint64_t address, unsigned byte, unsigned count, uint32_t undefined,
           const init::Origin*) const;
  init::Origin origin(const events::Access&, OfWave&, uint64_t address, unsigned byte) const;

  const uint64_t serial_;
  InitCode& code_;
  const Launched launched_;
  Slots undefined_{}; // when a wave begins
  init::Judge judge_;
  PerWave<OfWave> waves_;
  std::mutex mutex_; // of groups_
  std::unordered_map<const machine::Workgroup*, std::unique_ptr<init::Bytes>> groups_;
};

} // namespace crosslane::check
