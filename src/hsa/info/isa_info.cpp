// Instruction sets and wavefronts, and the questions about them.
#include "hsa/functions.h"
#include "hsa/info/give.h"
#include "hsa/info/isa.h"
#include "hsa/runtime.h"
#include <array>
#include <cstring>
#include <deque>

namespace crosslane::hsa {

namespace {

using Feature = Isa::Feature;

constexpr const char* suffix(const char* on, const char* off, Feature f) {
  return f == Feature::on ? on : f == Feature::off ? off : "";
}

// Every spelling that LLVM has for a target that isa/ knows.
std::deque<Isa> make_isas() {
  constexpr std::array has{Feature::any, Feature::off, Feature::on};
  constexpr std::array has_not{Feature::unsupported};
  const auto choices = [&](bool supported) { return supported ? std::span<const Feature>(has) : has_not; };
  std::deque<Isa> isas;
  for (const isa::TargetInfo& target : isa::targets())
    for (const Feature sramecc : choices(target.sramecc))
      for (const Feature xnack : choices(target.xnack))
        isas.push_back({target.target, sramecc, xnack,
                        "amdgcn-amd-amdhsa--" + std::string(target.name) + suffix(":sramecc+", ":sramecc-", sramecc) +
                            suffix(":xnack+", ":xnack-", xnack)});
  return isas;
}

const std::deque<Isa>& isas() {
  static const auto& all = *new std::deque<Isa>(make_isas()); // outlives static destruction, as handles do
  return all;
}

// All that a wavefront tells is its size, so there is one for all instruction sets.
constexpr uint32_t wavefront_size = 64;

bool valid(hsa_profile_t profile) { return profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL; }

bool runs(Feature code, Feature agent) { return code == Feature::unsupported || code == Feature::any || code == agent; }

hsa_status_t tell(const Isa& isa, hsa_isa_info_t attribute, void* value) {
  const isa::TargetInfo& target = isa::info(isa.target);
  switch (attribute) {
  case HSA_ISA_INFO_NAME_LENGTH: // with the NUL: hsa.h says without, but ROCr counts it and clients rely on that
    return give(value, uint32_t(isa.name.size() + 1));
  case HSA_ISA_INFO_NAME: std::memcpy(value, isa.name.c_str(), isa.name.size() + 1); return HSA_STATUS_SUCCESS;
  case HSA_ISA_INFO_CALL_CONVENTION_COUNT: return give(value, uint32_t(1));
  case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE: return give(value, wavefront_size);
  case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
    return give(value, uint32_t(4 * target.waves_per_simd));
  case HSA_ISA_INFO_MACHINE_MODELS: return give(value, std::array{false, true});
  case HSA_ISA_INFO_PROFILES: return give(value, std::array{true, full_profile(isa.target)});
  case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
  case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: return give(value, std::array{false, false, true});
  case HSA_ISA_INFO_FAST_F16_OPERATION: return give(value, target.generation >= isa::Generation::gfx8);
  case HSA_ISA_INFO_WORKGROUP_MAX_DIM: return give(value, std::array<uint16_t, 3>{1024, 1024, 1024});
  case HSA_ISA_INFO_WORKGROUP_MAX_SIZE: return give(value, uint32_t(1024));
  case HSA_ISA_INFO_GRID_MAX_DIM: return give(value, hsa_dim3_t{UINT32_MAX, UINT32_MAX, UINT32_MAX});
  case HSA_ISA_INFO_GRID_MAX_SIZE: return give(value, UINT64_MAX);
  case HSA_ISA_INFO_FBARRIER_MAX_SIZE: return give(value, uint32_t(32));
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

} // namespace

const Isa* find_isa(std::string_view name) {
  for (const Isa& isa : isas())
    if (isa.name == name)
      return &isa;
  return nullptr;
}

const Isa* isa_of(hsa_isa_t handle) {
  for (const Isa& isa : isas())
    if (isa.handle().handle == handle.handle)
      return &isa;
  return nullptr;
}

bool compatible(const Isa& code, const Isa& agent) {
  return code.target == agent.target && runs(code.sramecc, agent.sramecc) && runs(code.xnack, agent.xnack);
}

hsa_isa_t Agent::isa_handle() const {
  const Isa* found = find_isa(isa);
  return found ? found->handle() : hsa_isa_t{0};
}

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa) {
  return api([&](Runtime&) {
    if (!name || !isa)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Isa* found = find_isa(name);
    if (!found)
      return HSA_STATUS_ERROR_INVALID_ISA_NAME;
    *isa = found->handle();
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t handle, hsa_status_t (*callback)(hsa_isa_t, void*), void* data) {
  return api([&](Runtime& runtime) {
    const Agent* agent = runtime.agent(handle);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return agent->gpu() ? callback(agent->isa_handle(), data) : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t handle, hsa_isa_info_t attribute, void* value) {
  return api([&](Runtime&) {
    const Isa* isa = isa_of(handle);
    if (!isa)
      return HSA_STATUS_ERROR_INVALID_ISA;
    return value ? tell(*isa, attribute, value) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void* value) {
  // The index is that of a call convention, of which there is one. hsa.h has it ignored for other attributes; ROCr does
  // not.
  if (index && Runtime::current() && isa_of(isa))
    return HSA_STATUS_ERROR_INVALID_INDEX;
  return functions::hsa_isa_get_info_alt(isa, attribute, value);
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t handle, hsa_profile_t profile, uint16_t* mask) {
  return api([&](Runtime&) {
    if (!isa_of(handle))
      return HSA_STATUS_ERROR_INVALID_ISA;
    if (!mask || !valid(profile))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = 0; // as ROCr: exceptions are a matter of the kernel's MODE register and of a trap handler
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t profile, uint16_t* mask) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!mask || !valid(profile))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = 0;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t handle, hsa_fp_type_t type, hsa_flush_mode_t flush,
                                      hsa_round_method_t* method) {
  return api([&](Runtime&) {
    if (!isa_of(handle))
      return HSA_STATUS_ERROR_INVALID_ISA;
    const bool known_type = type == HSA_FP_TYPE_16 || type == HSA_FP_TYPE_32 || type == HSA_FP_TYPE_64;
    if (!method || !known_type || (flush != HSA_FLUSH_MODE_FTZ && flush != HSA_FLUSH_MODE_NON_FTZ))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *method = HSA_ROUND_METHOD_SINGLE; // as ROCr
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t handle, hsa_status_t (*callback)(hsa_wavefront_t, void*),
                                        void* data) {
  return api([&](Runtime&) {
    if (!isa_of(handle))
      return HSA_STATUS_ERROR_INVALID_ISA;
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return callback({reinterpret_cast<uint64_t>(&wavefront_size)}, data);
  });
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute, void* value) {
  return api([&](Runtime&) {
    if (wavefront.handle != reinterpret_cast<uint64_t>(&wavefront_size))
      return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
    if (!value || attribute != HSA_WAVEFRONT_INFO_SIZE)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return give(value, wavefront_size);
  });
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code, hsa_isa_t agent, bool* result) {
  return api([&](Runtime&) {
    const Isa* of_code = isa_of(code);
    const Isa* of_agent = isa_of(agent);
    if (!of_code || !of_agent)
      return HSA_STATUS_ERROR_INVALID_ISA;
    if (!result)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = compatible(*of_code, *of_agent);
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
