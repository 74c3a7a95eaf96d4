#include "tests/engine/case.h"
#include "engine/context.h"
#include "engine/hwreg.h"
#include "engine/program.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <unistd.h>
#include <xmmintrin.h>

namespace crosslane::test {

namespace {

using machine::Wave;

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

[[gnu::noinline]] __attribute__((no_sanitize("address", "thread", "undefined"))) void enter(const engine::Uop* op, Wave* w) {
  op->fn(op, w);
}

// "A*lane+B" or a number.
struct Value {
  uint64_t scale = 0, base = 0;
  uint64_t at(int lane) const { return scale * uint64_t(lane) + base; }
};
Value parse_value(const std::string& text) {
  static const std::regex affine(R"(^(?:(\w+)\*)?lane(?:([+-])(\w+))?$)");
  std::smatch m;
  Value v;
  if (std::regex_match(text, m, affine)) {
    v.scale = m[1].matched ? std::stoull(m[1], nullptr, 0) : 1;
    if (m[3].matched) v.base = std::stoull(m[3], nullptr, 0);
    if (m[2] == "-") v.base = 0 - v.base;
    return v;
  }
  const bool negative = text.starts_with("-");
  v.base = std::stoull(negative ? text.substr(1) : text, nullptr, 0);
  if (negative) v.base = 0 - v.base;
  return v;
}

struct Item {
  std::string name;   // as written
  enum Kind { vgpr, scalar, pair, scc } kind;
  int reg;
  int first = 0, last = 63;  // lanes
  Value value;
};

std::vector<Item> parse_items(const std::string& text, const std::string& key) {
  std::vector<Item> items;
  std::istringstream lines(text);
  static const std::regex item(R"(^([a-z]+)(\d*)(?:\[(\d+)(?:(\.\.|:)(\d+))?\])?=(\S+)$)");
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("// " + key + ":");
    if (at == std::string::npos) continue;
    std::istringstream parts(line.substr(at + 4 + key.size()));
    for (std::string part; std::getline(parts, part, ',');) {
      std::erase(part, ' ');
      std::smatch m;
      if (!std::regex_match(part, m, item)) throw std::runtime_error("cannot parse '" + part + "'");
      Item i;
      i.name = part.substr(0, part.find('='));
      i.value = parse_value(m[6]);
      const std::string base = m[1];
      if (base == "v") {
        i.kind = Item::vgpr, i.reg = std::stoi(m[2]);
        if (m[3].matched) i.first = std::stoi(m[3]), i.last = m[5].matched ? std::stoi(m[5]) : i.first;
      } else if (base == "s" && m[3].matched) i.kind = Item::pair, i.reg = std::stoi(m[3]);
      else if (base == "s") i.kind = Item::scalar, i.reg = std::stoi(m[2]);
      else if (base == "exec") i.kind = Item::pair, i.reg = 126;
      else if (base == "vcc") i.kind = Item::pair, i.reg = 106;
      else if (base == "m") i.kind = Item::scalar, i.reg = 124;
      else if (base == "scc") i.kind = Item::scc, i.reg = 0;
      else if (base == "mode") i.kind = Item::scalar, i.reg = -1;
      else throw std::runtime_error("unknown register '" + part + "'");
      items.push_back(i);
    }
  }
  return items;
}

}  // namespace

std::vector<uint8_t> assemble(const std::string& text, isa::Target target) {
  const auto stem = std::filesystem::temp_directory_path() /
                    ("crosslane-case-" + std::to_string(getpid()) + "-" + std::to_string(std::hash<std::string>{}(text)));
  const std::string s = stem.string() + ".s", o = stem.string() + ".o", b = stem.string() + ".bin";
  std::ofstream(s) << text;
  const std::string cpu(isa::info(target).name);
  const std::string command = "llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=" + cpu + " -filetype=obj " + s + " -o " + o +
                              " && llvm-objcopy-19 -O binary --only-section=.text " + o + " " + b;
  const int status = std::system(command.c_str());
  std::vector<uint8_t> bytes;
  if (status == 0) {
    const std::string content = read_text(b);
    bytes.assign(content.begin(), content.end());
  }
  for (const auto& f : {s, o, b}) std::filesystem::remove(f);
  if (status != 0) throw std::runtime_error("llvm-mc-19 failed: " + command);
  return bytes;
}

struct OneWave::State {
  std::vector<uint8_t> memory = std::vector<uint8_t>(machine::wave_bytes(256) + 128);
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
  w.vgpr_count = 256;
  w.workgroup = &state_->group;
  w.fault = &state_->fault;
  w.mode = 0xf0 | 1u << 8;  // denormals kept, DX10_CLAMP
  w.s[124] = ~0u;
  w.set_pair(126, ~uint64_t(0));
}
OneWave::~OneWave() = default;
Wave& OneWave::wave() { return *state_->wave; }
int64_t OneWave::instructions() const { return state_->instructions; }

machine::FaultKind OneWave::run(const std::vector<uint8_t>& code, isa::Target target) {
  const uint64_t base = reinterpret_cast<uint64_t>(code.data());
  engine::Program program(target, base, code.size(), engine::backend(), false);
  const engine::Code loaded(target, base, code.size());
  const engine::AqlPacket packet;
  const engine::Options options;
  const engine::DispatchContext context{&program, &loaded, &packet, &options, "case"};
  Wave& w = wave();
  state_->group.dispatch = &context;
  state_->fault = {};
  engine::apply_mode(w);
  w.instructions = 0, w.deadline = 1 << 20;
  w.state = machine::WaveState::ready;
  const unsigned csr = _mm_getcsr();
  _mm_setcsr(w.mxcsr32);
  enter(program.at(base).uop, &w);
  _mm_setcsr(csr);
  state_->instructions = w.instructions;
  return w.state == machine::WaveState::faulted ? state_->fault.kind : machine::FaultKind::none;
}

CaseResult run_case(const std::string& path, isa::Target target) {
  const std::string text = read_text(path);
  OneWave one;
  Wave& w = one.wave();
  for (const Item& i : parse_items(text, "init")) switch (i.kind) {
    case Item::vgpr:
      for (int lane = i.first; lane <= i.last; ++lane) w.v[0][64 * i.reg + lane] = uint32_t(i.value.at(lane));
      break;
    case Item::scalar: (i.reg < 0 ? w.mode : w.s[i.reg]) = uint32_t(i.value.base); break;
    case Item::pair: w.set_pair(i.reg, i.value.base); break;
    case Item::scc: w.scc = uint32_t(i.value.base); break;
    }
  CaseResult result;
  const auto kind = one.run(assemble(text, target), target);
  if (kind != machine::FaultKind::none) {
    result.mismatches.push_back(std::string("fault: ") + machine::name(kind));
    return result;
  }
  const auto complain = [&](const std::string& where, uint64_t got, uint64_t want) {
    char line[160];
    std::snprintf(line, sizeof line, "%s is 0x%llx, expected 0x%llx", where.c_str(), (unsigned long long)got,
                  (unsigned long long)want);
    if (got != want && result.mismatches.size() < 8) result.mismatches.push_back(line);
  };
  const auto expected = parse_items(text, "expect");
  if (expected.empty()) throw std::runtime_error(path + " expects nothing");
  for (const Item& i : expected) switch (i.kind) {
    case Item::vgpr:
      for (int lane = i.first; lane <= i.last; ++lane)
        complain(i.name + " lane " + std::to_string(lane), w.v[0][64 * i.reg + lane], uint32_t(i.value.at(lane)));
      break;
    case Item::scalar: complain(i.name, i.reg < 0 ? w.mode : w.s[i.reg], uint32_t(i.value.base)); break;
    case Item::pair: complain(i.name, w.pair(i.reg), i.value.base); break;
    case Item::scc: complain(i.name, w.scc, i.value.base); break;
    }
  return result;
}

}  // namespace crosslane::test
