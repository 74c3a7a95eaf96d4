// Owns CompiledCode: code of a unit (engine/unit.h) that a compiler made, as waves enter it. A wave enters by a Uop of
// its own, whose handler calls the function; it leaves for the interpreter at any instruction, or stops as in any
// handler.
#pragma once
#include "engine/decode/decode_mode.h"
#include "engine/registers.h"
#include "engine/unit.h"
#include "engine/uop.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::engine {

class Code;

// How a compiled function comes back: the kind above 32 bits; below, the dword index where the interpreter goes on, or
// the number of the entry where the wave comes back to compiled code.
enum class Back : uint32_t {
  interpret, // the interpreter goes on there
  stopped,   // the Wave says all
  preempted, // the wave has used up its budget
  barrier,
  failed, // as `interpret`, because a guard failed
};

struct CompiledCode {
  // The wave's registers are in the Wave, as in front of the instruction of that entry; Wave::instructions are those
  // that were executed. What comes back: see Back.
  using Function = uint64_t (*)(Wave*, const CompiledCode*, uint64_t entry);
  Function function = nullptr;
  const Uop* const* calls = nullptr; // what the code has handlers do, each a Uop or more and the way back
  // By number, 0 being the unit's own: two each. The first one stands for the barrier that waves are at who will enter
  // (engine/census.h), the second one enters.
  std::vector<Uop> entries;
  // ... and what stays of `calls`.
  std::vector<Uop> called;
  std::vector<const Uop*> table;
  // Waves that entered, and those that left for the interpreter. What leaves too often is not entered again.
  mutable std::atomic<uint64_t> entered{0}, left{0};
  bool pays() const { return left.load(std::memory_order_relaxed) <= 64 + entered.load(std::memory_order_relaxed) / 8; }

  // What it was compiled from. When memory has it no longer, and s_icache_inv told so, no wave enters any more.
  CodeBytes bytes;
  std::atomic<bool> stale{false};

  CompiledCode() = default;
  CompiledCode(const CompiledCode&) = delete;

  // The Uop that enters. 0 expects what a wave starts with.
  const Uop* entry(uint32_t number) const { return &entries[2 * number + 1]; }
};

// Runs a wave from an entry on (CompiledCode::entry()), for who enters once the wave is there. What comes back is where
// the interpreter goes on; null: the Wave says all.
const Uop* run_compiled(const Uop* entry, Wave*);

// Where the interpreter goes on with what the wave has in memory, at a dword index of the kernel's code.
const Uop* interpret_at(Wave*, uint32_t pc);

// Fills in entries and handlers. `pcs`: dword indexes of the entries.
void make_entries(CompiledCode&, const std::vector<uint32_t>& pcs);
// A uop that ends what compiled code called.
Uop way_back();

// What a dispatch asks a compiler for. All of it is the same for all workgroups of the dispatch.
struct CompileQuery {
  const Code* code;
  uint64_t entry; // address of the first instruction
  DecodeMode decode_mode;
  uint32_t mode; // the MODE register
  bool split_modes;
  RegisterLimits limits;
  uint16_t workgroup_size[3];
  uint8_t workitem_ids; // how many of v0, v1, v2 hold ids
  bool packed_ids;      // all of them in v0
  int32_t arguments;    // SGPR pair that points to the kernel's arguments; -1: none
};

// What a compiler keeps with a Code, by a key of its own; null: it was not compiled. Thread-safe.
std::optional<const CompiledCode*> find_compiled(const Code&, const std::string& key);
const CompiledCode* keep_compiled(const Code&, const std::string& key, std::shared_ptr<CompiledCode>);
// s_icache_inv: what was compiled from bytes that memory has no longer is stale, and not found any more.
void forget_changed(const Code&);

class CodeCompiler {
public:
  // Why no dispatch can be run at all, as when it was asked for what it does not know; empty: all is well.
  virtual std::string refusal() { return {}; }
  // Null: the interpreter runs it. What is returned lives as long as the Code.
  virtual const CompiledCode* find(const CompileQuery&) = 0;

protected:
  ~CodeCompiler() = default;
};

} // namespace crosslane::engine
