// The life of executables: created, loaded per agent, frozen, destroyed.
#include "hsa/code/loader.h"
#include "hsa/memory/memory.h"
#include "hsa/runtime.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::hsa {

namespace {

constexpr std::string_view isa_prefix = "amdgcn-amd-amdhsa--";

void explain(const std::string& message) { say_once(message, message); }

// "sramecc" of "gfx906:sramecc+:xnack-": '+', '-' or 0 if it is not mentioned.
char feature(std::string_view target, std::string_view name) {
  const size_t at = target.find(std::string(":") + std::string(name));
  if (at == std::string_view::npos || at + 1 + name.size() >= target.size())
    return 0;
  return target[at + 1 + name.size()];
}

std::string_view processor_of(std::string_view target) { return target.substr(0, target.find(':')); }

// Source: LLVM AMDGPUUsage, "Generic Processors".
bool generic_fits(std::string_view generic, std::string_view processor) {
  constexpr std::string_view gfx9[] = {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"};
  return generic == "gfx9-generic" && std::find(std::begin(gfx9), std::end(gfx9), processor) != std::end(gfx9);
}

// Why the code object does not run on the agent, and what to do.
std::string misfit(const codeobject::CodeObject& object, const Agent& agent) {
  if (!agent.gpu())
    return "it was to be loaded for the CPU, which does not run GPU code";
  const std::string target = object.target_id(), isa = agent.isa.substr(isa_prefix.size());
  const std::string other = processor_of(isa) == object.processor()
                                ? "" // the cards of one processor all have the same features
                                : fmt::format(", or choose another GPU (CROSSLANE_GPU={})", object.processor());
  return fmt::format("it was built for {}, and the GPU is {}; build it for {}{}", target, isa, processor_of(isa),
                     other);
}

// How relocations find symbols that other code objects or the client define.
struct Resolution {
  const Executable& executable;
  const Agent* agent;
  const codeobject::CodeObject& object;
  std::vector<std::string> missing;

  static std::optional<uint64_t> find(void* context, std::string_view name) {
    auto& self = *static_cast<Resolution*>(context);
    for (const Agent* agent : {self.agent, static_cast<const Agent*>(nullptr)})
      if (const LoadedSymbol* symbol = self.executable.exactly(agent, name))
        return symbol->address;
    const codeobject::Symbol* own = self.object.find_symbol(name);
    if (own && (own->weak || own->kind == codeobject::Symbol::Kind::lds))
      return std::nullopt; // becomes 0, or is an error
    if (std::find(self.missing.begin(), self.missing.end(), name) == self.missing.end())
      self.missing.emplace_back(name);
    return 0;
  }
};

// The memory of the heap starts as zeros, and before the executable is frozen nobody writes to it.
llvm::Error place(const LoadedCode& loaded, Resolution& resolution) {
  return loaded.object->load({reinterpret_cast<uint8_t*>(loaded.base), loaded.size}, Resolution::find, &resolution,
                             true);
}

} // namespace

Pool* device_memory(const Agent& agent) {
  for (const auto& pool : agent.pools)
    if (pool->segment == HSA_AMD_SEGMENT_GLOBAL)
      return pool.get();
  return nullptr;
}

bool fits(std::string_view target, std::string_view agent_isa) {
  if (!agent_isa.starts_with(isa_prefix))
    return false; // the CPU
  agent_isa.remove_prefix(isa_prefix.size());
  if (processor_of(target) != processor_of(agent_isa) && !generic_fits(processor_of(target), processor_of(agent_isa)))
    return false;
  for (const std::string_view name : {"xnack", "sramecc"}) {
    const char wanted = feature(target, name), there = feature(agent_isa, name);
    if (wanted && there && wanted != there)
      return false;
  }
  return true;
}

std::shared_ptr<const codeobject::CodeObject> CodeSource::object() {
  const std::lock_guard lock(mutex_);
  if (tried_)
    return object_;
  tried_ = true;
  auto read = codeobject::CodeObject::read(bytes(), path.empty() ? "code object" : path);
  if (read)
    object_ = std::move(*read);
  else
    explain(llvm::toString(read.takeError()));
  return object_;
}

const LoadedSymbol* Executable::exactly(const Agent* agent, std::string_view name) const {
  const auto list = names.find(agent);
  if (list == names.end())
    return nullptr;
  const auto found = list->second.find(name);
  return found == list->second.end() ? nullptr : found->second;
}

const LoadedSymbol* Executable::find(const Agent* agent, std::string_view name) const {
  const std::shared_lock lock(mutex);
  if (const LoadedSymbol* symbol = exactly(agent, name))
    return symbol;
  const LoadedSymbol* kernel = exactly(agent, std::string(name) + ".kd");
  return kernel && kernel->kernel ? kernel : nullptr;
}

std::vector<const LoadedSymbol*> Executable::symbols() const {
  const std::shared_lock lock(mutex);
  std::vector<const LoadedSymbol*> result;
  for (const bool of_agents : {false, true})
    for (const auto& definition : definitions)
      if ((definition.symbol.agent != nullptr) == of_agents)
        result.push_back(&definition.symbol);
  for (const auto& object : objects)
    for (const auto& symbol : object.symbols)
      result.push_back(&symbol);
  return result;
}

Loader::~Loader() = default;

hsa_code_object_reader_t Loader::add_reader(std::shared_ptr<CodeSource> source) {
  const uint64_t handle = new_handle();
  const std::unique_lock lock(mutex_);
  readers_[handle] = std::move(source);
  return {handle};
}

std::shared_ptr<CodeSource> Loader::reader(hsa_code_object_reader_t handle) const {
  const std::shared_lock lock(mutex_);
  const auto found = readers_.find(handle.handle);
  return found == readers_.end() ? nullptr : found->second;
}

bool Loader::destroy_reader(hsa_code_object_reader_t handle) {
  const std::unique_lock lock(mutex_);
  return readers_.erase(handle.handle);
}

hsa_code_object_t Loader::add_code_object(std::shared_ptr<CodeSource> source) {
  const std::unique_lock lock(mutex_);
  const auto handle = reinterpret_cast<uint64_t>(source->owned.data());
  code_objects_[handle] = std::move(source);
  return {handle};
}

std::shared_ptr<CodeSource> Loader::code_object(hsa_code_object_t handle) const {
  const std::shared_lock lock(mutex_);
  const auto found = code_objects_.find(handle.handle);
  return found == code_objects_.end() ? nullptr : found->second;
}

bool Loader::destroy_code_object(hsa_code_object_t handle) {
  std::shared_ptr<CodeSource> source;
  {
    const std::unique_lock lock(mutex_);
    const auto found = code_objects_.find(handle.handle);
    if (found == code_objects_.end())
      return false;
    source = std::move(found->second);
    code_objects_.erase(found);
  }
  const std::lock_guard lock(source->mutex_); // before the loader's, as in symbols_of
  const std::unique_lock own(mutex_);
  forget(source->symbols_);
  return true;
}

// A code object that is destroyed meanwhile has symbols as long as it is held, but nobody finds them.
bool Loader::symbols_of(CodeSource& source, std::span<const LoadedSymbol>& symbols) {
  const auto object = source.object();
  if (!object)
    return false;
  const std::lock_guard lock(source.mutex_);
  if (source.symbols_.empty()) {
    source.symbols_ = hsa::symbols_of(*object, object->image_begin(), nullptr, nullptr);
    const std::unique_lock own(mutex_);
    remember(source.symbols_, source.weak_from_this());
  }
  symbols = source.symbols_;
  return true;
}

std::shared_ptr<const LoadedSymbol> Loader::code_symbol(hsa_code_symbol_t handle) const {
  auto symbol = known(handle.handle);
  return symbol && !symbol->frozen ? symbol : nullptr;
}

hsa_executable_t Loader::create(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding) {
  auto executable = std::make_shared<Executable>();
  executable->profile = profile;
  executable->rounding = rounding;
  const std::unique_lock lock(mutex_);
  executable->handle = new_handle();
  executables_[executable->handle] = executable;
  return {executable->handle};
}

std::shared_ptr<Executable> Loader::executable(hsa_executable_t handle) const {
  const std::shared_lock lock(mutex_);
  const auto found = executables_.find(handle.handle);
  return found == executables_.end() ? nullptr : found->second;
}

std::vector<hsa_executable_t> Loader::executables() const {
  const std::shared_lock lock(mutex_);
  std::vector<hsa_executable_t> result;
  result.reserve(executables_.size());
  for (const auto& [handle, executable] : executables_)
    result.push_back({handle});
  return result;
}

// An executable's mutex is taken before the loader's, never while it is held.
bool Loader::destroy(hsa_executable_t handle) {
  std::shared_ptr<Executable> executable;
  {
    const std::unique_lock lock(mutex_);
    const auto found = executables_.find(handle.handle);
    if (found == executables_.end())
      return false;
    executable = std::move(found->second);
    executables_.erase(found);
  }
  const std::shared_lock lock(executable->mutex);
  const std::unique_lock own(mutex_);
  for (const auto& object : executable->objects) {
    forget(object.symbols);
    registry_.remove(*object.loaded);
  }
  for (const auto& definition : executable->definitions)
    forget({&definition.symbol, 1});
  return true;
}

hsa_status_t Loader::load(Runtime& runtime, Executable& executable, Agent& agent, CodeSource& source,
                          LoadedObject*& result) {
  const std::unique_lock lock(executable.mutex);
  if (executable.frozen)
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  auto object = source.object();
  if (!object)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  if (!fits(object->target_id(), agent.isa)) {
    explain(object->name() + ": " + misfit(*object, agent));
    return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  }

  auto loaded = std::make_shared<LoadedCode>();
  if (runtime.settings.profile.probes) {
    loaded->probed = probing_.probe(object, runtime.settings.profile);
    object = loaded->probed->object;
  }
  loaded->object = object;
  loaded->agent = &agent;
  loaded->executable = executable.handle;
  loaded->size = object->image_size();
  loaded->heap = runtime.heap.get();
  // Whole pages begin with a page; what is aligned further is found inside of them.
  constexpr uint64_t page = 4096;
  const uint64_t alignment = object->image_alignment(), pages = (loaded->size + page - 1) & -page;
  loaded->allocation = runtime.heap->allocate(pages + alignment - page, device_memory(agent), object->name());
  if (!loaded->allocation)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  loaded->base = (reinterpret_cast<uint64_t>(loaded->allocation) + alignment - 1) & -alignment;
  loaded->image = {object.get(), loaded->base, agent.card->target};
  if (loaded->probed) {
    loaded->original = {loaded->probed->original.get(), loaded->base, agent.card->target};
    for (const rewrite::KernelPlan& plan : loaded->probed->plan.kernels)
      loaded->recording[&plan];
  }

  LoadedObject candidate;
  candidate.symbols = hsa::symbols_of(*object, loaded->base, &agent, &executable.frozen);
  for (const auto& symbol : candidate.symbols)
    if (const LoadedSymbol* other = executable.exactly(&agent, symbol.name); other && !other->weak && !symbol.weak) {
      explain(fmt::format("{}: {} is defined by another code object of the same executable, or by the program",
                          object->name(), codeobject::demangle(symbol.name)));
      return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
    }
  Resolution resolution{executable, &agent, *object, {}};
  if (llvm::Error error = place(*loaded, resolution)) {
    explain(llvm::toString(std::move(error)));
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  }
  loaded->code = std::make_unique<engine::Code>(agent.card->target, loaded->base, loaded->size);
  for (const auto& kernel : object->kernels())
    loaded->kernels.emplace(loaded->base + (kernel.descriptor_address - object->image_begin()), &kernel);

  candidate.handle = new_handle();
  candidate.executable = &executable;
  candidate.loaded = loaded;
  candidate.missing = std::move(resolution.missing);
  candidate.memory = source.owned.empty() ? source.memory : object->bytes();
  candidate.file = source.file, candidate.path = source.path, candidate.uri = source.uri;
  result = &executable.objects.emplace_back(std::move(candidate));
  auto& names = executable.names[&agent];
  for (const auto& symbol : result->symbols)
    names.emplace(symbol.name, &symbol);
  {
    const std::unique_lock own(mutex_);
    remember(result->symbols, executable.weak_from_this());
  }
  registry_.add(loaded);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Loader::define(Executable& executable, Agent* agent, std::string_view name, void* address,
                            hsa_variable_segment_t segment) {
  const std::unique_lock lock(executable.mutex);
  if (executable.frozen)
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  if (executable.exactly(agent, name))
    return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
  auto& definition = executable.definitions.emplace_back();
  definition.name = name;
  LoadedSymbol& symbol = definition.symbol;
  symbol.name = definition.name;
  symbol.agent = agent;
  symbol.address = reinterpret_cast<uint64_t>(address);
  symbol.external = true;
  symbol.segment = segment;
  symbol.frozen = &executable.frozen;
  executable.names[agent].emplace(symbol.name, &symbol);
  const std::unique_lock own(mutex_);
  remember({&symbol, 1}, executable.weak_from_this());
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Loader::freeze(Executable& executable) {
  const std::unique_lock lock(executable.mutex);
  if (executable.frozen)
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  for (auto& object : executable.objects) {
    if (object.missing.empty())
      continue;
    // The code object is placed once more, now that all definitions are known; nothing has run in it, and nobody has
    // been told where its variables are.
    Resolution resolution{executable, object.loaded->agent, *object.loaded->object, {}};
    if (llvm::Error error = place(*object.loaded, resolution))
      llvm::consumeError(std::move(error)); // what else is wrong was found when it was loaded
    object.missing = std::move(resolution.missing);
    if (!object.missing.empty()) {
      explain(fmt::format(
          "{}: undefined symbol {}; link the object that defines it into the program, or define the variable "
          "before the executable is frozen",
          object.loaded->object->name(), codeobject::demangle(object.missing.front())));
      return HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
    }
  }
  executable.frozen = true;
  return HSA_STATUS_SUCCESS;
}

std::shared_ptr<const LoadedSymbol> Loader::symbol(hsa_executable_symbol_t handle) const {
  auto symbol = known(handle.handle);
  return symbol && symbol->frozen ? symbol : nullptr;
}

std::shared_ptr<const LoadedObject> Loader::loaded_object(hsa_loaded_code_object_t handle) const {
  for (const auto each : executables())
    if (const auto executable = this->executable(each)) {
      const std::shared_lock lock(executable->mutex);
      for (const auto& object : executable->objects)
        if (object.handle == handle.handle)
          return {executable, &object};
    }
  return nullptr;
}

void Loader::remember(std::span<LoadedSymbol> symbols, std::weak_ptr<const void> owner) {
  if (symbols.empty())
    return;
  const uint64_t first = new_handle(symbols.size());
  for (size_t i = 0; i < symbols.size(); ++i)
    symbols[i].handle = first + i;
  symbols_[first] = {symbols, std::move(owner)};
}

void Loader::forget(std::span<const LoadedSymbol> symbols) {
  if (!symbols.empty())
    symbols_.erase(symbols.front().handle);
}

std::shared_ptr<const LoadedSymbol> Loader::known(uint64_t handle) const {
  const std::shared_lock lock(mutex_);
  const auto after = symbols_.upper_bound(handle);
  if (after == symbols_.begin())
    return nullptr;
  const auto& [first, known] = *std::prev(after);
  auto owner = known.owner.lock();
  if (!owner || handle - first >= known.symbols.size())
    return nullptr;
  return {std::move(owner), &known.symbols[handle - first]};
}

} // namespace crosslane::hsa
