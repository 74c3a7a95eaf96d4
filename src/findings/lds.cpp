// LDS instructions whose lanes meet in a bank.
#include "findings/parts.h"
#include "findings/text.h"
#include "findings/tile.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace crosslane::findings::parts {

namespace {

// What a pitch can be found for. Wider accesses take other groups of lanes, and so do two addresses that overlap.
bool is_simple(const views::LdsSite& site) {
  const auto& e = site.worst;
  for (size_t lane = 0; lane < 64 && !adjacent(e); ++lane)
    if (e.two_addresses && e.lanes >> lane & 1 && e.second[lane] + 4 - e.address[lane] <= 8)
      return false;
  return site.bytes <= 4 && site.kind != events::AccessKind::atomic;
}

// Advice on pitches has to suit all that reach the same rows: what pads a tile for its rows may spoil its columns.
class Pitches {
public:
  explicit Pitches(const KernelProfile& k) {
    for (const auto& i : k.instructions)
      if (i.lds && is_simple(*i.lds))
        if (const auto pitch = row_pitch(i.lds->worst))
          rows_[*pitch].accesses.push_back(&i.lds->worst);
  }

  std::string advice(uint64_t now) {
    Rows& rows = rows_[now];
    if (!rows.advice.empty())
      return rows.advice;
    rows.advice = fmt::format("The lanes' rows are {} bytes ({} dwords) apart. ", thousands(now), now / 4);
    const size_t others = rows.accesses.size() - 1;
    if (const auto better = better_pitch(rows.accesses, now))
      rows.advice +=
          fmt::format("A pitch of {} dwords ({} -> {}) has no conflict{}.", *better / 4, now / 4, *better / 4,
                      others ? fmt::format(", neither here nor in the other accesses of such rows ({})", others) : "");
    else
      rows.advice +=
          "No pitch that is a little longer suits all accesses of such rows: exclusive-or the column with the row, or "
          "let a half of the wavefront be one row.";
    return rows.advice;
  }

private:
  struct Rows {
    std::vector<const views::LaneExample*> accesses;
    std::string advice; // once it is known
  };
  std::map<uint64_t, Rows> rows_; // by pitch
};

std::string conflict_advice(Pitches& pitches, const views::LdsSite& site) {
  if (const auto pitch = is_simple(site) ? row_pitch(site.worst) : std::nullopt)
    return pitches.advice(*pitch);
  const uint64_t low = std::min(site.worst_address[0], site.worst_address[1]),
                 apart = std::max(site.worst_address[0], site.worst_address[1]) - low;
  if (apart && apart % 128 == 0)
    return fmt::format(
        "The two addresses are {} bytes apart: if that is a row, or some rows, of a tile, pad each row by one element "
        "(such as 32 -> 33), so that rows begin in different banks.",
        thousands(apart));
  return "Spread the addresses: let neighbouring lanes reach neighbouring dwords, or exclusive-or the low bits of the "
         "index with "
         "its high bits.";
}

void conflicts(Findings& f, Pitches& pitches, int instruction, const views::LdsSite& site) {
  const auto& i = f.at(instruction);
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
        text, conflict_advice(pitches, site));
}

void collisions(Findings& f, int instruction, const views::LdsSite& site) {
  const auto& i = f.at(instruction);
  const auto& c = site.counts;
  const double dwords =
      mean(real(c.lanes - std::min(c.lanes, c.same_address_atomics)), real(c.accesses)); // different ones
  f.add(FindingKind::atomic_collisions, instruction, real(c.conflict_cycles()), "LDS cycles", real(f.total.lds_cycles),
        fmt::format("Atomics of a wavefront meet: {} of {} lanes wait for another one's dword",
                    per_each(real(c.same_address_atomics), real(c.accesses)),
                    per_each(real(c.lanes), real(c.accesses))),
        fmt::format("{} took {} cycles in {} accesses, where {} would do: atomics on one dword go one after the other. "
                    "That is {} "
                    "of all that the kernel spends in LDS.",
                    quoted(i), thousands(c.cycles), thousands(c.accesses), thousands(c.ideal_cycles),
                    share_text(real(c.conflict_cycles()), real(f.total.lds_cycles))),
        dwords < 1.5 ? fmt::format("Reduce in the wavefront first ({}) and let one lane do the atomic.",
                                   f.words(i.source).wave_add)
                     : std::string("Keep several copies, so that the lanes of a wavefront spread (copy = lane % 8, one "
                                   "bank apart), and add "
                                   "them up at the end."));
}

} // namespace

void find_lds(Findings& f) {
  Pitches pitches(f.kernel);
  for (size_t at = 0; at < f.kernel.instructions.size(); ++at) {
    const auto& site = f.kernel.instructions[at].lds;
    if (!site || !site->counts.conflict_cycles())
      continue;
    // Lanes at one dword explain about as many cycles as they are.
    if (site->counts.same_address_atomics * 2 > site->counts.conflict_cycles())
      collisions(f, static_cast<int>(at), *site);
    else
      conflicts(f, pitches, static_cast<int>(at), *site);
  }
}

} // namespace crosslane::findings::parts
