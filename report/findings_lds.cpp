// LDS instructions whose lanes meet in a bank.
#include "report/findings_parts.h"
#include "report/text.h"
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace crosslane::report::parts {

namespace {

// Bytes from each lane of the worst access to the next one, if it is always the same.
std::optional<int64_t> stride_of(const views::LaneExample& e) {
  std::optional<int64_t> stride;
  for (int lane = 0; lane + 1 < 64; ++lane) {
    if (!(e.lanes >> lane & 1) || !(e.lanes >> (lane + 1) & 1))
      continue;
    const auto step =
        static_cast<int64_t>(e.address[static_cast<size_t>(lane) + 1] - e.address[static_cast<size_t>(lane)]);
    if (stride && *stride != step)
      return {};
    stride = step;
  }
  return stride;
}

std::string pad(uint64_t bytes, const char* what) {
  return fmt::format(
      "Pad {} by one dword ({} -> {}), so that the lanes' banks differ, or exclusive-or the column with the row.", what,
      bytes / 4, bytes / 4 + 1);
}

std::string conflict_advice(const views::LdsSite& site) {
  const uint64_t apart = site.worst_address[0] < site.worst_address[1] ? site.worst_address[1] - site.worst_address[0]
                                                                       : site.worst_address[0] - site.worst_address[1];
  if (const auto stride = stride_of(site.worst); stride && *stride && *stride % 4 == 0) {
    const auto bytes = static_cast<uint64_t>(*stride < 0 ? -*stride : *stride);
    if (bytes % 128 == 0)
      return fmt::format("The lanes go down a column of rows of {} bytes. ", bytes) + pad(bytes, "each row");
    if (std::gcd(bytes / 4, uint64_t{32}) > 1)
      return fmt::format(
          "The lanes are {} bytes apart and use every {}th bank only. An odd number of dwords between lanes uses "
          "all 32 ({} -> {}); so does an array of its own for each member of a structure.",
          bytes, std::gcd(bytes / 4, uint64_t{32}), bytes / 4, bytes / 4 + 1);
  }
  if (apart && apart % 128 == 0)
    return fmt::format("The two addresses are {} bytes apart: if that is a row, or some rows, of the tile, ", apart) +
           "pad each row by one dword (32 -> 33), so that rows begin in different banks.";
  return "Spread the addresses: let neighbouring lanes reach neighbouring dwords, or exclusive-or the low bits of the "
         "index "
         "with its high bits.";
}

void conflicts(Findings& f, int instruction) {
  const auto& i = f.at(instruction);
  const auto& site = *i.lds;
  const auto& c = site.counts;
  std::string text =
      fmt::format("{} took {} cycles in {} accesses, where {} would do: {} for conflicts, {} of all that the kernel "
                  "spends in LDS.",
                  quoted(i), thousands(c.cycles), thousands(c.accesses), thousands(c.ideal_cycles),
                  thousands(c.conflict_cycles()), share_text(real(c.conflict_cycles()), real(f.total.lds_cycles)));
  if (site.worst_degree > 1)
    text += fmt::format(" At worst {} dwords of one group of lanes lie in bank {}, such as those of lanes {} and {} at "
                        "{:#x} and {:#x}.",
                        site.worst_degree, site.worst_bank, site.worst_lane[0], site.worst_lane[1],
                        site.worst_address[0], site.worst_address[1]);
  f.add(FindingKind::bank_conflicts, instruction, real(c.conflict_cycles()), "LDS cycles", real(f.total.lds_cycles),
        fmt::format("{}-way bank conflicts: {} LDS cycles where {} would do", site.worst_degree,
                    per_each(real(c.cycles), real(c.accesses)), per_each(real(c.ideal_cycles), real(c.accesses))),
        text, conflict_advice(site));
}

void collisions(Findings& f, int instruction) {
  const auto& i = f.at(instruction);
  const auto& c = i.lds->counts;
  const double each = mean(real(c.same_address_atomics), real(c.accesses));
  f.add(FindingKind::atomic_collisions, instruction, real(c.conflict_cycles()), "LDS cycles", real(f.total.lds_cycles),
        fmt::format("Atomics of a wavefront meet: {} of {} lanes wait for another one's dword",
                    per_each(real(c.same_address_atomics), real(c.accesses)),
                    per_each(real(c.lanes), real(c.accesses))),
        fmt::format("{} took {} cycles in {} accesses, where {} would do: atomics on one dword go one after the other. "
                    "That is {} "
                    "of all that the kernel spends in LDS.",
                    quoted(i), thousands(c.cycles), thousands(c.accesses), thousands(c.ideal_cycles),
                    share_text(real(c.conflict_cycles()), real(f.total.lds_cycles))),
        each > 32 ? fmt::format("Reduce in the wavefront first ({}, DPP or ds_swizzle) and let one lane do the atomic.",
                                f.words(i.source).wave_add)
                  : std::string("Keep several copies, so that the lanes of a wavefront spread (copy = lane % 8, one "
                                "bank apart), and add "
                                "them up at the end."));
}

} // namespace

void find_lds(Findings& f) {
  for (size_t at = 0; at < f.kernel.instructions.size(); ++at) {
    const auto& site = f.kernel.instructions[at].lds;
    if (!site || !site->counts.conflict_cycles())
      continue;
    // Lanes at one dword explain about as many cycles as they are.
    if (site->counts.same_address_atomics * 2 > site->counts.conflict_cycles())
      collisions(f, static_cast<int>(at));
    else
      conflicts(f, static_cast<int>(at));
  }
}

} // namespace crosslane::report::parts
