// What a kernel spends on nothing, most costly first. Each kind is found in a file of its own; here is what is worth
// telling of, what belongs together, and the order.
#include "findings/derive.h"
#include "findings/names.h"
#include "findings/order.h"
#include "findings/parts.h"
#include "findings/text.h"
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace crosslane::findings {

namespace parts {

namespace {

// Below either, a finding is no finding: a kernel without faults has some loss at its edges, and a launch of one wave
// does not tell much.
constexpr double least_share = 0.05;

double least_cost(std::string_view unit) {
  if (unit == "lane-cycles")
    return 256; // four wave-instructions
  return unit == "waves" ? 1 : 8;
}

} // namespace

Words words_of(std::string_view language) {
  if (language == "hip")
    return {"__shared__ memory", "threadIdx.x", "__launch_bounds__", "__shfl_xor, which is DPP or ds_swizzle"};
  if (language == "opencl")
    return {"__local memory", "get_local_id(0)", "reqd_work_group_size", "sub_group_reduce_add"};
  return {"LDS", "the work-item's number", "the kernel's metadata",
          "v_add with DPP row_shr and row_bcast, or ds_swizzle"};
}

// A header does not tell, whatever includes it: the kernel's language is that of the first instruction that does. C++
// is HIP's, unless it is OpenMP's, which has other words.
Words Findings::words(const Place& place) const {
  const auto language = [&](const Place& p) -> std::string_view {
    return p.known() ? std::string_view(sources[static_cast<size_t>(p.file)].language) : "";
  };
  const auto tells = [](std::string_view l) { return l == "hip" || l == "opencl"; };
  if (tells(language(place)))
    return words_of(language(place));
  bool cxx = false;
  for (const auto& i : kernel.instructions) {
    if (tells(language(i.source)))
      return words_of(language(i.source));
    cxx |= language(i.source) == "c++";
  }
  return words_of(cxx && !kernel.name.starts_with("__omp_offloading") ? "hip" : "");
}

void Findings::add(FindingKind kind, int instruction, double cost, const char* unit, double all, std::string title,
                   std::string text, std::string advice) {
  if (all <= 0 || cost < least_cost(unit))
    return;
  Finding f;
  f.kind = kind, f.instruction = instruction, f.cost = cost, f.unit = unit, f.share = std::min(1.0, cost / all);
  f.title = std::move(title), f.text = std::move(text), f.advice = std::move(advice);
  // What the compiler gave no line is told of at the line before it.
  for (int i = instruction; i >= 0 && instruction - i < 8 && !(f.source.known() && f.source.line); --i)
    if (at(i).function == at(instruction).function)
      f.source = at(i).source;
  list.push_back(std::move(f));
}

double real(uint64_t count) { return static_cast<double>(count); }
double mean(double sum, double count) { return count > 0 ? sum / count : 0; }

std::string per_each(double sum, double count) {
  const double value = mean(sum, count);
  return std::abs(value - std::round(value)) < 0.05 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string quoted(const ProfiledInstruction& i) {
  return i.function.empty() ? fmt::format("`{}` at {:#x}", i.text, i.address)
                            : fmt::format("`{}` at {}+{:#x}", i.text, short_name(i.function, 40), i.offset);
}

std::string share_text(double part, double whole) { return percent_text(part, whole); }

namespace {

// Findings of one kind on one source line are one: compilers unroll and split.
std::vector<Finding> merged(std::vector<Finding> list) {
  std::vector<Finding> result;
  std::vector<int> others;
  std::map<std::tuple<FindingKind, int, uint32_t, std::string>, size_t> known;
  for (const size_t i : costly_first(list.size(), [&](size_t at) { return list[at].cost; })) {
    auto& f = list[i];
    if (f.source.known() && f.source.line) {
      const auto [entry, added] =
          known.emplace(std::tuple(f.kind, f.source.file, f.source.line, f.unit), result.size());
      if (!added) {
        auto& first = result[entry->second];
        first.cost += f.cost, first.share = std::min(1.0, first.share + f.share);
        ++others[entry->second];
        continue;
      }
    }
    result.push_back(std::move(f));
    others.push_back(0);
  }
  for (size_t i = 0; i < result.size(); ++i)
    if (others[i])
      result[i].text += fmt::format(
          " With {} more instruction{} of this line: {} {}, {:.1f} %.", others[i], others[i] == 1 ? "" : "s",
          thousands(static_cast<uint64_t>(std::llround(result[i].cost))), result[i].unit, 100 * result[i].share);
  return result;
}

// Waves that do not fit are lost to nobody if the others keep the units busy; lanes, lines and cycles are.
double weight(const Finding& f) { return f.kind == FindingKind::occupancy ? f.share / 2 : f.share; }

} // namespace

} // namespace parts

void derive_findings(KernelProfile& kernel, const std::vector<SourceFile>& sources, std::span<const Buffer> buffers) {
  parts::Findings findings{kernel, sources, buffers, totals(kernel), {}};
  parts::find_divergence(findings);
  parts::find_partial_waves(findings);
  parts::find_memory(findings);
  parts::find_scratch(findings);
  parts::find_lds(findings);
  parts::find_occupancy(findings);
  auto list = parts::merged(std::move(findings.list));
  kernel.findings.clear();
  for (const size_t i : costly_first(list.size(), [&](size_t at) { return parts::weight(list[at]); }))
    if (list[i].share >= parts::least_share)
      kernel.findings.push_back(std::move(list[i]));
}

const char* name_of(FindingKind kind) {
  switch (kind) {
  case FindingKind::divergence: return "divergence";
  case FindingKind::partial_waves: return "partial_waves";
  case FindingKind::coalescing: return "coalescing";
  case FindingKind::misaligned: return "misaligned";
  case FindingKind::atomic_collisions: return "atomic_collisions";
  case FindingKind::bank_conflicts: return "bank_conflicts";
  case FindingKind::occupancy: return "occupancy";
  case FindingKind::scratch: return "scratch";
  }
  return "";
}

} // namespace crosslane::findings
