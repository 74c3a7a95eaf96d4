// Owns a code object in the memory of a device: its image, with the variables in it, and what was decoded of it.
#pragma once
#include "codeobject/code_object.h"
#include "engine/dispatch.h"
#include "launch/device.h"
#include "views/locate.h"

namespace crosslane::launch {

class LoadedCode {
public:
  static llvm::Expected<std::shared_ptr<LoadedCode>> load(std::shared_ptr<const codeobject::CodeObject>,
                                                          const std::shared_ptr<Device>&);
  // One whose image is at `base` already, in memory that outlives this and is never reset by it.
  static std::shared_ptr<LoadedCode> at(uint64_t base, std::shared_ptr<const codeobject::CodeObject>, isa::Target);

  const codeobject::CodeObject& object() const { return *object_; }
  const std::shared_ptr<const codeobject::CodeObject>& shared_object() const { return object_; }
  const views::Image& image() const { return image_; }
  const engine::Code& code() const { return *code_; }
  // Where what the object has at `address` was loaded to.
  uint64_t loaded(uint64_t address) const { return image_.base + (address - object_->image_begin()); }
  // Variables begin anew.
  llvm::Error reset();

private:
  LoadedCode() = default;
  std::shared_ptr<const codeobject::CodeObject> object_;
  Block block_;
  views::Image image_;
  bool writable_ = false;
  std::unique_ptr<engine::Code> code_;
};

} // namespace crosslane::launch
