// Owns the question where in its pages an allocation of device memory lies. A pool gives whole pages of 4 KiB, as its
// granule and alignment say: who calls HSA itself gets that, and what is past the pages faults. The libraries of HIP,
// OpenMP, OpenACC and OpenCL promise their programs less (256 bytes of alignment, the size that was asked for), and it
// is those programs' mistakes that want finding: where one of them is loaded an allocation lies at the end of its
// pages, so that what is past it faults to within 256 bytes. CROSSLANE_BOUNDS=exact asks for that in any program.
#pragma once

namespace crosslane::hsa {

// One of these libraries is in the process.
bool language_runtime_loaded();

} // namespace crosslane::hsa
