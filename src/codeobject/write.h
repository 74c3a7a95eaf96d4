// Owns changes of finished code objects: new code in a segment of its own, kernels that start there, symbols, notes and
// debug information that know of it. The bytes that were there stay where they are; the few that must change are kept
// in a note, so that strip() gives the input back. Nothing here looks at instructions.
// Source: LLVM AMDGPUUsage, "Kernel Descriptor", "Code Object Metadata"; the System V ABI, "Dynamic Section", "Hash
// Table"; DWARF version 4 and 5. What a file looks like then: docs/instrumentation.md.
#pragma once
#include "codeobject/code_object.h"
#include <cstdint>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace crosslane::codeobject {

// What changes of one kernel. Whatever is 0 stays as it was, and nothing becomes less than it was.
struct KernelChange {
  std::string symbol;     // of the descriptor: "vadd.kd"; version 2: the kernel's, "vadd"
  uint64_t entry = 0;     // ELF virtual address of the first instruction, a multiple of 256
  uint64_t code_size = 0; // bytes of the function at `entry`, for its symbol
  // The highest SGPR and VGPR that the code names, and 1 more. VCC, FLAT_SCRATCH and XNACK_MASK are no SGPRs here:
  // special_sgprs() are added. gfx90a: `vgprs` without AccVGPRs, which keep their number and move behind them.
  uint32_t sgprs = 0, vgprs = 0;
  // COMPUTE_PGM_RSRC2 as it is to be, but for its LDS: which ids a wave begins with.
  uint32_t compute_pgm_rsrc2 = 0;
  uint32_t group_segment = 0;   // bytes of static LDS in all
  uint32_t private_segment = 0; // bytes of scratch of a work-item in all; an error for kernels that had none
};

// `size` bytes of code at `from`, an instruction or several without a gap, were copied to `to`.
struct MovedCode {
  uint64_t from = 0, size = 0, to = 0; // ELF virtual addresses
};

// A global symbol, in .dynsym too. A name that is there already moves: what was at its old address is NAME.original
// from then on, a local symbol.
struct NewSymbol {
  std::string name;
  uint64_t address = 0, size = 0;
  bool code = false; // a function, else an object
};

struct Additions {
  uint64_t code_address = 0; // a multiple of 4096, at free_address() or behind it
  std::vector<uint8_t> code; // empty: no new code
  uint64_t data_address = 0; // as code_address
  uint64_t data_size = 0;    // bytes of zeros to read and write, none of them in the file
  std::vector<KernelChange> kernels;
  std::vector<MovedCode> moved;
  std::vector<NewSymbol> symbols;
  std::vector<uint8_t> note; // the caller's; see rewrite_note()
};

// The first multiple of 4096 behind everything that is loaded.
uint64_t free_address(const CodeObject& object);

// How many SGPRs behind the ones with numbers VCC, FLAT_SCRATCH and XNACK_MASK take at most.
uint32_t special_sgprs(const CodeObject& object);

// `object` with what is added. Errors: what does not fit the target (names kernel, resource and limit), addresses that
// overlap, names that are not there.
llvm::Expected<std::vector<uint8_t>> write(const CodeObject& object, const Additions& additions);

// The input of the write() that made `rewritten`, byte for byte. An error: it was not made by one, or was changed
// since.
llvm::Expected<std::vector<uint8_t>> strip(std::span<const uint8_t> rewritten);

// Additions::note of each write() that made this object, the oldest first; empty: none did. They point into the object.
std::vector<std::span<const uint8_t>> rewrite_notes(const CodeObject& object);
std::span<const uint8_t> rewrite_note(const CodeObject& object); // the newest; empty: none

// Additions::moved of all of them, runs that go on joined, sorted by `to`.
std::vector<MovedCode> moved_code(const CodeObject& object);
// Where the instruction at `address` was in the file that no write() had touched; as it is if it did not move.
uint64_t original_address(std::span<const MovedCode> moved, uint64_t address);

// What becomes of one code object of a file; nothing: it stays as it is. For a file that is a code object `id` is
// empty.
using ObjectRewriter = llvm::function_ref<llvm::Expected<std::optional<std::vector<uint8_t>>>(const BundleEntry&)>;

// A whole file with its code objects rewritten: a code object, an offload bundle (compressed ones are written as
// others), LLVM's offload binaries, or a linked program or library of the host with any of them. Those of the host
// start as they were, the new code objects are in a segment of their own, and the program's pointers lead there. The
// input if nothing changes. Errors: those of `rewrite`, and what cannot be done: objects of the host that are not
// linked yet, code objects that lie in the data as GCC puts them.
llvm::Expected<std::vector<uint8_t>> rewrite_file(std::span<const uint8_t> bytes, ObjectRewriter rewrite);
// The input of the rewrite_file() or write() that made `rewritten`, byte for byte.
llvm::Expected<std::vector<uint8_t>> strip_file(std::span<const uint8_t> rewritten);

} // namespace crosslane::codeobject
