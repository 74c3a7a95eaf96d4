// Attributes of kernels and variables, and the search by name.
#include "hsa/code/symbols.h"
#include "hsa/info/give.h"
#include "hsa/tools/api_tables.h"
#include <algorithm>
#include <cstring>

namespace crosslane::hsa {

namespace {

// Attributes that clients of ROCr know besides those of hsa.h.
constexpr uint32_t kernel_wavefront_size = 19, kernel_object_size = 100, kernel_object_align = 101;

bool is_constant(const codeobject::CodeObject& object, uint64_t address) {
  for (const auto& section : object.sections())
    if (address - section.address < section.size)
      return !section.writable;
  for (const auto& segment : object.segments())
    if (address - segment.address < segment.size)
      return !segment.writable;
  return false;
}

uint32_t alignment_of(uint64_t address) { return uint32_t(std::min<uint64_t>(address & -address, 4096)); }

hsa_status_t kernel_info(const codeobject::Kernel& kernel, uint32_t attribute, void* value) {
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
    return give<uint32_t>(value, kernel.kernarg_segment_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
    return give<uint32_t>(value, std::max(kernel.kernarg_segment_align, 16u));
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
    return give<uint32_t>(value, kernel.group_segment_fixed_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
    return give<uint32_t>(value, kernel.private_segment_fixed_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
    return give<bool>(value, kernel.descriptor.uses_dynamic_stack());
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION: return give<uint32_t>(value, 0);
  case kernel_wavefront_size: return give<uint32_t>(value, kernel.wavefront_size);
  case kernel_object_size:
  case kernel_object_align: return give<uint32_t>(value, 64); // of the descriptor
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t variable_info(const LoadedSymbol& symbol, uint32_t attribute, void* value) {
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
    return give(value,
                symbol.external && !symbol.agent ? HSA_VARIABLE_ALLOCATION_PROGRAM : HSA_VARIABLE_ALLOCATION_AGENT);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT: return give(value, symbol.segment);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT: return give<uint32_t>(value, alignment_of(symbol.address));
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE: return give<uint32_t>(value, uint32_t(symbol.size));
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST: return give<bool>(value, symbol.constant);
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

} // namespace

std::vector<LoadedSymbol> symbols_of(const codeobject::CodeObject& object, uint64_t base, Agent* agent,
                                     const std::atomic<bool>* frozen) {
  using Kind = codeobject::Symbol::Kind;
  std::vector<LoadedSymbol> result;
  for (const auto& symbol : object.symbols()) {
    // The assembler's directive for kernels of version 2 left their symbols local, and programs find them all the same.
    const bool seen = symbol.global || (symbol.kind == Kind::kernel_descriptor && object.version() == 2);
    if (!seen || !symbol.defined || (symbol.kind != Kind::kernel_descriptor && symbol.kind != Kind::object))
      continue;
    if (symbol.kind == Kind::kernel_descriptor && !object.find_kernel(symbol.name))
      continue; // a kernel without code
    LoadedSymbol& loaded = result.emplace_back();
    loaded.name = symbol.name;
    if (symbol.kind == Kind::kernel_descriptor)
      loaded.kernel = object.find_kernel(symbol.name);
    loaded.agent = agent;
    loaded.address = symbol.absolute ? symbol.address : base + (symbol.address - object.image_begin());
    loaded.size = symbol.size;
    loaded.weak = symbol.weak;
    loaded.constant = !symbol.absolute && is_constant(object, symbol.address);
    loaded.frozen = frozen;
  }
  return result;
}

hsa_status_t symbol_info(const LoadedSymbol& symbol, uint32_t attribute, void* value) {
  const auto address = [&] { // hsa.h: 0 while the executable is not frozen; ROCr tells it then too
    if (!symbol.frozen)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const bool told = *symbol.frozen || is_replaced("hsa_executable_freeze"); // rocprofiler asks before it freezes
    return give<uint64_t>(value, told ? symbol.address : 0);
  };
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
    return give(value, symbol.kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH: return give(value, uint32_t(symbol.name.size()));
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
    std::memcpy(value, symbol.name.data(), symbol.name.size());
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH: return give<uint32_t>(value, 0); // all have program linkage
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME: return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE: return give(value, HSA_SYMBOL_LINKAGE_PROGRAM);
  case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION: return give<bool>(value, true);
  case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
    return symbol.frozen ? give(value, symbol.agent ? symbol.agent->handle() : hsa_agent_t{0})
                         : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS: // of a kernel too: GCC's plugin finds out by it where the code was
                                                    // loaded
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT: return address();
  default:
    return symbol.kernel ? kernel_info(*symbol.kernel, attribute, value) : variable_info(symbol, attribute, value);
  }
}

} // namespace crosslane::hsa
