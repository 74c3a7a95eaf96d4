// Which sections a reader gets. What is repeated, or would expand beyond measure, costs nothing.
#include "codeobject/debug_sections.h"
#include <algorithm>
#include <llvm/Object/Decompressor.h>

namespace crosslane::codeobject {
namespace {

// Debug information is packed five to twenty times at most; what a reader makes of it takes tens of bytes for one.
bool plausible_section(uint64_t compressed, uint64_t expanded) {
  constexpr uint64_t free = uint64_t{1} << 20, ratio = 100;
  return plausible_expansion(compressed, expanded) && expanded <= free + ratio * compressed;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> contents_of(const DebugSection& section) {
  const llvm::StringRef raw(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
  if (!section.compressed)
    return llvm::MemoryBuffer::getMemBuffer(raw, "", /*RequiresNullTerminator=*/false);
  auto decompressor = llvm::object::Decompressor::create(section.name, raw, /*IsLE=*/true, /*Is64Bit=*/true);
  if (!decompressor)
    return decompressor.takeError();
  const uint64_t size = decompressor->getDecompressedSize();
  if (!plausible_section(raw.size(), size)) // the header's word is not worth gigabytes
    return llvm::createStringError("%s", fmt::format("{} bytes claim to hold {}", raw.size(), size).c_str());
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(size);
  if (!buffer)
    return llvm::createStringError("%s", fmt::format("no memory for {} bytes", size).c_str());
  auto* bytes = reinterpret_cast<uint8_t*>(buffer->getBufferStart());
  if (llvm::Error error = decompressor->decompress(llvm::MutableArrayRef<uint8_t>(bytes, size)))
    return error;
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
