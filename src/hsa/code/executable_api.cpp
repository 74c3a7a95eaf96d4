// hsa_executable_*, hsa_code_object_reader_*.
#include "hsa/code/code_source.h"
#include "hsa/functions.h"
#include "hsa/info/give.h"
#include "hsa/memory/unified_memory.h"
#include "hsa/runtime.h"
#include <cstring>

using namespace crosslane::hsa;

namespace {

bool valid(hsa_profile_t profile) { return profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL; }
bool valid(hsa_default_float_rounding_mode_t mode) {
  return mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT || mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO ||
         mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
}

hsa_executable_symbol_t handle_of(const LoadedSymbol* symbol) { return {symbol->handle}; }

// Runs the body with the executable, which stays while it runs.
template <class Body> hsa_status_t with(hsa_executable_t handle, Body&& body) noexcept {
  return api([&](Runtime& runtime) -> hsa_status_t {
    const auto executable = runtime.code->loader().executable(handle);
    return executable ? body(runtime, *executable) : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  });
}

hsa_status_t load(Runtime& runtime, Executable& executable, hsa_agent_t agent, CodeSource& source,
                  hsa_loaded_code_object_t* loaded_code_object) {
  Agent* target = runtime.agent(agent);
  if (!target)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  LoadedObject* loaded = nullptr;
  const hsa_status_t status = runtime.code->loader().load(runtime, executable, *target, source, loaded);
  if (status == HSA_STATUS_SUCCESS && loaded_code_object)
    *loaded_code_object = {loaded->handle};
  return status;
}

hsa_status_t define(hsa_executable_t executable, const hsa_agent_t* agent, const char* name, void* address,
                    hsa_variable_segment_t segment) noexcept {
  return with(executable, [&](Runtime& runtime, Executable& target) -> hsa_status_t {
    Agent* owner = agent ? runtime.agent(*agent) : nullptr;
    if (agent && !owner)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!name)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!*name)
      return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    return runtime.code->loader().define(target, owner, name, address, segment);
  });
}

hsa_status_t look_up(Runtime& runtime, const Executable& executable, const char* name, const hsa_agent_t* agent,
                     hsa_executable_symbol_t* symbol) {
  const Agent* owner = agent ? runtime.agent(*agent) : nullptr;
  if (agent && !owner)
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  const LoadedSymbol* found = executable.find(owner, name);
  if (!found)
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  *symbol = handle_of(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t validate(hsa_executable_t executable, uint32_t* result) noexcept {
  return with(executable, [&](Runtime&, Executable& target) -> hsa_status_t {
    if (!result)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::shared_lock lock(target.mutex);
    *result = 0;
    for (const auto& object : target.objects)
      *result |= !object.missing.empty();
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_code_object_reader_create_from_memory(const void* code_object, size_t size,
                                                       hsa_code_object_reader_t* code_object_reader) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!code_object || !size || !code_object_reader)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *code_object_reader = runtime.code->loader().add_reader(source_in_memory(code_object, size));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file, hsa_code_object_reader_t* code_object_reader) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!code_object_reader)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::shared_ptr<CodeSource> source;
    if (const hsa_status_t status = source_in_file(file, 0, whole_file, source); status != HSA_STATUS_SUCCESS)
      return status;
    *code_object_reader = runtime.code->loader().add_reader(std::move(source));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t code_object_reader) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    return runtime.code->loader().destroy_reader(code_object_reader) ? HSA_STATUS_SUCCESS
                                                                     : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  });
}

hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
                                       hsa_default_float_rounding_mode_t default_float_rounding_mode,
                                       const char* options, hsa_executable_t* executable) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!valid(profile) || !valid(default_float_rounding_mode) || !executable)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *executable = runtime.code->loader().create(profile, default_float_rounding_mode);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t executable_state, const char* options,
                                   hsa_executable_t* executable) {
  if (executable_state != HSA_EXECUTABLE_STATE_FROZEN && executable_state != HSA_EXECUTABLE_STATE_UNFROZEN)
    return Runtime::current() ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_ERROR_NOT_INITIALIZED;
  const hsa_status_t status =
      functions::hsa_executable_create_alt(profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, options, executable);
  if (status != HSA_STATUS_SUCCESS || executable_state == HSA_EXECUTABLE_STATE_UNFROZEN)
    return status;
  return functions::hsa_executable_freeze(*executable, nullptr);
}

hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    return runtime.code->loader().destroy(executable) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  });
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t code_object_reader, const char* options,
                                                   hsa_loaded_code_object_t* loaded_code_object) {
  return with(executable, [&](Runtime& runtime, Executable& target) -> hsa_status_t {
    const auto source = runtime.code->loader().reader(code_object_reader);
    return source ? load(runtime, target, agent, *source, loaded_code_object)
                  : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  });
}

hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable,
                                                     hsa_code_object_reader_t code_object_reader, const char* options,
                                                     hsa_loaded_code_object_t* loaded_code_object) {
  return with(executable, [&](Runtime& runtime, Executable& target) -> hsa_status_t {
    if (!runtime.code->loader().reader(code_object_reader))
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
    if (target.frozen)
      return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
    say_once("hsa_executable_load_program_code_object", "hsa_executable_load_program_code_object: compilers for AMD "
                                                        "GPUs write no program code objects; load the code object "
                                                        "for an agent (hsa_executable_load_agent_code_object)");
    return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  });
}

hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                             hsa_code_object_t code_object, const char* options) {
  return with(executable, [&](Runtime& runtime, Executable& target) -> hsa_status_t {
    const auto source = runtime.code->loader().code_object(code_object);
    return source ? load(runtime, target, agent, *source, nullptr) : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  });
}

hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char* options) {
  return with(executable, [](Runtime& runtime, Executable& target) {
    if (!runtime.reaches_host && asks_for_unified_memory())
      runtime.reaches_host = true;
    return runtime.code->loader().freeze(target);
  });
}

hsa_status_t hsa_executable_get_info(hsa_executable_t executable, hsa_executable_info_t attribute, void* value) {
  return with(executable, [&](Runtime&, Executable& target) -> hsa_status_t {
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (attribute) {
    case HSA_EXECUTABLE_INFO_PROFILE: return give(value, target.profile);
    case HSA_EXECUTABLE_INFO_STATE:
      return give(value, target.frozen ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN);
    case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE: return give(value, target.rounding);
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable, const char* variable_name,
                                                   void* address) {
  return define(executable, nullptr, variable_name, address, HSA_VARIABLE_SEGMENT_GLOBAL);
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                         const char* variable_name, void* address) {
  return define(executable, &agent, variable_name, address, HSA_VARIABLE_SEGMENT_GLOBAL);
}

hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                     const char* variable_name, void* address) {
  return define(executable, &agent, variable_name, address, HSA_VARIABLE_SEGMENT_READONLY);
}

hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t* result) {
  return validate(executable, result);
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char* options, uint32_t* result) {
  return validate(executable, result);
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* symbol_name,
                                               const hsa_agent_t* agent, hsa_executable_symbol_t* symbol) {
  return with(executable, [&](Runtime& runtime, Executable& target) -> hsa_status_t {
    if (!symbol_name || !symbol)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return look_up(runtime, target, symbol_name, agent, symbol);
  });
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char* module_name, const char* symbol_name,
                                       hsa_agent_t agent, int32_t call_convention, hsa_executable_symbol_t* symbol) {
  return with(executable, [&](Runtime& runtime, Executable& target) -> hsa_status_t {
    if (!symbol_name || !symbol)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::string name = module_name && *module_name ? std::string(module_name) + "::" + symbol_name : symbol_name;
    if (look_up(runtime, target, name.c_str(), nullptr, symbol) == HSA_STATUS_SUCCESS)
      return HSA_STATUS_SUCCESS;
    return look_up(runtime, target, name.c_str(), &agent, symbol);
  });
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                                            hsa_executable_symbol_info_t attribute, void* value) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    const auto symbol = runtime.code->loader().symbol(executable_symbol);
    if (!symbol)
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    return value ? symbol_info(*symbol, attribute, value) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t executable,
                                            hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*),
                                            void* data) {
  return with(executable, [&](Runtime&, Executable& target) -> hsa_status_t {
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const LoadedSymbol* symbol : target.symbols())
      if (const hsa_status_t status = callback(executable, handle_of(symbol), data); status != HSA_STATUS_SUCCESS)
        return status;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                                  hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t,
                                                                           hsa_executable_symbol_t, void*),
                                                  void* data) {
  return with(executable, [&](Runtime& runtime, Executable& target) -> hsa_status_t {
    const Agent* owner = runtime.agent(agent);
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!owner)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    for (const LoadedSymbol* symbol : target.symbols())
      if (symbol->agent == owner)
        if (const hsa_status_t status = callback(executable, agent, handle_of(symbol), data);
            status != HSA_STATUS_SUCCESS)
          return status;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_executable_iterate_program_symbols(hsa_executable_t executable,
                                                    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t,
                                                                             void*),
                                                    void* data) {
  return with(executable, [&](Runtime&, Executable& target) -> hsa_status_t {
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const LoadedSymbol* symbol : target.symbols())
      if (!symbol->agent)
        if (const hsa_status_t status = callback(executable, handle_of(symbol), data); status != HSA_STATUS_SUCCESS)
          return status;
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
