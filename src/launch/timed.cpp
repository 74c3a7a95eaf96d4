// The card, and the thread that replays.
#include "launch/timed.h"
#include "files/error.h"
#include "files/read.h"
#include "launch/buffers.h"
#include "timing/replay/json.h"
#include "timing/replay/text.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace crosslane::launch {

namespace replay = timing::replay;

llvm::Expected<gpu::Machine> card_of(const Job& job, isa::Target target) {
  std::optional<gpu::Machine> machine;
  if (job.gpu.empty()) {
    machine = gpu::machine(*gpu::find_card(isa::info(target).name));
  } else if (job.gpu.ends_with(".toml")) {
    const std::string path = resolve_path(job.folder, job.gpu);
    auto text = files::read(path);
    if (!text)
      return text.takeError();
    auto parsed = gpu::parse_machine({reinterpret_cast<const char*>(text->data()), text->size()}, path);
    if (!parsed.machine)
      return fail("{}", parsed.error);
    machine = std::move(parsed.machine);
  } else if (const gpu::Card* card = gpu::find_card(job.gpu)) {
    machine = gpu::machine(*card);
  } else {
    return fail("--gpu: {}", gpu::unknown_card(job.gpu));
  }
  if (machine->target != target)
    return fail("--gpu {}: that card is {}, the code is for {}; --target compiles for another one, if there is source",
                job.gpu, isa::info(machine->target).name, isa::info(target).name);
  return std::move(*machine);
}

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

Timed::Timed(gpu::Machine card, const codeobject::Kernel& kernel, const engine::AqlPacket& packet,
             const views::Image& image, bool record)
    : card_(std::move(card)), machine_(replay::machine_of(card_, used_)),
      replay_(machine_, needs_of(machine_, kernel, packet), [this](uint32_t number) { return traces_.block(number); }),
      kernel_(kernel.name), image_(image), record_(record), thread_([this] {
        if (record_)
          replay_.record({});
        trouble_ = replay_.run(traces_);
        if (!trouble_.empty())
          traces_.abandon();
      }) {}

Timed::~Timed() {
  if (!thread_.joinable())
    return;
  traces_.abandon();
  traces_.finish();
  thread_.join();
}

std::string Timed::finish() {
  traces_.finish();
  thread_.join();
  const std::string incomplete = traces_.incomplete();
  std::string why = incomplete.empty() ? trouble_ : incomplete;
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

} // namespace crosslane::launch
