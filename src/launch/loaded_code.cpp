// Loading.
#include "launch/loaded_code.h"
#include "files/error.h"

namespace crosslane::launch {

llvm::Expected<std::shared_ptr<LoadedCode>> LoadedCode::load(std::shared_ptr<const codeobject::CodeObject> object,
                                                             const std::shared_ptr<Device>& device) {
  const auto target = isa::parse_target(object->processor());
  if (!target)
    return fail("{}: is for {}, which crosslane does not run", object->name(), object->processor());
  const uint64_t alignment = object->image_alignment(), size = object->image_size();
  auto block = device->allocate(size + alignment, "code of " + object->name(), *target);
  if (!block)
    return block.takeError();
  const uint64_t base = (block->address() + alignment - 1) / alignment * alignment;
  if (auto error = object->load({reinterpret_cast<uint8_t*>(base), size}, nullptr, nullptr, /*zeroed=*/true))
    return std::move(error);

  std::shared_ptr<LoadedCode> loaded(new LoadedCode);
  for (const auto& segment : object->segments())
    loaded->writable_ |= segment.writable;
  loaded->image_ = {object.get(), base, *target};
  loaded->code_ = std::make_unique<engine::Code>(*target, base, size);
  loaded->object_ = std::move(object);
  loaded->block_ = std::move(*block);
  return loaded;
}

std::shared_ptr<LoadedCode> LoadedCode::at(uint64_t base, std::shared_ptr<const codeobject::CodeObject> object,
                                           isa::Target target) {
  std::shared_ptr<LoadedCode> loaded(new LoadedCode);
  loaded->image_ = {object.get(), base, target};
  loaded->code_ = std::make_unique<engine::Code>(target, base, object->image_size());
  loaded->object_ = std::move(object);
  return loaded;
}

llvm::Error LoadedCode::reset() {
  // Same bytes at the same place: decoded code stays valid.
  return writable_ ? object_->load({reinterpret_cast<uint8_t*>(image_.base), object_->image_size()})
                   : llvm::Error::success();
}

} // namespace crosslane::launch
