// Static libraries: the objects that ar(1) has put into one file.
#pragma once
#include "codeobject/code_object.h"

namespace crosslane::codeobject {

struct ArchiveMember {
  std::string name;
  std::span<const uint8_t> bytes;
};

bool is_archive(std::span<const uint8_t> bytes);
// Its members, without symbol tables. `name` is used in messages.
llvm::Expected<std::vector<ArchiveMember>> list_archive(std::span<const uint8_t> bytes, const std::string& name);

} // namespace crosslane::codeobject
