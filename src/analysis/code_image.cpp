// Sections tell code, constants and data apart; relocations have been applied.
#include "analysis/code_image.h"
#include "codeobject/first_instruction.h"
#include "files/error.h"

namespace crosslane::analysis {

std::unique_ptr<CodeImage> describe_image(const codeobject::CodeObject& object, isa::Target target,
                                          const uint8_t* memory) {
  auto image = std::make_unique<CodeImage>();
  image->bias = reinterpret_cast<uint64_t>(memory) - object.image_begin();
  for (const auto& section : object.sections()) {
    if (section.address < object.image_begin() ||
        section.address + section.size > object.image_begin() + object.image_size())
      continue;
    const RegionKind kind = section.executable                         ? RegionKind::code
                            : section.name == ".got"                   ? RegionKind::linkage
                            : section.name.starts_with(".data.rel.ro") ? RegionKind::constant
                            : section.writable                         ? RegionKind::data
                                                                       : RegionKind::constant;
    // The dynamic linker's own tables have addresses of everything.
    if (section.name.starts_with(".dyn") || section.name.starts_with(".rela") || section.name.starts_with(".hash") ||
        section.name.starts_with(".gnu.hash"))
      continue;
    image->regions.push_back(
        {section.address + image->bias, {memory + (section.address - object.image_begin()), section.size}, kind});
  }
  for (const auto& function : object.functions())
    image->entries.push_back({function.begin + image->bias, function.kernel});
  for (const auto& kernel : object.kernels()) { // of those that no symbol names
    image->entries.push_back({kernel.entry + image->bias, true});
    if (codeobject::first_instruction(kernel) != kernel.entry)
      image->entries.push_back({codeobject::first_instruction(kernel) + image->bias, true});
  }
  image->code = {target, image->regions, image->entries};
  return image;
}

llvm::Expected<std::unique_ptr<CodeImage>> load_image(const codeobject::CodeObject& object) {
  const auto target = isa::parse_target(object.processor());
  if (!target)
    return fail("{}: is for {}, whose instructions crosslane does not know", object.name(), object.processor());
  const uint64_t alignment = object.image_alignment(),
                 size = (object.image_size() + alignment - 1) / alignment * alignment;
  auto* memory = static_cast<uint8_t*>(std::aligned_alloc(alignment, std::max(size, alignment)));
  if (!memory)
    return fail("{}: no memory for its {} bytes", object.name(), size);
  std::unique_ptr<uint8_t, void (*)(void*)> owner(memory, std::free);
  const auto nowhere = [](void*, std::string_view) { return std::optional<uint64_t>(0); };
  if (auto error = object.load({memory, object.image_size()}, nowhere))
    return error;
  auto image = describe_image(object, *target, memory);
  image->memory = std::move(owner);
  return image;
}

} // namespace crosslane::analysis
