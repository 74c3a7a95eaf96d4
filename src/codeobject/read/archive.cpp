// By LLVM's reader.
#include "codeobject/archive.h"
#include "codeobject/read/contents.h"
#include <llvm/Object/Archive.h>

namespace crosslane::codeobject {

bool is_archive(std::span<const uint8_t> bytes) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with("!<arch>\n");
}

llvm::Expected<std::vector<ArchiveMember>> list_archive(std::span<const uint8_t> bytes, const std::string& name) {
  const llvm::MemoryBufferRef buffer({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
  auto archive = llvm::object::Archive::create(buffer);
  if (!archive)
    return fail_because(name, "ar archive", archive.takeError());
  std::vector<ArchiveMember> members;
  llvm::Error error = llvm::Error::success();
  for (const auto& child : (*archive)->children(error)) {
    auto own = child.getName();
    auto contents = child.getBuffer();
    if (!own || !contents) {
      llvm::Error why = own ? llvm::Error::success() : own.takeError();
      if (!contents)
        why = llvm::joinErrors(std::move(why), contents.takeError());
      llvm::consumeError(std::move(error));
      return fail_because(name, fmt::format("ar archive, member {}", members.size()), std::move(why));
    }
    members.push_back({own->str(), {contents->bytes_begin(), contents->size()}});
  }
  if (error)
    return fail_because(name, "ar archive", std::move(error));
  return members;
}

} // namespace crosslane::codeobject
