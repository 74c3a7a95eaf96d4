// See mutate.h.
#include "tests/isa/mutate.h"
#include <string_view>

namespace crosslane::tests {
namespace {

constexpr const char* operands_pool[] = {
    "v0",
    "v1",
    "v255",
    "v[0:1]",
    "v[1:2]",
    "v[2:3]",
    "v[4:7]",
    "v[254:255]",
    "v[255:256]",
    "v256",
    "[v2,v3]",
    "[v2,v4]",
    "v[3]",
    "a0",
    "a[0:1]",
    "s0",
    "s1",
    "s101",
    "s102",
    "s[0:1]",
    "s[1:2]",
    "s[2:3]",
    "s[4:7]",
    "s[6:9]",
    "s[8:15]",
    "[s2,s3]",
    "vcc",
    "vcc_lo",
    "vcc_hi",
    "exec",
    "exec_lo",
    "exec_hi",
    "m0",
    "flat_scratch",
    "flat_scratch_lo",
    "xnack_mask",
    "xnack_mask_lo",
    "ttmp0",
    "ttmp11",
    "ttmp15",
    "ttmp[0:1]",
    "ttmp[4:7]",
    "ttmp[12:15]",
    "tba",
    "tba_lo",
    "tma_hi",
    "null",
    "scc",
    "src_scc",
    "vccz",
    "src_execz",
    "src_shared_base",
    "shared_limit",
    "src_private_base",
    "src_pops_exiting_wave_id",
    "lds_direct",
    "src_lds_direct",
    "off",
    "0",
    "1",
    "64",
    "65",
    "-1",
    "-16",
    "-17",
    "0.5",
    "1.0",
    "-4.0",
    "0.15915494",
    "0.15915494309189532",
    "2.5",
    "1.0e10",
    "1.0e300",
    "1.0e-10",
    "0x3c00",
    "0xffff",
    "0x10000",
    "0x3f800000",
    "0x3e22f983",
    "0x3118",
    "0x12345678",
    "0xffffffff",
    "0x100000000",
    "-2147483648",
    "-2147483649",
    "0x3ff0000000000000",
    "0xffffffffffffffff",
    "1+1",
    "(3|4)*2",
    "~0",
    "-v1",
    "|v1|",
    "-|v1|",
    "neg(v1)",
    "abs(v1)",
    "sext(v1)",
    "neg(abs(v1))",
    "-s1",
    "|s1|",
    "-|1.0|",
    "neg(1)",
    "|1|",
    "sext(1)",
    "-1.0",
    "abs(-1.0)",
    "v2",
    "v3",
    "s2",
};
constexpr const char* modifiers_pool[] = {
    "clamp",
    "noclamp",
    "mul:2",
    "mul:4",
    "div:2",
    "mul:3",
    "mul:1",
    "op_sel:[0,1]",
    "op_sel:[1,0,1]",
    "op_sel:[0,0,0,1]",
    "op_sel_hi:[0,1]",
    "op_sel_hi:[1,1,0]",
    "neg_lo:[1,0]",
    "neg_lo:[0,1,0]",
    "neg_hi:[1,1]",
    "neg_hi:[0,0,1]",
    "quad_perm:[0,1,2,3]",
    "quad_perm:[0,1,2,4]",
    "row_shl:1",
    "row_shl:0",
    "row_shr:15",
    "row_ror:16",
    "wave_shl:1",
    "wave_ror:2",
    "row_mirror",
    "row_half_mirror",
    "row_bcast:15",
    "row_bcast:31",
    "row_bcast:16",
    "row_newbcast:3",
    "row_mask:0xf",
    "row_mask:0x1",
    "bank_mask:0x3",
    "bound_ctrl:0",
    "bound_ctrl:1",
    "dst_sel:DWORD",
    "dst_sel:BYTE_1",
    "dst_unused:UNUSED_PAD",
    "dst_unused:UNUSED_SEXT",
    "src0_sel:WORD_1",
    "src0_sel:DWORD",
    "src1_sel:BYTE_0",
    "src1_sel:WORD_2",
    "offset:0",
    "offset:4",
    "offset:255",
    "offset:4095",
    "offset:-1",
    "offset:-4096",
    "offset:65536",
    "inst_offset:8",
    "offset0:1",
    "offset1:255",
    "offset1:256",
    "offen",
    "idxen",
    "addr64",
    "glc",
    "slc",
    "scc",
    "noglc",
    "tfe",
    "lds",
    "gds",
    "dmask:0x1",
    "dmask:0xf",
    "unorm",
    "da",
    "lwe",
    "r128",
    "a16",
    "d16",
    "format:[BUF_NUM_FORMAT_FLOAT]",
    "format:22",
    "dfmt:1",
    "nfmt:2",
    "done",
    "compr",
    "vm",
    "high",
    "swizzle:1",
};
constexpr const char* suffixes[] = {"_e32", "_e64", "_dpp", "_sdwa", ""};

bool ends_with(const std::string& s, std::string_view tail) {
  return s.size() >= tail.size() && s.compare(s.size() - tail.size(), tail.size(), tail) == 0;
}

// Commas and blanks outside of brackets and parentheses separate.
void split(const std::string& text, std::string& mnemonic, std::vector<std::string>& operands,
           std::vector<std::string>& modifiers) {
  size_t at = text.find(' ');
  mnemonic = text.substr(0, at);
  bool last_had_comma = true; // the first operand follows the mnemonic
  while (at < text.size()) {
    const size_t start = text.find_first_not_of(' ', at);
    if (start == std::string::npos)
      break;
    int depth = 0;
    size_t end = start;
    bool quoted = false;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      quoted ^= c == '"';
      depth += c == '[' || c == '(';
      depth -= c == ']' || c == ')';
      if (depth == 0 && !quoted && (c == ',' || c == ' '))
        break;
    }
    (last_had_comma ? operands : modifiers).push_back(text.substr(start, end - start));
    last_had_comma = end < text.size() && text[end] == ',';
    at = end + (last_had_comma ? 1 : 0);
  }
}

} // namespace

std::string Mutator::with_number(const std::string& s) {
  constexpr const char* numbers[] = {"0", "1", "2", "3", "15", "16", "31", "255", "256", "4095", "4096", "-1"};
  const size_t digit = s.find_first_of("0123456789");
  if (digit == std::string::npos)
    return s;
  const size_t end = s.find_first_not_of("0123456789abcdefx", digit);
  return s.substr(0, digit) + pick(numbers) + (end == std::string::npos ? "" : s.substr(end));
}

void Mutator::mutate(std::string& mnemonic, std::vector<std::string>& operands, std::vector<std::string>& modifiers) {
  switch (below(12)) {
  case 0: // another suffix
  case 1:
    for (const char* s : suffixes)
      if (*s && ends_with(mnemonic, s)) {
        mnemonic.resize(mnemonic.size() - std::string_view(s).size());
        break;
      }
    mnemonic += below(2) ? "" : pick(suffixes);
    break;
  case 2: // another operand
  case 3:
  case 4:
    if (!operands.empty())
      operands[below(operands.size())] = pick(operands_pool);
    break;
  case 5: // exchanged
    if (operands.size() > 1)
      std::swap(operands[below(operands.size())], operands[below(operands.size())]);
    break;
  case 6: // one more, one less
    if (below(2) || operands.empty())
      operands.insert(operands.begin() + static_cast<long>(below(operands.size() + 1)), pick(operands_pool));
    else
      operands.erase(operands.begin() + static_cast<long>(below(operands.size())));
    break;
  case 7: { // with a sign
    constexpr const char* wraps[] = {"-", "neg(", "abs(", "sext(", "|"};
    if (operands.empty())
      break;
    std::string& o = operands[below(operands.size())];
    const std::string w = pick(wraps);
    o = w + o + (w == "-" ? "" : w == "|" ? "|" : ")");
    break;
  }
  case 8:
    modifiers.insert(modifiers.begin() + static_cast<long>(below(modifiers.size() + 1)), pick(modifiers_pool));
    break;
  case 9:
    if (!modifiers.empty())
      modifiers.erase(modifiers.begin() + static_cast<long>(below(modifiers.size())));
    break;
  case 10:
    if (modifiers.size() > 1)
      std::swap(modifiers[below(modifiers.size())], modifiers[below(modifiers.size())]);
    else
      modifiers.push_back(pick(modifiers_pool));
    break;
  default: // another number
    if (!modifiers.empty() && below(2)) {
      std::string& m = modifiers[below(modifiers.size())];
      m = with_number(m);
    } else if (!operands.empty()) {
      std::string& o = operands[below(operands.size())];
      o = with_number(o);
    }
    break;
  }
}

std::string Mutator::operator()(const std::string& text) {
  std::string mnemonic;
  std::vector<std::string> operands, modifiers;
  split(text, mnemonic, operands, modifiers);
  for (size_t k = 1 + below(2); k > 0; --k)
    mutate(mnemonic, operands, modifiers);
  std::string s = mnemonic;
  for (size_t k = 0; k < operands.size(); ++k)
    s += (k ? ", " : " ") + operands[k];
  for (const std::string& m : modifiers)
    s += " " + m;
  return s;
}

} // namespace crosslane::tests
