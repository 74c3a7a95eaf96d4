// Owns AMD code objects as data: ELF64 AMDGPU (code object v2 to v6) read into symbols, kernels and metadata, and
// loaded into memory with relocations applied. Nothing here executes.
// Source: LLVM AMDGPUUsage, "Code Object", "Kernel Descriptor", "Code Object Metadata".
#pragma once
#include "codeobject/kernel_descriptor.h"
#include <cstdint>
#include <llvm/Support/Error.h>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::codeobject {

// One kernel argument from the metadata.
struct KernelArgument {
  std::string name;              // may be empty (assembly)
  std::string type_name;         // source type, e.g. "float*"; may be empty
  std::string value_kind;        // "by_value", "global_buffer", "dynamic_shared_pointer", "hidden_block_count_x", ...
  uint32_t offset = 0, size = 0; // bytes in the kernarg segment
  std::string address_space;     // "global", "local", ... may be empty
  std::string access;            // "read_only", ... may be empty
  uint32_t pointee_align = 0;    // dynamic_shared_pointer
  bool is_const = false, is_volatile = false, is_restrict = false, is_pipe = false;
  std::string actual_access; // what the compiler saw the kernel do; may be empty
  bool hidden() const { return value_kind.rfind("hidden_", 0) == 0; }
};

struct Kernel {
  std::string name;                // "vadd"
  std::string symbol;              // "vadd.kd"
  uint64_t descriptor_address = 0; // ELF virtual address of the descriptor
  uint64_t entry = 0;              // ELF virtual address of the first instruction
  KernelDescriptor descriptor;
  std::vector<KernelArgument> arguments; // explicit then hidden, as in the metadata
  uint32_t kernarg_segment_size = 0, kernarg_segment_align = 0;
  uint32_t group_segment_fixed_size = 0, private_segment_fixed_size = 0;
  uint32_t wavefront_size = 64, sgpr_count = 0, vgpr_count = 0, agpr_count = 0;
  uint32_t max_flat_workgroup_size = 0;        // 0 = not given
  uint32_t reqd_workgroup_size[3] = {0, 0, 0}; // 0 = not required
  bool uses_dynamic_stack = false;
  bool empty = false;        // has no instruction; see CodeObject::empty_kernels()
  bool has_metadata = false; // false: found by its .kd symbol alone, arguments unknown, sizes from the descriptor
  uint64_t code_size = 0;    // bytes of the entry function, as its symbol says; 0 = not given
  uint32_t allocated_sgpr_count = 0, allocated_vgpr_count = 0; // what the descriptor reserves, granules applied
  uint32_t sgpr_spill_count = 0, vgpr_spill_count = 0;
  uint32_t workgroup_size_hint[3] = {0, 0, 0}; // 0 = no hint
  bool uniform_work_group_size = false;
  bool workgroup_processor_mode = false;            // gfx10 and later
  std::string kind;                                 // "normal", "init", "fini"; may be empty, which is normal
  std::string language;                             // "OpenCL C", ...; may be empty
  std::string vec_type_hint, device_enqueue_symbol; // may be empty
};

struct Symbol {
  enum class Kind : uint8_t { function, kernel_descriptor, object, lds, other };
  std::string name;
  uint64_t address = 0; // ELF virtual address; lds: alignment
  uint64_t size = 0;
  Kind kind = Kind::other;
  bool defined = true, global = false;
  bool weak = false, absolute = false; // absolute: the address does not move when the code object is loaded
};

// One PT_LOAD segment.
struct Segment {
  uint64_t address = 0, size = 0; // in memory; the part past bytes.size() is zero
  bool executable = false, writable = false;
  std::span<const uint8_t> bytes;
  uint64_t offset = 0; // of the bytes in the file
};

// A stretch of code that belongs together: a function as its symbol bounds it.
struct Function {
  std::string_view name;
  uint64_t begin = 0, end = 0; // ELF virtual addresses, [begin, end)
  bool kernel = false;         // entry of a kernel
};

struct SourceLine {
  std::string file; // as the line table says, directory included
  uint32_t line = 0, column = 0;
};

struct Section {
  std::string name;
  uint64_t address = 0, size = 0;
  bool executable = false, writable = false;
  std::span<const uint8_t> bytes; // empty for .bss
};

class CodeObject {
public:
  // Reads a code object. `name` is used in messages. The bytes are copied. An offload bundle is not a code object; see
  // unbundle().
  static llvm::Expected<std::unique_ptr<CodeObject>> read(std::span<const uint8_t> bytes, std::string name);
  static llvm::Expected<std::unique_ptr<CodeObject>> read_file(const std::string& path);
  ~CodeObject();

  const std::string& name() const;
  std::string target_id() const;          // "gfx906:sramecc+:xnack-", from e_flags
  std::string processor() const;          // "gfx906"
  int version() const;                    // 2, 3, 4, 5 (6: read as 5)
  std::span<const uint8_t> bytes() const; // the file

  std::span<const Kernel> kernels() const;
  const Kernel* find_kernel(std::string_view name) const; // by name or by descriptor symbol
  // Those without a single instruction, where the code ends: LLVM writes them of IR that is never reached. They cannot
  // be launched, and are none of the others.
  std::span<const Kernel> empty_kernels() const;
  std::span<const Symbol> symbols() const;             // sorted by address
  std::span<const Section> sections() const;           // the allocated ones, in file order
  std::span<const Segment> segments() const;           // PT_LOAD, sorted by address
  std::span<const std::string> printf_formats() const; // amdhsa.printf
  // "amdgcn-amd-amdhsa--gfx906" as the metadata gives it; empty without metadata or before v4.
  const std::string& metadata_target() const;
  // What compilers and linkers say of themselves (.comment), a line each: "GCC: (GNU) 12.2.0".
  const std::string& comment() const;

  const Symbol* find_symbol(std::string_view name) const;
  // The function, object or label that covers `address` or, where none has a size, starts last before it in the
  // same section. Null outside of every section.
  const Symbol* symbol_at(uint64_t address) const;
  // Functions in address order, each ending where its symbol says or where the next one starts. Code that no function
  // symbol covers (hand-written assembly) is cut at its global labels, and bears the section's name if there is none.
  std::vector<Function> functions() const;
  // `size` bytes at `address` as the file holds them (relocations not applied); empty if not all are in the file.
  std::span<const uint8_t> bytes_at(uint64_t address, uint64_t size) const;

  // Source position of the instruction at `address`, from DWARF. The first call parses the line table; thread-safe.
  std::optional<SourceLine> source_line(uint64_t address) const;
  // The same, and behind it the places of the calls that were inlined around it, the innermost first. Empty where
  // source_line() has nothing.
  std::vector<SourceLine> source_frames(uint64_t address) const;
  // Why source_line() and source_frames() know less than the file was made with: "debug information is damaged (...)",
  // one line. Empty: they know all that it says. Code with damaged debug information loads and runs as any other.
  std::string debug_problem() const;

  // Memory image: lowest and one-past-highest virtual address of the PT_LOAD segments, the lowest rounded down to
  // image_alignment(). A symbol's loaded address is memory.data() + (address - image_begin()).
  uint64_t image_begin() const;
  uint64_t image_size() const;
  uint64_t image_alignment() const; // bytes, a power of two, at least 4096
  // Copies the segments to `memory` (image_size() bytes, aligned to image_alignment()), zeroes the rest of it, and
  // applies relocations as if loaded there. `resolve` gives addresses of undefined symbols (no result -> error naming
  // the symbol; a weak one becomes 0). `zeroed`: the memory holds zeros where no segment has bytes, so that of a large
  // .bss no page need be touched.
  using Resolver = std::optional<uint64_t> (*)(void* context, std::string_view symbol);
  llvm::Error load(std::span<uint8_t> memory, Resolver resolve = nullptr, void* context = nullptr,
                   bool zeroed = false) const;

private:
  CodeObject();
  static llvm::Expected<std::unique_ptr<CodeObject>> take(std::vector<uint8_t> bytes, std::string name);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "void templated<3>(int*)" for "_Z9templatedILi3EEvPi"; other names stay as they are.
std::string demangle(std::string_view name);

// The code object for `processor` out of whatever toolchains write: a code object, an offload bundle, compressed or
// not, or a program by HIP, OpenMP or OpenACC. For a plain code object `processor` is not compared.
llvm::Expected<std::unique_ptr<CodeObject>> read_for(std::span<const uint8_t> bytes, std::string name,
                                                     std::string_view processor);
llvm::Expected<std::unique_ptr<CodeObject>> read_file_for(const std::string& path, std::string_view processor);

// One code object, or what is to become one, in a container.
struct BundleEntry {
  std::string id;     // "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-"
  std::string target; // "gfx906:xnack-"; empty for the host's entry
  std::span<const uint8_t> bytes;
};
// What holds the code objects of a file: the file itself (a bundle, compressed or not, or LLVM's offload binary), a
// host ELF's .hip_fatbin or .llvm.offloading, or the first code object in its data, where GCC puts them; empty: nothing
// does.
std::span<const uint8_t> bundles_of(std::span<const uint8_t> bytes);
// All entries of all that a file holds them in; of LLVM's offload binaries some may be bitcode.
llvm::Expected<std::vector<BundleEntry>> list_bundle(std::span<const uint8_t> bytes);
// clang writes compressed bundles ("CCOB") with --offload-compress. Those of several translation units stand one behind
// the other in a host ELF's .hip_fatbin; they are expanded one behind the other.
bool is_compressed_bundle(std::span<const uint8_t> bytes);
llvm::Expected<std::vector<uint8_t>> decompress_bundle(std::span<const uint8_t> bytes);

// If `bytes` is a clang offload bundle (or a HIP fat binary), the code object for `processor`
// ("gfx906" or "gfx906:xnack-"; empty: the only one there is); else the bytes themselves. The result points into
// `bytes`, so a compressed bundle is an error here: read_for() takes those too.
llvm::Expected<std::span<const uint8_t>> unbundle(std::span<const uint8_t> bytes, std::string_view processor);

} // namespace crosslane::codeobject
