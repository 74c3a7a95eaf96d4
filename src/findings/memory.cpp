// Vector memory: lines that nobody asked for, clocks of L1, addresses off their size, atomics that meet.
#include "findings/block_rows.h"
#include "findings/buffers.h"
#include "findings/parts.h"
#include "findings/text.h"
#include "findings/tile.h"
#include "isa/op.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::findings::parts {

namespace {

const char* verb(events::AccessKind kind) {
  switch (kind) {
  case events::AccessKind::load: return "reads";
  case events::AccessKind::store: return "writes";
  case events::AccessKind::atomic: return "updates";
  }
  return "";
}

const char* word(events::AccessKind kind) {
  switch (kind) {
  case events::AccessKind::load: return "read";
  case events::AccessKind::store: return "write";
  case events::AccessKind::atomic: return "update";
  }
  return "";
}

uint64_t magnitude(int64_t value) { return static_cast<uint64_t>(value < 0 ? -value : value); }

std::string lines_where(const views::MemoryCounts& c) {
  return fmt::format("{} cache lines where {} would do", per_each(real(c.lines), real(c.requests)),
                     per_each(real(c.ideal_lines), real(c.requests)));
}

// Of an image sample each lane reads several texels.
bool reads_texels(const views::MemorySite& site) {
  return isa::row(site.instruction.op).encoding == isa::Encoding::MIMG &&
         site.counts.bytes_asked > site.counts.lanes * site.bytes;
}

std::string asked_of_lane(const views::MemorySite& site) {
  if (!reads_texels(site))
    return fmt::format("{} bytes a lane", site.bytes);
  return fmt::format("texels of {} bytes, {} a lane", site.bytes,
                     per_each(real(site.counts.bytes_asked), real(site.counts.lanes * site.bytes)));
}

// " Its worst request ... lies in `out[0..1008]`."; empty where nobody knows whose memory it is.
std::string worst_request(const Findings& f, const views::MemorySite& site) {
  const auto& e = site.worst;
  const std::string reached = reached_text(f.buffers, e, site.bytes);
  return reached.empty() ? ""
                         : fmt::format(" Its worst request, of wave {} of workgroup {},{},{}, lies in {}.", e.wave,
                                       e.workgroup[0], e.workgroup[1], e.workgroup[2], reached);
}

std::string measured(const Findings& f, const ProfiledInstruction& i, const views::MemorySite& site) {
  const auto& c = site.counts;
  std::string text =
      fmt::format("{} {} {}: {} request{} touched {} cache lines, and the bytes that {} asked for would "
                  "fit in {}. {} lines too many are {} of the kernel's.",
                  quoted(i), verb(site.kind), asked_of_lane(site), thousands(c.requests), c.requests == 1 ? "" : "s",
                  thousands(c.lines), c.requests == 1 ? "it" : "they", thousands(c.ideal_lines),
                  thousands(c.excess_lines()), share_text(real(c.excess_lines()), real(f.total.lines)));
  if (site.pattern_share > 0 && site.pattern_share < 0.95)
    text += fmt::format(" ({} of the requests are like this: {}.)", share_text(site.pattern_share, 1),
                        describe_pattern(site));
  if (c.ideal_clocks && c.clocks > c.ideal_clocks)
    text += fmt::format(" L1 takes {} clocks for a request, where {} would do.",
                        per_each(real(c.clocks), real(c.requests)), per_each(real(c.ideal_clocks), real(c.requests)));
  return text + worst_request(f, site);
}

std::string stride_advice(const views::MemorySite& site, int64_t bytes, const Words& words) {
  const uint64_t stride = magnitude(bytes);
  if (stride >= 256)
    return fmt::format(
        "Neighbouring lanes go down a column of rows of {} bytes. Let {} run along the row, or stage a tile in {}: "
        "copy rows, and read the columns there (rows padded by one dword).",
        thousands(stride), words.item, words.lds);
  const std::string apart =
      fmt::format("This looks like {} of the {} bytes of a structure. Store each member in an array of its own "
                  "(SoA)",
                  site.bytes, stride);
  if (stride <= 16 && (stride & (stride - 1)) == 0)
    return apart + fmt::format(", or, if the others are used as well, load all {} bytes at once.", stride);
  return apart +
         fmt::format(", or copy whole structures, lane beside lane, to {} and take them apart there.", words.lds);
}

// What a finding says of a pattern.
struct Verdict {
  FindingKind kind = FindingKind::coalescing;
  std::string title, advice;
};

Verdict off_the_line(const views::MemorySite& site, const Words& words) {
  return {FindingKind::misaligned, "Wavefronts begin within a cache line",
          fmt::format(
              "The lowest addresses are multiples of {} bytes only. Let rows and arrays begin at multiples of 64 "
              "bytes, and let "
              "each wavefront begin there too. What reads its neighbours' elements can copy them to {} once, border "
              "included.",
              site.alignment, words.lds)};
}

// What a wavefront that is several rows of work-items would be in a wider block.
std::string wider(const Findings& f, uint32_t width) {
  const uint32_t(&block)[3] = f.kernel.block;
  if (block[0] != width)
    return fmt::format("Let 64 neighbouring work-items be one row, rather than {} of {}.", 64 / width, width);
  return fmt::format(
      "The block is {} work-items wide, so that a wavefront is {} of it. In a block of {} it is one row.", width,
      64 % width ? "parts of several rows" : fmt::format("{} rows", 64 / width),
      shape_text({64, std::max(1u, block[1] * width / 64), block[2]}));
}

std::string whole_lines(const BlockRows& r) {
  const auto pitch = magnitude(r.pitch);
  const uint64_t row_lines = r.width * magnitude(r.step) / 64;
  return fmt::format("Pad the rows to a multiple of 64 bytes ({} -> {}), so that a row of {} lanes is {} whole line{}.",
                     thousands(pitch), thousands((pitch + 63) / 64 * 64), r.width, row_lines,
                     row_lines == 1 ? "" : "s");
}

// Rows whose lanes reach elements side by side, or, as several loads in one, overlap: each row begins and ends within a
// line.
Verdict rows_in_line(const Findings& f, const views::MemorySite& site, const BlockRows& r, const Words& words) {
  const uint64_t row_bytes = r.width * magnitude(r.step);
  Verdict v{FindingKind::misaligned, "", ""};
  if (row_bytes % 64)
    v = {FindingKind::coalescing,
         fmt::format("Rows of {} lanes are {} bytes long, less than whole lines", r.width, row_bytes), ""};
  else if (r.pitch % 64)
    v.title = fmt::format("Rows of {} bytes begin within a cache line", thousands(magnitude(r.pitch)));
  else
    v.title = fmt::format("Rows of {} lanes begin within a cache line", r.width);

  const double lines = mean(real(site.counts.lines), real(site.counts.requests));
  const bool helps_wide = r.wide + 0.5 <= lines && f.kernel.grid[0] >= 64;
  const bool helps_padded = r.padded && *r.padded + 0.5 <= lines && row_bytes % 64 == 0;
  std::string wide = wider(f, r.width);
  wide.back() = ':';
  wide += fmt::format(" about {} cache lines rather than {}.", per_each(r.wide, 1), per_each(lines, 1));
  if (helps_padded && (!helps_wide || *r.padded <= r.wide))
    v.advice = whole_lines(r) + (helps_wide ? " Or: " + wide : "");
  else if (helps_wide)
    v.advice = wide + (helps_padded ? " Or: " + whole_lines(r) : "");
  else
    return off_the_line(site, words);
  if (!helps_padded && row_bytes % 64 == 0)
    v.advice +=
        fmt::format(" What reads its neighbours' elements can also copy them to {} once, border included.", words.lds);
  return v;
}

Verdict one_address_a_row(const Findings& f, const views::MemorySite& site, uint32_t width) {
  return {FindingKind::coalescing, fmt::format("Each {} lanes {} an address of their own", width, word(site.kind)),
          wider(f, width)};
}

Verdict strided_rows(const views::MemorySite& site, uint32_t width, int64_t step, const Words& words) {
  return {FindingKind::coalescing,
          fmt::format("Lanes are {} bytes apart", thousands(magnitude(step))) +
              (width < 64 ? fmt::format(", in rows of {}", width) : ""),
          stride_advice(site, step, words)};
}

// Side by side, in either direction, or overlapping.
bool in_line(int64_t step, const views::MemorySite& site) { return step && magnitude(step) <= site.bytes; }

// The wavefront is rows of its block, but for a few lanes.
Verdict rows(const Findings& f, const views::MemorySite& site, const BlockRows& r, const Words& words) {
  if (in_line(r.step, site))
    return r.several() ? rows_in_line(f, site, r, words) : off_the_line(site, words);
  if (r.step == 0)
    return one_address_a_row(f, site, r.width);
  return strided_rows(site, r.several() ? r.width : 64, r.step, words);
}

// Lanes beside each other that reach elements beside each other: how many on average, and at most.
struct Runs {
  double mean = 0;
  uint32_t longest = 0;
};

Runs runs_of(const views::LaneExample& e, uint32_t bytes) {
  uint32_t lanes = 0, count = 0, length = 0, longest = 0;
  for (size_t lane = 0; lane < 64; ++lane) {
    if (!(e.lanes >> lane & 1))
      continue;
    const bool goes_on = lane && e.lanes >> (lane - 1) & 1 && e.address[lane] == e.address[lane - 1] + bytes;
    length = goes_on ? length + 1 : 1;
    ++lanes, count += goes_on ? 0 : 1, longest = std::max(longest, length);
  }
  return {mean(lanes, count), longest};
}

// In order, but not for long: lists of short rows.
Verdict short_runs(const views::MemorySite& site, uint32_t length, const Words& words) {
  return {
      FindingKind::coalescing, fmt::format("Lanes {} in runs of {} neighbours at most", word(site.kind), length),
      fmt::format("Let 64 neighbouring work-items be one row, or let them copy several rows to {} as if they were one.",
                  words.lds)};
}

// How the lanes' first texels lie to each other says little of all of them.
Verdict texels() {
  return {
      FindingKind::coalescing, "The texels that a wavefront samples lie in many cache lines",
      "Let neighbouring lanes sample neighbouring texels, and those of a row first: a linear image has the texels of a "
      "row side by side, so that a wavefront's share of each row is best whole lines."};
}

Verdict verdict(const Findings& f, const views::MemorySite& site, const Words& words) {
  if (reads_texels(site))
    return texels();
  switch (site.pattern) {
  case views::Pattern::strided:
    return in_line(site.stride, site) ? off_the_line(site, words) : strided_rows(site, 64, site.stride, words);
  case views::Pattern::broadcast:
  case views::Pattern::contiguous:
  case views::Pattern::reversed: return off_the_line(site, words);
  case views::Pattern::block:
  case views::Pattern::random:
  case views::Pattern::single: break;
  }
  const auto& k = f.kernel;
  const Blocks blocks{{k.block[0], k.block[1], k.block[2]}, {k.grid[0], k.grid[1], k.grid[2]}};
  if (const auto r = block_rows(site.worst, blocks, site.bytes); r && (r->step || r->several()))
    return rows(f, site, *r, words);
  // Rows that the kernel makes of its work-items itself.
  if (const auto tile = tile_of(site.worst); tile && tile->rows()) {
    constexpr uint32_t any = ~uint32_t{0};
    if (const auto r = block_rows(site.worst, {{tile->width, 64 / tile->width, 1}, {any, any, any}}, site.bytes))
      return rows(f, site, *r, words);
  }
  if (site.pattern == views::Pattern::block)
    return off_the_line(site, words);
  if (const Runs runs = runs_of(site.worst, site.bytes); runs.mean >= 4 && runs.longest < 64)
    return short_runs(site, runs.longest, words);
  return {FindingKind::coalescing, fmt::format("Lanes {} all over memory", word(site.kind)),
          site.kind == events::AccessKind::load
              ? fmt::format("Sort the indexes, or the data, so that neighbouring lanes reach neighbouring elements; a "
                            "table of up to 64 "
                            "KB can be copied to {} first.",
                            words.lds)
              : fmt::format("Bring the elements in order in {} first, then write them lane beside lane.", words.lds)};
}

void coalescing(Findings& f, int instruction, const views::MemorySite& site) {
  const auto& i = f.at(instruction);
  const auto& c = site.counts;
  Verdict v = verdict(f, site, f.words(i.source));
  f.add(v.kind, instruction, real(c.excess_lines()), "cache lines", real(f.total.lines),
        v.title + ": " + lines_where(c), measured(f, i, site), std::move(v.advice));
}

// L1 alone: the lines are as few as they can be, but their order within groups of four lanes is not what L1 takes at
// once.
void clocks(Findings& f, int instruction, const views::MemorySite& site) {
  const auto& i = f.at(instruction);
  const auto& c = site.counts;
  const uint64_t separate = c.l1_groups[static_cast<int>(views::L1Case::separate_quads)];
  uint64_t groups = 0;
  for (const uint64_t n : c.l1_groups)
    groups += n;
  f.add(FindingKind::coalescing, instruction, real(c.clocks - c.ideal_clocks), "L1 clocks", real(f.total.clocks),
        fmt::format("L1 takes {} clocks where {} would do", per_each(real(c.clocks), real(c.requests)),
                    per_each(real(c.ideal_clocks), real(c.requests))),
        fmt::format(
            "{} {} {} bytes a lane ({}). In {} of {} groups of 16 lanes some 4 lanes reach neither one address nor 4 "
            "consecutive elements, so each 4 lanes take a clock of their own.",
            quoted(i), verb(site.kind), site.bytes, describe_pattern(site), thousands(separate), thousands(groups)) +
            worst_request(f, site),
        "Let each aligned group of 4 lanes reach 4 consecutive elements, in any order, or one and the same.");
}

void misaligned(Findings& f, int instruction, const views::MemorySite& site) {
  const auto& i = f.at(instruction);
  const auto& c = site.counts;
  const uint32_t size = site.bytes > 4 ? 4 : site.bytes;
  f.add(FindingKind::misaligned, instruction, real(c.misaligned_lanes), "lanes", real(f.total.memory_lanes),
        fmt::format("Addresses are no multiples of {} bytes", size),
        fmt::format(
            "{} {} {} bytes a lane, and {} of {} lanes do so off a multiple of {}. {} lanes need two cache lines.",
            quoted(i), verb(site.kind), site.bytes, thousands(c.misaligned_lanes), thousands(c.lanes), size,
            thousands(c.split_lanes)) +
            worst_request(f, site),
        "Align the elements: look for packed structures, byte offsets, and casts of byte pointers. Else load the two "
        "aligned "
        "elements around and shift (v_alignbyte_b32).");
}

void collisions(Findings& f, int instruction, const views::MemorySite& site) {
  const auto& i = f.at(instruction);
  const auto& c = site.counts;
  const Words words = f.words(i.source);
  const double addresses = mean(real(c.lanes - c.address_collisions), real(c.requests)); // different ones
  f.add(FindingKind::atomic_collisions, instruction, real(c.address_collisions), "L2 operations",
        real(f.total.l2_operations),
        fmt::format("Atomics of a wavefront meet: {} of {} lanes queue behind another one of the same address",
                    per_each(real(c.address_collisions), real(c.requests)), per_each(real(c.lanes), real(c.requests))),
        fmt::format("{} ran {} times for {} lanes, and each lane's atomic is an operation of its own in L2. The {} on "
                    "an address of "
                    "another lane are {} of all that the kernel asks of L2.",
                    quoted(i), thousands(c.requests), thousands(c.lanes), thousands(c.address_collisions),
                    share_text(real(c.address_collisions), real(f.total.l2_operations))) +
            worst_request(f, site),
        addresses < 1.5
            ? fmt::format("Reduce in the wavefront first ({}) and let one lane do the atomic.", words.wave_add)
            : fmt::format("Count in {} first, and add each workgroup's counts to memory once.", words.lds));
}

} // namespace

void find_memory(Findings& f) {
  for (size_t at = 0; at < f.kernel.instructions.size(); ++at)
    for (const auto& site : f.kernel.instructions[at].memory) {
      const auto& c = site.counts;
      const int instruction = static_cast<int>(at);
      if (site.space != events::Space::global)
        continue;
      if (c.misaligned_lanes)
        misaligned(f, instruction, site);
      if (c.address_collisions)
        collisions(f, instruction, site);
      if (c.excess_lines() * 20 > c.lines)
        coalescing(f, instruction, site);
      else if (c.clocks > c.ideal_clocks)
        clocks(f, instruction, site);
    }
}

} // namespace crosslane::findings::parts
