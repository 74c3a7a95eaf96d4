// Which sections a reader gets. What is repeated, or would expand beyond measure, costs nothing.
#include "codeobject/read/debug_sections.h"
#include <algorithm>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Support/Compression.h>

namespace crosslane::codeobject {
namespace {

// Debug information is packed five to twenty times; names of templates more. What is made of a byte of a line table or
// of an entry takes tens of bytes, of a text none.
bool plausible_section(const std::string& name, uint64_t compressed, uint64_t expanded) {
  const bool text = name == ".debug_str" || name == ".debug_line_str";
  const uint64_t free = uint64_t{1} << 20, ratio = text ? 100 : 32;
  return plausible_expansion(compressed, expanded) && expanded <= free + ratio * compressed;
}

llvm::Error bad(const std::string& what) { return llvm::createStringError("%s", what.c_str()); }

// Not LLVM's Decompressor: where a stream holds less than its header says, that leaves the rest as the memory was.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> contents_of(const DebugSection& section) {
  const llvm::StringRef raw(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
  if (!section.compressed)
    return llvm::MemoryBuffer::getMemBuffer(raw, "", /*RequiresNullTerminator=*/false);
  Reader header(raw, 0); // Elf64_Chdr
  const uint64_t method = header.number(4);
  header.skip(4);
  const uint64_t size = header.number(8);
  header.skip(8); // alignment
  if (!header)
    return bad("too short for the header of a compressed section");
  if (!plausible_section(section.name, raw.size(), size)) // the header's word is not worth gigabytes
    return bad(fmt::format("{} bytes claim to hold {}", raw.size(), size));
  namespace compression = llvm::compression;
  const bool zlib = method == llvm::ELF::ELFCOMPRESS_ZLIB && compression::zlib::isAvailable();
  if (!zlib && !(method == llvm::ELF::ELFCOMPRESS_ZSTD && compression::zstd::isAvailable()))
    return bad(fmt::format("compressed with method {}, and only zlib (1) and zstd (2) are known", method));
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(size);
  if (!buffer)
    return bad(fmt::format("no memory for {} bytes", size));
  const llvm::ArrayRef<uint8_t> stream(section.bytes.data() + header.offset(), raw.size() - header.offset());
  auto* bytes = reinterpret_cast<uint8_t*>(buffer->getBufferStart());
  size_t got = size;
  if (llvm::Error error =
          zlib ? compression::zlib::decompress(stream, bytes, got) : compression::zstd::decompress(stream, bytes, got))
    return error;
  if (got != size)
    return bad(fmt::format("holds {} bytes, the header speaks of {}", got, size));
  return std::unique_ptr<llvm::MemoryBuffer>(std::move(buffer));
}

} // namespace

DebugSections::DebugSections(const Contents& contents, std::initializer_list<llvm::StringRef> names) {
  for (const DebugSection& section : contents.debug_sections) {
    const auto name = llvm::StringRef(section.name).drop_front(); // without the dot
    if (std::find(names.begin(), names.end(), name) == names.end() || buffers_.contains(name))
      continue;
    auto buffer = contents_of(section);
    if (buffer)
      buffers_.try_emplace(name, std::move(*buffer));
    else if (const std::string why = llvm::toString(buffer.takeError()); problem_.empty())
      problem_ = fmt::format("{}: {}", section.name, why);
  }
}

llvm::StringRef DebugSections::get(llvm::StringRef name) const {
  const auto found = buffers_.find(name);
  return found == buffers_.end() ? llvm::StringRef() : found->second->getBuffer();
}

} // namespace crosslane::codeobject
