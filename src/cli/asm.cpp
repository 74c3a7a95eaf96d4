// crosslane asm: text as machine code. Plain instructions are parsed and encoded here, with every error of the text in
// one run; a text that describes kernels goes through LLVM's assembler and the linker and becomes a code object.
#include "cli/colour.h"
#include "cli/lint/judge.h"
#include "cli/listing.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/collisions.h"
#include "files/error.h"
#include "files/read.h"
#include "files/write.h"
#include "isa/encode.h"
#include "isa/parse_program.h"
#include "isa/print.h"
#include "toolchain/compile.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace crosslane::cli {

namespace {

struct AsmOptions {
  std::vector<std::string> inputs;
  std::string target, output;
  bool hex = false, lint = false;
};

struct Source {
  std::string name, text;
  std::string file = {}; // that it was read from; empty: none
};

constexpr size_t most_errors = 20;

bool ends_with(const std::string& s, std::initializer_list<std::string_view> tails) {
  return std::any_of(tails.begin(), tails.end(), [&](std::string_view t) { return s.ends_with(t); });
}

// One file, "-" for standard input, or instructions, a line each.
llvm::Expected<Source> source(const std::vector<std::string>& inputs) {
  if (inputs.empty())
    return fail("asm needs a file, '-' for standard input, or instructions, such as 'v_add_f32 v0, v1, v2'");
  const auto is_file = [](const std::string& s) {
    return s == "-" || std::filesystem::exists(s) || ends_with(s, {".s", ".S", ".asm"});
  };
  if (inputs.size() > 1 && std::any_of(inputs.begin(), inputs.end(), is_file))
    return fail("asm takes one file, or instructions: give the files one by one");
  if (is_file(inputs[0])) {
    const bool standard = inputs[0] == "-";
    auto bytes = standard ? files::read_standard_input() : files::read(inputs[0]);
    if (!bytes)
      return bytes.takeError();
    const std::string text(bytes->begin(), bytes->end());
    return standard ? Source{"<standard input>", text, "/dev/stdin"} : Source{inputs[0], text, inputs[0]};
  }
  Source s{"<command line>", {}};
  for (const std::string& line : inputs)
    s.text += line + "\n";
  return s;
}

std::string_view line_of(std::string_view text, size_t line) {
  size_t start = 0;
  for (size_t k = 1; k < line && start != text.npos; ++k)
    if (start = text.find('\n', start); start != text.npos)
      ++start;
  if (start == text.npos)
    return {};
  std::string_view s = text.substr(start, text.find('\n', start) - start);
  return s.ends_with('\r') ? s.substr(0, s.size() - 1) : s;
}

// "file:line:column: error: message", the line and a caret below the column. Tabs stay where they are.
void print_errors(const Source& s, const std::vector<isa::ProgramError>& errors) {
  std::string out;
  for (size_t k = 0; k < std::min(errors.size(), most_errors); ++k) {
    const isa::ProgramError& e = errors[k];
    const std::string_view line = line_of(s.text, e.line);
    out += fmt::format("{}:{}:{}: error: {}\n", s.name, e.line, e.column, e.message);
    for (const char c : line)
      out += (c >= 0 && c < ' ' && c != '\t') || c == 0x7f ? '?' : c;
    out += '\n';
    for (size_t at = 0; at + 1 < e.column; ++at)
      out += at < line.size() && line[at] == '\t' ? '\t' : ' ';
    out += "^\n";
  }
  if (errors.size() > most_errors)
    out += fmt::format("{}: {} more errors\n", s.name, errors.size() - most_errors);
  std::fwrite(out.data(), 1, out.size(), stderr);
}

// The canonical text, with the label of a branch as it was written.
std::string text_of(const isa::Statement& s) {
  std::string text = isa::print(s.instruction);
  if (!s.label.empty())
    text.replace(text.rfind(' ') + 1, std::string::npos, s.label);
  return text;
}

std::string words(const isa::Encoded& e) {
  std::string s;
  for (size_t k = 0; k < e.size / size_t(4); ++k)
    s += fmt::format("{}{:08x}", k ? " " : "", e.words[k]);
  return s;
}

std::string listing_of(const isa::Program& program, const std::vector<isa::Encoded>& code) {
  std::string out;
  size_t label = 0;
  const auto labels = [&](int64_t address) {
    for (; label < program.labels.size() && program.labels[label].address <= address; ++label)
      out += program.labels[label].name + ":\n";
  };
  for (size_t k = 0; k < program.statements.size(); ++k) {
    labels(program.statements[k].address);
    out += fmt::format("  {:<58} // {:06x}: {}\n", text_of(program.statements[k]), program.statements[k].address,
                       words(code[k]));
  }
  labels(INT64_MAX);
  return out;
}

// What lint finds in the text goes to standard error, as errors of it do.
llvm::Expected<Exit> lint_text(const Source& s, const std::string& target) {
  auto unit = unit_of_text(s.text, s.name, target);
  if (!unit)
    return unit.takeError();
  lint::Statistics statistics;
  auto judged = judge(*unit, {}, statistics);
  if (!judged)
    return judged.takeError();
  flush_printed();
  write_to_stderr(lint::text_of({.judged = {&*judged, 1}, .errors = {}, .statistics = {}, .version = {}},
                                {.colour = is_coloured(STDERR_FILENO)}));
  return judged->findings.empty() ? Exit::ok : Exit::wrong;
}

llvm::Expected<Exit> assemble_plain(const Source& s, isa::Target target, const AsmOptions& options) {
  isa::Program program = isa::parse_program(target, s.text);
  std::vector<isa::Encoded> code;
  for (const isa::Statement& i : program.statements) {
    code.push_back(isa::encode(i.instruction));
    if (!code.back())
      program.errors.push_back({i.line, 1, "this combination of operands has no encoding"});
  }
  if (!program.errors.empty()) {
    print_errors(s, program.errors);
    return Exit::wrong;
  }
  if (!options.output.empty()) {
    std::vector<uint8_t> bytes;
    for (const isa::Encoded& e : code)
      bytes.insert(bytes.end(), e.bytes().begin(), e.bytes().end());
    if (auto error = files::write(options.output, bytes))
      return std::move(error);
    return Exit::ok;
  }
  if (!options.hex) {
    print(listing_of(program, code));
    return Exit::ok;
  }
  for (const isa::Encoded& e : code)
    print(words(e) + "\n");
  return Exit::ok;
}

llvm::Expected<Exit> assemble_object(const Source& s, const std::string& target, const AsmOptions& options) {
  if (options.hex)
    return fail("{} makes a code object, which --hex cannot show: name it with -o, and use crosslane disasm", s.name);
  auto object = toolchain::assemble(s.text, s.name, target);
  if (!object) { // LLVM's messages have the form of ours
    write_to_stderr(llvm::toString(object.takeError()) + "\n");
    return Exit::wrong;
  }
  auto linked = toolchain::link_code_object(*object);
  if (!linked)
    return linked.takeError();
  if (!options.output.empty()) {
    if (auto error = files::write(options.output, *linked))
      return std::move(error);
    return Exit::ok;
  }
  auto code = codeobject::CodeObject::read(*linked, s.name);
  if (!code)
    return code.takeError();
  auto text = listing(**code, {});
  if (!text)
    return text.takeError();
  print(*text);
  return Exit::ok;
}

llvm::Expected<Exit> run(const AsmOptions& options) {
  auto s = source(options.inputs);
  if (!s)
    return s.takeError();
  if (!options.output.empty()) {
    const files::Use input[] = {{s->file, "the text"}}, output[] = {{options.output, "-o"}};
    if (auto error = files::refuse_collisions({input, s->file.empty() ? 0u : 1u}, output))
      return std::move(error);
  }
  const std::string own = toolchain::target_directive(s->text);
  const std::string target = !options.target.empty() ? options.target : !own.empty() ? own : toolchain::default_target;
  auto known = toolchain::known_target(target);
  if (!known)
    return known.takeError();
  const bool kernel = !own.empty() || s->text.find(".amdhsa_kernel") != std::string::npos;
  const bool object = kernel || ends_with(options.output, {".co", ".hsaco", ".so"});
  auto done = object ? assemble_object(*s, target, options) : assemble_plain(*s, *known, options);
  if (!done || *done != Exit::ok || !options.lint)
    return done;
  return lint_text(*s, target);
}

} // namespace

Run add_asm(CLI::App& app) {
  auto options = std::make_shared<AsmOptions>();
  app.add_option("INPUT", options->inputs, "a file (.s), - for standard input, or instructions")->type_name("");
  app.add_option("--target", options->target, "GPU: gfx701, gfx803, gfx900, ... (default: the text's own, or gfx900)")
      ->type_name("GPU");
  app.add_option("-o,--output", options->output,
                 "write the bytes to this file; .co, .hsaco and .so make a code object of the whole text")
      ->type_name("FILE");
  app.add_flag("--hex", options->hex, "print dwords only, as crosslane disasm --hex takes them");
  app.add_flag("--lint", options->lint,
               "say what crosslane lint finds in it, on standard error; exit status 1 if anything");
  app.footer(
      "Shows each instruction in full with its bytes. A text with .amdhsa_kernel or .amdgcn_target becomes a code\n"
      "object: it goes to the file of -o, or is shown as crosslane disasm shows it.\n\n"
      "Exit status: 0 ok, 1 errors in the text, or findings of --lint, 2 bad usage or input.\n\n"
      "Examples: crosslane asm --target gfx900 'v_add_f32 v0, v1, v2'\n"
      "          crosslane asm --hex 'again: s_sub_u32 s0, s0, 1' 's_branch again' | crosslane disasm --target gfx900 "
      "--hex\n"
      "          crosslane asm examples/if_else.s -o if_else.co --lint");
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
