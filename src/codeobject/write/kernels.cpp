// The 64 bytes of a descriptor, and in version 2 the 256 of an amd_kernel_code_t, which says some of it twice. Source:
// LLVM AMDGPUUsage, "Code Object V3 Kernel Descriptor", compute_pgm_rsrc1 and compute_pgm_rsrc3; LLVM's
// AMDGPUBaseInfo.cpp, IsaInfo, for the numbers that the manual leaves open; amd_hsa_kernel_code.h.
#include "codeobject/write/kernels.h"
#include "codeobject/processor.h"
#include "codeobject/read/contents.h"
#include <algorithm>

namespace crosslane::codeobject {
namespace {

constexpr uint32_t counted_up_to = 9; // generations whose registers are counted here

// What the hardware of a target has for one wave or workgroup.
struct Limits {
  uint32_t named_sgprs;   // s0, s1, ...
  uint32_t special_sgprs; // VCC, FLAT_SCRATCH, XNACK_MASK
  uint32_t all_sgprs;     // both
  uint32_t fixed_sgprs;   // what every kernel must ask for; 0: what it needs
  uint32_t lds;           // bytes
  uint32_t lds_granule;   // bytes
};

Limits limits_of(const Processor& processor) {
  // LLVM's FeatureSGPRInitBug: these two hang with another number.
  const bool sgpr_init_bug = processor.name == "gfx802" || processor.name == "gfx805";
  constexpr uint32_t kib = 1024;
  switch (processor.major) {
  case 6: return {104, 2, 104, 0, 32 * kib, 256};
  case 7: return {104, 4, 104, 0, 64 * kib, 512};
  default: return {102, 6, sgpr_init_bug ? 96u : 108u, sgpr_init_bug ? 96u : 0u, 64 * kib, 512};
  }
}

uint32_t with_field(uint32_t word, unsigned low, unsigned width, uint32_t value) {
  const uint32_t mask = ((1u << width) - 1) << low;
  return (word & ~mask) | (value << low & mask);
}

class Changer {
public:
  Changer(ElfFile& file, const CodeObject& object, const Kernel& kernel, const KernelChange& change)
      : file_(file), object_(object), kernel_(kernel), change_(change), processor_(*find_processor(object.processor())),
        limits_(limits_of(processor_)), rsrc1_(kernel.descriptor.compute_pgm_rsrc1),
        rsrc2_(change.compute_pgm_rsrc2 ? change.compute_pgm_rsrc2 : kernel.descriptor.compute_pgm_rsrc2),
        rsrc3_(kernel.descriptor.compute_pgm_rsrc3) {}

  llvm::Expected<KernelNumbers> run() {
    numbers_.symbol = kernel_.symbol;
    numbers_.name = kernel_.name;
    if ((change_.sgprs || change_.vgprs || change_.group_segment || change_.private_segment) &&
        processor_.major > counted_up_to)
      return fail(object_.name(), "kernel {}: how {} counts registers and LDS is not known here (gfx6 to gfx90a are)",
                  quoted(kernel_.name), processor_.name);
    for (const auto step :
         {&Changer::entry, &Changer::sgprs, &Changer::vgprs, &Changer::group_segment, &Changer::private_segment})
      if (llvm::Error error = (this->*step)())
        return error;
    if (object_.version() == 2)
      write_version2();
    else
      write();
    return numbers_;
  }

private:
  llvm::Error too_many(std::string_view what, uint64_t wanted, uint64_t most) {
    return fail(object_.name(), "kernel {}: {} {} are needed, and a {} has {}", quoted(kernel_.name), wanted, what,
                processor_.name, most);
  }

  llvm::Error entry() {
    if (!change_.entry)
      return llvm::Error::success();
    if (change_.entry % 256)
      return fail(object_.name(), "kernel {}: its new entry at 0x{:x} is no multiple of 256", quoted(kernel_.name),
                  change_.entry);
    for (const llvm::ELF::Elf64_Phdr& p : file_.segments)
      if (p.p_type == llvm::ELF::PT_LOAD && (p.p_flags & llvm::ELF::PF_X) &&
          inside(change_.entry, std::max<uint64_t>(change_.code_size, 4), p.p_vaddr, p.p_filesz))
        return llvm::Error::success();
    return fail(object_.name(), "kernel {}: its new code at 0x{:x}, {} bytes, is not in an executable segment",
                quoted(kernel_.name), change_.entry, change_.code_size);
  }

  llvm::Error sgprs() {
    if (!change_.sgprs)
      return llvm::Error::success();
    constexpr uint32_t granule = 8; // the unit of the field on all; gfx8 and gfx9 give them in 16s
    if (change_.sgprs > limits_.named_sgprs)
      return too_many("SGPRs", change_.sgprs, limits_.named_sgprs);
    const uint32_t all = change_.sgprs + limits_.special_sgprs;
    if (all > limits_.all_sgprs)
      return too_many(fmt::format("SGPRs ({} of them for VCC, FLAT_SCRATCH and XNACK_MASK)", limits_.special_sgprs),
                      all, limits_.all_sgprs);
    uint32_t granules = (std::max(all, limits_.fixed_sgprs) + granule - 1) / granule - 1;
    if (processor_.major >= 9)
      granules |= 1; // whole 16s
    rsrc1_ = with_field(rsrc1_, 6, 4, std::max(granules, kernel_.descriptor.granulated_wavefront_sgpr_count()));
    if (const uint32_t counted = std::max(all, limits_.fixed_sgprs); counted > counted_before(84, kernel_.sgpr_count))
      numbers_.sgprs = counted;
    return llvm::Error::success();
  }

  llvm::Error vgprs() {
    if (!change_.vgprs)
      return llvm::Error::success();
    constexpr uint32_t most = 256;
    if (change_.vgprs > most)
      return too_many("VGPRs", change_.vgprs, most);
    uint32_t all = change_.vgprs;
    if (processor_.unified_vgprs) {
      // VGPRs up to the offset, AccVGPRs from there on. Where nobody counts those, all that is allocated may be theirs,
      // but for what the granule rounds up.
      const uint32_t before = kernel_.descriptor.accum_offset();
      const uint32_t room = kernel_.allocated_vgpr_count > before ? kernel_.allocated_vgpr_count - before : 0;
      const uint32_t uncounted = room >= 8 || !kernel_.has_metadata ? room : 0;
      const uint32_t acc = kernel_.agpr_count ? kernel_.agpr_count : uncounted;
      const uint32_t offset = std::max<uint32_t>(before, align_up(change_.vgprs, 4));
      rsrc3_ = with_field(rsrc3_, 0, 6, offset / 4 - 1);
      all = acc ? offset + acc : change_.vgprs;
      if (all > 2 * most)
        return too_many(fmt::format("VGPRs ({} of them AccVGPRs)", acc), all, 2 * most);
    }
    const uint32_t granule = processor_.unified_vgprs ? 8 : 4;
    rsrc1_ = with_field(
        rsrc1_, 0, 6, std::max((all + granule - 1) / granule - 1, kernel_.descriptor.granulated_workitem_vgpr_count()));
    if (all > counted_before(86, kernel_.vgpr_count))
      numbers_.vgprs = all;
    return llvm::Error::success();
  }

  // Version 2 counts in the amd_kernel_code_t; its YAML says the same, and nobody reads it.
  uint32_t counted_before(uint64_t at, uint32_t in_metadata) const {
    const std::span<const uint8_t> count = object_.bytes_at(kernel_.descriptor_address + at, 2);
    return object_.version() == 2 && !count.empty() ? load_little<uint16_t>(count.data()) : in_metadata;
  }

  llvm::Error group_segment() {
    if (change_.group_segment <= kernel_.group_segment_fixed_size)
      return llvm::Error::success();
    if (change_.group_segment > limits_.lds)
      return too_many("bytes of LDS", change_.group_segment, limits_.lds);
    group_segment_ = change_.group_segment;
    numbers_.group_segment = group_segment_;
    // 0: the packet's number counts, as compilers have it.
    if (const uint32_t before = kernel_.descriptor.granulated_lds_size())
      rsrc2_ =
          with_field(rsrc2_, 15, 9, std::max(before, (group_segment_ + limits_.lds_granule - 1) / limits_.lds_granule));
    return llvm::Error::success();
  }

  llvm::Error private_segment() {
    constexpr uint32_t most = 8191 * 1024 / 64; // 13 bits of KiB for 64 lanes
    if (change_.private_segment <= kernel_.private_segment_fixed_size)
      return llvm::Error::success();
    if (!kernel_.descriptor.enable_private_segment())
      return fail(
          object_.name(),
          "kernel {}: has no private segment, and asking for one would move the SGPRs that its code starts with",
          quoted(kernel_.name));
    if (change_.private_segment > most)
      return too_many("bytes of scratch for each work-item", change_.private_segment, most);
    private_segment_ = change_.private_segment;
    numbers_.private_segment = private_segment_;
    return llvm::Error::success();
  }

  // Of the descriptor, which is in the file: it was read.
  template <class T> void put(uint64_t at, T value) {
    const uint64_t offset = *file_.offset_of(kernel_.descriptor_address, 64) + at;
    T before;
    std::memcpy(&before, &file_.bytes[offset], sizeof before);
    if (before != value)
      file_.patch(offset, value);
  }

  void write_common() {
    if (change_.entry)
      put(16, static_cast<int64_t>(change_.entry - kernel_.descriptor_address));
    put(48, rsrc1_);
    put(52, rsrc2_);
  }

  void write() {
    write_common();
    put(44, rsrc3_);
    if (group_segment_)
      put(0, group_segment_);
    if (private_segment_)
      put(4, private_segment_);
  }

  void write_version2() {
    write_common();
    if (private_segment_)
      put(60, private_segment_);
    if (group_segment_)
      put(64, group_segment_);
    if (numbers_.sgprs)
      put(84, static_cast<uint16_t>(*numbers_.sgprs));
    if (numbers_.vgprs)
      put(86, static_cast<uint16_t>(*numbers_.vgprs));
  }

  ElfFile& file_;
  const CodeObject& object_;
  const Kernel& kernel_;
  const KernelChange& change_;
  const Processor& processor_;
  const Limits limits_;
  uint32_t rsrc1_, rsrc2_, rsrc3_;
  uint32_t group_segment_ = 0, private_segment_ = 0; // 0: as it was
  KernelNumbers numbers_;
};

} // namespace

uint32_t special_sgprs(const CodeObject& object) {
  return limits_of(*find_processor(object.processor())).special_sgprs;
}

llvm::Expected<KernelNumbers> change_descriptor(ElfFile& file, const CodeObject& object, const Kernel& kernel,
                                                const KernelChange& change) {
  return Changer(file, object, kernel, change).run();
}

} // namespace crosslane::codeobject
