// Buffers by name.
#include "launch/result.h"
#include "launch/ready.h"

namespace crosslane::launch {

llvm::Expected<Buffer> Result::buffer(std::string_view name) const {
  auto index = ready->arguments.find_buffer(name, ready->signature);
  if (!index)
    return index.takeError();
  return ready->session->contents(*index);
}

} // namespace crosslane::launch
