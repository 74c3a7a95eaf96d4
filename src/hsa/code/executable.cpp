// The table of loaded kernels that dispatches look their code up in.
#include "hsa/code/executable.h"
#include "hsa/code/loader.h"
#include "hsa/memory/memory.h"

namespace crosslane::hsa {

LoadedCode::~LoadedCode() {
  code.reset();
  if (!spare_records.empty())
    heap->free(spare_records.data());
  if (allocation)
    heap->free(allocation);
}

CodeRegistry::CodeRegistry() : loader_(std::make_unique<Loader>(*this)) {}
CodeRegistry::~CodeRegistry() = default;

void CodeRegistry::add(std::shared_ptr<LoadedCode> loaded) {
  const std::unique_lock lock(mutex_);
  const uint64_t base = loaded->base;
  by_base_[base] = std::move(loaded);
}

void CodeRegistry::remove(const LoadedCode& loaded) {
  std::shared_ptr<LoadedCode> last; // freed outside of the lock
  const std::unique_lock lock(mutex_);
  const auto found = by_base_.find(loaded.base);
  if (found == by_base_.end() || found->second.get() != &loaded)
    return;
  last = std::move(found->second);
  by_base_.erase(found);
}

std::shared_ptr<LoadedCode> CodeRegistry::find(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  auto after = by_base_.upper_bound(address);
  if (after == by_base_.begin())
    return nullptr;
  const auto& loaded = std::prev(after)->second;
  return address - loaded->base < loaded->size ? loaded : nullptr;
}

const codeobject::Kernel* CodeRegistry::kernel_at(const LoadedCode& loaded, uint64_t descriptor) {
  const auto found = loaded.kernels.find(descriptor);
  return found == loaded.kernels.end() ? nullptr : found->second;
}

} // namespace crosslane::hsa
