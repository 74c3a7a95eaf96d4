// What a kernel is allocated: registers and LDS that keep other wavefronts out, and scratch memory.
#include "findings/parts.h"
#include "findings/text.h"
#include <fmt/format.h>

namespace crosslane::findings::parts {

namespace {

std::string limit_text(const KernelProfile& k, const std::string& limiter) {
  if (limiter == "vgprs")
    return k.agprs ? fmt::format("{} VGPRs and {} accumulation registers", k.vgprs, k.agprs)
                   : fmt::format("{} VGPRs", k.vgprs);
  if (limiter == "sgprs")
    return fmt::format("{} SGPRs", k.sgprs);
  if (limiter == "lds")
    return fmt::format("{} bytes of LDS for a workgroup of {} work-items", thousands(k.lds_bytes),
                       k.block[0] * k.block[1] * k.block[2]);
  return fmt::format("workgroups of {} work-items", k.block[0] * k.block[1] * k.block[2]);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// Scratch that all lanes use at one place of their own lies side by side, since it is interleaved: registers that were
// spilled, or an array whose index is known. Other patterns come of an index that lanes compute.
bool is_indexed(const views::MemorySite& site) {
  return site.pattern == views::Pattern::strided || site.pattern == views::Pattern::random ||
         site.pattern == views::Pattern::block;
}

} // namespace

// A SIMD unit hides the latency of one wavefront's memory behind others' work; half of what fits does for most kernels.
void find_occupancy(Findings& f) {
  const auto& o = f.kernel.occupancy;
  if (!o.waves_per_simd || o.limiter == "waves" || o.waves_per_simd * 2 > o.max_waves_per_simd)
    return;
  std::string others;
  for (const auto& limit : o.limits)
    if (limit.name != o.limiter && limit.name != "waves")
      others += fmt::format("{}{} {}", others.empty() ? " Other limits: " : ", ", limit.name, limit.waves);
  f.add(FindingKind::occupancy, -1, o.max_waves_per_simd - o.waves_per_simd, "waves", o.max_waves_per_simd,
        fmt::format("{} of {} wavefronts fit on a SIMD unit", o.waves_per_simd, o.max_waves_per_simd),
        fmt::format("{} allow no more.{}{} With few wavefronts the latency of memory is not hidden.",
                    capital(limit_text(f.kernel, o.limiter)), others, others.empty() ? "" : "."),
        o.advice.empty() ? "" : capital(o.advice) + ".");
}

void find_scratch(Findings& f) {
  uint64_t loads = 0, stores = 0, lines = 0, indexed = 0, most = 0;
  int costliest = -1;
  for (size_t at = 0; at < f.kernel.instructions.size(); ++at)
    for (const auto& site : f.kernel.instructions[at].memory) {
      if (site.space != events::Space::scratch)
        continue;
      (site.kind == events::AccessKind::load ? loads : stores) += site.counts.requests;
      lines += site.counts.lines;
      indexed += is_indexed(site) ? site.counts.lines : 0;
      if (site.counts.lines > most)
        most = site.counts.lines, costliest = static_cast<int>(at);
    }
  if (costliest < 0)
    return;
  const Words words = f.words(f.at(costliest).source);
  f.add(
      FindingKind::scratch, costliest, real(lines), "cache lines", real(f.total.lines),
      fmt::format("Scratch memory makes up {} of the kernel's cache lines",
                  share_text(real(lines), real(f.total.lines))),
      fmt::format("A work-item has {} bytes of it. {} loads and {} stores touched {} cache lines, most of them {}.",
                  thousands(f.kernel.scratch_bytes), thousands(loads), thousands(stores), thousands(lines),
                  quoted(f.at(costliest))),
      indexed * 2 > lines
          ? fmt::format(
                "Lanes index a private array at run time, which registers cannot. Unroll the loop so that the index is "
                "known, or keep the array in {}.",
                words.lds)
          : fmt::format(
                "All lanes use the same places: registers were spilled, or a private array is not in registers. Keep "
                "fewer "
                "values alive, unroll less, or allow more registers ({} with the real size; the kernel has {} VGPRs).",
                words.workgroup, f.kernel.vgprs));
}

} // namespace crosslane::findings::parts
