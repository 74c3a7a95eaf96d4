// crosslane isa: what the ISA has, and what crosslane makes of it.
#include "cli/instruction_text.h"
#include "cli/isa/coverage.h"
#include "cli/isa/operand_text.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "isa/enum_name.h"
#include "isa/hex.h"
#include "isa/instances.h"
#include "isa/parse.h"
#include "isa/suggest.h"
#include "toolchain/compile.h"
#include <algorithm>
#include <cctype>
#include <sys/ioctl.h>
#include <unistd.h>

namespace crosslane::cli {

namespace {

struct IsaOptions {
  std::string pattern, target, encoding;
  bool json = false, coverage = false, operands = false;
};

// Columns of the terminal; 0 if the output goes elsewhere.
size_t terminal_width() {
  winsize size{};
  return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

llvm::Expected<isa::Encoding> parse_encoding(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string known;
  for (int i = 0; !isa::enum_name(isa::Encoding(i)).empty(); ++i) {
    const auto encoding = isa::enum_name(isa::Encoding(i));
    if (encoding == name)
      return isa::Encoding(i);
    known += (i ? ", " : "") + std::string(encoding);
  }
  return fail("--encoding: there is no '{}'; there are {}", name, known);
}

llvm::Expected<InstructionFilter> parse_filter(const IsaOptions& options) {
  InstructionFilter filter;
  filter.pattern = options.pattern;
  if (!options.target.empty()) {
    auto target = toolchain::known_target(options.target);
    if (!target)
      return target.takeError();
    filter.target = *target;
  }
  if (!options.encoding.empty()) {
    auto encoding = parse_encoding(options.encoding);
    if (!encoding)
      return encoding.takeError();
    filter.encoding = *encoding;
  }
  return filter;
}

// Of the instructions that could be meant.
std::vector<std::string_view> names(InstructionFilter filter) {
  filter.pattern.clear();
  std::vector<std::string_view> result;
  for (const isa::Op op : find_instructions(filter))
    for (const auto& target : isa::targets())
      if (!filter.target || *filter.target == target.target)
        result.push_back(isa::mnemonic(op, target.target));
  return result;
}

bool one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Where --operands is given no target.
constexpr isa::Target usual_target = isa::Target::gfx900;

// What --operands is given: an instruction as bytes or as text; otherwise a name, and this is empty.
llvm::Expected<std::vector<isa::Instruction>> given_instruction(const std::string& text, isa::Target target) {
  isa::Instruction inst;
  if (text.starts_with("0x")) {
    if (const std::string wrong = isa::decode_hex_line(target, text, inst); !wrong.empty())
      return fail("{}", wrong);
    return std::vector{inst};
  }
  if (text.find(' ') == std::string::npos)
    return std::vector<isa::Instruction>{};
  const isa::Parsed parsed = isa::parse(target, text);
  if (!parsed)
    return fail("'{}': {}", text, parsed.error.message);
  return std::vector{parsed.instruction};
}

// Every form of each on the target asked for, or else the last that has it.
std::vector<isa::Instruction> forms(std::span<const isa::Op> found, std::optional<isa::Target> target) {
  std::vector<isa::Instruction> all;
  for (const isa::Op op : found) {
    const auto usual = isa::instances(op, target.value_or(usual_target));
    all.insert(all.end(), usual.begin(), usual.end());
    const auto targets = all_targets();
    for (auto t = targets.rbegin(); usual.empty() && t != targets.rend(); ++t)
      if (const auto other = isa::instances(op, *t); !other.empty()) {
        all.insert(all.end(), other.begin(), other.end());
        break;
      }
  }
  return all;
}

llvm::Expected<Exit> run(const IsaOptions& options) {
  auto parsed = parse_filter(options);
  if (!parsed)
    return parsed.takeError();
  auto& filter = *parsed;
  if (options.coverage) {
    if (!filter.pattern.empty() || filter.encoding || options.json || options.operands)
      return fail("--coverage takes no other option than --target");
    const auto targets = filter.target ? std::vector{*filter.target} : all_targets();
    print(coverage_table(coverage(targets)) + (filter.target ? fault_list(*filter.target) : ""));
    return Exit::ok;
  }
  const auto show_operands = [&](std::span<const isa::Instruction> all) {
    print(options.json ? operands_json(all) : operands_text(all));
    return Exit::ok;
  };
  if (options.operands) {
    auto given = given_instruction(options.pattern, filter.target.value_or(usual_target));
    if (!given)
      return given.takeError();
    if (!given->empty())
      return show_operands(*given);
  }
  auto found = find_instructions(filter);
  if (found.empty()) // as disassembly spells it
    if (const auto form = filter.pattern.rfind('_');
        form != std::string::npos && one_of(filter.pattern.substr(form), {"_e32", "_e64", "_dpp", "_sdwa"})) {
      filter.pattern.erase(form);
      found = find_instructions(filter);
    }
  if (found.empty())
    return fail("{}{} has no instruction{}", options.target.empty() ? "the ISA" : options.target,
                filter.encoding ? fmt::format(", encoding {},", isa::enum_name(*filter.encoding)) : "",
                options.pattern.empty() ? ""
                                        : fmt::format(" '{}'{} Patterns such as 'v_add*' find more", options.pattern,
                                                      isa::did_you_mean(filter.pattern, names(filter), ".")));
  const auto targets = filter.target ? std::vector{*filter.target} : all_targets();
  if (options.operands)
    return show_operands(forms(found, filter.target));
  std::vector<InstructionFacts> facts;
  facts.reserve(found.size());
  for (const isa::Op op : found)
    facts.push_back(facts_of(op, targets));
  if (options.json) {
    print(instruction_json(facts));
  } else if (!options.pattern.empty() && options.pattern.find_first_of("*?") == std::string::npos) {
    for (const auto& f : facts)
      print_report((&f == facts.data() ? "" : "\n") + instruction_detail(f));
  } else {
    print(instruction_table(facts, terminal_width()));
  }
  return Exit::ok;
}

constexpr const char* footer =
    R"(Fidelity: 'exact' is the manual's result to the last bit; a bound in ulp is how far the result may be from it; an
instruction that is not executed stops the kernel with a fault that gives the reason. Coverage counts an instruction as
decoded or executed if all its forms are, and as graphics if only graphics pipelines can use it.
'gfx9' stands for gfx900, gfx902, gfx909 and gfx90c; gfx904, gfx906, gfx908 and gfx90a have instructions of their own.

Exit status: 0 ok, 2 bad usage or no such instruction.

Examples: crosslane isa
          crosslane isa 'v_dot*'
          crosslane isa v_rcp_f32
          crosslane isa --target gfx803 --encoding SMEM
          crosslane isa --operands v_mac_f32
          crosslane isa --operands 's_and_saveexec_b64 s[0:1], vcc'
          crosslane isa --coverage)";

} // namespace

Run add_isa(CLI::App& app) {
  auto options = std::make_shared<IsaOptions>();
  app.add_option("NAME", options->pattern, "one instruction in detail; a pattern with * or ? lists those that match it")
      ->type_name("");
  app.add_option("--target", options->target, "what this GPU has: gfx803, gfx900, ...")->type_name("GPU");
  app.add_option("--encoding", options->encoding, "SOP2, VOP3, DS, MUBUF, ...")->type_name("ENCODING");
  app.add_flag("--coverage", options->coverage,
               "how much of each target decodes and executes; with --target, also what does not and why");
  app.add_flag("--operands", options->operands,
               "the registers that it reads and writes, of each form; NAME may be an instruction, as text or as bytes\n"
               "(0x7e000280), of --target or else gfx900");
  app.add_flag("--json", options->json, "everything, for programs");
  app.footer(footer);
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
