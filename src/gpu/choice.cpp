// Cards of files are kept for good: there are few, and handles of programs lead to them.
#include "gpu/choice.h"
#include "files/error.h"
#include "files/read.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

namespace crosslane::gpu {

namespace {

struct Kept {
  std::shared_ptr<const Machine> machine;
  Card card;
};

llvm::Expected<Choice> choose_file(const std::string& path) {
  auto bytes = files::read(path);
  if (!bytes)
    return bytes.takeError();
  auto parsed = parse_machine({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path);
  if (!parsed.machine)
    return fail("{}", parsed.error);
  static std::mutex mutex;
  static auto& all = *new std::deque<Kept>; // outlives static destruction: clients call until the very end
  const std::lock_guard lock(mutex);
  auto machine = std::make_shared<const Machine>(std::move(*parsed.machine));
  const Card card = card_of(*machine, *find_card(machine->base));
  const Kept& kept = all.emplace_back(Kept{std::move(machine), card});
  return Choice{&kept.card, kept.machine};
}

} // namespace

bool is_file(std::string_view name) { return name.ends_with(".toml"); }

llvm::Expected<Choice> choose(const std::string& name) {
  if (is_file(name))
    return choose_file(name);
  if (const Card* card = find_card(name))
    return Choice{card, nullptr};
  return fail("{} ('crosslane run --help' lists them; a card of your own is a FILE.toml)", unknown_card(name));
}

Card card_of(const Machine& m, const Card& base) {
  using enum Parameter;
  const Machine before = machine(base);
  Card card = base;
  card.name = m.name, card.product = m.product;
  const auto take = [&](uint32_t& field, Parameter p) {
    if (m[p] != before[p]) // what programs are told need not be what the silicon has
      field = uint32_t(std::lround(m[p]));
  };
  take(card.compute_units, compute_units), take(card.shader_engines, shader_engines);
  take(card.simds_per_unit, simds), take(card.clock_mhz, clock);
  take(card.l1_bytes, l1_size), take(card.l2_bytes, l2_size);
  card.max_waves_per_unit = m.whole(simds) * m.whole(waves_per_simd);
  if (m[dram_bandwidth] != before[dram_bandwidth]) // by the clock, the width stays
    card.memory_clock_mhz =
        std::max(1U, uint32_t(std::lround(base.memory_clock_mhz * m[dram_bandwidth] / before[dram_bandwidth])));
  return card;
}

} // namespace crosslane::gpu
