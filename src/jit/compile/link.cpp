// Code of the small model refers to its constants and its own functions by distances, which are the same wherever it
// is: once sections have places in the image there is nothing left to do for whoever puts it in memory.
#include "jit/compile/link.h"
#include <llvm/ADT/DenseMap.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/MathExtras.h>

namespace crosslane::jit {

namespace {

using llvm::object::ELF64LEObjectFile;
using llvm::object::ELFRelocationRef;
using llvm::object::ELFSectionRef;
using llvm::object::SectionRef;

template <class... T> llvm::Error refuse(const char* format, const T&... values) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), format, values...);
}

class Linker {
public:
  Linker(const ELF64LEObjectFile& object, Compiled& out) : object_(object), image_(out.image), out_(out) {}

  llvm::Error run() {
    if (auto error = place())
      return error;
    for (const SectionRef& section : object_.sections()) {
      auto to = section.getRelocatedSection();
      if (!to)
        return to.takeError();
      if (*to == object_.section_end() || !places_.contains((*to)->getIndex()))
        continue;
      for (const auto& relocation : section.relocations())
        if (auto error = relocate(relocation, places_[(*to)->getIndex()]))
          return error;
    }
    return find_start();
  }

private:
  // Code first. Tables of unwinding are for debuggers, and need addresses.
  llvm::Error place() {
    for (const bool code : {true, false})
      for (const ELFSectionRef section : object_.sections()) {
        if (!(section.getFlags() & llvm::ELF::SHF_ALLOC) || !section.getSize() || section.isText() != code ||
            section.getType() == llvm::ELF::SHT_X86_64_UNWIND || section.getFlags() & llvm::ELF::SHF_WRITE)
          continue;
        auto contents = section.getContents();
        if (!contents)
          return contents.takeError();
        image_.resize(llvm::alignTo(image_.size(), section.getAlignment()));
        places_[section.getIndex()] = image_.size();
        image_.insert(image_.end(), contents->bytes_begin(), contents->bytes_end());
        out_.code_bytes += code ? section.getSize() : 0;
      }
    return llvm::Error::success();
  }

  // The symbol's place in the image.
  llvm::Expected<uint64_t> place_of(const llvm::object::SymbolRef& symbol) {
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    const auto found = *section == object_.section_end() ? places_.end() : places_.find((*section)->getIndex());
    if (found == places_.end()) {
      auto name = symbol.getName();
      if (!name)
        return name.takeError();
      return refuse("it needs '%s', which compiled code cannot have", name->str().c_str());
    }
    auto value = symbol.getValue();
    if (!value)
      return value.takeError();
    return found->second + *value;
  }

  llvm::Error relocate(const ELFRelocationRef& relocation, uint64_t section) {
    auto addend = relocation.getAddend();
    if (!addend)
      return addend.takeError();
    auto target = place_of(*relocation.getSymbol());
    if (!target)
      return target.takeError();
    const uint64_t at = section + relocation.getOffset(), distance = *target + uint64_t(*addend) - at;
    const uint64_t type = relocation.getType();
    const bool wide = type == llvm::ELF::R_X86_64_PC64;
    if (!wide && type != llvm::ELF::R_X86_64_PC32 && type != llvm::ELF::R_X86_64_PLT32)
      return refuse("it has a relocation of type %u", unsigned(type));
    if (at + (wide ? 8 : 4) > image_.size() || (!wide && !llvm::isInt<32>(int64_t(distance))))
      return refuse("it has a relocation that reaches beyond it");
    if (wide)
      llvm::support::endian::write64le(&image_[at], distance);
    else
      llvm::support::endian::write32le(&image_[at], uint32_t(distance));
    return llvm::Error::success();
  }

  llvm::Error find_start() {
    for (const llvm::object::ELFSymbolRef symbol : object_.symbols()) {
      auto name = symbol.getName();
      if (!name)
        return name.takeError();
      if (*name != "unit" || symbol.getELFType() != llvm::ELF::STT_FUNC) // a file has the name as well
        continue;
      auto start = place_of(symbol);
      if (!start)
        return start.takeError();
      out_.start = uint32_t(*start);
      return llvm::Error::success();
    }
    return refuse("its function is not there");
  }

  const ELF64LEObjectFile& object_;
  std::vector<uint8_t>& image_;
  Compiled& out_;
  llvm::DenseMap<uint64_t, uint64_t> places_; // in the image, by number of the section
};

} // namespace

llvm::Error link(llvm::MemoryBufferRef bytes, Compiled& out) {
  auto object = ELF64LEObjectFile::create(bytes);
  return object ? Linker(*object, out).run() : object.takeError();
}

} // namespace crosslane::jit
