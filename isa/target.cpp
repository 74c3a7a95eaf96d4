// The list of targets. EF_AMDGPU_MACH values from LLVM AMDGPUUsage, "ELF Header e_flags".
#include "isa/target.h"
#include <cassert>

namespace crosslane::isa {
namespace {
using enum Generation;
constexpr TargetInfo targets[] = {
    //                          generation  mach   xnack  sramecc
    {Target::gfx600, "gfx600", gfx6, 0x020, false, false}, {Target::gfx601, "gfx601", gfx6, 0x021, false, false},
    {Target::gfx700, "gfx700", gfx7, 0x022, false, false}, {Target::gfx701, "gfx701", gfx7, 0x023, false, false},
    {Target::gfx801, "gfx801", gfx8, 0x028, true, false},  {Target::gfx802, "gfx802", gfx8, 0x029, false, false},
    {Target::gfx803, "gfx803", gfx8, 0x02a, false, false}, {Target::gfx900, "gfx900", gfx9, 0x02c, true, false},
    {Target::gfx902, "gfx902", gfx9, 0x02d, true, false},  {Target::gfx904, "gfx904", gfx904, 0x02e, true, false},
    {Target::gfx906, "gfx906", gfx906, 0x02f, true, true}, {Target::gfx908, "gfx908", gfx908, 0x030, true, true},
    {Target::gfx90a, "gfx90a", gfx90a, 0x03f, true, true},
};
static_assert(std::size(targets) == static_cast<size_t>(Target::count));
} // namespace

const TargetInfo& info(Target t) {
  assert(t < Target::count);
  return targets[static_cast<size_t>(t)];
}

std::optional<Target> parse_target(std::string_view name) {
  const std::string_view processor = name.substr(0, name.find(':'));
  for (const TargetInfo& t : targets)
    if (t.name == processor)
      return t.target;
  return std::nullopt;
}

std::optional<Target> target_from_mach(uint32_t elf_mach) {
  for (const TargetInfo& t : targets)
    if (t.elf_mach == elf_mach)
      return t.target;
  return std::nullopt;
}

} // namespace crosslane::isa
