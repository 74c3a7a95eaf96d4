// Owns instruction set names: "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-" and what hsa_isa_t points to. A name without
// a feature means code that runs with it on or off. Source: LLVM AMDGPUUsage, "Target ID".
#pragma once
#include "isa/target.h"
#include <hsa/hsa.h>
#include <string>
#include <string_view>

namespace crosslane::hsa {

struct Isa {
  enum class Feature : uint8_t { unsupported, any, off, on };
  isa::Target target;
  Feature sramecc, xnack;
  std::string name;
  hsa_isa_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
};

// By the whole name, as the table spells it; null if there is none. Lives for ever.
const Isa* find_isa(std::string_view name);
// Null for a handle that is none of ours.
const Isa* isa_of(hsa_isa_t);
// The full profile, where a GPU shares the CPU's page tables, was Kaveri's and Carrizo's with the drivers of their
// time; with newer ones they have the base profile. HIP 5.2.3 wants the full profile of any gfx7, but with it
// hipHostUnregister aborts; so Carrizo, which it takes either way, has the base profile.
constexpr bool full_profile(isa::Target t) { return t == isa::Target::gfx700; }
// Whether code of one can run on an agent of the other.
bool compatible(const Isa& code, const Isa& agent);

} // namespace crosslane::hsa
