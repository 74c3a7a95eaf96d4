// Owns turning what views heard of one kernel into a findings::KernelProfile: every instruction of the functions that
// ran, with text, place and counts. Not for users of the layer.
#pragma once
#include "codeobject/code_object.h"
#include "findings/profile.h"
#include "profile/sources.h"
#include "report/view.h"
#include "views/locate.h"
#include <memory>
#include <span>

namespace crosslane::profile {

// One of the hearings has counted executions.
void fill_in_instructions(findings::KernelProfile&, const views::Image&, const codeobject::Kernel&,
                          std::span<const std::unique_ptr<report::Hearing>>, Sources&);

findings::Trace make_trace(views::WaveTrace, const views::Image&, Sources&);

} // namespace crosslane::profile
