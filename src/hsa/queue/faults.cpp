// Statuses and texts of faults, and who is told.
#include "hsa/queue/faults.h"
#include "hsa/capturing.h"
#include "hsa/functions.h"
#include "hsa/memory/vmem.h"
#include "hsa/newer.h"
#include "hsa/runtime.h"
#include "hsa/statistics.h"
#include <cstdlib>
#include <fmt/format.h>
#include <forward_list>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <map>
#include <mutex>

namespace crosslane::hsa {

namespace {

// The last text of a status is its text. Those that have been handed out stay valid for ever.
struct Diagnosis {
  std::forward_list<std::string> texts; // the last one first
  bool handed_out = false;              // the last one
};
std::mutex mutex;
std::map<hsa_status_t, Diagnosis>& diagnoses() {
  static auto& map = *new std::map<hsa_status_t, Diagnosis>;
  return map;
}

// Source: hsa.h, hsa_ext_amd.h, hsa_ext_finalize.h and hsa_ext_image.h, the comments of each status; the name in front,
// as clients print nothing else.
const char* text_of(uint32_t status) {
  switch (status) {
#define TEXT(name, text)                                                                                               \
  case name: return #name ": " text;
    TEXT(HSA_STATUS_SUCCESS, "The function has been executed successfully.")
    TEXT(HSA_STATUS_INFO_BREAK,
         "A traversal over a list of elements has been interrupted by the application before completing.")
    TEXT(HSA_STATUS_ERROR, "A generic error has occurred.")
    TEXT(HSA_STATUS_ERROR_INVALID_ARGUMENT, "One of the actual arguments does not meet a precondition stated in the "
                                            "documentation of the corresponding formal argument.")
    TEXT(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "The requested queue creation is not valid.")
    TEXT(HSA_STATUS_ERROR_INVALID_ALLOCATION, "The requested allocation is not valid.")
    TEXT(HSA_STATUS_ERROR_INVALID_AGENT, "The agent is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_REGION, "The memory region is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_SIGNAL, "The signal is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_QUEUE, "The queue is invalid.")
    TEXT(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "The runtime failed to allocate the necessary resources.")
    TEXT(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "The AQL packet is malformed.")
    TEXT(HSA_STATUS_ERROR_RESOURCE_FREE, "An error has been detected while releasing a resource.")
    TEXT(HSA_STATUS_ERROR_NOT_INITIALIZED,
         "An API other than hsa_init has been invoked while the reference count of the HSA runtime is zero.")
    TEXT(HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, "The maximum reference count for the object has been reached.")
    TEXT(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "The arguments passed to a function are not compatible.")
    TEXT(HSA_STATUS_ERROR_INVALID_INDEX, "The index is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_ISA, "The instruction set architecture is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_ISA_NAME, "The instruction set architecture name is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "The code object is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_EXECUTABLE, "The executable is invalid.")
    TEXT(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "The executable is frozen.")
    TEXT(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "There is no symbol with the given name.")
    TEXT(HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, "The variable is already defined.")
    TEXT(HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "The variable is undefined.")
    TEXT(HSA_STATUS_ERROR_EXCEPTION, "An HSAIL operation resulted in a hardware exception.")
    TEXT(HSA_STATUS_ERROR_INVALID_CODE_SYMBOL, "The code object symbol is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL, "The executable symbol is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_FILE, "The file descriptor is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, "The code object reader is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_CACHE, "The cache is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_WAVEFRONT, "The wavefront is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, "The signal group is invalid.")
    TEXT(HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, "The HSA runtime is not in the configuration state.")
    TEXT(HSA_STATUS_ERROR_FATAL, "The queue received an error that may require process termination.")
    TEXT(HSA_STATUS_ERROR_INVALID_MEMORY_POOL, "The memory pool is invalid.")
    TEXT(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
         "The agent attempted to access memory beyond the largest legal address.")
    TEXT(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "The agent attempted to execute an illegal shader instruction.")
    TEXT(HSA_STATUS_ERROR_MEMORY_FAULT, "The agent attempted to access an inaccessible address.")
    TEXT(HSA_STATUS_CU_MASK_REDUCED,
         "The CU mask was successfully set but the mask attempted to enable a CU which was disabled for the process.")
    TEXT(HSA_STATUS_ERROR_OUT_OF_REGISTERS, "The kernel wants more VGPRs than are available on this agent.")
    TEXT(HSA_STATUS_ERROR_RESOURCE_BUSY, "The resource is busy or temporarily unavailable.")
    TEXT(HSA_STATUS_ERROR_NOT_SUPPORTED, "The request is not supported by this system.")
    TEXT(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, "The HSAIL program is invalid.")
    TEXT(HSA_EXT_STATUS_ERROR_INVALID_MODULE, "The HSAIL module is invalid.")
    TEXT(HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE,
         "The machine model or profile of the HSAIL module do not match those of the HSAIL program.")
    TEXT(HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED, "The HSAIL module is already a part of the HSAIL program.")
    TEXT(HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH, "The declaration and the definition of a symbol do not match.")
    TEXT(HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED, "A kernel or indirect function could not be finalized.")
    TEXT(HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH, "The control directives do not match those of the HSAIL kernel.")
    TEXT(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED, "The image format is not supported.")
    TEXT(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED, "The image size is not supported.")
    TEXT(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED, "The image pitch is not supported or invalid.")
    TEXT(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED, "The sampler descriptor is not supported or invalid.")
#undef TEXT
  default: return nullptr;
  }
}

} // namespace

hsa_status_t status_of(const machine::Fault& fault) {
  using Kind = machine::FaultKind;
  switch (fault.kind) {
  case Kind::unmapped_address: return hsa_status_t(HSA_STATUS_ERROR_MEMORY_FAULT);
  case Kind::misaligned_address:
  case Kind::lds_out_of_range:
  case Kind::scratch_out_of_range: return hsa_status_t(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION);
  case Kind::illegal_instruction:
  case Kind::register_out_of_range:
  case Kind::unimplemented:
  case Kind::bad_pc: return hsa_status_t(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
  case Kind::bad_dispatch: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  default: return HSA_STATUS_ERROR_EXCEPTION;
  }
}

void remember_diagnosis(hsa_status_t status, const std::string& text) {
  const char* name = text_of(uint32_t(status));
  const std::lock_guard lock(mutex);
  Diagnosis& diagnosis = diagnoses()[status];
  if (!diagnosis.handed_out)
    diagnosis.texts.clear();
  diagnosis.texts.push_front(fmt::format("{}\ncrosslane: {}", name ? name : "error", text));
  diagnosis.handed_out = false;
}

std::string diagnosis_of(hsa_status_t status) {
  const std::lock_guard lock(mutex);
  const auto it = diagnoses().find(status);
  const char* text = it != diagnoses().end() ? it->second.texts.front().c_str() : text_of(uint32_t(status));
  return text ? text : "unknown status";
}

void memory_fault(Runtime& runtime, const Agent& agent, uint64_t address, const std::string& diagnosis) {
  say(diagnosis);
  // Whether the page is there, and not for writing, is known of virtual memory alone.
  const bool read_only = runtime.virtual_memory->read_only(address);
  hsa_amd_system_event_callback_t callback;
  void* data;
  {
    const std::lock_guard lock(runtime.event_mutex);
    callback = runtime.event_callback, data = runtime.event_data;
  }
  if (callback) {
    runtime.statistics->print(); // LLVM's OpenMP aborts when it is told
    hsa_amd_event_t event{};
    event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
    event.memory_fault = {agent.handle(), address,
                          uint32_t(read_only ? HSA_AMD_MEMORY_FAULT_READ_ONLY : HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT)};
    if (callback(&event, data) == HSA_STATUS_SUCCESS)
      return;
  }
  // The words of the real runtime, which scripts look for.
  std::fprintf(stderr, "Memory access fault by GPU node-%u (Agent handle: %p) on address %p. Reason: %s.\n", agent.node,
               reinterpret_cast<void*>(agent.handle().handle), reinterpret_cast<void*>(address & ~uint64_t(4095)),
               read_only ? "Write access to a read-only page" : "Page not present or supervisor privilege");
  runtime.statistics->print();
  if (runtime.capturing)
    runtime.capturing->tell();
  std::abort();
}

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_status_string(hsa_status_t status, const char** text) {
  if (!Runtime::current())
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (!text)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const std::lock_guard lock(mutex);
  const auto it = diagnoses().find(status);
  if (it != diagnoses().end())
    it->second.handed_out = true;
  *text = it != diagnoses().end() ? it->second.texts.front().c_str() : text_of(uint32_t(status));
  return *text ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback, void* data) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.event_mutex);
    if (runtime.event_callback)
      return HSA_STATUS_ERROR;
    runtime.event_callback = callback, runtime.event_data = data;
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
