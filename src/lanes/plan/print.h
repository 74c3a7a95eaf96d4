// Owns the text of steps and plans: assembly (Intel syntax, registers allocated, ready for an assembler) and one
// readable line for each step. Both are for people, reports and tests; neither is fast.
#pragma once
#include "lanes/plan/instruction.h"
#include "lanes/plan/pattern_set.h"
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

// The name of a step's instruction. With `evex` where it needs more than AVX2: 64 bytes, a mask, a register after the
// sixteenth.
inline std::string instruction_name(const Step& s, bool evex) {
  using enum Op;
  const Instruction& row = instructions[int(s.op)];
  const int e = named_element(s);
  constexpr std::string_view letters = "bwdq";
  if (!evex && *row.vex)
    return row.vex;
  std::string name(row.names[log2_of(e)]);
  if (s.op == extend)
    return name + letters[log2_of(e / s.imm)] + letters[log2_of(e)];
  if (s.op == truncate)
    return name + letters[log2_of(e * s.imm)] + letters[log2_of(e)];
  const int part = s.op == extract ? s.bytes : s.op == insert ? inserted_bytes(s) : 16;
  if (part == 32) { // without a mask, the form that needs no AVX-512DQ
    const std::string stem = s.op == extract ? "vextracti" : "vinserti";
    return stem + (s.masked && e == 4 ? "32x8" : "64x4");
  }
  return name;
}

inline std::string register_name(int bytes, int number) {
  return std::string(bytes <= 16 ? "xmm" : bytes == 32 ? "ymm" : "zmm") + std::to_string(number);
}

// Where the operands of one instruction are. A step that merges needs `result` to hold what it merges with; permute_two
// needs `result` to be `a` or `constant`.
struct Operands {
  int result = 0, a = 1, b = 2;
  int constant = -1;  // the index or selection, in a register; or
  std::string memory; // ... an address, where the instruction takes one
  int mask = 1;       // k1 to k7
};

// Whether the constant of a step must be in a register.
constexpr bool constant_in_register(const Step& s) {
  return s.op == Op::permute || s.op == Op::permute_two || s.op == Op::blend_bytes;
}

// One instruction. The step must be available() somewhere.
inline std::string instruction_text(const Step& s, const Operands& at) {
  using enum Op;
  const auto wide = [&](int n, int bytes) { return register_name(bytes, n); };
  const int n = s.bytes, source = s.op == extract && (n == 32 || s.imm >= 2) ? 64 : s.op == extract ? 32 : n;
  const bool high = std::max({at.result, at.a, at.b, at.constant}) > 15;
  const bool evex = high || (s.op != zero && (std::max(n, source) == 64 || s.masked));
  const std::string name = instruction_name(s, evex), imm = std::to_string(s.imm);
  const std::string a = wide(at.a, source), b = wide(at.b, n);
  const std::string constant =
      at.constant >= 0 ? wide(at.constant, n) : register_name(n, 0).replace(1, 3, "mmword ptr ") + at.memory;
  std::string result = wide(at.result, result_bytes(s));
  const bool selects = s.op == compress || s.op == expand || s.op == blend_mask;
  if (s.masked || selects)
    result += "{k" + std::to_string(at.mask) + "}";
  if (s.op == compress || s.op == expand || (s.masked && s.merge == no_value))
    result += "{z}";
  const auto line = [&](std::initializer_list<std::string> operands) {
    std::string text = name + " " + result;
    for (const std::string& o : operands)
      text += ", " + o;
    return text;
  };
  switch (s.op) {
  case zero: result = wide(at.result, 16); return line({result, result});
  case move:
  case duplicate_even:
  case duplicate_odd:
  case compress:
  case expand:
  case truncate: return line({a});
  case shuffle_bytes:
  case keep: return line({a, constant});
  case unpack_low:
  case unpack_high:
  case pack:
  case blend_mask:
  case either: return line({a, b});
  case permute: return line({constant, a});
  case broadcast: return line({wide(at.a, 16)});
  case extend: return line({wide(at.a, n / s.imm)});
  case insert: return line({a, wide(at.b, inserted_bytes(s)), std::to_string(s.imm & 15)});
  case permute_two:
    if (at.result == at.a)
      return line({constant, b});
    return "vpermi2" + name.substr(7) + " " + result + ", " + a + ", " + b;
  case blend_bytes: return line({a, b, constant});
  default: // all others have an immediate
    return s.b == no_value ? line({a, imm}) : line({a, b, imm});
  }
}

// The size of the numbers in a step's constant.
constexpr int constant_element(const Step& s) { return s.op == Op::permute || s.op == Op::permute_two ? s.element : 1; }

// What an assembler makes a function body of. The inputs are in registers 0 and on, and may be overwritten; so may rax
// and k1 to k7. `data` follows the code, aligned to 64 bytes.
struct Assembly {
  std::vector<std::string> code, data;
  int result = 0;           // the register that the result is left in
  std::vector<int> results; // of a set: those of its results, as SetPlan::value has them
  std::string fault;        // why there is no text; empty if there is

  std::string text() const {
    std::string all;
    for (const std::string& line : code)
      all += "  " + line + "\n";
    if (!data.empty())
      all += "  .p2align 6\n";
    for (const std::string& line : data)
      all += line + "\n";
    return all;
  }
};

namespace printing {

// Allocates registers step by step: a value lives from its step to its last use.
class Assembler {
public:
  Assembler(const Plan& plan, Isa isa, std::vector<int8_t> results)
      : plan_(plan), isa_(isa), registers_(isa == Isa::avx2 ? 16 : 32), results_(std::move(results)) {
    last_.assign(size_t(plan.inputs + plan.count), -1);
    for (int i = 0; i < plan.count; ++i)
      for (const int v : {plan.steps[i].a, plan.steps[i].b, plan.steps[i].merge})
        if (v != no_value)
          last_[size_t(v)] = i;
    for (const int8_t v : results_)
      last_[size_t(v)] = plan.count;
    at_.assign(last_.size(), -1);
    for (int v = 0; v < plan.inputs; ++v)
      if (last_[size_t(v)] >= 0)
        take(at_[size_t(v)] = v);
  }

  Assembly run(std::string_view label) {
    label_ = label;
    if (plan_.inputs > registers_)
      out_.fault = "more inputs than registers";
    for (int i = 0; i < plan_.count && out_.fault.empty(); ++i)
      step(i);
    if (out_.fault.empty())
      for (const int8_t v : results_)
        out_.results.push_back(out_.result = at_[size_t(v)]);
    return out_;
  }

private:
  void step(int i) {
    Step s = plan_.steps[i];
    if (!available(isa_, s)) {
      out_.fault = "step " + std::to_string(i) + ": no instruction of " + std::string(isa_names[int(isa_)]);
      return;
    }
    Operands at{.result = 0, .a = where(s.a), .b = where(s.b), .constant = -1, .memory = {}, .mask = 1};
    if (needs_mask(s))
      at.mask = load_mask(s);
    // permute_two overwrites its first source or its index, and merges with the first source.
    const bool two = s.op == Op::permute_two, merges = s.masked && s.merge != no_value;
    if (two && merges && s.merge != s.a) {
      std::swap(s.a, s.b), std::swap(at.a, at.b);
      for (int k = 0; k < s.bytes / s.element; ++k)
        s.index[size_t(k)] ^= uint8_t(s.bytes / s.element);
    }
    const bool over_a = two && (merges || dies(s.a, i));
    const int into = merges ? s.merge : over_a ? s.a : no_value;
    int temporary = -1;
    if (needs_constant(s)) {
      at.memory = "[rip + " + constant(s) + "]";
      if (constant_in_register(s)) {
        take(temporary = at.constant = free_register());
        out_.code.push_back(std::string(s.bytes == 64 || at.constant > 15 ? "vmovdqu64 " : "vmovdqu ") +
                            register_name(s.bytes, at.constant) + ", " +
                            register_name(s.bytes, 0).replace(1, 3, "mmword ptr ") + at.memory);
      }
    }
    if (into != no_value && !dies(into, i)) { // a copy to overwrite
      at.result = free_register();
      Step copy{.op = Op::move, .bytes = uint8_t(result_bytes(s) < 16 ? 16 : result_bytes(s)), .element = 8};
      out_.code.push_back(instruction_text(
          copy, {.result = at.result, .a = where(into), .b = 0, .constant = -1, .memory = {}, .mask = 1}));
      if (over_a)
        at.a = at.result;
    } else if (into != no_value) {
      at.result = where(into);
    } else if (two) {
      at.result = at.constant;
    }
    if (temporary >= 0 && at.result != temporary)
      in_use_ &= ~(1u << temporary);
    for (const int v : {s.a, s.b, s.merge})
      if (v != no_value && dies(v, i))
        in_use_ &= ~(1u << where(v));
    if (into == no_value && !two) {
      // The constant is read before the result is written, so its register will do.
      at.result = free_register();
    }
    const bool vex_alone = instructions[size_t(s.op)].levels[size_t(log2_of(named_element(s)))] == 'v';
    if (vex_alone && std::max({at.result, at.a, at.b, at.constant}) > 15)
      out_.fault = "step " + std::to_string(i) + ": " + instruction_name(s, false) + " has 16 registers";
    if (!out_.fault.empty())
      return;
    const size_t value = size_t(plan_.inputs) + size_t(i);
    take(at_[value] = at.result);
    if (last_[value] < 0)
      in_use_ &= ~(1u << at.result);
    out_.code.push_back(instruction_text(s, at));
  }

  int where(int v) const { return v == no_value ? 0 : at_[size_t(v)]; }
  bool dies(int v, int i) const { return last_[size_t(v)] == i; }
  void take(int r) { in_use_ |= 1u << r; }
  int free_register() {
    const int r = std::countr_one(in_use_);
    if (r >= registers_)
      out_.fault = "out of registers";
    return r >= registers_ ? 0 : r;
  }

  // The label of a step's constant.
  std::string constant(const Step& s) {
    const int e = constant_element(s);
    std::string line = std::string(e == 1 ? ".byte " : e == 2 ? ".short " : e == 4 ? ".long " : ".quad ");
    for (int k = 0; k < s.bytes / e; ++k)
      line += (k ? ", " : "") + std::to_string(s.index[size_t(k)]);
    for (size_t k = 0; k + 1 < out_.data.size(); k += 2)
      if (out_.data[k + 1] == "  " + line)
        return out_.data[k].substr(0, out_.data[k].size() - 1);
    const std::string name = ".Lindex" + label_ + std::to_string(out_.data.size() / 2);
    out_.data.push_back(name + ":");
    out_.data.push_back("  " + line);
    return name;
  }

  int load_mask(const Step& s) {
    const int elements = (s.op == Op::truncate ? result_bytes(s) : s.bytes) / s.element;
    const uint64_t mask = elements == 64 ? s.mask : s.mask & ((uint64_t(1) << elements) - 1);
    for (size_t k = 0; k < masks_.size(); ++k)
      if (masks_[k] == mask)
        return int(k % 7) + 1;
    if (masks_.size() == 7)
      masks_.clear();
    masks_.push_back(mask);
    char number[20];
    std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(mask));
    const bool small = mask <= 0xffffffff;
    const std::string k = "k" + std::to_string(masks_.size());
    out_.code.push_back((small ? "mov eax, " : "movabs rax, ") + std::string(number));
    out_.code.push_back(small ? "kmovd " + k + ", eax" : "kmovq " + k + ", rax");
    return int(masks_.size());
  }

  const Plan& plan_;
  Isa isa_;
  int registers_;
  std::vector<int8_t> results_;
  std::string label_;
  std::vector<int> last_, at_;
  uint32_t in_use_ = 0;
  std::vector<uint64_t> masks_;
  Assembly out_;
};

} // namespace printing

// The plan as assembly. `label` tells its constants from those of another plan in the same text.
inline Assembly assembly(const Plan& plan, Isa isa, std::string_view label = "") {
  return printing::Assembler(plan, isa, {plan.result}).run(label);
}
inline Assembly assembly(const SetPlan& plan, Isa isa, std::string_view label = "") {
  const auto first = plan.value.begin();
  return printing::Assembler(plan.steps, isa, {first, first + plan.results * plan.registers}).run(label);
}

// "v2 = vpshufb v0, v1 {3 2 1 0 ...}": values as the plan numbers them, the numbers of a constant or a mask in braces.
inline std::string describe(const Step& s, int value) {
  const int last = s.op == Op::extract && (s.bytes == 32 || s.imm >= 2) ? 64 : s.bytes;
  std::string text =
      "v" + std::to_string(value) + " = " + instruction_name(s, s.op != Op::zero && (last == 64 || s.masked));
  const char* separator = " ";
  for (const int v : {s.a, s.b})
    if (v != no_value)
      text += separator + ("v" + std::to_string(v)), separator = ", ";
  if (has_immediate(s.op))
    text += ", " + std::to_string(s.op == Op::insert ? s.imm & 15 : s.imm);
  if (needs_constant(s)) {
    text += " {";
    for (int k = 0; k < s.bytes / constant_element(s); ++k)
      text += (k ? " " : "") + std::to_string(s.index[size_t(k)]);
    text += "}";
  }
  if (needs_mask(s)) {
    char number[32];
    std::snprintf(number, sizeof number, ", mask 0x%llx", static_cast<unsigned long long>(s.mask));
    text += number;
    if (s.masked)
      text += s.merge == no_value ? ", else zero" : ", else v" + std::to_string(s.merge);
  }
  return text;
}

namespace printing {
inline std::string number(float x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", double(x));
  return text;
}
inline std::string cycles(const StepCost& c) {
  return "latency " + number(c.latency) + ", busy " + number(c.occupancy) + " of " +
         std::to_string(std::popcount(c.ports)) + " ports";
}
} // namespace printing

// The class and the cost, then each step with its own.
inline std::string describe(const Plan& plan, Cpu cpu) {
  const PlanCost c = cost(cpu, plan);
  using printing::number;
  std::string text = std::string(class_names[int(plan.kind)]) + "; " + std::string(cpu_names[int(cpu)]) + ": latency " +
                     number(c.latency) + ", one every " + number(c.throughput) + " cycles; " +
                     std::to_string(c.instructions) + " instructions, " + std::to_string(c.constants) + " constants, " +
                     std::to_string(c.masks) + " masks\n";
  for (int i = 0; i < plan.count; ++i) {
    std::string line = "  " + describe(plan.steps[i], plan.inputs + i);
    if (line.size() < 44)
      line.resize(44, ' ');
    text += line + "  " + printing::cycles(cost(cpu, plan.steps[i])) + "\n";
  }
  return text;
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
