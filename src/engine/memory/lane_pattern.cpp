// Plans by what they are made from. Only decoding comes here, so that a lock is cheap enough.
#include "engine/memory/lane_pattern.h"
#include "cross_lane/control.h"
#include <map>
#include <mutex>

namespace crosslane::engine {

namespace {

template <class Sources> const lanes::WavePermute& remember(uint32_t key, Sources sources) {
  static std::mutex mutex;
  static std::map<uint32_t, lanes::WavePermute> known;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(key);
  if (fresh)
    at->second = lanes::plan_wave(sources());
  return at->second;
}

} // namespace

const lanes::WavePermute& dpp_pattern(uint32_t dpp_ctrl) {
  return remember(dpp_ctrl, [&] { return cross_lane::dpp_sources(dpp_ctrl); });
}

const lanes::WavePermute& swizzle_pattern(uint32_t offset, isa::Generation generation) {
  const bool rotates = generation >= isa::Generation::gfx9;
  return remember(1u << 31 | uint32_t(rotates) << 30 | offset,
                  [&] { return cross_lane::swizzle_sources(offset, generation); });
}

} // namespace crosslane::engine
