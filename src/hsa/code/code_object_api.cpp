// The functions on hsa_code_object_t that HSA 1.1 deprecated; OpenMP of GCC and LLVM still uses them.
#include "hsa/code/code_source.h"
#include "hsa/functions.h"
#include "hsa/info/give.h"
#include "hsa/runtime.h"
#include <cstring>
#include <fmt/format.h>

using namespace crosslane::hsa;

namespace {

template <class Body> hsa_status_t with(hsa_code_object_t handle, Body&& body) noexcept {
  return api([&](Runtime& runtime) -> hsa_status_t {
    const auto source = runtime.code->loader().code_object(handle);
    return source ? body(runtime, *source) : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  });
}

// The ISA of an agent that runs it, else by its name.
hsa_status_t isa_of(Runtime& runtime, const std::string& target, void* value) {
  for (const auto& agent : runtime.agents)
    if (fits(target, agent->isa))
      return give(value, agent->isa_handle());
  hsa_isa_t isa{};
  const hsa_status_t status = functions::hsa_isa_from_name(("amdgcn-amd-amdhsa--" + target).c_str(), &isa);
  return status == HSA_STATUS_SUCCESS ? give(value, isa) : status;
}

hsa_status_t find_symbol(hsa_code_object_t code_object, const char* module_name, const char* symbol_name,
                         hsa_code_symbol_t* symbol) noexcept {
  return with(code_object, [&](Runtime& runtime, CodeSource& source) -> hsa_status_t {
    if (!symbol_name || !symbol)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::span<const LoadedSymbol> symbols;
    if (!runtime.code->loader().symbols_of(source, symbols))
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    const std::string name = module_name && *module_name ? std::string(module_name) + "::" + symbol_name : symbol_name;
    const LoadedSymbol* found = nullptr;
    for (const auto& candidate : symbols)
      if (candidate.name == name || (!found && candidate.kernel && candidate.kernel->name == name))
        found = &candidate;
    return found ? give(symbol, hsa_code_symbol_t{found->handle}) : HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  });
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_code_object_deserialize(void* serialized_code_object, size_t serialized_code_object_size,
                                         const char* options, hsa_code_object_t* code_object) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!serialized_code_object || !serialized_code_object_size || !code_object)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto* bytes = static_cast<const uint8_t*>(serialized_code_object);
    auto source = source_in_memory(bytes, serialized_code_object_size);
    source->owned.assign(bytes, bytes + serialized_code_object_size);
    *code_object = runtime.code->loader().add_code_object(std::move(source));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_object_serialize(hsa_code_object_t code_object,
                                       hsa_status_t (*alloc_callback)(size_t size, hsa_callback_data_t data,
                                                                      void** address),
                                       hsa_callback_data_t callback_data, const char* options,
                                       void** serialized_code_object, size_t* serialized_code_object_size) {
  return with(code_object, [&](Runtime&, CodeSource& source) -> hsa_status_t {
    if (!alloc_callback || !serialized_code_object || !serialized_code_object_size)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto bytes = source.bytes();
    if (const hsa_status_t status = alloc_callback(bytes.size(), callback_data, serialized_code_object);
        status != HSA_STATUS_SUCCESS)
      return status;
    if (!*serialized_code_object)
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    std::memcpy(*serialized_code_object, bytes.data(), bytes.size());
    *serialized_code_object_size = bytes.size();
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    return runtime.code->loader().destroy_code_object(code_object) ? HSA_STATUS_SUCCESS
                                                                   : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  });
}

hsa_status_t hsa_code_object_get_info(hsa_code_object_t code_object, hsa_code_object_info_t attribute, void* value) {
  return with(code_object, [&](Runtime& runtime, CodeSource& source) -> hsa_status_t {
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto object = source.object();
    if (!object)
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    switch (attribute) {
    case HSA_CODE_OBJECT_INFO_VERSION: {
      const std::string version = fmt::format("{}.0", object->version());
      std::memset(value, 0, 64);
      std::memcpy(value, version.data(), version.size());
      return HSA_STATUS_SUCCESS;
    }
    case HSA_CODE_OBJECT_INFO_TYPE: return give(value, HSA_CODE_OBJECT_TYPE_PROGRAM); // the only one there is
    case HSA_CODE_OBJECT_INFO_ISA: return isa_of(runtime, object->target_id(), value);
    case HSA_CODE_OBJECT_INFO_MACHINE_MODEL: return give(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_CODE_OBJECT_INFO_PROFILE: return give(value, HSA_PROFILE_FULL);
    case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE: return give(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t code_object, const char* symbol_name,
                                        hsa_code_symbol_t* symbol) {
  return find_symbol(code_object, nullptr, symbol_name, symbol);
}

hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t code_object, const char* module_name,
                                                  const char* symbol_name, hsa_code_symbol_t* symbol) {
  return find_symbol(code_object, module_name, symbol_name, symbol);
}

hsa_status_t hsa_code_object_iterate_symbols(hsa_code_object_t code_object,
                                             hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void*),
                                             void* data) {
  return with(code_object, [&](Runtime& runtime, CodeSource& source) -> hsa_status_t {
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::span<const LoadedSymbol> symbols;
    if (!runtime.code->loader().symbols_of(source, symbols))
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    for (const auto& symbol : symbols)
      if (const hsa_status_t status = callback(code_object, {symbol.handle}, data); status != HSA_STATUS_SUCCESS)
        return status;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t code_symbol, hsa_code_symbol_info_t attribute, void* value) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    const auto symbol = runtime.code->loader().code_symbol(code_symbol);
    if (!symbol)
      return HSA_STATUS_ERROR_INVALID_CODE_SYMBOL;
    return value ? symbol_info(*symbol, attribute, value) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

} // namespace crosslane::hsa::functions
