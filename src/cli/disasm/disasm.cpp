// crosslane disasm: a file as text, what is in it as a list, or lines of hex bytes as lines of text.
#include "cli/code_options.h"
#include "cli/disasm/contents.h"
#include "cli/listing.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "isa/hex.h"
#include "toolchain/compile.h"
#include <cstdio>
#include <string>

namespace crosslane::cli {

namespace {

struct DisasmOptions {
  std::string file;
  toolchain::CompileOptions compile;
  ListingOptions listing;
  bool hex = false, no_addresses = false, no_source = false, no_descriptors = false;
  bool list = false, json = false;
};

constexpr size_t longest_line = 1 << 20;

// One line out for each line in, in large writes: a sweep of an encoding is millions of lines. A bad line does not stop
// the others; that there were some is said at the end.
llvm::Expected<Exit> disassemble_hex(isa::Target target) {
  std::string in, out;
  bool more = true;
  size_t used = 0, lines = 0, bad = 0, first_bad = 0;
  while (more) {
    in.erase(0, used);
    used = 0;
    const size_t kept = in.size();
    if (kept > longest_line)
      return fail("line {} of standard input is longer than {} bytes: is this hex?", lines + 1, longest_line);
    in.resize(kept + (size_t(1) << 16));
    const size_t got = std::fread(in.data() + kept, 1, in.size() - kept, stdin);
    in.resize(kept + got);
    more = got != 0;
    while (true) {
      size_t end = in.find('\n', used);
      if (end == std::string::npos) {
        if (more || used == in.size())
          break;
        end = in.size();
      }
      std::string_view line = std::string_view(in).substr(used, end - used);
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      const std::string text = isa::disassemble_hex_line(target, line);
      ++lines;
      if (text.starts_with("error: ") && bad++ == 0)
        first_bad = lines;
      out += text;
      out += '\n';
      used = std::min(end + 1, in.size());
    }
    if (!print(out))
      return Exit::bad;
    out.clear();
  }
  if (bad)
    return fail("{} of {} lines {} no instruction of {}, the first one line {}: see 'error:' in the output", bad, lines,
                bad == 1 ? "is" : "are", isa::info(target).name, first_bad);
  return Exit::ok;
}

llvm::Expected<Exit> run(DisasmOptions& options) {
  if (options.hex) {
    if (!options.file.empty())
      return fail("--hex reads standard input: leave out the file");
    if (options.compile.target.empty())
      return fail("--hex needs --target, such as --target gfx900");
    auto target = toolchain::known_target(options.compile.target);
    if (!target)
      return target.takeError();
    return disassemble_hex(*target);
  }
  if (options.file.empty())
    return fail("disasm needs a file, or --hex");
  if (options.json && !options.list)
    return fail("--json is the form of --list");
  if (options.list) {
    auto contents = contents_of(options.file, options.compile);
    if (!contents)
      return contents.takeError();
    print(options.json ? json_of(*contents) : text_of(*contents));
    return Exit::ok;
  }
  if (options.listing.texts && options.no_source)
    return fail("-S shows the text of source lines, which --no-source leaves out");
  auto object = toolchain::load_code(options.file, options.compile);
  if (!object)
    return object.takeError();
  options.listing.addresses = !options.no_addresses;
  options.listing.source = !options.no_source;
  options.listing.descriptors = !options.no_descriptors;
  auto text = listing(**object, options.listing);
  if (!text)
    return text.takeError();
  print(*text);
  return Exit::ok;
}

} // namespace

Run add_disasm(CLI::App& app) {
  auto options = std::make_shared<DisasmOptions>();
  add_code_options(app, options->file, options->compile);
  app.add_option("--kernel", options->listing.only,
                 "show this function alone: its symbol, or its name in the source, as 'ns::f<3, float>'")
      ->type_name("NAME");
  app.add_flag("--hex", options->hex,
               "read lines of hex bytes (c0020002 00000018, or 0x02,0x00,...) from standard input; exits with 2 if\n"
               "one is no instruction");
  app.add_flag("--no-addresses", options->no_addresses, "leave out addresses and bytes");
  app.add_flag("-S,--source-text", options->listing.texts, "with each source line its text, if the file is there");
  app.add_flag("--no-source", options->no_source, "leave out source lines");
  app.add_flag("--no-descriptors", options->no_descriptors, "leave out what the kernels ask for");
  app.add_flag("--uops", options->listing.uops,
               "below each instruction what the interpreter makes of it: kinds of uops, and their operands");
  auto* list = app.add_flag("--list", options->list,
                            "no instructions, but what there is: entries of bundles, programs and libraries, and of "
                            "each code object kernels with signature and resources, symbols, metadata");
  for (const char* other : {"--kernel", "--hex", "--no-addresses", "-S", "--no-source", "--no-descriptors", "--uops"})
    list->excludes(other);
  app.add_flag("--json", options->json, "--list: as JSON, with all arguments and sections");
  app.footer("With --list also HIP programs and libraries, static libraries (.a) and relocatable objects (.o).\n\n"
             "Exit status: 0 ok, 2 bad usage or input.\n\n"
             "Examples: crosslane disasm examples/if_else.s --kernel if_else\n"
             "          crosslane disasm examples/vector_add.cl --target gfx906 --clang=-O3\n"
             "          crosslane disasm examples/vector_add.cl -S --no-descriptors\n"
             "          crosslane disasm examples/vector_add.cl --list\n"
             "          crosslane disasm examples/if_else.s --uops --no-addresses\n"
             "          echo 0x00,0x02,0x00,0x7e | crosslane disasm --target gfx900 --hex");
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
