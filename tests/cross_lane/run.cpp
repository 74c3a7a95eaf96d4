// Assembles the planner's text, and runs it on a wave whose lanes hold their own numbers.
#include "tests/cross_lane/run.h"
#include "isa/encode.h"
#include "isa/parse.h"
#include <cstring>
#include <random>
#include <stdexcept>

namespace crosslane::test {

using cross_lane::Pattern;
using cross_lane::Way;

namespace {

std::map<isa::Target, std::map<std::string, std::vector<uint8_t>>> seen;

const std::vector<uint8_t>& assembled(const std::string& line, isa::Target target) {
  std::vector<uint8_t>& bytes = seen[target][line];
  if (bytes.empty()) {
    const isa::Parsed parsed = isa::parse(target, line);
    if (!parsed)
      throw std::runtime_error(std::string(isa::info(target).name) + ": " + line + ": " + parsed.error.message);
    const isa::Encoded encoded = isa::encode(parsed.instruction);
    if (!encoded)
      throw std::runtime_error(line + ": " + isa::describe(encoded, parsed.instruction));
    bytes.assign(encoded.bytes().begin(), encoded.bytes().end());
  }
  return bytes;
}

} // namespace

const std::map<isa::Target, std::map<std::string, std::vector<uint8_t>>>& lines_seen() { return seen; }

std::vector<uint8_t> machine_code(const Way& way, isa::Target target) {
  std::vector<uint8_t> code;
  for (const auto& line : way.lines) {
    const auto& bytes = assembled(line.text, target);
    code.insert(code.end(), bytes.begin(), bytes.end());
  }
  const auto& end = assembled("s_endpgm", target);
  code.insert(code.end(), end.begin(), end.end());
  return code;
}

std::string hazard(const Way& way, isa::Target target, int dwords, bool source_just_written) {
  constexpr int long_ago = 100;
  std::map<int, int> since;    // VGPR -> wait states since a VALU instruction wrote it
  std::map<int, bool> pending; // VGPRs that the LDS or memory will write
  if (source_just_written)
    for (int d = 0; d < dwords; ++d)
      since[dwords + d] = 0;
  for (const auto& line : way.lines) {
    const isa::Parsed parsed = isa::parse(target, line.text);
    const isa::Instruction& i = parsed.instruction;
    const std::string name = line.text.substr(0, line.text.find(' '));
    const auto reg = [](uint16_t code) { return code >= 256 && code < 512 ? code - 256 : -1; };
    for (const uint16_t code : {i.src[0], i.src[1], i.src[2], i.addr, i.data})
      if (pending.contains(reg(code)))
        return line.text + " reads what has not arrived";
    if (i.form == isa::Form::dpp)
      if (const auto at = since.find(reg(i.src[0])); (at == since.end() ? long_ago : at->second) < 2)
        return line.text + " reads too early what a VALU instruction wrote";
    const int states = name == "s_nop" ? std::stoi(line.text.substr(6)) + 1 : 1;
    for (auto& [vgpr, passed] : since)
      passed += states;
    if (name == "s_waitcnt")
      pending.clear();
    if (reg(i.dst) < 0)
      continue;
    if (name.starts_with("v_"))
      since[reg(i.dst)] = 0;
    else
      pending[reg(i.dst)] = true;
  }
  return pending.empty() ? "" : "the result has not arrived at the end";
}

std::string run(const Way& way, const Pattern& pattern, isa::Target target, int dwords, const engine::Backend& level) {
  const std::vector<uint8_t> code = machine_code(way, target);
  OneWave one(uint32_t(way.cost.lds_bytes));
  machine::Wave& w = one.wave();
  std::mt19937 random(1);
  constexpr int vgprs = 16, sgprs = 100;
  uint32_t before[vgprs][64], scalars[sgprs + 8];
  for (auto& reg : before)
    for (uint32_t& lane : reg)
      lane = uint32_t(random());
  for (uint32_t& s : scalars)
    s = uint32_t(random());
  std::memcpy(w.v, before, sizeof before);
  std::memcpy(w.s, scalars, sizeof scalars);
  if (!way.data.empty()) {
    const auto address = reinterpret_cast<uint64_t>(way.data.data());
    w.s[2] = scalars[2] = uint32_t(address);
    w.s[3] = scalars[3] = uint32_t(address >> 32);
  }
  if (const auto fault = one.run(code, target, level); fault != machine::FaultKind::none)
    return "fault " + std::to_string(int(fault));
  std::string wrong;
  const auto expect = [&](const std::string& what, uint32_t is, uint32_t want) {
    if (is != want && wrong.empty())
      wrong = what + " is " + cross_lane::hex(is) + ", not " + cross_lane::hex(want);
  };
  for (int d = 0; d < dwords; ++d)
    for (int i = 0; i < 64; ++i)
      if (const int from = pattern[size_t(i)]; from != cross_lane::any_lane)
        expect("lane " + std::to_string(i), w.v[d][i], from < 0 ? 0 : before[dwords + d][from]);
  for (int r = dwords; r < vgprs; ++r)
    if (r < 2 * dwords || r >= 2 * dwords + way.cost.vgprs)
      for (int i = 0; i < 64; ++i)
        expect("v" + std::to_string(r) + "[" + std::to_string(i) + "]", w.v[r][i], before[r][i]);
  for (int s = way.cost.sgprs; s < sgprs; ++s)
    expect("s" + std::to_string(s), w.s[s], scalars[s]);
  if (!way.cost.vcc)
    for (int s = 106; s < 108; ++s)
      expect("vcc", w.s[s], scalars[s]);
  expect("exec_lo", w.s[126], ~0u);
  expect("exec_hi", w.s[127], ~0u);
  return wrong;
}

std::string text(const Pattern& p) {
  std::string out;
  for (const int8_t from : p)
    out += (out.empty() ? "" : " ") + (from >= 0                      ? std::to_string(from)
                                       : from == cross_lane::any_lane ? std::string("any")
                                                                      : std::string("zero"));
  return out;
}

std::string text(const Way& way) {
  std::string out = way.name + "\n";
  for (const auto& line : way.lines)
    out += "  " + line.text + "\n";
  return out;
}

} // namespace crosslane::test
