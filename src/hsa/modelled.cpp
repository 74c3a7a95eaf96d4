// A line for each kernel, the longest time first.
#include "hsa/modelled.h"
#include "findings/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

namespace crosslane::hsa {

namespace replay = timing::replay;

Modelled::Kernel& Modelled::of(const std::string& kernel, const std::string& card) {
  for (Kernel& k : kernels_)
    if (k.name == kernel && k.card == card)
      return k;
  return kernels_.emplace_back(Kernel{.name = kernel, .card = card});
}

void Modelled::add(const std::string& kernel, const std::string& card, const replay::Figures& f) {
  const std::lock_guard lock(mutex_);
  Kernel& k = of(kernel, card);
  k.least = k.calls ? std::min(k.least, f.nanoseconds) : f.nanoseconds;
  k.most = std::max(k.most, f.nanoseconds);
  k.total += f.nanoseconds;
  k.squares += f.nanoseconds * f.nanoseconds;
  ++k.calls;
  k.cycles += f.cycles, k.waves += f.waves, k.instructions += f.instructions;
  const replay::SpentCycles spent = f.spent();
  for (size_t i = 0; i < spent.size(); ++i)
    k.spent[i] += spent[i];
}

void Modelled::miss(const std::string& kernel, const std::string& card, const std::string& why) {
  const std::lock_guard lock(mutex_);
  Kernel& k = of(kernel, card);
  ++k.missed;
  k.why = why;
}

std::vector<Modelled::Kernel> Modelled::by_time() const {
  const std::lock_guard lock(mutex_);
  std::vector<Kernel> kernels = kernels_;
  std::ranges::sort(kernels, [](const Kernel& a, const Kernel& b) {
    return std::tie(b.total, a.name, a.card) < std::tie(a.total, b.name, b.card);
  });
  return kernels;
}

std::string Modelled::text() const {
  const auto kernels = by_time();
  if (kernels.empty())
    return "no kernel was launched that could be modelled\n";
  std::string text = "modelled time on the card, us; copies take none\n"
                     "    calls       total        mean       least        most  waits most for             kernel\n";
  for (const Kernel& k : kernels) {
    const uint64_t all = std::accumulate(k.spent.begin(), k.spent.end(), uint64_t(0));
    const auto most = size_t(std::ranges::max_element(k.spent) - k.spent.begin());
    const std::string reason =
        all ? fmt::format("{:.0f} % {}", 100 * double(k.spent[most]) / double(all), name_of(replay::Spent(most))) : "";
    const double calls = double(std::max<uint64_t>(k.calls, 1));
    text += fmt::format("  {:7} {:11.3f} {:11.3f} {:11.3f} {:11.3f}  {:<26} {} ({})\n", k.calls, k.total / 1e3,
                        k.total / 1e3 / calls, k.least / 1e3, k.most / 1e3, reason, findings::readable_name(k.name),
                        k.card);
    if (k.missed)
      text += fmt::format("  {:7} more that could not be modelled: {}\n", k.missed, k.why);
  }
  return text;
}

nlohmann::ordered_json Modelled::json() const {
  auto all = nlohmann::ordered_json::array();
  for (const Kernel& k : by_time()) {
    auto spent = nlohmann::ordered_json::object();
    for (size_t i = 0; i < k.spent.size(); ++i)
      if (k.spent[i])
        spent[std::string(name_of(replay::Spent(i)))] = k.spent[i];
    all.push_back({{"kernel", k.name},
                   {"readable", findings::readable_name(k.name)},
                   {"card", k.card},
                   {"calls", k.calls},
                   {"not_modelled", k.missed},
                   {"nanoseconds",
                    {{"total", k.total},
                     {"mean", k.total / double(std::max<uint64_t>(k.calls, 1))},
                     {"least", k.least},
                     {"most", k.most}}},
                   {"cycles", k.cycles},
                   {"waves", k.waves},
                   {"instructions", k.instructions},
                   {"cycles_spent", spent}});
  }
  return all;
}

std::vector<timing::formats::KernelTimes> Modelled::times() const {
  std::vector<timing::formats::KernelTimes> all;
  for (const Kernel& k : by_time())
    if (k.calls)
      all.push_back({.name = findings::readable_name(k.name),
                     .calls = k.calls,
                     .total = k.total,
                     .least = k.least,
                     .most = k.most,
                     .squares = k.squares});
  return all;
}

} // namespace crosslane::hsa
