// Programs and libraries of the host, as a linker left them. A new segment at the end holds the program headers, since
// there is no room where they were, and .hip_fatbin and .llvm.offloading anew; the section headers lead there, and the
// pointers: of HIP those of the wrappers in .hipFatBinSegment, of LLVM's OpenMP pairs of pointers to the start and the
// end of an image. File offset and address of the segment differ as those of the first do: older kernels and libc
// compute the address of the program headers from that.
// Source: clang's CGCUDANV.cpp and LLVM's OffloadWrapper.cpp (LLVM 19); the System V ABI, "Relocation", and lld for
// RELR.
#include "codeobject/read/host_program.h"
#include "codeobject/read/contents.h"
#include "codeobject/write/containers.h"
#include <algorithm>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;
using Span = std::span<const uint8_t>;

constexpr std::string_view name = "host program";

std::optional<uint32_t> relative_relocation(uint16_t machine) {
  switch (machine) {
  case EM_X86_64: return R_X86_64_RELATIVE;
  case EM_AARCH64: return R_AARCH64_RELATIVE;
  case EM_PPC64: return R_PPC64_RELATIVE;
  default: return std::nullopt;
  }
}

class Host {
public:
  Host(ElfFile file, ObjectRewriter rewrite) : file_(std::move(file)), rewrite_(rewrite) {}

  llvm::Expected<Bytes> run() {
    const Elf64_Ehdr& header = file_.header;
    if (header.e_type == ET_REL)
      return fail(name, "this object is not linked yet; rewrite the program or the library that is linked of it");
    if (header.e_type != ET_DYN && header.e_type != ET_EXEC)
      return fail(name, "neither a program nor a library (ELF type {})", header.e_type);
    if (!relative_relocation(header.e_machine))
      return fail(name, "programs for this processor (ELF machine {}) are not known here", header.e_machine);
    const auto first = std::ranges::find(file_.segments, uint32_t{PT_LOAD}, &Elf64_Phdr::p_type);
    if (first == file_.segments.end())
      return fail(name, "has no segments to load");
    base_ = first->p_vaddr - first->p_offset;
    if (base_ % ElfFile::page)
      return fail(name, "its first segment is not aligned to pages; the file is damaged");
    for (const Elf64_Phdr& p : file_.segments)
      if (p.p_type == PT_LOAD && std::has_single_bit(p.p_align) && p.p_align <= uint64_t{2} << 20)
        alignment_ = std::max<uint64_t>(alignment_, p.p_align);
    find_relocations();
    contents_.resize(align_up((file_.segments.size() + 1) * sizeof(Elf64_Phdr), ElfFile::page));
    if (llvm::Error error = rewrite_hip())
      return error;
    if (llvm::Error error = rewrite_openmp())
      return error;
    if (!changed_)
      return Bytes();
    return write();
  }

private:
  // Where in the file the value of the pointer at `address` stands.
  std::optional<uint64_t> pointer_at(uint64_t address) const {
    if (const auto found = addends_.find(address); found != addends_.end())
      return found->second;
    return file_.offset_of(address, 8);
  }
  std::optional<uint64_t> value_of(uint64_t address) const {
    const auto at = pointer_at(address);
    return at ? std::optional(load_little<uint64_t>(&file_.bytes[*at])) : std::nullopt;
  }

  // RELA: the value is the relocation's addend. Elsewhere it is in place.
  void find_relocations() {
    std::map<int64_t, uint64_t> dynamic;
    for (const Elf64_Phdr& p : file_.segments)
      if (p.p_type == PT_DYNAMIC && inside(p.p_offset, p.p_filesz, 0, file_.input_size))
        for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= p.p_filesz; at += sizeof(Elf64_Dyn)) {
          const auto tag = load_little<int64_t>(&file_.bytes[p.p_offset + at]);
          if (tag == DT_NULL)
            break;
          dynamic[tag] = load_little<uint64_t>(&file_.bytes[p.p_offset + at + 8]);
        }
    const auto table = file_.offset_of(dynamic[DT_RELA], dynamic[DT_RELASZ]);
    const uint32_t relative = *relative_relocation(file_.header.e_machine);
    for (uint64_t at = 0; table && at + sizeof(Elf64_Rela) <= dynamic[DT_RELASZ]; at += sizeof(Elf64_Rela)) {
      const uint8_t* const entry = &file_.bytes[*table + at];
      if (load_little<uint32_t>(entry + 8) == relative)
        addends_[load_little<uint64_t>(entry)] = *table + at + 16;
    }
  }

  // Copies what `section` has up to its next change, and leads the section there.
  void place_section(uint32_t section, uint64_t begin) {
    file_.sections[section].sh_offset = begin;
    file_.sections[section].sh_size = contents_.size() - begin;
    placed_.push_back(section);
  }

  struct Redirect {
    uint64_t pointer; // its address
    uint64_t to;      // in the new segment
  };

  llvm::Error rewrite_hip() {
    constexpr uint64_t wrapper_size = 24, pointer = 8;
    constexpr uint32_t magic = 0x48495046; // HIPF
    const auto wrappers = file_.find_section(".hipFatBinSegment"), bundles = file_.find_section(".hip_fatbin");
    if (!wrappers || !bundles)
      return llvm::Error::success();
    const Elf64_Shdr section = file_.sections[*bundles], from = file_.sections[*wrappers];
    std::map<uint64_t, std::vector<uint64_t>> by_bundle; // its address: those of the pointers to it
    const uint64_t size = file_.contents(*wrappers).size();
    for (uint64_t at = 0; at + wrapper_size <= size; at += 8) {
      const auto offset = file_.offset_of(from.sh_addr + at, wrapper_size);
      if (!offset || load_little<uint32_t>(&file_.bytes[*offset]) != magic)
        continue;
      const auto bundle = value_of(from.sh_addr + at + pointer);
      if (!bundle || !inside(*bundle, 4, section.sh_addr, section.sh_size))
        return fail(name, ".hipFatBinSegment at 0x{:x}: its pointer does not lead into .hip_fatbin", from.sh_addr + at);
      by_bundle[*bundle].push_back(from.sh_addr + at + pointer);
      at += wrapper_size - 8;
    }
    if (by_bundle.empty() && section.sh_size)
      return fail(name, ".hip_fatbin: no wrapper in .hipFatBinSegment leads there");
    const uint64_t begin = contents_.size();
    bool changed = false;
    const Span all = file_.contents(*bundles);
    std::vector<Redirect> redirects;
    for (const auto& [address, pointers] : by_bundle) {
      const Span bytes = all.subspan(address - section.sh_addr);
      uint64_t length = 0;
      auto bundle = rewrite_bundle(bytes, rewrite_, length);
      if (!bundle)
        return bundle.takeError();
      contents_.resize(align_up(contents_.size(), ElfFile::page));
      for (const uint64_t one : pointers)
        redirects.push_back({one, contents_.size()});
      append(contents_, bundle->empty() ? bytes.first(length) : Span(*bundle));
      changed |= !bundle->empty();
    }
    finish_section(*bundles, begin, changed, redirects);
    return llvm::Error::success();
  }

  llvm::Error rewrite_openmp() {
    const auto section = file_.find_section(".llvm.offloading");
    if (!section)
      return llvm::Error::success();
    const uint64_t address = file_.sections[*section].sh_addr, alignment = 8;
    const Span all = file_.contents(*section);
    contents_.resize(align_up(contents_.size(), ElfFile::page));
    const uint64_t begin = contents_.size();
    bool changed = false;
    std::vector<Redirect> redirects;
    for (uint64_t at = 0; at < all.size();) {
      if (!is_offload_binary(all.subspan(at))) {
        at += alignment;
        continue;
      }
      uint64_t length = 0;
      OffloadImage before, after;
      auto binary = rewrite_offload_binary(all.subspan(at), rewrite_, length, before, after);
      if (!binary)
        return binary.takeError();
      contents_.resize(align_up(contents_.size(), alignment));
      const uint64_t image = address + at + before.begin, to = contents_.size() + after.begin;
      const std::vector<uint64_t> pointers = pairs(image, image + before.size);
      if (pointers.empty())
        return fail(name,
                    ".llvm.offloading: nothing in the program leads to the image at 0x{:x}; how it is found is not "
                    "known",
                    image);
      for (const uint64_t pointer : pointers)
        redirects.insert(redirects.end(), {{pointer, to}, {pointer + 8, to + after.size}});
      append(contents_, binary->empty() ? all.subspan(at, length) : Span(*binary));
      changed |= !binary->empty();
      at += length;
    }
    finish_section(*section, begin, changed, redirects);
    return llvm::Error::success();
  }

  // Where two pointers stand side by side that lead to `first` and `second`.
  std::vector<uint64_t> pairs(uint64_t first, uint64_t second) const {
    std::vector<uint64_t> found;
    for (const Elf64_Phdr& p : file_.segments) {
      if (p.p_type != PT_LOAD || (p.p_flags & PF_X))
        continue;
      for (uint64_t at = align_up(p.p_vaddr, 8); at + 16 <= p.p_vaddr + p.p_filesz; at += 8)
        if (value_of(at) == first && value_of(at + 8) == second)
          found.push_back(at);
    }
    return found;
  }

  void finish_section(uint32_t section, uint64_t begin, bool changed, const std::vector<Redirect>& redirects) {
    if (!changed) {
      contents_.resize(begin);
      return;
    }
    changed_ = true;
    redirects_.insert(redirects_.end(), redirects.begin(), redirects.end());
    place_section(section, begin);
  }

  llvm::Expected<Bytes> write() {
    const uint64_t address = align_up(std::max(file_.end_of_memory(), base_ + file_.input_size), alignment_);
    const uint64_t offset = address - base_;
    constexpr uint64_t widest_gap = uint64_t{1} << 30; // memory without bytes that would have to be in the file
    if (offset < file_.input_size || offset - file_.input_size > widest_gap)
      return fail(name, "its memory without bytes in the file is too large ({} bytes)", offset - file_.input_size);
    for (const Redirect& one : redirects_) {
      // In place too, where a relocation overwrites it.
      for (const auto at : {pointer_at(one.pointer), file_.offset_of(one.pointer, 8)})
        if (at && *at + 8 <= file_.input_size && load_little<uint64_t>(&file_.bytes[*at]))
          file_.patch(*at, address + one.to);
    }
    for (const uint32_t section : placed_) {
      file_.sections[section].sh_addr = address + file_.sections[section].sh_offset;
      file_.sections[section].sh_offset += offset;
    }
    file_.bytes.resize(offset);
    file_.add_load(address, contents_.size(), contents_, PF_R);
    const uint64_t size = file_.segments.size() * sizeof(Elf64_Phdr);
    for (Elf64_Phdr& p : file_.segments) {
      if (p.p_type == PT_LOAD && p.p_vaddr == address)
        p.p_align = alignment_;
      if (p.p_type != PT_PHDR)
        continue;
      p.p_vaddr = p.p_paddr = address;
      p.p_offset = offset;
      p.p_filesz = p.p_memsz = size;
    }
    file_.header.e_phoff = offset;
    std::memcpy(&file_.bytes[offset], file_.segments.data(), size);
    if (llvm::Error error = file_.finish())
      return error;
    return std::move(file_.bytes);
  }

  ElfFile file_;
  ObjectRewriter rewrite_;
  uint64_t base_ = 0, alignment_ = ElfFile::page;
  std::map<uint64_t, uint64_t> addends_; // of a pointer at an address: where in the file its value stands
  Bytes contents_;                       // of the new segment; the program headers come first
  std::vector<Redirect> redirects_;
  std::vector<uint32_t> placed_; // sections, whose offsets count from the start of the segment until it is placed
  bool changed_ = false;
};

} // namespace

llvm::Expected<Bytes> rewrite_host(Span bytes, ObjectRewriter rewrite) {
  if (find_fatbin(bytes).empty() && find_offloading(bytes).empty()) {
    if (!objects_in_data(bytes).empty())
      return fail(name,
                  "its code objects lie in the data as they are, as GCC writes them; only those in .hip_fatbin and "
                  ".llvm.offloading can be replaced");
    return fail(name, "holds no code object: not {}, a bundle or a program with one", "an AMD GPU's");
  }
  auto file = ElfFile::read(bytes, std::string(name));
  if (!file)
    return file.takeError();
  return Host(std::move(*file), rewrite).run();
}

} // namespace crosslane::codeobject
