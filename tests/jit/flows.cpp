// See flows.h.
#include "tests/jit/flows.h"
#include "engine/dispatch.h"
#include "events/several.h"
#include "isa/encode.h"
#include "isa/parse_program.h"
#include "jit/jit.h"
#include "tests/jit/flow_source.h"
#include "views/active_lanes.h"
#include "views/branches.h"
#include "views/instructions.h"
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <sys/mman.h>

namespace crosslane::test {

namespace {

constexpr uint32_t most_waves = 12, code_bytes = 1 << 16;
constexpr uint32_t left_bytes = flow_table::left_rows * 256;

// How a kernel is run.
struct Way {
  uint32_t groups = 1, items = 64;  // work-items of the grid's first dimension
  bool one_buffer = false;          // for all waves
  int missing_page = -1;            // of the tables, of what is left, of the buffers: waves cannot access it
  uint32_t fail_every = 0;          // jit::Request::fail_every
  uint32_t cold = 0;                // of blocks, one in so many is taken for one that no wave executes
  uint64_t preempt_after = 1 << 20; // of compiled code; where it is less, waves have nothing in common
};

// What listeners have of an instruction.
struct Told {
  uint64_t waves, lanes;
  views::ActiveLanes active;
  views::BranchCounts branch;
  bool operator==(const Told&) const = default;
};

struct Left {
  std::vector<uint8_t> memory;
  engine::Outcome outcome;
  std::map<uint64_t, Told> told; // by dword index
};

struct Counters {
  views::Instructions instructions;
  views::ActiveLaneCounts active;
  views::Branches branches;
  events::Several all;
  Counters() { all.add(instructions), all.add(active), all.add(branches); }
  std::map<uint64_t, Told> told(uint64_t base) const {
    std::map<uint64_t, Told> out;
    for (const auto& site : instructions.sites())
      out[(site.pc - base) / 4].waves = site.count.waves, out[(site.pc - base) / 4].lanes = site.count.lanes;
    for (const auto& site : active.sites())
      out[(site.pc - base) / 4].active = site.active;
    for (const auto& site : branches.sites())
      out[(site.pc - base) / 4].branch = site.counts;
    return out;
  }
};

std::string text_of(const Told& t) {
  std::string lanes;
  for (size_t n = 0; n < t.active.waves.size(); ++n)
    if (t.active.waves[n])
      lanes += fmt::format(" {}:{}", n, t.active.waves[n]);
  const views::BranchCounts& b = t.branch;
  return fmt::format("{} waves, {} lanes, active{}, {} diverged, {} missing; {} times, all {}, none {}, {} of {} lanes",
                     t.waves, t.lanes, lanes, t.active.diverged, t.active.missing, b.executions, b.all, b.none,
                     b.condition_lanes, b.arriving_lanes);
}

} // namespace

struct FlowTrials::Impl {
  Impl(isa::Target t, FlowSettings settings);
  ~Impl() { munmap(reinterpret_cast<void*>(window_), window_bytes); }
  uint32_t number(uint32_t below) { return uint32_t(random_() % below); }
  std::vector<uint32_t> assembled(const FlowKernel&, std::string& why) const;
  void fill(const FlowKernel&, const Way&, uint64_t seed);
  Left dispatch(const FlowKernel&, const std::vector<uint32_t>& words, const Way&, uint64_t seed, bool compiled);
  Way way(const FlowKernel&);
  std::string difference(const FlowKernel&, const std::vector<uint32_t>& words, const Way&, uint64_t seed,
                         FlowResult* = nullptr);
  void complain(FlowKernel, const Way&, uint64_t seed, FlowResult&);

  uint8_t* tables() { return reinterpret_cast<uint8_t*>(window_); }
  uint8_t* left() { return tables() + most_waves * flow_table::bytes; }
  uint8_t* buffers() { return left() + most_waves * left_bytes; }

  isa::Target target_;
  FlowSettings settings_;
  std::mt19937_64 random_;
  FlowSource source_;
  static constexpr size_t data_bytes = most_waves * (flow_table::bytes + left_bytes + flow_table::buffer_bytes),
                          window_bytes = (data_bytes + 65535) / 65536 * 65536;
  std::unique_ptr<engine::Code> code_of_[2]; // of the kernel at hand; the second one is compiled
  uint64_t window_ = 0;                      // straddles a multiple of 4 GiB
  std::unique_ptr<uint8_t, void (*)(void*)> code_{static_cast<uint8_t*>(std::aligned_alloc(4096, code_bytes)),
                                                  std::free};
};

FlowTrials::Impl::Impl(isa::Target t, FlowSettings settings)
    : target_(t), settings_(settings), random_(settings.seed), source_(t, random_) {
  for (uint64_t edge = uint64_t(0x6a00) << 32; !window_ && edge < uint64_t(0x6b00) << 32; edge += uint64_t(1) << 32)
    if (const uint64_t at = edge - window_bytes / 2 / 4096 * 4096;
        mmap(reinterpret_cast<void*>(at), window_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED)
      window_ = at;
}

std::vector<uint32_t> FlowTrials::Impl::assembled(const FlowKernel& k, std::string& why) const {
  const std::string text = k.text();
  const isa::Program program = isa::parse_program(target_, text);
  if (!program.errors.empty()) {
    const isa::ProgramError& e = program.errors.front();
    size_t from = 0;
    for (size_t line = 1; line < e.line; ++line)
      from = text.find('\n', from) + 1;
    why = e.message + ": " + text.substr(from, text.find('\n', from) - from);
  }
  std::vector<uint32_t> words;
  for (const isa::Statement& s : program.statements) {
    const isa::Encoded e = isa::encode(s.instruction);
    if (!e && why.empty())
      why = "cannot be encoded: " + std::string(s.text);
    words.insert(words.end(), e.words.begin(), e.words.begin() + e.size / 4);
  }
  if (words.size() * 4 > code_bytes - 512)
    why = "the kernel is too long";
  return words;
}

// Tables and buffers, as `seed` says.
void FlowTrials::Impl::fill(const FlowKernel& k, const Way& way, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto* words = reinterpret_cast<uint64_t*>(tables());
  for (size_t n = 0; n < data_bytes / 8; ++n)
    words[n] = random();
  std::memset(left(), 0, most_waves * left_bytes);
  const uint32_t waves = k.waves() * way.groups;
  for (uint32_t w = 0; w < waves; ++w) {
    uint8_t* table = tables() + w * flow_table::bytes;
    const auto buffer = reinterpret_cast<uint64_t>(buffers() + (way.one_buffer ? 0 : w * flow_table::buffer_bytes)),
               leaves = reinterpret_cast<uint64_t>(left() + w * left_bytes);
    const uint32_t select = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    const uint32_t head[] = {uint32_t(buffer),
                             uint32_t(buffer >> 32),
                             uint32_t(leaves),
                             uint32_t(leaves >> 32),
                             uint32_t(buffer),
                             uint32_t(buffer >> 32) & 0xffff,
                             ~0u,
                             select | 7 << 12 | 4 << 15};
    std::memcpy(table, head, sizeof head);
    auto* scalars = reinterpret_cast<uint32_t*>(table + flow_table::scalars);
    for (int n = 0; n < 48; ++n)
      if (const uint64_t kind = random() % 4; kind != 0)
        scalars[n] = kind == 1 ? uint32_t(random() % 70) : source_.blocks().edge();
    auto* vectors = reinterpret_cast<uint32_t*>(table + flow_table::vectors);
    for (uint32_t n = 0; n < flow_table::vector_count; ++n)
      for (uint32_t lane = 0; lane < 64; ++lane)
        if (uint32_t& v = vectors[64 * n + lane]; n % 3 == 1)
          v &= 63;
        else if (n % 3 == 2)
          v = source_.blocks().edge();
  }
}

Left FlowTrials::Impl::dispatch(const FlowKernel& k, const std::vector<uint32_t>& words, const Way& way, uint64_t seed,
                                bool compiled) {
  const auto kept = random_; // edges are drawn from it
  random_.seed(seed);
  fill(k, way, seed);
  random_ = kept;
  // The descriptor; AMDGPUUsage, "Kernel Descriptor".
  uint8_t* base = code_.get();
  std::memset(base, 0, 256);
  const auto put = [&](size_t at, auto value) { std::memcpy(base + at, &value, sizeof value); };
  const isa::TargetInfo& info = isa::info(target_);
  const bool gfx90a = info.generation == isa::Generation::gfx90a;
  put(16, int64_t(256));
  if (gfx90a)
    put(44, uint32_t(63)); // accum_offset: 256 VGPRs
  put(48, uint32_t(256 / info.vgpr_granule - 1) | 12u << 6 | 0xc0u << 12 |
              5u << 21);                 // registers, denormals, DX10_CLAMP, IEEE
  put(52, 2u << 1 | 1u << 7 | 1u << 11); // two user SGPRs, workgroup id x, work-item id y
  put(56, uint16_t(1 << 3));             // the kernarg pointer
  std::memcpy(base + 256, words.data(), words.size() * 4);
  std::memset(base + 256 + words.size() * 4, 0, code_bytes - 256 - words.size() * 4);
  auto& code = code_of_[compiled];
  if (!code)
    code = std::make_unique<engine::Code>(target_, reinterpret_cast<uint64_t>(base), code_bytes);
  const uint64_t arguments[] = {reinterpret_cast<uint64_t>(tables()), 0};
  engine::AqlPacket packet;
  packet.setup = 2;
  packet.grid_size[0] = way.items, packet.grid_size[1] = k.group[1];
  packet.workgroup_size[0] = uint16_t(k.group[0]), packet.workgroup_size[1] = uint16_t(k.group[1]);
  packet.group_segment_size = k.lds ? flow_table::lds_bytes : 0;
  packet.kernel_object = reinterpret_cast<uint64_t>(base);
  packet.kernarg_address = reinterpret_cast<uint64_t>(arguments);
  engine::Options options;
  options.poison = k.narrow ? 1 : 0;
  options.threads = 1; // waves come one after the other, so that it does not matter what they have in common
  if (compiled) {
    setenv("CROSSLANE_JIT_FAIL_GUARDS", std::to_string(way.fail_every).c_str(), 1);
    setenv("CROSSLANE_JIT_COLD", std::to_string(way.cold).c_str(), 1);
    options.compiler = jit::compiler();
    options.preempt_after = way.preempt_after;
  }
  Left out;
  const auto protect = [&](int protection) {
    if (way.missing_page >= 0)
      mprotect(tables() + size_t(way.missing_page) * 4096, 4096, protection);
  };
  Counters counters;
  if (settings_.counts)
    options.listener = &counters.all;
  protect(PROT_NONE);
  out.outcome = engine::run(*code, packet, "flow", options);
  protect(PROT_READ | PROT_WRITE);
  out.memory.assign(tables(), tables() + data_bytes);
  out.told = counters.told(reinterpret_cast<uint64_t>(base) + 256);
  if (compiled && settings_.breaks)
    out.memory[most_waves * flow_table::bytes] ^= 1;
  return out;
}

Way FlowTrials::Impl::way(const FlowKernel& k) {
  Way way;
  way.groups = 1 + number(std::min(most_waves / k.waves(), 4u));
  way.items = k.group[0] * way.groups;
  if (k.partial && number(2))
    way.items -= number(k.group[0]); // the last one is smaller
  if (number(3) == 0)
    way.fail_every = 1 + number(7);
  if (number(4) == 0)
    way.cold = 2 + number(15);
  if (!k.several_waves && number(2))
    way.preempt_after = number(2) ? 1 : 1 + number(200);
  else
    way.one_buffer = number(2);
  if (way.preempt_after == Way{}.preempt_after && !number(4)) // or others may have done more or less by then
    way.missing_page = int(number(uint32_t((data_bytes + 4095) / 4096)));
  return way;
}

// Empty: there is none.
std::string FlowTrials::Impl::difference(const FlowKernel& k, const std::vector<uint32_t>& words, const Way& way,
                                         uint64_t seed, FlowResult* result) {
  const Left a = dispatch(k, words, way, seed, false);
  const jit::Stats before = jit::stats();
  const Left b = dispatch(k, words, way, seed, true);
  const jit::Stats after = jit::stats();
  if (result) {
    result->faults += a.outcome.fault.has_value();
    ++result->runs, result->executed += a.outcome.stats.instructions;
    result->entered += after.entered - before.entered, result->left += after.left - before.left;
    result->ranged += after.ranged - before.ranged;
    if (after.refused != before.refused && after.why.starts_with("the translation has")) // where loops do not count
      ++result->too_large;
    else if (after.refused != before.refused)
      result->refused.push_back(after.why);
  }
  std::string text;
  const auto fault = [](const Left& l) {
    if (!l.outcome.fault)
      return std::string("none");
    const machine::Fault& f = *l.outcome.fault;
    return fmt::format("{} at {:#x}, workgroup {}, wave {}, lane {}, address {:#x}", machine::name(f.kind), f.pc,
                       f.workgroup[0], f.wave, f.lane, f.address);
  };
  if (fault(a) != fault(b))
    text += fmt::format("  fault: {} interpreted, {} compiled\n", fault(a), fault(b));
  if (a.outcome.stats.instructions != b.outcome.stats.instructions)
    text += fmt::format("  instructions: {} interpreted, {} compiled\n", a.outcome.stats.instructions,
                        b.outcome.stats.instructions);
  if (!a.outcome.fault)
    for (const auto& [pc, by_hooks] : a.told) {
      if (const auto at = b.told.find(pc); at == b.told.end())
        text += fmt::format("  dword {}: {} by hooks, nothing by counters\n", pc, text_of(by_hooks));
      else if (!(at->second == by_hooks))
        text +=
            fmt::format("  dword {}: {} by hooks\n      {} by counters\n", pc, text_of(by_hooks), text_of(at->second));
    }
  if (!a.outcome.fault && a.told.size() != b.told.size())
    text += fmt::format("  {} instructions by hooks, {} by counters\n", a.told.size(), b.told.size());
  int told = 0;
  for (size_t n = 0; n < a.memory.size(); n += 4) {
    uint32_t x, y;
    std::memcpy(&x, &a.memory[n], 4), std::memcpy(&y, &b.memory[n], 4);
    if (x == y || told++ > 5)
      continue;
    const size_t left = most_waves * flow_table::bytes, buffer = left + most_waves * left_bytes;
    const std::string where = n < left     ? fmt::format("tables, byte {}", n)
                              : n < buffer ? fmt::format("left by wave {}, row {}, lane {}", (n - left) / left_bytes,
                                                         (n - left) % left_bytes / 256, n / 4 % 64)
                                           : fmt::format("buffer {}, byte {}", (n - buffer) / flow_table::buffer_bytes,
                                                         (n - buffer) % flow_table::buffer_bytes);
    text += fmt::format("  {}: {:#x} interpreted, {:#x} compiled\n", where, x, y);
  }
  return text;
}

void FlowTrials::Impl::complain(FlowKernel k, const Way& way, uint64_t seed, FlowResult& result) {
  ++result.differences;
  if (settings_.breaks)
    return result.complaints.push_back("as was to be");
  std::string why, text;
  const auto differs = [&](const FlowKernel& tried) {
    std::string problem;
    const auto words = assembled(tried, problem);
    code_of_[0].reset(), code_of_[1].reset();
    const std::string told = problem.empty() ? difference(tried, words, way, seed) : "";
    if (!told.empty())
      text = told;
    return !told.empty();
  };
  if (!differs(k)) {
    result.complaints.push_back("a kernel differs once only\n" + k.text());
    return;
  }
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const bool keep_inside : {false, true})
      for (size_t n = k.size(); n-- > 0;)
        if (const FlowKernel tried = k.without(n, keep_inside);
            n < k.size() && tried.text().size() < k.text().size() && differs(tried))
          k = tried, shorter = true;
  }
  differs(k);
  result.complaints.push_back(fmt::format("{}: seed {}, {} x {} items in groups of {} x {}, guards fail every {}, "
                                          "one block of {} is cold, preempted after {}, page {} missing{}\n{}{}",
                                          isa::info(target_).name, seed, way.items, k.group[1], k.group[0], k.group[1],
                                          way.fail_every, way.cold, way.preempt_after, way.missing_page,
                                          way.one_buffer ? ", one buffer" : "", k.text(), text));
}

FlowTrials::FlowTrials(isa::Target t, FlowSettings settings) : impl_(std::make_unique<Impl>(t, settings)) {}
FlowTrials::~FlowTrials() = default;

FlowResult FlowTrials::run(uint64_t count) {
  FlowResult result;
  Impl& m = *impl_;
  if (!m.window_ || jit::policy() != jit::Policy::always) {
    result.refused.push_back(m.window_ ? "CROSSLANE_JIT is not always" : "no memory to try in");
    return result;
  }
  while (result.kernels < count && result.refused.size() < 20) {
    const FlowKernel k = m.source_.kernel();
    if (m.settings_.counts && k.group[0] * k.group[1] < 64)
      continue; // the interpreter counts
    std::string why;
    const auto words = m.assembled(k, why);
    if (!why.empty()) {
      result.refused.push_back(why);
      continue;
    }
    m.code_of_[0].reset(), m.code_of_[1].reset();
    ++result.kernels, result.instructions += words.size();
    const Way way = m.way(k);
    for (int n = 0; n < m.settings_.states; ++n) {
      const uint64_t seed = m.random_();
      if (m.difference(k, words, way, seed, &result).empty())
        continue;
      m.complain(k, way, seed, result);
      break;
    }
  }
  return result;
}

} // namespace crosslane::test
