// Owns the text of a user's probe: GCN assembly, one instruction a line, in which %s0 to %s3 are SGPRs of the probe,
// %p0 and %p1 the pairs of these, %v0 to %v3 VGPRs of the probe, %c0, %c1 ... counters of the place where it stands,
// for "count %c0" and "add %c0, VALUE"; %vaddr, %src0 and so on operands of the instruction that it stands before.
// Registers of the program are read by their names, and never written: SCC is kept, all else that would be written is
// refused.
#pragma once
#include "isa/instruction.h"
#include "rewrite/registers.h"

namespace crosslane::rewrite {

// Where a user's probe stands (--at).
struct UserPlace {
  enum class Kind : uint8_t {
    entry,  // where the kernel begins
    exit,   // where waves end
    block,  // before each basic block
    branch, // before each conditional branch
    edge,   // on both ways of each of these
    memory, // before each instruction that accesses memory, LDS or GDS
    line,   // before what the line table says of one source line
  } kind{};
  std::string file; // of `line`: a path, or how one ends
  uint32_t line = 0;
  bool operator==(const UserPlace&) const = default;
};
std::string_view name_of(UserPlace::Kind);

struct UserProbe {
  std::string name; // of the file
  std::string text;
  std::string source; // a file in OpenCL C or HIP with a function (rewrite/function_ir.h), and there is no text
  std::vector<UserPlace> at;
  bool operator==(const UserProbe&) const = default;
};

llvm::Expected<UserProbe> read_user_probe(const std::string& file);
// "memory,kernel.cl:12".
llvm::Expected<std::vector<UserPlace>> parse_places(std::string_view list, std::string_view option);

struct UserNeeds {
  uint32_t counters = 0; // of one place
  uint32_t vgprs = 0;
  uint32_t reads_sgprs = 0, reads_vgprs = 0; // the highest of the program's that it reads, and one more
};
// Whether an instruction, or null: none, has the operands that the text names; whether it names any.
bool has_operands(const UserProbe&, const isa::Instruction*);
bool names_operands(const UserProbe&);
// The error says which line is wrong for the target, and why. `at`: what it stands before, if it names operands.
llvm::Expected<UserNeeds> check(const UserProbe&, isa::Target, const isa::Instruction* at);
// As instructions; `own` is the first of the VGPRs.
std::string expand(const UserProbe&, isa::Target, const isa::Instruction* at, const ProbeRegisters&, uint16_t own,
                   uint32_t first_counter);

} // namespace crosslane::rewrite
