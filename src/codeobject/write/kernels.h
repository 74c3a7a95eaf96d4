// Owns kernel descriptors as they change: the entry, and registers, LDS and scratch by the rules of the target. Not for
// other layers.
#pragma once
#include "codeobject/write.h"
#include "codeobject/write/elf_file.h"

namespace crosslane::codeobject {

// What the metadata says of one kernel from now on. Empty: as it was.
struct KernelNumbers {
  std::string symbol, name;
  std::optional<uint32_t> sgprs, vgprs, group_segment, private_segment;
  bool any() const { return sgprs || vgprs || group_segment || private_segment; }
};

// Changes the descriptor of `kernel` in the file.
llvm::Expected<KernelNumbers> change_descriptor(ElfFile& file, const CodeObject& object, const Kernel& kernel,
                                                const KernelChange& change);

} // namespace crosslane::codeobject
