// The card, and the thread that replays.
#include "model/timed.h"
#include "model/dependence.h"
#include "timing/replay/json.h"
#include "timing/replay/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::model {

namespace replay = timing::replay;

namespace {

uint32_t round_up(uint32_t n, uint32_t granule) { return (n + granule - 1) / granule * granule; }

replay::Needs needs_of(const replay::Machine& m, const codeobject::Kernel& kernel, const engine::AqlPacket& packet) {
  return {.vgprs = round_up(std::max(kernel.allocated_vgpr_count, 1u), m.vgpr_granule),
          .sgprs = round_up(std::max(kernel.allocated_sgpr_count, 1u), m.sgpr_granule),
          .lds = round_up(packet.group_segment_size, m.lds_granule)};
}

// "gfx803" is of version 8.
unsigned gfxip_of(isa::Target target) { return unsigned(isa::info(target).name[3] - '0'); }

} // namespace

Timed::Timed(gpu::Machine card, const views::Image& image, const codeobject::Kernel& kernel,
             const engine::AqlPacket& packet, bool record, double nanoseconds)
    : card_(std::move(card)), machine_(replay::machine_of(card_, used_)),
      replay_(machine_, needs_of(machine_, kernel, packet),
              [this](uint32_t number) { return paced_ ? paced_->block(number) : traces_->block(number); }),
      kernel_(kernel.name), image_(image), record_(record) {
  if (record_)
    replay_.record({});
  const uint64_t entry = kernel.entry - image.object->image_begin() + image.base;
  const Dependence depends =
      dependence(*image.object, image.target, reinterpret_cast<const uint8_t*>(image.base), entry);
  if (depends != Dependence::none) {
    const double cycle_ns = 1e3 / machine_.mhz;
    paced_ = std::make_unique<views::PacedTraces>(views::PacedTraces::Clock{.cycles = uint64_t(nanoseconds / cycle_ns),
                                                                            .nanoseconds = nanoseconds,
                                                                            .cycle_ns = cycle_ns,
                                                                            .tick_ns = realtime_tick_ns},
                                                  depends == Dependence::memory);
    paced_->attach(replay_);
    return;
  }
  traces_ = std::make_unique<views::WaveTraces>();
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

std::string Timed::finish() {
  std::string why = await();
  if (record_ && why.empty()) {
    course_ = timing::formats::course_of(
        replay_, machine_, [this](uint64_t pc) { return image_.to_object(pc); },
        [this](uint64_t pc) { return views::source_of(image_, pc); });
    course_->kernel = kernel_, course_->readable = codeobject::demangle(kernel_);
    course_->card = card_.name;
    course_->gfxip = gfxip_of(card_.target);
  }
  return why;
}

std::string Timed::text() const {
  std::string text = replay::text(replay_.figures(), replay_.program(), machine_, card_.name);
  text += "assumed:";
  for (const gpu::Parameter p : used_.assumed(card_))
    text += fmt::format(" {}={}", gpu::info(p).name, card_[p]);
  return text + "\n";
}

nlohmann::ordered_json Timed::json() const {
  auto document = replay::json(replay_.figures(), replay_.program(), machine_);
  auto& assumed = document["assumed"] = nlohmann::ordered_json::object();
  for (const gpu::Parameter p : used_.assumed(card_))
    assumed[std::string(gpu::info(p).name)] = card_[p];
  document["card"] = card_.name;
  return document;
}

} // namespace crosslane::model
