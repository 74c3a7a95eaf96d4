// Owns how probes that users write in OpenCL C or HIP become instructions: by the toolchain, whoever instruments.
#pragma once
#include "rewrite/instrument.h"

namespace crosslane::profile {

// `clang`: more options for it.
rewrite::ProbeCompiler probe_compiler(std::vector<std::string> clang = {});

} // namespace crosslane::profile
