// gfx6 and gfx7 from the side of the texts: every mnemonic that LLVM has for them is a row, and whatever LLVM's
// assembler takes decodes to the text that LLVM itself prints for it. The texts are mutations of what the sweep prints:
// operands exchanged, dropped and added, modifiers added. LLVM refuses most of them.
#include "isa/decode.h"
#include "isa/op.h"
#include "isa/print.h"
#include "tests/isa/llvm_assembler.h"
#include "tests/isa/sweep.h"
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <unordered_set>

namespace crosslane::tests {
namespace {

constexpr std::string_view operands[] = {"v0",
                                         "v255",
                                         "v[2:3]",
                                         "v[3:5]",
                                         "v[2:5]",
                                         "v[3:7]",
                                         "v[2:9]",
                                         "s4",
                                         "s103",
                                         "s[4:5]",
                                         "s[102:103]",
                                         "s[4:7]",
                                         "s[100:103]",
                                         "s[4:11]",
                                         "s[4:19]",
                                         "vcc",
                                         "vcc_hi",
                                         "exec",
                                         "exec_lo",
                                         "m0",
                                         "scc",
                                         "src_vccz",
                                         "src_execz",
                                         "src_scc",
                                         "tba",
                                         "tma_lo",
                                         "ttmp3",
                                         "ttmp[4:5]",
                                         "ttmp[4:7]",
                                         "ttmp[4:11]",
                                         "flat_scratch",
                                         "flat_scratch_hi",
                                         "xnack_mask",
                                         "null",
                                         "src_shared_base",
                                         "src_lds_direct",
                                         "0",
                                         "-16",
                                         "64",
                                         "65",
                                         "0x12345678",
                                         "0.5",
                                         "-4.0",
                                         "0.15915494",
                                         "1.5",
                                         "-v1",
                                         "|v1|",
                                         "-|v1|",
                                         "neg(1)",
                                         "-s4",
                                         "sext(v1)",
                                         "off",
                                         "0xff",
                                         "0xffff",
                                         "attr32.w",
                                         "attr33.x",
                                         "p0",
                                         "mrtz",
                                         "pos3",
                                         "param31",
                                         "param32",
                                         "null",
                                         "hwreg(HW_REG_SH_MEM_BASES)",
                                         "hwreg(20, 1, 2)",
                                         "sendmsg(4)",
                                         "sendmsg(MSG_GS_DONE, GS_OP_NOP)",
                                         "vmcnt(15)",
                                         "lgkmcnt(15)",
                                         "a1",
                                         "a[2:3]"};

constexpr std::string_view modifiers[] = {"clamp",
                                          "mul:2",
                                          "mul:4",
                                          "div:2",
                                          "glc",
                                          "slc",
                                          "scc",
                                          "dlc",
                                          "tfe",
                                          "lds",
                                          "offen",
                                          "idxen",
                                          "addr64",
                                          "gds",
                                          "offset:1",
                                          "offset:255",
                                          "offset:256",
                                          "offset:4095",
                                          "offset:4096",
                                          "offset:65535",
                                          "offset0:255",
                                          "offset1:1",
                                          "dmask:0x3",
                                          "dmask:0xf",
                                          "unorm",
                                          "da",
                                          "r128",
                                          "lwe",
                                          "d16",
                                          "a16",
                                          "done",
                                          "vm",
                                          "compr",
                                          "high",
                                          "op_sel:[1,0]",
                                          "op_sel:[0,0,0,1]",
                                          "quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
                                          "dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD",
                                          "format:7",
                                          "format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_SNORM_OGL]",
                                          "offset:swizzle(SWAP,16)"};

struct Text {
  std::string mnemonic;
  std::vector<std::string> operands;
  std::string tail; // modifiers as they were
};

// "v_add_f32_e64 v0, s0, v1 clamp": a comma or the end of a word without one closes an operand.
Text split(const std::string& line) {
  Text t;
  const size_t first = line.find(' ');
  t.mnemonic = line.substr(0, first);
  if (first == line.npos)
    return t;
  size_t at = first + 1, depth = 0, start = at;
  for (;; ++at) {
    const char c = at < line.size() ? line[at] : '\0';
    if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      --depth;
    if (c != '\0' && (depth != 0 || (c != ',' && c != ' ')))
      continue;
    t.operands.push_back(line.substr(start, at - start));
    if (c != ',')
      break;
    start = ++at + 1;
  }
  t.tail = at < line.size() ? line.substr(at) : "";
  return t;
}

std::string join(const Text& t) { return fmt::format("{} {}{}", t.mnemonic, fmt::join(t.operands, ", "), t.tail); }

std::vector<std::string> mutations(const Text& base) {
  std::vector<std::string> all{join(base)};
  const auto with = [&](auto&& change) {
    Text t = base;
    change(t);
    all.push_back(join(t));
  };
  for (size_t k = 0; k < base.operands.size(); ++k) {
    for (const std::string_view o : operands)
      with([&](Text& t) { t.operands[k] = o; });
    with([&](Text& t) { t.operands.erase(t.operands.begin() + long(k)); });
  }
  for (const std::string_view o : operands)
    with([&](Text& t) { t.operands.emplace_back(o); });
  for (const std::string_view m : modifiers) {
    with([&](Text& t) { t.tail += fmt::format(" {}", m); });
    with([&](Text& t) { t.tail = fmt::format(" {}", m); });
  }
  for (const std::string_view form : {"_e32", "_e64"})
    with([&](Text& t) {
      const size_t length = t.mnemonic.size();
      if (t.mnemonic.ends_with("_e32") || t.mnemonic.ends_with("_e64"))
        t.mnemonic.resize(length - 4);
      t.mnemonic += form;
    });
  return all;
}

// No bit says how many registers the address of an image takes; LLVM keeps what the text said.
std::string without_image_address_width(const std::string& text) {
  Text t = split(text);
  if (!text.starts_with("image_") || t.operands.size() < 2)
    return text;
  std::string& address = t.operands[1];
  if (address.starts_with("v[") && address.find(':') != address.npos)
    address = "v" + address.substr(2, address.find(':') - 2);
  return join(t);
}

// LLVM encodes these though they do not fit into their field, and loses bits.
bool llvm_loses_bits(std::string_view line) {
  // Condition bits where only an SGPR can be: as a destination, as the offset of a scalar load.
  for (const std::string_view bit : {"scc", "src_scc", "src_vccz", "src_execz"})
    if (line.find(fmt::format(" {}", bit)) != line.npos)
      return true;
  for (const std::string_view number : {" 0x12345678", " -16", " 0.15915494"}) // as an immediate of 16 unsigned bits
    if (line.starts_with("s_") && line.ends_with(number))
      return true;
  // VOP3B has SDST where the others have ABS and CLAMP.
  if (line.starts_with("v_div_scale_") && (line.ends_with(" clamp") || line.find('|') != line.npos))
    return true;
  const bool buffer = line.starts_with("buffer_") || line.starts_with("tbuffer_");
  return buffer && (line.ends_with("offset:4096") || line.ends_with("offset:65535"));
}

class Gfx6Forms : public testing::TestWithParam<std::string> {
protected:
  const isa::Target target_ = *isa::parse_target(GetParam());
};

TEST_P(Gfx6Forms, EveryMnemonicOfLlvmIsARow) {
  const std::string_view own = isa::info(target_).generation == isa::Generation::gfx6 ? "_gfx6" : "_gfx7",
                         older = isa::info(target_).generation == isa::Generation::gfx6 ? "_si" : "_ci";
  // What LLVM appends to mnemonics to tell variants apart.
  constexpr std::string_view variants[] = {"e32",    "e64",    "imm", "sgpr", "addr64", "offen", "idxen",
                                           "bothen", "offset", "lds", "tfe",  "rtn",    "done",  "16bank",
                                           "pad",    "s",      "nop", "v1",   "v2",     "v3",    "v4"};
  LlvmAssembler assembler(GetParam());
  int found = 0;
  for (std::string name : assembler.instruction_names()) {
    for (char& c : name)
      c = char(std::tolower(c));
    const auto cut = [&](std::string_view suffix) {
      if (!name.ends_with(suffix))
        return false;
      name.resize(name.size() - suffix.size());
      return true;
    };
    if (!cut("_gfx6_gfx7") && !cut(own) && !cut(older))
      continue;
    const std::string whole = name;
    std::string_view unknown;
    while (!isa::find_op(name, target_)) {
      const size_t dash = name.rfind('_');
      if (dash == name.npos)
        break;
      const std::string_view variant = std::string_view(whole).substr(dash + 1, name.size() - dash - 1);
      if (std::find(std::begin(variants), std::end(variants), variant) == std::end(variants))
        unknown = variant;
      name.resize(dash);
    }
    const bool row = isa::find_op(name, target_) && unknown.empty();
    EXPECT_TRUE(row || assembler.assemble(whole).error == "instruction not supported on this GPU") << whole;
    ++found;
  }
  EXPECT_GT(found, 1000);
}

TEST_P(Gfx6Forms, WhatLlvmAssemblesDecodesToItsText) {
  LlvmAssembler assembler(GetParam(), true);
  // A few texts of every mnemonic, of different shapes.
  std::map<std::string, std::vector<std::string>> samples;
  std::unordered_set<std::string> shapes;
  sweep_encodings(target_, 7, 40, [&](std::string_view, unsigned, const Words& w) {
    uint8_t bytes[12];
    std::memcpy(bytes, w.word, sizeof bytes);
    isa::Instruction inst;
    if (!isa::decode(target_, bytes, inst))
      return;
    const std::string text = isa::print(inst);
    std::string shape; // numbers do not count
    for (const char c : text)
      if (c < '0' || c > '9')
        shape += c;
    if (samples[split(text).mnemonic].size() < 2 && shapes.insert(shape).second)
      samples[split(text).mnemonic].push_back(text);
  });

  long tried = 0, assembled = 0, wrong = 0;
  std::string report;
  for (const auto& [mnemonic, texts] : samples) {
    std::vector<std::string> lines;
    for (const std::string& text : texts)
      for (std::string& line : mutations(split(text)))
        lines.push_back(std::move(line));
    const auto answers = assembler.assemble(lines);
    tried += long(lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto& a = answers[i];
      if (!a.error.empty() || a.bytes.empty())
        continue;
      ++assembled;
      isa::Instruction inst;
      const size_t size = size_t(isa::decode(target_, a.bytes, inst));
      const std::string ours = size ? isa::print(inst) : "nothing";
      if (size == a.bytes.size() && without_image_address_width(ours) == without_image_address_width(a.text))
        continue;
      if (llvm_loses_bits(lines[i]))
        continue;
      if (++wrong <= 4000)
        report += fmt::format("  {}: {:02x}, printed by LLVM as '{}', decodes to '{}'\n", lines[i],
                              fmt::join(a.bytes, ""), a.text, ours);
    }
  }
  EXPECT_EQ(wrong, 0) << report;
  EXPECT_GT(assembled, 50'000);
  fmt::print("{}: {} texts, {} assembled by LLVM\n", GetParam(), tried, assembled);
}

INSTANTIATE_TEST_SUITE_P(Isa, Gfx6Forms,
                         testing::ValuesIn(targets_to_sweep(isa::Generation::gfx6, isa::Generation::gfx7,
                                                            {"gfx600", "gfx700"})),
                         [](const auto& i) { return i.param; });

} // namespace
} // namespace crosslane::tests
