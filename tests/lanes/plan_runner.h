// Plans as functions on this CPU: their text, assembled together, called on registers in memory.
#pragma once
#include "lanes/plan/print.h"
#include "tests/lanes/x86_code.h"
#include <random>

namespace crosslane::lanes::planner {

inline constexpr Isa all_isas[] = {Isa::avx2, Isa::avx512, Isa::avx512_vbmi, Isa::avx512_vbmi2, Isa::avx512_gfni};

inline bool host_has(Isa isa) {
  switch (isa) {
  case Isa::avx2: return __builtin_cpu_supports("x86-64-v3");
  case Isa::avx512: return __builtin_cpu_supports("x86-64-v4");
  case Isa::avx512_vbmi: return host_has(Isa::avx512) && __builtin_cpu_supports("avx512vbmi");
  case Isa::avx512_vbmi2: return host_has(Isa::avx512_vbmi) && __builtin_cpu_supports("avx512vbmi2");
  case Isa::avx512_gfni: return host_has(Isa::avx512_vbmi2) && __builtin_cpu_supports("gfni");
  }
  return false;
}

// What GNU's assembler calls the level.
inline std::vector<std::string> features(Isa isa) {
  std::vector<std::string> all = {"avx2"};
  if (isa >= Isa::avx512)
    all.insert(all.end(), {"avx512f", "avx512bw", "avx512dq", "avx512vl"});
  if (isa >= Isa::avx512_vbmi)
    all.push_back("avx512vbmi");
  if (isa >= Isa::avx512_vbmi2)
    all.push_back("avx512_vbmi2");
  if (isa >= Isa::avx512_gfni)
    all.push_back("gfni");
  return all;
}

class Random {
public:
  explicit Random(uint64_t seed) : bits_(seed) {}
  uint64_t bits() { return bits_(); }
  int below(int n) { return int(bits_() % uint64_t(n)); }
  // Bytes without meaning; sometimes with many zeros, so that what saturates also fits at times.
  Bytes bytes(int count) {
    Bytes r{};
    const int zeros = below(3);
    for (int i = 0; i < count; ++i)
      r[size_t(i)] = zeros && below(2) ? 0 : uint8_t(bits_());
    return r;
  }

private:
  std::mt19937_64 bits_;
};

class PlanRunner {
public:
  explicit PlanRunner(Isa isa) : isa_(isa) {}

  // Answers why the plan has no text; empty if it was added. Of a set, all results are stored one after the other.
  std::string add(const Plan& plan) { return add(assembly(plan, isa_, label()), plan.inputs); }
  std::string add(const SetPlan& plan) { return add(assembly(plan, isa_, label()), plan.steps.inputs); }
  std::string build() { return functions_.count() ? functions_.build() : ""; }
  int count() const { return functions_.count(); }

  Bytes run(int plan, const Bytes* inputs) const {
    Bytes got{};
    functions_.call(plan, inputs, got.data());
    return got;
  }
  void run(int plan, const Bytes* inputs, Bytes* results) const { functions_.call(plan, inputs, results); }

private:
  std::string label() const { return std::to_string(functions_.count()) + "_"; }
  std::string add(const Assembly& text, int inputs) {
    if (!text.fault.empty())
      return text.fault;
    const std::string move = isa_ == Isa::avx2 ? "  vmovdqu " : "  vmovdqu64 ";
    const int bytes = widest_register(isa_);
    std::string body;
    for (int i = 0; i < inputs; ++i)
      body += move + register_name(bytes, i) + ", [rdi + " + std::to_string(64 * i) + "]\n";
    for (const std::string& line : text.code)
      body += "  " + line + "\n";
    for (size_t k = 0; k < text.results.size(); ++k)
      body += move + "[rsi + " + std::to_string(64 * k) + "], " + register_name(bytes, text.results[k]) + "\n";
    body += "  vzeroupper\n";
    std::string data = text.data.empty() ? "" : ".p2align 6\n";
    for (const std::string& line : text.data)
      data += line + "\n";
    functions_.add(body, data);
    return {};
  }

  Isa isa_;
  tests::X86Functions functions_;
};

} // namespace crosslane::lanes::planner
