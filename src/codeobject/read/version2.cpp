// Owns what is different in code objects of version 2, which ROCm wrote until 2019 and hand-written assembly keeps: a
// kernel's symbol stands on an amd_kernel_code_t, with the code behind it, and notes named AMD say what it is for. The
// metadata, YAML there, is not read: the runtime finds all it needs in the amd_kernel_code_t. Source: LLVM 15
// AMDGPUUsage, "Code Object V2 Note Records", "Code Object V2 Metadata"; amd_hsa_kernel_code.h.
#include "codeobject/processor.h"
#include "codeobject/read/contents.h"
#include <llvm/BinaryFormat/ELF.h>

namespace crosslane::codeobject {
namespace {

// NT_AMD_HSA_ISA_VERSION: two sizes of names (u16), then major, minor, stepping (u32), then the names, "AMD" and
// "AMDGPU".
constexpr size_t isa_size = 16;

const Processor* processor_of_note(std::span<const uint8_t> isa) {
  if (isa.size() < isa_size)
    return nullptr;
  return find_processor(fmt::format("gfx{}{}{:x}", load_little<uint32_t>(&isa[4]), load_little<uint32_t>(&isa[8]),
                                    load_little<uint32_t>(&isa[12])));
}

} // namespace

// LLVM writes the processor into e_flags too, since version 7; what older tools wrote has it in a note alone.
llvm::Error read_isa_note(Contents& contents) {
  if (contents.flags & llvm::ELF::EF_AMDGPU_MACH)
    return llvm::Error::success();
  std::span<const uint8_t> isa;
  if (llvm::Error error =
          each_note(contents, [&](std::string_view name, uint32_t type, std::span<const uint8_t> content) {
            if (name == "AMD" && type == llvm::ELF::NT_AMD_HSA_ISA_VERSION)
              isa = content;
            return llvm::Error::success();
          }))
    return error;
  if (isa.empty())
    return fail(contents.name,
                "code object version 2 that names no processor: e_flags has none, and there is no note with "
                "the ISA; write .hsa_code_object_isa, or build it with -mcpu=");
  const Processor* processor = processor_of_note(isa);
  if (!processor)
    return fail(contents.name, "the note with the ISA names no known processor; the file is damaged");
  contents.flags |= processor->machine;
  return llvm::Error::success();
}

// What the hardware was never asked for by any compiler, and what would shift the SGPRs.
llvm::Error check_version2(const Contents& contents, std::string_view where, std::span<const uint8_t> bytes) {
  if (auto major = load_little<uint32_t>(&bytes[0]), kind = uint32_t(load_little<uint16_t>(&bytes[8]));
      major != 1 || kind != 1)
    return fail(contents.name, "{}: version {} and machine kind {} instead of 1 and 1; the file is damaged", where,
                major, kind);
  if (load_little<uint32_t>(&bytes[56]) & 0x380)
    return fail(contents.name,
                "{}: asks for SGPRs with the grid's workgroup counts, which no GPU gives; drop "
                "enable_sgpr_grid_workgroup_count_*",
                where);
  return llvm::Error::success();
}

} // namespace crosslane::codeobject
