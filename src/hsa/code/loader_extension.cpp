// The functions of the extension's table.
#include "hsa/code/loader_extension.h"
#include "hsa/code/code_source.h"
#include "hsa/info/give.h"
#include "hsa/runtime.h"
#include <cstring>

namespace crosslane::hsa {

namespace {

hsa_status_t query_host_address(const void* device_address, const void** host_address) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!device_address || !host_address || !runtime.code->find(reinterpret_cast<uint64_t>(device_address)))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *host_address = device_address; // one address space
    return HSA_STATUS_SUCCESS;
  });
}

hsa_ven_amd_loader_segment_descriptor_t describe(const LoadedObject& object) {
  hsa_ven_amd_loader_segment_descriptor_t segment{};
  segment.agent = object.loaded->agent->handle();
  segment.executable = {object.executable->handle};
  if (object.file >= 0) {
    segment.code_object_storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE;
    segment.code_object_storage_base = object.path.c_str();
    segment.code_object_storage_size = object.path.size() + 1;
  } else {
    segment.code_object_storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY;
    segment.code_object_storage_base = object.memory.data();
    segment.code_object_storage_size = object.memory.size();
  }
  segment.code_object_storage_offset = object.loaded->object->segments().front().offset;
  segment.segment_base = reinterpret_cast<const void*>(object.loaded->base);
  segment.segment_size = object.loaded->size;
  return segment;
}

hsa_status_t query_segment_descriptors(hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors,
                                       size_t* num_segment_descriptors) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!num_segment_descriptors || (*num_segment_descriptors != 0) != (segment_descriptors != nullptr))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<hsa_ven_amd_loader_segment_descriptor_t> all;
    Loader& loader = runtime.code->loader();
    for (const hsa_executable_t handle : loader.executables())
      if (const auto executable = loader.executable(handle)) {
        const std::shared_lock lock(executable->mutex);
        for (const auto& object : executable->objects)
          all.push_back(describe(object));
      }
    if (segment_descriptors && *num_segment_descriptors != all.size())
      return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    if (segment_descriptors)
      std::copy(all.begin(), all.end(), segment_descriptors);
    *num_segment_descriptors = all.size();
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t query_executable(const void* device_address, hsa_executable_t* executable) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    const auto loaded = device_address ? runtime.code->find(reinterpret_cast<uint64_t>(device_address)) : nullptr;
    if (!loaded || !executable)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *executable = {loaded->executable};
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t iterate_loaded_code_objects(hsa_executable_t executable,
                                         hsa_status_t (*callback)(hsa_executable_t, hsa_loaded_code_object_t, void*),
                                         void* data) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto target = runtime.code->loader().executable(executable);
    if (!target)
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    std::vector<hsa_loaded_code_object_t> handles;
    {
      const std::shared_lock lock(target->mutex);
      for (const auto& object : target->objects)
        handles.push_back({object.handle});
    }
    for (const auto handle : handles)
      if (const hsa_status_t status = callback(executable, handle, data); status != HSA_STATUS_SUCCESS)
        return status;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t get_info(hsa_loaded_code_object_t loaded_code_object,
                      hsa_ven_amd_loader_loaded_code_object_info_t attribute, void* value) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto object = runtime.code->loader().loaded_object(loaded_code_object);
    if (!object)
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    const LoadedCode& loaded = *object->loaded;
    const bool in_file = object->file >= 0;
    switch (attribute) {
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
      return give(value, hsa_executable_t{object->executable->handle});
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
      return give<uint32_t>(value, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT: return give(value, loaded.agent->handle());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
      return give<uint32_t>(value, in_file ? HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE
                                           : HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
      return in_file ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                     : give(value, reinterpret_cast<uint64_t>(object->memory.data()));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
      return in_file ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give<uint64_t>(value, object->memory.size());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE:
      return in_file ? give<int>(value, object->file) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
      return give<int64_t>(value, int64_t(loaded.base - loaded.object->image_begin()));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE: return give<uint64_t>(value, loaded.base);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE: return give<uint64_t>(value, loaded.size);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH: return give(value, uint32_t(object->uri.size()));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI: // clients of ROCr give the length without a NUL its room
      std::memcpy(value, object->uri.data(), object->uri.size());
      return HSA_STATUS_SUCCESS;
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t create_from_file_with_offset_size(hsa_file_t file, size_t offset, size_t size,
                                               hsa_code_object_reader_t* code_object_reader) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!code_object_reader)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!size)
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    std::shared_ptr<CodeSource> source;
    if (size == whole_file)
      return HSA_STATUS_ERROR_INVALID_FILE;
    if (const hsa_status_t status = source_in_file(file, offset, size, source); status != HSA_STATUS_SUCCESS)
      return status;
    *code_object_reader = runtime.code->loader().add_reader(std::move(source));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t iterate_executables(hsa_status_t (*callback)(hsa_executable_t, void*), void* data) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const hsa_executable_t executable : runtime.code->loader().executables())
      if (const hsa_status_t status = callback(executable, data); status != HSA_STATUS_SUCCESS)
        return status;
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace

const hsa_ven_amd_loader_1_03_pfn_t& loader_table() {
  static constexpr hsa_ven_amd_loader_1_03_pfn_t table = {
      query_host_address, query_segment_descriptors,         query_executable,   iterate_loaded_code_objects,
      get_info,           create_from_file_with_offset_size, iterate_executables};
  return table;
}

} // namespace crosslane::hsa
