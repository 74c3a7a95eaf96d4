// Owns the reading of a code object: the list of steps. What is wrong with a file comes out here, not while it runs.
#include "codeobject/code_object.h"
#include "codeobject/processor.h"
#include "codeobject/read/contents.h"
#include <llvm/Demangle/Demangle.h>

namespace crosslane::codeobject {

CodeObject::CodeObject() : impl_(std::make_unique<Impl>()) {}
CodeObject::~CodeObject() = default;

llvm::Expected<std::unique_ptr<CodeObject>> CodeObject::take(std::vector<uint8_t> bytes, std::string name) {
  std::unique_ptr<CodeObject> object(new CodeObject);
  Contents& contents = *object->impl_;
  contents.name = std::move(name);
  contents.bytes = std::move(bytes);
  if (llvm::Error error = check_header(contents))
    return error;
  auto elf = Elf::create(contents.data());
  if (!elf)
    return fail_because(contents.name, "ELF header", elf.takeError());
  if (llvm::Error error = read_segments(contents, *elf))
    return error;
  if (contents.version == 2)
    if (llvm::Error error = read_isa_note(contents))
      return error;
  if (llvm::Error error = read_sections(contents, *elf))
    return error;
  if (llvm::Error error = read_symbols(contents, *elf))
    return error;
  if (llvm::Error error = read_metadata(contents))
    return error;
  if (llvm::Error error = read_descriptors(contents))
    return error;
  return object;
}

llvm::Expected<std::unique_ptr<CodeObject>> CodeObject::read(std::span<const uint8_t> bytes, std::string name) {
  return take({bytes.begin(), bytes.end()}, std::move(name));
}

llvm::Expected<std::unique_ptr<CodeObject>> CodeObject::read_file(const std::string& path) {
  auto bytes = read_bytes(path);
  if (!bytes)
    return bytes.takeError();
  return take(std::move(*bytes), path);
}

const std::string& CodeObject::name() const { return impl_->name; }
std::string CodeObject::target_id() const {
  return make_target_id(*find_processor(impl_->flags), impl_->flags, impl_->version);
}
std::string CodeObject::processor() const { return std::string(find_processor(impl_->flags)->name); }
int CodeObject::version() const { return impl_->version; }
std::span<const uint8_t> CodeObject::bytes() const { return impl_->bytes; }
const std::string& CodeObject::metadata_target() const { return impl_->metadata_target; }

std::span<const Kernel> CodeObject::kernels() const { return impl_->kernels; }
std::span<const Kernel> CodeObject::empty_kernels() const { return impl_->empty_kernels; }
std::span<const Symbol> CodeObject::symbols() const { return impl_->symbols; }
std::span<const Section> CodeObject::sections() const { return impl_->sections; }
std::span<const Segment> CodeObject::segments() const { return impl_->segments; }
std::span<const std::string> CodeObject::printf_formats() const { return impl_->printf_formats; }
std::span<const uint8_t> CodeObject::bytes_at(uint64_t address, uint64_t size) const {
  return impl_->at(address, size);
}

const Kernel* CodeObject::find_kernel(std::string_view name) const {
  auto found = impl_->kernel_index.find(name);
  return found == impl_->kernel_index.end() ? nullptr : &impl_->kernels[found->second];
}

std::string demangle(std::string_view name) { return llvm::demangle(name); }

const std::string& CodeObject::comment() const { return impl_->comment; }
uint64_t CodeObject::image_begin() const { return impl_->image_begin; }
uint64_t CodeObject::image_size() const { return impl_->image_size; }
uint64_t CodeObject::image_alignment() const { return impl_->image_alignment; }

} // namespace crosslane::codeobject
