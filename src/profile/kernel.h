// Owns turning what views heard of one kernel into a findings::KernelProfile: every instruction of the functions that
// ran, with text, place and counts. Not for users of the layer.
#pragma once
#include "codeobject/code_object.h"
#include "findings/profile.h"
#include "profile/sources.h"
#include "views/instructions.h"
#include "views/locate.h"

namespace crosslane::profile {

// What the views say. The addresses are those of loaded code.
struct Heard {
  std::vector<views::InstructionSite> counts; // one of these two says which instructions ran
  std::vector<views::ActiveLanesSite> active;
  std::vector<views::BranchSite> branches;
  std::vector<views::WaveBranch> waves_branches;
  std::vector<views::MemorySite> memory;
  std::vector<views::LdsSite> lds;
};

void fill_in_instructions(findings::KernelProfile&, const views::Image&, const codeobject::Kernel&, Heard, Sources&);

findings::Trace make_trace(views::WaveTrace, const views::Image&, Sources&);

} // namespace crosslane::profile
