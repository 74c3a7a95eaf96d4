// lanes_host_costs [--csv]: measures on this CPU, a Zen 3 or later, what lanes/plan/costs.inc says of it. For each row:
// a chain of the instruction for its latency; independent ones for how often one can start; and mixes with instructions
// whose ports are known (AMD, Software Optimization Guides for the AMD Zen 3 and Zen4 Microarchitectures, 2.11) for the
// ports that it shares. A cycle is a third of a chain's imul. Without AVX-512, the instructions of AVX2.
#include "lanes/plan/host_cpu.h"
#include "tests/lanes/cost_rows.h"
#include "tests/lanes/x86_code.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace crosslane::lanes::planner {
namespace {

constexpr int few = 100, many = 1100; // their difference is free of what surrounds the passes
const bool avx512 = __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vbmi2");
const Isa isa = avx512 ? Isa::avx512_gfni : Isa::avx2;
// Registers: results from 0 on; what is read; the results and sources of blockers, which nobody reads and which are
// zero.
const int streams = avx512 ? 12 : 10, source_a = streams, source_b = streams + 1, constant = streams + 2,
          idle = avx512 ? 30 : 13, blocked = avx512 ? 16 : 14, blocked_count = avx512 ? 14 : 2;

// Functions that loop over a text, and how long one pass of it takes.
class Loops {
public:
  int add(const std::string& text) {
    std::string body = avx512 ? "  mov eax, 0x5a5a5a5a\n  kmovq k1, rax\n" : "";
    for (int i = 0; i < (avx512 ? 16 : idle); ++i)
      body += (avx512 ? "  vmovdqu64 zmm" : "  vmovdqu ymm") + std::to_string(i) + ", [rdi]\n";
    body += avx512 ? "  vpxord ymm30, ymm30, ymm30\n" : "  vpxor ymm13, ymm13, ymm13\n";
    const std::string label = ".Lloop" + std::to_string(functions_.count());
    body += "  mov eax, 3\n  .p2align 6\n" + label + ":\n" + text + "  dec rdx\n  jnz " + label + "\n  vzeroupper\n";
    return functions_.add(body);
  }
  std::string build() {
    std::string chain;
    for (int i = 0; i < 40; ++i)
      chain += "  imul rax, rax\n";
    clock_ = add(chain);
    return functions_.build();
  }
  // Cycles of one pass: the least of several, each beside a measurement of the clock.
  double cycles(int function) const {
    double best = 1e9;
    for (int batch = 0; batch < 3; ++batch) {
      double low = 1e9, high = 1e9, clock = 1e9;
      for (int i = 0; i < 12; ++i) {
        clock = std::min(clock, seconds(clock_, few) / (few * 120));
        low = std::min(low, seconds(function, few));
        high = std::min(high, seconds(function, many));
      }
      best = std::min(best, (high - low) / (many - few) / clock);
    }
    return best;
  }

private:
  double seconds(int function, int passes) const {
    alignas(64) uint8_t in[64], out[64];
    for (int i = 0; i < 64; ++i)
      in[i] = uint8_t(i);
    const auto start = std::chrono::steady_clock::now();
    functions_.call(function, in, out, uint64_t(passes));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  tests::X86Functions functions_;
  int clock_ = 0;
};

// 256 bits, one micro-operation; `ports` is one bit for each of the floating-point pipes 0 to 3.
struct Blocker {
  const char* name;
  unsigned ports;
};
constexpr Blocker blockers[] = {{"vmulps", 0b0011}, {"vaddps", 0b1100}, {"vpshufb", 0b0110}};

std::string blocker_text(const Blocker& b, int i) {
  const std::string zeros = ", ymm" + std::to_string(idle);
  return std::string("  ") + b.name + " ymm" + std::to_string(blocked + i % blocked_count) + zeros + zeros + "\n";
}

// The least time for `own` cycles on any of `ports` and `other` cycles on any of `blocked`.
double least(double own, unsigned ports, double other, unsigned blocked) {
  const auto width = [](unsigned set) { return double(std::popcount(set)); };
  double time = std::max(own / width(ports), other / width(blocked));
  return std::max(time, (own + other) / width(ports | blocked));
}

struct Row {
  Step step;
  int chain = 0, stream = 0, mix[std::size(blockers)] = {};
};

struct Measured {
  double latency, each, error;
  unsigned ports;
};

class Measurement {
public:
  void add(const Step& s) {
    Row row{s};
    std::string chain, stream;
    const bool over_a = s.op == Op::permute_two;
    // A move of a register to itself would tell nothing: to and fro.
    for (int i = 0; i < 16; ++i) {
      const bool odd = s.op == Op::move && i % 2;
      chain += "  " +
               instruction_text(s, {.result = odd ? 1 : 0,
                                    .a = s.op == Op::move && !odd ? 1 : 0,
                                    .b = 0,
                                    .constant = constant,
                                    .memory = {},
                                    .mask = 1}) +
               "\n";
    }
    const auto text = [&](int i) {
      return "  " +
             instruction_text(s, {.result = i,
                                  .a = over_a ? i : source_a,
                                  .b = source_b,
                                  .constant = constant,
                                  .memory = {},
                                  .mask = 1}) +
             "\n";
    };
    for (int i = 0; i < streams; ++i)
      stream += text(i);
    row.chain = loops_.add(chain);
    row.stream = loops_.add(stream);
    for (size_t b = 0; b < std::size(blockers); ++b) {
      std::string mix;
      for (int i = 0; i < streams; ++i) {
        mix += text(i);
        for (int k = 0; k < per_step(s); ++k)
          mix += blocker_text(blockers[b], i * per_step(s) + k);
      }
      row.mix[b] = loops_.add(mix);
    }
    rows_.push_back(row);
  }
  std::string build() { return loops_.build(); }
  size_t count() const { return rows_.size(); }
  const Step& step(size_t i) const { return rows_[i].step; }

  Measured measure(size_t i) const {
    const Row& row = rows_[i];
    Measured m{loops_.cycles(row.chain) / 16, loops_.cycles(row.stream) / streams, 1e9, 0};
    double mixes[std::size(blockers)];
    for (size_t b = 0; b < std::size(blockers); ++b)
      mixes[b] = loops_.cycles(row.mix[b]) / streams;
    const double passes = passes_of(row.step); // each takes a pipe for a cycle
    for (unsigned ports = 1; ports < 16; ++ports) {
      if (m.each * std::popcount(ports) < 0.9 * passes)
        continue;
      double error = 0;
      for (size_t b = 0; b < std::size(blockers); ++b) {
        const double expected = least(m.each * std::popcount(ports), ports, per_step(row.step), blockers[b].ports);
        error += (expected - mixes[b]) * (expected - mixes[b]);
      }
      if (std::sqrt(error) < m.error)
        m.error = std::sqrt(error), m.ports = ports;
    }
    return m;
  }

private:
  // As many as keep their two ports busy about as long as the step keeps its own.
  static int per_step(const Step& s) { return avx512 ? passes_of(s) : 2; }
  // Of 512 bits, which the pipes of Zen 5 take at once.
  static int passes_of(const Step& s) { return s.bytes == 64 && host_cpu().cpu != Cpu::zen5 ? 2 : 1; }

  Loops loops_;
  std::vector<Row> rows_;
};

std::string port_text(unsigned ports) {
  std::string text;
  for (int p = 0; p < 4; ++p)
    if (ports >> p & 1)
      text += char('0' + p);
  return text;
}

int run(bool csv) {
  Measurement all;
  every_cost_row([&](Op, int, int, const std::vector<Step>& steps) {
    for (Step s : steps) {
      if (!available(isa, s))
        continue;
      all.add(s);
      s.masked = true;
      if (csv && available(isa, s))
        all.add(s);
    }
  });
  if (const std::string errors = all.build(); !errors.empty())
    return std::fputs(errors.c_str(), stderr), 1;
  std::printf(csv ? "instruction,op,element,bytes,imm,masked,latency,each,ports,error\n"
                  : "%-16s bytes  latency  one every  ports  misfit   table\n",
              "instruction");
  int differ = 0;
  for (size_t i = 0; i < all.count(); ++i) {
    const Step& s = all.step(i);
    const Measured m = all.measure(i);
    const std::string name = instruction_name(s, s.bytes == 64 || s.masked);
    if (csv) {
      std::printf("%s,%d,%d,%d,%d,%d,%.2f,%.3f,%s,%.2f\n", name.c_str(), int(s.op), named_element(s), s.bytes, s.imm,
                  s.masked, m.latency, m.each, port_text(m.ports).c_str(), m.error);
      continue;
    }
    const StepCost c = cost(host_cpu().cpu, s);
    const double each = double(c.occupancy) / std::popcount(c.ports);
    const bool none = c.occupancy == 0 && m.latency < 0.3 && m.each < 0.3; // renamed
    // A row that serves several instructions says what the slowest of them takes.
    const double slack = s.op == Op::truncate ? 1.3 : 0.3;
    const bool same = none || (m.latency < double(c.latency) + 0.3 && m.latency > double(c.latency) - slack &&
                               std::abs(each - m.each) < 0.2 && c.ports == m.ports);
    differ += !same;
    std::printf("%-16s %5d  %7.2f  %9.2f  %5s  %6.2f   %g, %.2f, %s%s\n", name.c_str(), s.bytes, m.latency, m.each,
                port_text(m.ports).c_str(), m.error, double(c.latency), each, port_text(c.ports).c_str(),
                same ? "" : "  <- differs");
  }
  if (!csv)
    std::printf("%d of %zu differ from the table\n", differ, all.count());
  return 0;
}

} // namespace
} // namespace crosslane::lanes::planner

int main(int argc, char** argv) {
  using namespace crosslane::lanes;
  if (!is_zen(host_cpu().cpu) || !__builtin_cpu_supports("avx2"))
    return std::fputs("lanes_host_costs: this CPU is no Zen 3 or later, whose ports it knows\n", stderr), 1;
  return crosslane::lanes::planner::run(argc > 1 && !std::strcmp(argv[1], "--csv"));
}
