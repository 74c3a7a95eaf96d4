// Sections in the order of man-pages(7).
#include "cli/help/man.h"
#include "cli/exit.h"
#include "cli/help/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace crosslane::cli {

namespace {

constexpr EnvironmentRow variables[] = {
    {"CROSSLANE_CLANG", "the clang that compiles .cl and .hip (default: clang-19, else clang)",
     "launch disasm cfg jit lint instrument timing"},
    {"CROSSLANE_LLD", "the linker behind it and behind assembly (default: ld.lld-19, else ld.lld)",
     "launch disasm asm cfg jit lint instrument timing"},
    {"CROSSLANE_DEVICE_LIBS", "folder of ROCm's device libraries; none: do without (default: Debian's, if installed)",
     "launch disasm cfg jit lint instrument timing"},
    {"CROSSLANE_LIBCLC", "libclc's file for AMD GPUs, instead of ROCm's device libraries (default: that of libclc-19)",
     "launch disasm cfg jit lint instrument timing"},
    {"CROSSLANE_LINT", "off: no warnings about mistakes in assembly that is launched", "launch"},
    {"CROSSLANE_JIT",
     "on: what costs much is compiled while it runs (the default); off; always; verify: both ways, and compared",
     "launch run env"},
    {"CROSSLANE_JIT_PERF", "1: perf learns the names of compiled kernels", "launch run env"},
    {"CROSSLANE_JIT_GDB", "1: gdb does", "launch run env"},
    {"CROSSLANE_CACHE",
     "off: compiled kernels are not kept between runs; verify: they are compiled again, and compared",
     "launch run env"},
    {"CROSSLANE_CACHE_DIR", "where they are kept (default: $XDG_CACHE_HOME/crosslane, or ~/.cache/crosslane)",
     "launch run env"},
    {"CROSSLANE_CACHE_SIZE", "how much they may take (default: 256M)", "launch run env"},
    {"CROSSLANE_LEVEL", "v1, v3 or v4: no instructions of the host beyond x86-64-v1, -v3 or -v4", "launch run env"},
    {"CROSSLANE_HSA_TABLES", "the release of ROCm whose tables profilers get, such as 5.2 or 6.2", "run env"},
    {"NO_COLOR", "no colours, if it is not empty; --color says otherwise", ""},
    {"CLICOLOR_FORCE", "colours wherever the text goes, if it is neither empty nor 0", ""},
    {"TMPDIR", "where compilers' files are meanwhile (default: /tmp)",
     "launch disasm asm cfg jit lint instrument timing"},
};

// Text of a paragraph. A hyphen that somebody may copy is a minus, and a line must not begin like a request.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() || out.back() == '\n')
      out += c == '.' || c == '\'' ? "\\&" : "";
    switch (c) {
    case '\\': out += "\\e"; break;
    case '-': out += "\\-"; break;
    case '\'': out += "\\(aq"; break;
    case '`': out += "\\(ga"; break;
    case '^': out += "\\(ha"; break;
    case '~': out += "\\(ti"; break;
    case '"': out += "\\(dq"; break;
    default: out += c;
    }
  }
  return out;
}

// A sentence of a paragraph begins a line of its own, as roff has it; long ones are wrapped.
std::string paragraph(const std::string& text) {
  constexpr size_t widest = 78;
  std::string out;
  size_t column = 0;
  std::istringstream words(text);
  bool sentence_ends = false;
  for (std::string word; words >> word;) {
    const bool begins = sentence_ends && std::isupper(uint8_t(word[0]));
    sentence_ends = word.ends_with('.');
    word = escaped(word);
    const bool breaks = column > 0 && (begins || column + 1 + word.size() > widest);
    out += breaks ? "\n" : column > 0 ? " " : "";
    column = (breaks || column == 0 ? 0 : column + 1) + word.size();
    out += breaks || out.empty() || !word.starts_with("\\&") ? word : word.substr(2);
  }
  return out + "\n";
}

std::string verbatim(const std::string& text) { return ".PP\n.EX\n" + escaped(text) + "\n.EE\n"; }

std::string tagged(const std::string& tag, const std::string& what) {
  return ".TP\n" + tag + "\n" + (what.empty() ? "\\&\n" : paragraph(what));
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

// "\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR"
std::string tag_of(const PageOption& option) {
  std::string tag;
  for (const std::string& name : option.names)
    tag += (tag.empty() ? "" : ", ") + (name.starts_with('-') ? bold(name) : italic(name));
  if (!option.value.empty())
    tag += " " + italic(option.value);
  return option.repeats ? tag + " ..." : tag;
}

std::string reference(const std::string& name, int section = 1) {
  return fmt::format(".BR {} ({})", escaped(name), section);
}

std::string page_name(const Page& page) { return page.name.empty() ? "crosslane" : "crosslane-" + page.name; }

std::string synopsis(const Page& page) {
  std::string out = ".SH SYNOPSIS\n.nh\n" + bold(page.command());
  if (!page.verbs.empty())
    return out + " \\fIVERB\\fR [\\fIOPTION\\fR ...]\n.br\n" + bold("crosslane") +
           " \\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n.hy\n";
  out += " [\\fIOPTION\\fR ...]";
  for (const PageOption& word : page.words) {
    const std::string name = italic(word.names[0]) + (word.repeats ? " ..." : "");
    out += word.required ? " " + name : " [" + name + "]";
  }
  return out + (page.takes_program ? " [\\fB\\-\\-\\fR] \\fIPROGRAM\\fR [\\fIARG\\fR ...]" : "") + "\n.hy\n";
}

bool is_of_exit_status(const Page::Block& block) { return !block.verbatim && block.text.starts_with("Exit status"); }

std::string description(const Page& page) {
  std::string summary = page.summary;
  summary[0] = char(std::toupper(uint8_t(summary[0])));
  std::string out = ".SH DESCRIPTION\n" + paragraph(summary + ".");
  for (const Page::Block& block : page.notes)
    if (!is_of_exit_status(block))
      out += block.verbatim ? verbatim(block.text) : ".PP\n" + paragraph(block.text);
  return out;
}

std::string options(const Page& page) {
  std::string out = ".SH OPTIONS\n", group = "Options";
  for (const PageOption& word : page.words)
    out += tagged(tag_of(word), word.what);
  for (const PageOption& option : page.options) {
    if (option.group != group)
      out += ".SS " + escaped(group = option.group) + "\n";
    out += tagged(tag_of(option), option.what);
  }
  return out;
}

std::string examples(const Page& page) {
  std::string text;
  for (const std::string& example : page.examples)
    text += (text.empty() ? "" : "\n") + broken_command(example, 76, 4);
  return text.empty() ? "" : ".SH EXAMPLES\n" + verbatim(text).substr(4);
}

std::string exit_status(const Page& page) {
  std::string out = ".SH EXIT STATUS\n";
  for (const Page::Block& block : page.notes)
    if (is_of_exit_status(block) && !page.name.empty())
      return out + paragraph(block.text.substr(block.text.find(':') + 1));
  if (page.takes_program)
    return out + paragraph("That of the program, but for what DESCRIPTION names.");
  for (const auto& [status, what, runs] : exit_texts)
    if (!runs || page.name.empty() || page.name == "launch")
      out += tagged(bold(status), what);
  return out;
}

bool runs_kernels(const Page& page) {
  return page.name.empty() || page.name == "launch" || page.name == "env" || page.takes_program;
}

std::string environment(const Page& page) {
  std::string out = ".SH ENVIRONMENT\n";
  for (const EnvironmentRow& row : environment_rows()) {
    const std::string verbs = fmt::format(" {} ", row.verbs);
    if (page.name.empty() || !*row.verbs || verbs.find(" " + page.name + " ") != std::string::npos)
      out += tagged(bold(row.name), row.what);
  }
  if (runs_kernels(page) && page.name != "launch")
    out += ".PP\nThe options of\n" + reference("crosslane-run") + "\nare variables too, which programs inherit:\n" +
           reference("crosslane-env") + "\nprints them.\n";
  return out;
}

std::string files(const Page& page) {
  if (!runs_kernels(page))
    return "";
  return ".SH FILES\n" +
         tagged("\\fI\\(ti/.cache/crosslane\\fR",
                "compiled kernels, kept for later runs; it may be deleted at any time") +
         (page.name == "launch"
              ? ""
              : tagged("\\fIlibhsa\\-runtime64.so.1\\fR",
                       "in a folder crosslane of its own below the libraries': the emulated GPU, which only "
                       "'crosslane run' and 'crosslane env' make programs find"));
}

std::string see_also(const Page& command, const Page& page) {
  std::vector<std::string> references;
  if (!page.name.empty())
    references.push_back(reference("crosslane"));
  for (const Page& verb : command.verbs)
    if (verb.name != page.name)
      references.push_back(reference(page_name(verb)));
  return fmt::format(".SH SEE ALSO\n{}\n.PP\nThe documentation is in\n.IR /usr/share/doc/crosslane .\n",
                     fmt::join(references, " ,\n"));
}

} // namespace

std::vector<EnvironmentRow> environment_rows() { return {std::begin(variables), std::end(variables)}; }

std::string manual_file(const Page& page) { return page_name(page) + ".1"; }

std::string manual_page(const Page& command, const Page& page, const Manual& manual) {
  std::string title = page_name(page);
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string out =
      fmt::format(".TH {} 1 \"{}\" \"crosslane {}\" \"crosslane\"\n", escaped(title), manual.date, manual.version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(page_name(page)), escaped(page.summary));
  out += synopsis(page) + description(page);
  if (!page.verbs.empty()) {
    out += ".SH VERBS\n";
    for (const Page& verb : page.verbs)
      out += ".TP\n" + reference(page_name(verb)) + "\n" + paragraph(verb.summary);
  }
  return out + options(page) + exit_status(page) + environment(page) + files(page) + examples(page) +
         see_also(command, page);
}

} // namespace crosslane::cli
