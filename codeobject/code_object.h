// Owns AMD code objects as data: ELF64 AMDGPU (code object v3, v4, v5) read into symbols, kernels and metadata, and
// loaded into memory with relocations applied. Nothing here executes.
// Source: LLVM AMDGPUUsage, "Code Object", "Kernel Descriptor", "Code Object Metadata".
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <llvm/Support/Error.h>

namespace crosslane::codeobject {

// amdhsa kernel descriptor, 64 bytes, decoded field by field.
struct KernelDescriptor {
  uint32_t group_segment_fixed_size = 0;    // bytes of static LDS
  uint32_t private_segment_fixed_size = 0;  // bytes of scratch per work-item
  uint32_t kernarg_size = 0;                // bytes, 0 = not given
  int64_t kernel_code_entry_byte_offset = 0;
  uint32_t compute_pgm_rsrc1 = 0, compute_pgm_rsrc2 = 0, compute_pgm_rsrc3 = 0;
  uint16_t kernel_code_properties = 0;
  uint16_t kernarg_preload = 0;

  // COMPUTE_PGM_RSRC1
  uint32_t granulated_workitem_vgpr_count() const { return compute_pgm_rsrc1 & 0x3f; }
  uint32_t granulated_wavefront_sgpr_count() const { return compute_pgm_rsrc1 >> 6 & 0xf; }
  uint32_t priority() const { return compute_pgm_rsrc1 >> 10 & 3; }
  uint32_t float_round_mode_32() const { return compute_pgm_rsrc1 >> 12 & 3; }
  uint32_t float_round_mode_16_64() const { return compute_pgm_rsrc1 >> 14 & 3; }
  uint32_t float_denorm_mode_32() const { return compute_pgm_rsrc1 >> 16 & 3; }
  uint32_t float_denorm_mode_16_64() const { return compute_pgm_rsrc1 >> 18 & 3; }
  bool priv() const { return compute_pgm_rsrc1 >> 20 & 1; }
  bool enable_dx10_clamp() const { return compute_pgm_rsrc1 >> 21 & 1; }
  bool debug_mode() const { return compute_pgm_rsrc1 >> 22 & 1; }
  bool enable_ieee_mode() const { return compute_pgm_rsrc1 >> 23 & 1; }
  bool bulky() const { return compute_pgm_rsrc1 >> 24 & 1; }
  bool fp16_ovfl() const { return compute_pgm_rsrc1 >> 26 & 1; }
  // COMPUTE_PGM_RSRC2
  bool enable_private_segment() const { return compute_pgm_rsrc2 & 1; }  // wave offset SGPR
  uint32_t user_sgpr_count() const { return compute_pgm_rsrc2 >> 1 & 0x1f; }
  bool enable_trap_handler() const { return compute_pgm_rsrc2 >> 6 & 1; }
  bool enable_sgpr_workgroup_id_x() const { return compute_pgm_rsrc2 >> 7 & 1; }
  bool enable_sgpr_workgroup_id_y() const { return compute_pgm_rsrc2 >> 8 & 1; }
  bool enable_sgpr_workgroup_id_z() const { return compute_pgm_rsrc2 >> 9 & 1; }
  bool enable_sgpr_workgroup_info() const { return compute_pgm_rsrc2 >> 10 & 1; }
  uint32_t enable_vgpr_workitem_id() const { return compute_pgm_rsrc2 >> 11 & 3; }  // 0 = x, 1 = xy, 2 = xyz
  uint32_t granulated_lds_size() const { return compute_pgm_rsrc2 >> 15 & 0x1ff; }
  // KERNEL_CODE_PROPERTIES, in SGPR order
  bool enable_sgpr_private_segment_buffer() const { return kernel_code_properties & 1; }
  bool enable_sgpr_dispatch_ptr() const { return kernel_code_properties >> 1 & 1; }
  bool enable_sgpr_queue_ptr() const { return kernel_code_properties >> 2 & 1; }
  bool enable_sgpr_kernarg_segment_ptr() const { return kernel_code_properties >> 3 & 1; }
  bool enable_sgpr_dispatch_id() const { return kernel_code_properties >> 4 & 1; }
  bool enable_sgpr_flat_scratch_init() const { return kernel_code_properties >> 5 & 1; }
  bool enable_sgpr_private_segment_size() const { return kernel_code_properties >> 6 & 1; }
  bool uses_dynamic_stack() const { return kernel_code_properties >> 11 & 1; }
};

// One kernel argument from the metadata.
struct KernelArgument {
  std::string name;        // may be empty (assembly)
  std::string type_name;   // source type, e.g. "float*"; may be empty
  std::string value_kind;  // "by_value", "global_buffer", "dynamic_shared_pointer", "hidden_block_count_x", ...
  uint32_t offset = 0, size = 0;  // bytes in the kernarg segment
  std::string address_space;      // "global", "local", ... may be empty
  std::string access;             // "read_only", ... may be empty
  uint32_t pointee_align = 0;     // dynamic_shared_pointer
  bool is_const = false;
  bool hidden() const { return value_kind.rfind("hidden_", 0) == 0; }
};

struct Kernel {
  std::string name;          // "vadd"
  std::string symbol;        // "vadd.kd"
  uint64_t descriptor_address = 0;  // ELF virtual address of the descriptor
  uint64_t entry = 0;               // ELF virtual address of the first instruction
  KernelDescriptor descriptor;
  std::vector<KernelArgument> arguments;  // explicit then hidden, as in the metadata
  uint32_t kernarg_segment_size = 0, kernarg_segment_align = 0;
  uint32_t group_segment_fixed_size = 0, private_segment_fixed_size = 0;
  uint32_t wavefront_size = 64, sgpr_count = 0, vgpr_count = 0, agpr_count = 0, max_flat_workgroup_size = 0;
  uint32_t reqd_workgroup_size[3] = {0, 0, 0};   // 0 = not required
  bool uses_dynamic_stack = false;
};

struct Symbol {
  enum class Kind : uint8_t { function, kernel_descriptor, object, lds, other };
  std::string name;
  uint64_t address = 0;  // ELF virtual address; lds: alignment
  uint64_t size = 0;
  Kind kind = Kind::other;
  bool defined = true, global = false;
};

struct SourceLine {
  std::string file;  // as the line table says, directory included
  uint32_t line = 0, column = 0;
};

struct Section {
  std::string name;
  uint64_t address = 0, size = 0;
  bool executable = false, writable = false;
  std::span<const uint8_t> bytes;  // empty for .bss
};

class CodeObject {
public:
  // Reads a code object. `name` is used in messages. The bytes are copied. An offload bundle is not a code object; see unbundle().
  static llvm::Expected<std::unique_ptr<CodeObject>> read(std::span<const uint8_t> bytes, std::string name);
  static llvm::Expected<std::unique_ptr<CodeObject>> read_file(const std::string& path);
  ~CodeObject();

  const std::string& name() const;
  std::string target_id() const;  // "gfx906:sramecc+:xnack-", from e_flags
  std::string processor() const;  // "gfx906"
  int version() const;            // 3, 4, 5

  std::span<const Kernel> kernels() const;
  const Kernel* find_kernel(std::string_view name) const;
  std::span<const Symbol> symbols() const;    // sorted by address
  std::span<const Section> sections() const;
  std::optional<SourceLine> source_line(uint64_t address) const;  // DWARF; thread-safe

  // Memory image: lowest and one-past-highest virtual address of the PT_LOAD segments.
  uint64_t image_begin() const;
  uint64_t image_size() const;
  // Copies the segments to `memory` (image_size() bytes, page aligned) and applies relocations as if loaded there.
  // `resolve` gives addresses of undefined symbols (nullptr result -> error naming the symbol).
  using Resolver = std::optional<uint64_t> (*)(void* context, std::string_view symbol);
  llvm::Error load(std::span<uint8_t> memory, Resolver resolve = nullptr, void* context = nullptr) const;

private:
  CodeObject();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// If `bytes` is a clang offload bundle (or a HIP fat binary), the code object for `processor`; else the bytes themselves.
llvm::Expected<std::span<const uint8_t>> unbundle(std::span<const uint8_t> bytes, std::string_view processor);

}  // namespace crosslane::codeobject
