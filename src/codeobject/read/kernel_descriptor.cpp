// Owns kernel descriptors: the 64 bytes that the packet processor reads, and the join of metadata, symbol and
// descriptor into one Kernel. Source: LLVM AMDGPUUsage, "Kernel Descriptor".
#include "codeobject/processor.h"
#include "codeobject/read/contents.h"
#include <algorithm>

namespace crosslane::codeobject {
namespace {

constexpr uint64_t descriptor_size = 64, kernel_code_size = 256;
constexpr uint64_t entry_alignment = 256; // the hardware keeps entry >> 8
constexpr uint32_t wave32_from = 10;      // first generation with wavefronts of 32

void count_registers(Kernel& kernel, const Processor& processor) {
  const KernelDescriptor& descriptor = kernel.descriptor;
  bool wave32 = kernel.wavefront_size == 32;
  uint32_t vgpr_granule = wave32 || processor.unified_vgprs ? 8 : 4;
  kernel.allocated_vgpr_count = (descriptor.granulated_workitem_vgpr_count() + 1) * vgpr_granule;
  uint32_t sgprs = descriptor.granulated_wavefront_sgpr_count();
  if (processor.major >= 10)
    kernel.allocated_sgpr_count = 128; // every wave has them all
  else if (processor.major >= 8)
    kernel.allocated_sgpr_count = (sgprs / 2 + 1) * 16; // counted in 8, given in 16
  else
    kernel.allocated_sgpr_count = (sgprs + 1) * 8;
}

// A function of no size where the code ends.
bool is_empty_function(const Contents& contents, uint64_t entry) {
  const auto is = [&](const Symbol& s) {
    return s.address == entry && s.kind == Symbol::Kind::function && s.defined && s.size == 0;
  };
  const bool ends = std::ranges::any_of(contents.sections,
                                        [&](const Section& s) { return s.executable && s.address + s.size == entry; });
  return ends && std::ranges::any_of(contents.symbols, is);
}

llvm::Error join(const Contents& contents, Kernel& kernel, const Symbol& symbol) {
  std::string where = fmt::format("kernel descriptor {} at 0x{:x}", quoted(symbol.name), symbol.address);
  const bool version2 = contents.version == 2;
  std::span<const uint8_t> bytes = contents.at(symbol.address, version2 ? kernel_code_size : descriptor_size);
  if (bytes.empty())
    return fail(contents.name, "{}: its {} bytes are not in any loaded segment of the file; it is damaged", where,
                version2 ? kernel_code_size : descriptor_size);
  if (version2)
    if (llvm::Error error = check_version2(contents, where, bytes))
      return error;
  kernel.symbol = symbol.name;
  kernel.descriptor_address = symbol.address;
  KernelDescriptor& descriptor = kernel.descriptor;
  descriptor = version2 ? KernelDescriptor::at_version2(bytes.data()) : KernelDescriptor::at(bytes.data());

  kernel.entry = symbol.address + static_cast<uint64_t>(descriptor.kernel_code_entry_byte_offset);
  const Segment* code = contents.segment_of(kernel.entry, 4);
  if (!code || !code->executable || contents.at(kernel.entry, 4).empty()) {
    if (is_empty_function(contents, kernel.entry)) {
      kernel.empty = true;
      return llvm::Error::success();
    }
    return fail(contents.name,
                "{}: the entry at 0x{:x} (byte offset {}) is not in an executable segment; the descriptor is "
                "damaged, or the section with the code lacks the flag \"ax\"",
                where, kernel.entry, descriptor.kernel_code_entry_byte_offset);
  }
  if (kernel.entry % entry_alignment)
    return fail(contents.name,
                "{}: the entry at 0x{:x} is not aligned to 256 bytes, which the hardware drops; put .p2align 8 "
                "before its label",
                where, kernel.entry);

  const Processor& processor = *find_processor(contents.flags);
  if (!kernel.has_metadata) {
    kernel.kernarg_segment_size = descriptor.kernarg_size;
    kernel.kernarg_segment_align = 16;
    kernel.uses_dynamic_stack = descriptor.uses_dynamic_stack();
    kernel.wavefront_size = processor.major >= wave32_from && descriptor.enable_wavefront_size32() ? 32 : 64;
  }
  count_registers(kernel, processor);
  if (!kernel.has_metadata) {
    kernel.sgpr_count = kernel.allocated_sgpr_count;
    kernel.vgpr_count = kernel.allocated_vgpr_count;
  }
  // Hand-written assembly may give a size in one place only; who needs more is right.
  kernel.group_segment_fixed_size = std::max(kernel.group_segment_fixed_size, descriptor.group_segment_fixed_size);
  kernel.private_segment_fixed_size =
      std::max(kernel.private_segment_fixed_size, descriptor.private_segment_fixed_size);
  kernel.kernarg_segment_size = std::max(kernel.kernarg_segment_size, descriptor.kernarg_size);
  auto at = std::lower_bound(contents.symbols.begin(), contents.symbols.end(), kernel.entry,
                             [](const Symbol& candidate, uint64_t entry) { return candidate.address < entry; });
  for (; at != contents.symbols.end() && at->address == kernel.entry; ++at)
    if (at->kind == Symbol::Kind::function && at->defined)
      kernel.code_size = std::max(kernel.code_size, at->size);
  return llvm::Error::success();
}

} // namespace

llvm::Error read_descriptors(Contents& contents) {
  std::vector<Kernel>& kernels = contents.kernels;
  for (Kernel& kernel : kernels) {
    auto found = contents.symbol_index.find(kernel.symbol);
    if (found == contents.symbol_index.end() || !contents.symbols[found->second].defined)
      return fail(contents.name,
                  "kernel {}: the metadata names its descriptor {}, but there is no such symbol; write "
                  ".amdhsa_kernel {} or mend .symbol",
                  quoted(kernel.name), quoted(kernel.symbol), printable(kernel.name, 120));
    if (llvm::Error error = join(contents, kernel, contents.symbols[found->second]))
      return error;
  }
  std::unordered_map<std::string_view, bool> described;
  for (const Kernel& kernel : kernels)
    if (!described.emplace(kernel.symbol, true).second)
      return fail(contents.name, "metadata: kernel descriptor {} belongs to two kernels; the note is damaged",
                  quoted(kernel.symbol));
  std::vector<Kernel> bare; // known by their symbols alone
  for (const Symbol& symbol : contents.symbols) {
    if (symbol.kind != Symbol::Kind::kernel_descriptor || !symbol.defined || described.contains(symbol.name))
      continue;
    Kernel kernel;
    kernel.name = symbol.name;
    if (contents.version != 2)
      kernel.name.resize(kernel.name.size() - 3); // .kd
    if (llvm::Error error = join(contents, kernel, symbol))
      return error;
    bare.push_back(std::move(kernel));
  }
  kernels.insert(kernels.end(), std::make_move_iterator(bare.begin()), std::make_move_iterator(bare.end()));
  std::ranges::copy_if(kernels, std::back_inserter(contents.empty_kernels), &Kernel::empty);
  std::erase_if(kernels, [](const Kernel& kernel) { return kernel.empty; });
  for (uint32_t i = 0; i < kernels.size(); ++i)
    contents.kernel_index.emplace(kernels[i].name, i);
  for (uint32_t i = 0; i < kernels.size(); ++i)
    contents.kernel_index.emplace(kernels[i].symbol, i); // a name goes before an equal symbol
  return llvm::Error::success();
}

} // namespace crosslane::codeobject
