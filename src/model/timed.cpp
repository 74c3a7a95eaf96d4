// The card, and the thread that replays.
#include "model/timed.h"
#include "codeobject/first_instruction.h"
#include "isa/parse.h"
#include "model/dependence.h"
#include "timing/formats/timeline.h"
#include "timing/issue_cycles.h"
#include "timing/replay/json.h"
#include "timing/replay/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::model {

namespace replay = timing::replay;

namespace {

constexpr uint64_t instructions_without_sampling = 10'000'000; // two seconds of a core, or so

uint32_t round_up(uint32_t n, uint32_t granule) { return (n + granule - 1) / granule * granule; }

replay::Needs needs_of(const replay::Machine& m, const codeobject::Kernel& kernel, const engine::AqlPacket& packet) {
  return {.vgprs = round_up(std::max(kernel.allocated_vgpr_count, 1u), m.vgpr_granule),
          .sgprs = round_up(std::max(kernel.allocated_sgpr_count, 1u), m.sgpr_granule),
          .lds = round_up(packet.group_segment_size, m.lds_granule),
          // A byte of each of 64 lanes is a line; given out by 1 KiB.
          .scratch = round_up(packet.private_segment_size, 16)};
}

// "gfx803" is of version 8.
unsigned gfxip_of(isa::Target target) { return unsigned(isa::info(target).name[3] - '0'); }

uint32_t waves_of(const engine::AqlPacket& packet) { // of a workgroup
  const auto& size = packet.workgroup_size;
  return (uint32_t(size[0]) * size[1] * size[2] + 63) / 64;
}

replay::Sampling sampling_of(const engine::AqlPacket& packet, std::optional<double> error) {
  replay::Sampling s{.groups = 1};
  for (int d = 0; d < 3; ++d)
    s.groups *= (packet.grid_size[d] + packet.workgroup_size[d] - 1) / std::max<uint32_t>(packet.workgroup_size[d], 1);
  if (error)
    s.error = *error;
  else
    s.least_instructions = instructions_without_sampling;
  return s;
}

// Operations and bytes a second: what the card could do at best.
nlohmann::ordered_json peaks(const gpu::Machine& card, const replay::Machine& m) {
  const auto rate = [&](const char* text) { // of multiply-adds
    const isa::Parsed parsed = isa::parse(card.target, text);
    const uint32_t cycles = parsed ? timing::issue_cycles(parsed.instruction, m.rates) : 0;
    return cycles ? 2.0 * 64 / cycles * m.simds * m.units * m.mhz * 1e6 : 0.0;
  };
  return {{"f32", rate("v_mac_f32 v0, v0, v0")},    {"f64", rate("v_fma_f64 v[0:1], v[0:1], v[0:1], v[0:1]")},
          {"memory", m.memory_bytes * m.mhz * 1e6}, {"l2", m.channel_bytes * m.channels * m.mhz * 1e6},
          {"l1", 64.0 * m.units * m.mhz * 1e6},     {"lds", 128.0 * m.units * m.mhz * 1e6}};
}

} // namespace

Timed::Timed(gpu::Machine card, const views::Image& image, const codeobject::Kernel& kernel,
             const engine::AqlPacket& packet, const TimedOptions& options)
    : card_(std::move(card)), machine_(replay::machine_of(card_, used_)),
      replay_(machine_, needs_of(machine_, kernel, packet),
              [this](uint32_t number) { return paced_ ? paced_->block(number) : traces_->block(number); }),
      kernel_(kernel.name), image_(image), options_(options) {
  if (options_.record)
    replay_.record({});
  const uint64_t entry = codeobject::first_instruction(kernel) - image.object->image_begin() + image.base;
  const Dependence depends =
      dependence(*image.object, image.target, reinterpret_cast<const uint8_t*>(image.base), entry);
  if (depends != Dependence::none && options.window) {
    trouble_ = "the kernel depends on when it runs (it reads a clock, or what other waves write): it is timed as a "
               "whole, without ranges";
    return;
  }
  if (depends != Dependence::none) {
    const double cycle_ns = 1e3 / machine_.mhz;
    paced_ = std::make_unique<views::PacedTraces>(
        views::PacedTraces::Clock{.cycles = uint64_t(options.nanoseconds / cycle_ns),
                                  .nanoseconds = options.nanoseconds,
                                  .cycle_ns = cycle_ns,
                                  .tick_ns = realtime_tick_ns},
        depends == Dependence::memory);
    paced_->attach(replay_);
    return;
  }
  replay_.share(options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency()));
  const bool samples = !options.record && options.error != 0.0;
  if (options_.window)
    replay_.watch(*options_.window, waves_of(packet));
  else if (samples)
    replay_.sample(sampling_of(packet, options.error), waves_of(packet));
  trouble_ = replay_.trouble();
  if (!trouble_.empty())
    return;
  traces_ = std::make_unique<views::WaveTraces>(samples || options_.window);
  thread_ = std::thread([this] {
    trouble_ = replay_.run(*traces_);
    if (!trouble_.empty())
      traces_->abandon();
  });
}

Timed::~Timed() {
  if (!thread_.joinable())
    return;
  traces_->abandon();
  traces_->finish();
  thread_.join();
}

events::Listener& Timed::listener() {
  if (paced_)
    return *paced_;
  return *traces_;
}

std::string Timed::await() {
  if (paced_)
    return paced_->finish();
  traces_->finish();
  thread_.join();
  const std::string incomplete = traces_->incomplete();
  return incomplete.empty() ? trouble_ : incomplete;
}

std::string Timed::finish(const engine::Stats& stats) {
  std::string why = await();
  stats_ = stats;
  if (why.empty())
    replay_.extrapolate(stats.instructions, stats.waves);
  if (options_.record && why.empty()) {
    course_ = timing::formats::course_of(
        replay_, machine_, [this](uint64_t pc) { return image_.to_object(pc); },
        [this](uint64_t pc) { return views::source_of(image_, pc); });
    course_->kernel = kernel_, course_->readable = codeobject::demangle(kernel_);
    course_->card = card_.name;
    course_->gfxip = gfxip_of(card_.target);
  }
  return why;
}

uint64_t Timed::lds_waits() const {
  using replay::Spent;
  const replay::Figures f = replay_.figures();
  uint64_t cycles = 0;
  replay_.program().for_each([&](const replay::BlockRows& block) {
    for (size_t i = 0; i < block.rows.size() && block.first + i < f.rows.size(); ++i)
      if (block.rows[i].port == replay::Port::lds) {
        const auto& spent = f.rows[block.first + i].cycles;
        cycles += spent[size_t(Spent::not_win)] + spent[size_t(Spent::unit_full)];
      }
  });
  return cycles;
}

std::string Timed::text() const {
  std::string text = replay::text(replay_.figures(), replay_.estimate(), replay_.program(), machine_, card_.name);
  text += "assumed:";
  for (const gpu::Parameter p : used_.assumed(card_))
    text += fmt::format(" {}={}", gpu::info(p).name, card_[p]);
  text += "\n";
  std::string unused;
  for (const gpu::Parameter p : used_.unused(card_))
    unused += fmt::format(" {}", gpu::info(p).name);
  return unused.empty() ? text : text + "given, and not modelled:" + unused + "\n";
}

void Timed::describe_card(nlohmann::ordered_json& document) const {
  auto& assumed = document["assumed"] = nlohmann::ordered_json::object();
  for (const gpu::Parameter p : used_.assumed(card_))
    assumed[std::string(gpu::info(p).name)] = card_[p];
  document["card"] = card_.name;
  document["simds"] = machine_.simds;
  document["waves_per_simd"] = machine_.waves_per_simd;
  document["peaks"] = peaks(card_, machine_);
}

nlohmann::ordered_json Timed::json() const {
  if (options_.window) {
    nlohmann::ordered_json document = {
        {"mhz", machine_.mhz}, {"compute_units", machine_.units}, {"launch_nanoseconds", machine_.launch_ns}};
    describe_card(document["card"]);
    document["range"] = replay::json(replay_.part(stats_.instructions, stats_.waves));
    return document;
  }
  replay::Figures figures = replay_.figures();
  const auto lines = replay::by_address(replay_.program(), figures);
  auto document = replay::json(figures, replay_.estimate(), lines, machine_);
  describe_card(document);
  if (!course_)
    return document;
  auto& instructions = document["per_instruction"]; // by address, as the course's
  for (size_t i = 0; i < instructions.size() && i < course_->code.size(); ++i) {
    const timing::formats::CodeLine& line = course_->code[i];
    auto& entry = instructions[i];
    entry["object_address"] = fmt::format("{:#x}", line.address);
    entry["latency"] = line.times.latency, entry["stall"] = line.times.stall, entry["idle"] = line.times.idle;
    if (line.flops.each || line.flops.wave)
      entry["flops"] = {line.flops.each, line.flops.wave};
  }
  document["timeline"] = timing::formats::timeline(*course_);
  return document;
}

std::optional<nlohmann::ordered_json> join_timing(std::span<const nlohmann::ordered_json> ranges) {
  std::vector<replay::WindowPart> parts;
  for (const auto& range : ranges)
    if (auto part = range.is_object() ? replay::parse_window_part(range.value("range", nlohmann::ordered_json()))
                                      : std::nullopt)
      parts.push_back(std::move(*part));
  if (parts.size() != ranges.size() || parts.empty() || !ranges[0].contains("card"))
    return {};
  replay::Machine m;
  m.mhz = ranges[0].value("mhz", 0.0), m.units = ranges[0].value("compute_units", 0u);
  m.launch_ns = ranges[0].value("launch_nanoseconds", 0.0);
  replay::Joined joined = replay::join(parts);
  replay::Figures& figures = joined.estimate.figures;
  figures.nanoseconds = m.launch_ns + double(figures.cycles) / m.mhz * 1e3;
  auto document = replay::json(figures, &joined.estimate, joined.lines, m);
  document.update(ranges[0]["card"]);
  return document;
}

} // namespace crosslane::model
