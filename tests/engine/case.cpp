// The language of the headers, and running a case at a level.
#include "tests/engine/case.h"
#include "engine/context.h"
#include "engine/decode/program.h"
#include "engine/hook_clock.h"
#include "engine/scalar/hwreg.h"
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <xmmintrin.h>

namespace crosslane::engine {
extern const Backend backend_v1, backend_v3, backend_v4;
}

namespace crosslane::test {

namespace {

using machine::Wave;

constexpr int vgprs = 256, registers = vgprs + int(machine::max_accvgprs), sgprs = 128;

[[gnu::noinline]] __attribute__((no_sanitize("address", "thread", "undefined"))) void enter(const engine::Uop* op,
                                                                                            Wave* w) {
  op->fn(op, w);
}

std::string trimmed(std::string s) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && space(s.back()))
    s.pop_back();
  while (!s.empty() && space(s.front()))
    s.erase(0, 1);
  return s;
}
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string w; in >> w;)
    words.push_back(w);
  return words;
}

// "A*lane+B", a number, a float, or a list of them.
struct Value {
  uint64_t scale = 0, base = 0;
  std::vector<uint64_t> list;
  uint64_t at(int lane, int first = 0) const {
    return list.empty() ? scale * uint64_t(lane) + base : list.at(size_t(lane - first));
  }
};
uint64_t parse_number(const std::string& text) {
  static const std::regex real(R"(^(-?\d+(?:\.\d*)?(?:e-?\d+)?)([fhd])$)");
  std::smatch m;
  if (!text.starts_with("0x") && std::regex_match(text, m, real)) {
    const double d = std::stod(m[1]);
    if (m[2] == "d")
      return std::bit_cast<uint64_t>(d);
    if (m[2] == "f")
      return std::bit_cast<uint32_t>(float(d));
    return std::bit_cast<uint16_t>(_Float16(d));
  }
  const bool negative = text.starts_with("-");
  size_t used = 0;
  const std::string digits = negative ? text.substr(1) : text;
  const uint64_t v = std::stoull(digits, &used, 0);
  if (used != digits.size())
    throw std::runtime_error("not a number: '" + text + "'");
  return negative ? 0 - v : v;
}
Value parse_value(const std::string& text) {
  static const std::regex affine(R"(^(?:(\w+)\*)?lane(?:([+-])(\w+))?$)");
  std::smatch m;
  Value v;
  if (text.starts_with("{") && text.ends_with("}")) {
    for (const auto& w : words_of(text.substr(1, text.size() - 2)))
      v.list.push_back(parse_number(w));
    return v;
  }
  if (std::regex_match(text, m, affine)) {
    v.scale = m[1].matched ? std::stoull(m[1], nullptr, 0) : 1;
    if (m[3].matched)
      v.base = std::stoull(m[3], nullptr, 0);
    if (m[2] == "-")
      v.base = 0 - v.base;
    return v;
  }
  v.base = parse_number(text);
  return v;
}

struct Item {
  std::string name; // as written
  enum Kind { vgpr, vgpr_pair, scalar, pair, scc, mode } kind;
  int reg = 0;
  int first = 0, last = 63; // lanes
  Value value;
};

Item parse_item(const std::string& text, bool with_value) {
  static const std::regex item(R"(^([a-z]+)(\d*)(?:\[(\d+):(\d+)\])?(?:\[(\d+)(?:\.\.(\d+))?\])?$)");
  const size_t equals = text.find('=');
  if (with_value != (equals != std::string::npos))
    throw std::runtime_error("cannot parse '" + text + "'");
  Item i;
  i.name = trimmed(text.substr(0, equals));
  std::smatch m;
  if (!std::regex_match(i.name, m, item))
    throw std::runtime_error("cannot parse '" + text + "'");
  const std::string base = m[1];
  const bool tuple = m[3].matched;
  if (base == "v" || base == "a" || base == "s")
    i.reg = std::stoi(tuple ? m[3] : m[2]);
  if (base == "a")
    i.reg += vgprs;
  if (base == "v" || base == "a") {
    i.kind = tuple ? Item::vgpr_pair : Item::vgpr;
    if (m[5].matched)
      i.first = std::stoi(m[5]), i.last = m[6].matched ? std::stoi(m[6]) : i.first;
  } else if (base == "s")
    i.kind = tuple ? Item::pair : Item::scalar;
  else if (base == "exec")
    i.kind = Item::pair, i.reg = 126;
  else if (base == "vcc")
    i.kind = Item::pair, i.reg = 106;
  else if (base == "m" && m[2] == "0")
    i.kind = Item::scalar, i.reg = 124;
  else if (base == "scc")
    i.kind = Item::scc;
  else if (base == "mode")
    i.kind = Item::mode;
  else
    throw std::runtime_error("unknown register '" + text + "'");
  if (with_value)
    i.value = parse_value(trimmed(text.substr(equals + 1)));
  return i;
}

struct Case {
  std::string name, text, fault;
  std::vector<isa::Target> targets;
  std::vector<Item> init, expect, clobbers;
};

std::vector<isa::Target> parse_targets(const std::string& text) {
  std::vector<isa::Target> targets;
  for (const auto& w : words_of(text)) {
    const auto t = isa::parse_target(w);
    if (!t)
      throw std::runtime_error("unknown target '" + w + "'");
    targets.push_back(*t);
  }
  return targets;
}

std::vector<Case> parse_file(const std::string& path) {
  std::ifstream in(path);
  if (!in)
    throw std::runtime_error("cannot read " + path);
  std::vector<Case> cases(1);
  bool started = false;
  const auto items = [](std::vector<Item>& to, const std::string& text, bool with_value) {
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
      to.push_back(parse_item(trimmed(part), with_value));
  };
  for (std::string line; std::getline(in, line);) {
    Case* c = &cases.back();
    const size_t colon = line.find(':');
    if (!line.starts_with("// ") || colon == std::string::npos) {
      c->text += line + "\n";
      continue;
    }
    const std::string key = line.substr(3, colon - 3), rest = trimmed(line.substr(colon + 1));
    if (key == "case") {
      const auto inherited = cases.front().targets;
      if (started)
        cases.emplace_back();
      started = true;
      c = &cases.back();
      c->name = rest;
      if (c->targets.empty())
        c->targets = inherited;
    } else if (key == "targets")
      c->targets = parse_targets(rest);
    else if (key == "init")
      items(c->init, rest, true);
    else if (key == "expect")
      items(c->expect, rest, true);
    else if (key == "clobbers")
      items(c->clobbers, rest, false);
    else if (key == "fault")
      c->fault = rest;
  }
  for (const Case& c : cases) {
    if (c.targets.empty())
      throw std::runtime_error(path + ": case '" + c.name + "' names no targets");
    if (c.expect.empty() && c.fault.empty())
      throw std::runtime_error(path + ": case '" + c.name + "' expects nothing");
  }
  return cases;
}

void put(Wave& w, const Item& i) {
  for (int lane = i.first; lane <= i.last; ++lane) {
    const uint64_t v = i.value.at(lane, i.first);
    if (i.kind == Item::vgpr || i.kind == Item::vgpr_pair)
      w.vgpr(uint32_t(i.reg))[lane] = uint32_t(v);
    if (i.kind == Item::vgpr_pair)
      w.vgpr(uint32_t(i.reg) + 1)[lane] = uint32_t(v >> 32);
  }
  const uint64_t v = i.value.at(0);
  switch (i.kind) {
  case Item::scalar: w.s[i.reg] = uint32_t(v); break;
  case Item::pair: w.set_pair(i.reg, v); break;
  case Item::scc: w.scc = uint32_t(v); break;
  case Item::mode: w.mode = uint32_t(v); break;
  default: break;
  }
}

// Everything of a wave that code can see.
struct Snapshot {
  std::vector<uint32_t> v, s;
  uint32_t scc, mode;
  explicit Snapshot(Wave& w)
      : v(w.vgpr(0), w.vgpr(0) + registers * 64), s(w.s, w.s + sgprs), scc(w.scc), mode(w.mode) {}
};

std::vector<std::string> compare(const Case& c, const Snapshot& before, const Snapshot& after) {
  std::vector<std::string> complaints;
  std::map<std::string, int> of_register; // two lanes of each are enough
  const auto complain = [&](const auto& name, uint64_t got, uint64_t want, const char* why) {
    if (got == want || complaints.size() >= 12)
      return;
    const std::string where = name();
    char line[200];
    std::snprintf(line, sizeof line, "%s is 0x%llx, expected 0x%llx%s", where.c_str(), (unsigned long long)got,
                  (unsigned long long)want, why);
    if (++of_register[where.substr(0, where.find(" lane"))] <= 2)
      complaints.push_back(line);
  };
  const auto pair = [](const std::vector<uint32_t>& from, size_t at, size_t step) {
    return uint64_t(from[at]) | uint64_t(from[at + step]) << 32;
  };
  std::vector<bool> named_v(registers * 64), named_s(sgprs);
  bool named_scc = false, named_mode = false;
  const auto visit = [&](const Item& i, bool check) {
    const auto name = [&i] { return i.name; };
    switch (i.kind) {
    case Item::vgpr:
    case Item::vgpr_pair:
      for (int lane = i.first; lane <= i.last; ++lane) {
        const size_t at = size_t(64) * size_t(i.reg) + size_t(lane);
        named_v[at] = true;
        if (i.kind == Item::vgpr_pair)
          named_v[at + 64] = true;
        if (!check)
          continue;
        const uint64_t want = i.value.at(lane, i.first);
        const auto where = [&] { return i.name + " lane " + std::to_string(lane); };
        if (i.kind == Item::vgpr)
          complain(where, after.v[at], uint32_t(want), "");
        else
          complain(where, pair(after.v, at, 64), want, "");
      }
      break;
    case Item::scalar:
      named_s[size_t(i.reg)] = true;
      if (check)
        complain(name, after.s[size_t(i.reg)], uint32_t(i.value.base), "");
      break;
    case Item::pair:
      named_s[size_t(i.reg)] = named_s[size_t(i.reg) + 1] = true;
      if (check)
        complain(name, pair(after.s, size_t(i.reg), 1), i.value.base, "");
      break;
    case Item::scc:
      named_scc = true;
      if (check)
        complain(name, after.scc, i.value.base, "");
      break;
    case Item::mode:
      named_mode = true;
      if (check)
        complain(name, after.mode, i.value.base, "");
      break;
    }
  };
  for (const Item& i : c.expect)
    visit(i, true);
  for (const Item& i : c.clobbers)
    visit(i, false);
  const char* why = " (unchanged)";
  for (size_t at = 0; at < named_v.size(); ++at)
    if (!named_v[at])
      complain(
          [&] {
            return (at / 64 < vgprs ? "v" : "a") + std::to_string(at / 64 % vgprs) + " lane " + std::to_string(at % 64);
          },
          after.v[at], before.v[at], why);
  for (size_t at = 0; at < named_s.size(); ++at)
    if (!named_s[at])
      complain([&] { return "scalar register " + std::to_string(at); }, after.s[at], before.s[at], why);
  if (!named_scc)
    complain([] { return std::string("scc"); }, after.scc, before.scc, why);
  if (!named_mode)
    complain([] { return std::string("mode"); }, after.mode, before.mode, why);
  return complaints;
}

} // namespace

std::vector<const engine::Backend*> levels() {
  std::vector<const engine::Backend*> all{&engine::backend_v1};
  if (__builtin_cpu_supports("x86-64-v3"))
    all.push_back(&engine::backend_v3);
  if (__builtin_cpu_supports("x86-64-v4"))
    all.push_back(&engine::backend_v4);
  return all;
}

struct OneWave::State {
  std::vector<uint8_t> memory = std::vector<uint8_t>(machine::wave_bytes(true) + 128);
  std::vector<uint8_t> lds;
  machine::Workgroup group{};
  machine::Fault fault;
  int64_t instructions = 0;
  Wave* wave;
};

OneWave::OneWave(uint32_t lds_bytes) : state_(std::make_unique<State>()) {
  auto address = (reinterpret_cast<uintptr_t>(state_->memory.data()) + 63) / 64 * 64;
  state_->wave = reinterpret_cast<Wave*>(address);
  state_->lds.resize(lds_bytes + 64);
  state_->group.lds = state_->lds.data();
  state_->group.lds_bytes = lds_bytes;
  state_->group.wave_count = 1;
  Wave& w = *state_->wave;
  w.vgpr_count = vgprs;
  w.reach = machine::everything;
  w.workgroup = &state_->group;
  w.fault = &state_->fault;
  w.mode = 0xf0 | 1u << 8; // denormals kept, DX10_CLAMP
  w.s[124] = ~0u;
  w.set_pair(126, ~uint64_t(0));
}
OneWave::~OneWave() = default;
Wave& OneWave::wave() { return *state_->wave; }
int64_t OneWave::instructions() const { return state_->instructions; }

machine::FaultKind OneWave::run(const std::vector<uint8_t>& code, isa::Target target, const engine::Backend& level,
                                events::Listener* listener) {
  const uint64_t base = reinterpret_cast<uint64_t>(code.data());
  engine::Program program(target, base, code.size(), level, {.steps = listener != nullptr});
  const engine::Code loaded(target, base, code.size());
  const engine::AqlPacket packet;
  engine::Options options;
  options.listener = listener;
  const engine::DispatchContext context{&loaded, &packet, &options, "case", 0, {&program}, {&program}};
  Wave& w = wave();
  engine::HookClock clock;
  w.hooks = &clock;
  state_->group.observed = listener != nullptr;
  state_->group.dispatch = &context;
  if (const machine::Wave* const one = &w; listener)
    listener->began({&state_->group, {&one, 1}});
  state_->fault = {};
  engine::apply_mode(w);
  const auto entry = program.at(base, w);
  w.instructions = -int64_t(entry.ordinal);
  w.resume = entry.uop;
  const unsigned csr = _mm_getcsr();
  do {
    w.state = machine::WaveState::ready;
    w.deadline = w.instructions + (1 << 20);
    _mm_setcsr(w.mxcsr32);
    enter(static_cast<const engine::Uop*>(w.resume), &w);
  } while (w.state == machine::WaveState::preempted && w.instructions < 1 << 22);
  _mm_setcsr(csr);
  state_->instructions = w.instructions;
  if (w.state == machine::WaveState::preempted)
    return machine::FaultKind::cancelled;
  return w.state == machine::WaveState::faulted ? state_->fault.kind : machine::FaultKind::none;
}

std::vector<isa::Target> targets_of(const std::string& path) {
  std::vector<isa::Target> all;
  for (const Case& c : parse_file(path))
    for (const isa::Target t : c.targets)
      if (std::find(all.begin(), all.end(), t) == all.end())
        all.push_back(t);
  return all;
}

std::vector<CaseResult> run_cases(const std::string& path, isa::Target target, const Observer& observer) {
  std::vector<Case> cases = parse_file(path);
  std::erase_if(
      cases, [&](const Case& c) { return std::find(c.targets.begin(), c.targets.end(), target) == c.targets.end(); });
  std::vector<std::string> texts;
  for (const Case& c : cases)
    texts.push_back(c.text);
  const auto codes = assemble_all(texts, target);
  std::vector<CaseResult> results;
  for (size_t n = 0; n < cases.size(); ++n)
    for (const engine::Backend* level : levels()) {
      const Case& c = cases[n];
      OneWave one;
      Wave& w = one.wave();
      uint32_t noise = 0x2545f491;
      const auto next = [&noise] { return noise ^= noise << 13, noise ^= noise >> 17, noise ^= noise << 5; };
      for (int i = 0; i < registers * 64; ++i)
        w.vgpr(0)[i] = next();
      for (int i = 0; i < 108; ++i)
        w.s[i] = next();
      for (const Item& i : c.init)
        put(w, i);
      const Snapshot before(w);
      const auto listener = observer ? observer(codes[n], target) : nullptr;
      const auto kind = one.run(codes[n], target, *level, listener.get());
      CaseResult result{c.name + " (" + level->level + ")", {}};
      const std::string fault = kind == machine::FaultKind::none ? "" : machine::name(kind);
      if (fault != c.fault)
        result.mismatches.push_back("fault '" + fault + "', expected '" + c.fault + "'");
      if (fault.empty() && c.fault.empty())
        result.mismatches = compare(c, before, Snapshot(w));
      results.push_back(std::move(result));
    }
  return results;
}

} // namespace crosslane::test
