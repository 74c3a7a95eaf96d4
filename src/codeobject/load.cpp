// Owns loading: segments into memory, then the dynamic relocations, found as a dynamic linker finds them (PT_DYNAMIC),
// so that what --emit-relocs left in the file is never applied twice. Source: LLVM AMDGPUUsage, "Relocation Records";
// lld's AMDGPU target for which of them occur in a linked object.
#include "codeobject/read/contents.h"
#include <cstring>
#include <llvm/BinaryFormat/ELF.h>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;

const char* relocation_name(uint32_t type) {
  switch (type) {
#define ELF_RELOC(NAME, VALUE)                                                                                         \
  case VALUE: return #NAME;
#include <llvm/BinaryFormat/ELFRelocs/AMDGPU.def>
#undef ELF_RELOC
  default: return "unknown";
  }
}

class Loader {
public:
  Loader(const Contents& contents, std::span<uint8_t> memory, CodeObject::Resolver resolve, void* context, bool zeroed)
      : contents_(contents), memory_(memory), resolve_(resolve), context_(context), zeroed_(zeroed),
        bias_(reinterpret_cast<uint64_t>(memory.data()) - contents.image_begin) {}

  llvm::Error run() {
    copy_segments();
    const Dynamic& dynamic = contents_.dynamic;
    if (llvm::Error error = apply_relative(dynamic.relr, dynamic.relr_size))
      return error;
    if (llvm::Error error = apply_table(dynamic.rela, dynamic.rela_size))
      return error;
    return apply_table(dynamic.plt_rela, dynamic.plt_rela_size);
  }

private:
  void copy_segments() {
    uint64_t filled = contents_.image_begin;
    auto zero_up_to = [&](uint64_t address) {
      if (!zeroed_)
        std::memset(place(filled), 0, address - filled);
      filled = address;
    };
    for (const Segment& segment : contents_.segments) {
      zero_up_to(segment.address);
      if (!segment.bytes.empty())
        std::memcpy(place(segment.address), segment.bytes.data(), segment.bytes.size());
      filled += segment.bytes.size();
    }
    zero_up_to(contents_.image_begin + contents_.image_size);
  }

  uint8_t* place(uint64_t address) { return memory_.data() + (address - contents_.image_begin); }

  llvm::Error apply_table(uint64_t address, uint64_t size) {
    if (size == 0)
      return llvm::Error::success();
    std::span<const uint8_t> table = contents_.at(address, size);
    if (table.empty() || size % sizeof(Elf64_Rela))
      return fail(contents_.name,
                  "relocations at 0x{:x}, {} bytes: not wholly in the file, or no multiple of {}; it is damaged",
                  address, size, sizeof(Elf64_Rela));
    for (; !table.empty(); table = table.subspan(sizeof(Elf64_Rela)))
      if (llvm::Error error = apply(load_little<uint64_t>(table.data()), load_little<uint64_t>(table.data() + 8),
                                    load_little<uint64_t>(table.data() + 16)))
        return error;
    return llvm::Error::success();
  }

  llvm::Error apply(uint64_t address, uint64_t info, uint64_t addend) {
    auto type = static_cast<uint32_t>(info), number = static_cast<uint32_t>(info >> 32);
    if (type == R_AMDGPU_NONE)
      return llvm::Error::success();
    std::string_view name;
    uint64_t symbol = 0;
    if (number)
      if (llvm::Error error = find(number, name, symbol))
        return error;
    uint64_t value = symbol + addend, distance = value - (address + bias_);
    switch (type) {
    case R_AMDGPU_RELATIVE64: return store<uint64_t>(address, type, bias_ + addend);
    case R_AMDGPU_ABS64: return store<uint64_t>(address, type, value);
    case R_AMDGPU_REL64: return store<uint64_t>(address, type, distance);
    case R_AMDGPU_ABS32_LO: return store<uint32_t>(address, type, value & UINT32_MAX);
    case R_AMDGPU_ABS32_HI: return store<uint32_t>(address, type, value >> 32);
    case R_AMDGPU_REL32_LO: return store<uint32_t>(address, type, distance & UINT32_MAX);
    case R_AMDGPU_REL32_HI: return store<uint32_t>(address, type, distance >> 32);
    case R_AMDGPU_ABS32:
      if (value > UINT32_MAX && static_cast<int64_t>(value) != static_cast<int32_t>(value))
        return too_far(address, type, name, value);
      return store<uint32_t>(address, type, value & UINT32_MAX);
    case R_AMDGPU_REL32:
      if (static_cast<int64_t>(distance) != static_cast<int32_t>(distance))
        return too_far(address, type, name, distance);
      return store<uint32_t>(address, type, distance & UINT32_MAX);
    case R_AMDGPU_GOTPCREL:
    case R_AMDGPU_GOTPCREL32_LO:
    case R_AMDGPU_GOTPCREL32_HI:
    case R_AMDGPU_REL16:
      return fail(contents_.name,
                  "relocation {} at 0x{:x}: a linker has to resolve it; link again with ld.lld-19 -shared",
                  relocation_name(type), address);
    default:
      return fail(contents_.name, "relocation at 0x{:x}: unknown type {}; the file is damaged or newer than LLVM 19",
                  address, type);
    }
  }

  // DT_RELR: words to which the load bias is added, as addresses (even) and bitmaps of the 63 words after (odd).
  llvm::Error apply_relative(uint64_t table_address, uint64_t size) {
    if (size == 0)
      return llvm::Error::success();
    std::span<const uint8_t> table = contents_.at(table_address, size);
    if (table.empty() || size % 8)
      return fail(contents_.name,
                  "relative relocations (DT_RELR) at 0x{:x}, {} bytes: not wholly in the file, or no multiple of 8; "
                  "it is damaged",
                  table_address, size);
    uint64_t next = 0;
    for (; !table.empty(); table = table.subspan(8)) {
      auto entry = load_little<uint64_t>(table.data());
      if (!(entry & 1)) {
        if (llvm::Error error = add_bias(entry))
          return error;
        next = entry + 8;
        continue;
      }
      for (unsigned bit = 1; bit < 64; ++bit)
        if (entry >> bit & 1)
          if (llvm::Error error = add_bias(next + (bit - 1) * 8))
            return error;
      next += 63 * 8;
    }
    return llvm::Error::success();
  }

  llvm::Error add_bias(uint64_t address) {
    if (!contents_.segment_of(address, 8))
      return outside(address, R_AMDGPU_RELATIVE64);
    return store<uint64_t>(address, R_AMDGPU_RELATIVE64, load_little<uint64_t>(place(address)) + bias_);
  }

  // Dynamic symbol `number`: its name and loaded address.
  llvm::Error find(uint32_t number, std::string_view& name, uint64_t& address) {
    const Dynamic& dynamic = contents_.dynamic;
    std::span<const uint8_t> raw =
        contents_.at(dynamic.symbols + uint64_t{number} * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
    std::span<const uint8_t> strings = contents_.at(dynamic.strings, dynamic.strings_size);
    if (!dynamic.symbols || raw.empty())
      return fail(contents_.name,
                  "relocations: dynamic symbol {} is outside of the symbol table at 0x{:x}; the file is damaged",
                  number, dynamic.symbols);
    auto name_at = load_little<uint32_t>(raw.data());
    auto section = load_little<uint16_t>(raw.data() + 6);
    auto value = load_little<uint64_t>(raw.data() + 8);
    uint8_t binding = raw[4] >> 4;
    if (name_at < strings.size())
      name = {reinterpret_cast<const char*>(strings.data()) + name_at, strings.size() - name_at};
    name = name.substr(0, name.find('\0'));
    if (section == SHN_ABS)
      address = value;
    else if (section != SHN_UNDEF && section != SHN_AMDGPU_LDS)
      address = value + bias_;
    else if (std::optional<uint64_t> found = resolve_ ? resolve_(context_, name) : std::nullopt)
      address = *found;
    else if (section == SHN_UNDEF && binding == STB_WEAK)
      address = 0;
    else if (section == SHN_UNDEF)
      return fail(contents_.name,
                  "undefined symbol {}: no other code object defines it; link the object that does into this one",
                  quoted(name));
    else
      return fail(contents_.name,
                  "LDS symbol {} has no place in the workgroup's memory: only the compiler can lay it out; let "
                  "clang compile and link the whole program at once",
                  quoted(name));
    return llvm::Error::success();
  }

  template <class T> llvm::Error store(uint64_t address, uint32_t type, uint64_t value) {
    if (!contents_.segment_of(address, sizeof(T)))
      return outside(address, type);
    llvm::support::endian::write<T, llvm::endianness::little>(place(address), static_cast<T>(value));
    return llvm::Error::success();
  }

  llvm::Error outside(uint64_t address, uint32_t type) {
    return fail(contents_.name, "relocation {} at 0x{:x}: outside of every loaded segment; the file is damaged",
                relocation_name(type), address);
  }

  llvm::Error too_far(uint64_t address, uint32_t type, std::string_view name, uint64_t value) {
    return fail(contents_.name,
                "relocation {} at 0x{:x}: symbol {} gives 0x{:x}, which 32 bits cannot hold; use the _lo and _hi forms",
                relocation_name(type), address, quoted(name), value);
  }

  const Contents& contents_;
  std::span<uint8_t> memory_;
  CodeObject::Resolver resolve_;
  void* context_;
  bool zeroed_;
  uint64_t bias_; // loaded address minus ELF address, modulo 2^64
};

} // namespace

llvm::Error CodeObject::load(std::span<uint8_t> memory, Resolver resolve, void* context, bool zeroed) const {
  if (memory.size() < impl_->image_size)
    return fail(impl_->name, "loading: {} bytes of memory were given, the image takes {}", memory.size(),
                impl_->image_size);
  if (reinterpret_cast<uintptr_t>(memory.data()) % impl_->image_alignment)
    return fail(impl_->name, "loading: the memory is not aligned to {} bytes", impl_->image_alignment);
  return Loader(*impl_, memory.first(impl_->image_size), resolve, context, zeroed).run();
}

} // namespace crosslane::codeobject
