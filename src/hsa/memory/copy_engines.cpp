// Which engines a direction has, by card.
#include "hsa/memory/copy_engines.h"
#include "hsa/functions.h"
#include "hsa/runtime.h"
#include <bit>

namespace crosslane::hsa {

namespace {

bool linked(const Agent& a, const Agent& b) { return a.gpu() && b.gpu() && a.card->xgmi && b.card->xgmi; }

// The first `count` bits from `first` on.
constexpr uint32_t bits(uint32_t first, uint32_t count) { return ((1U << count) - 1) << first; }

hsa_status_t ask(hsa_agent_t dst, hsa_agent_t src, uint32_t* mask, uint32_t (*answer)(Agent& to, Agent& from)) {
  return api([&](Runtime& runtime) {
    Agent *to = runtime.agent(dst), *from = runtime.agent(src);
    if (!to || !from || to == from)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!mask)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = answer(*to, *from);
    return HSA_STATUS_SUCCESS;
  });
}

// Those without work.
uint32_t free_engines(Agent& to, Agent& from) {
  const auto& work = copying_agent(to, from).engine_work;
  uint32_t mask = engines_for(to, from);
  for (uint32_t left = mask; left; left &= left - 1)
    if (const auto i = uint32_t(std::countr_zero(left)); work[i].load(std::memory_order_relaxed))
      mask &= ~(1U << i);
  return mask;
}

} // namespace

Agent& copying_agent(Agent& to, Agent& from) { return from.gpu() ? from : to; }

// Between cards with links only the engines for links serve; ROCr numbers these from 2 on, whatever there is for the
// host. An MI200 takes to the host or another card with engine 1 and up, as engine 0 could lose data there.
uint32_t engines_for(const Agent& to, const Agent& from) {
  const gpu::Card& card = *(from.gpu() ? from : to).card;
  const uint32_t for_links = bits(2, card.sdma_link_engines);
  if (linked(to, from) && card.sdma_link_engines)
    return for_links;
  uint32_t for_host = bits(0, card.sdma_engines);
  if (card.target == isa::Target::gfx90a && from.gpu() && &to != &from)
    for_host &= ~1U;
  return for_host | for_links;
}

std::atomic<uint32_t>* default_engine(Agent& to, Agent& from) {
  if (&to == &from)
    return nullptr;
  Agent& agent = copying_agent(to, from);
  const uint32_t engines = engines_for(to, from);
  // From the host the first, all else the second, if there are two.
  const uint32_t first = uint32_t(std::countr_zero(engines));
  const uint32_t later = engines & ~1U;
  return &agent.engine_work[from.gpu() && later ? uint32_t(std::countr_zero(later)) : first];
}

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst, hsa_agent_t src, uint32_t* mask) {
  const hsa_status_t status = ask(dst, src, mask, free_engines);
  return status == HSA_STATUS_SUCCESS && !*mask ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : status;
}

// The driver recommends engines from gfx942 on.
hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst, hsa_agent_t src, uint32_t* mask) {
  return ask(dst, src, mask, [](Agent&, Agent&) { return 0U; });
}

} // namespace crosslane::hsa::functions
