// crosslane instrument: probes in a code object, or what it was before.
#include "rewrite/instrument.h"
#include "cli/code_options.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "codeobject/write.h"
#include "files/collisions.h"
#include "files/error.h"
#include "files/read.h"
#include "files/write.h"
#include "findings/text.h"
#include "profile/probe_compiler.h"
#include "toolchain/compile.h"
#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace crosslane::cli {

namespace {

struct InstrumentOptions {
  std::string file, output, kernels, probes = "divergence", places, trace_bytes;
  toolchain::CompileOptions compile;
  uint32_t branch_reach = 0x7fff;
  uint64_t shuffle = 0;
  bool strip = false, json = false;
};

class Instrument {
public:
  explicit Instrument(const InstrumentOptions& options) : options_(options) {}

  llvm::Expected<Exit> run() {
    if (auto error = check_output())
      return std::move(error);
    if (options_.strip)
      return strip();
    auto chosen = rewrite::parse_probes(
        {.probes = options_.probes, .places = options_.places, .trace_bytes = options_.trace_bytes},
        {.probes = "--probe", .places = "--at", .trace_bytes = "--trace-bytes"});
    if (!chosen)
      return chosen.takeError();
    rewrite::Options options{.probes = std::move(*chosen),
                             .wanted = {},
                             .compiler = profile::probe_compiler(probe_options()),
                             .branch_reach = options_.branch_reach,
                             .shuffle = options_.shuffle};
    if (!options_.kernels.empty()) {
      auto wanted = named(options_.kernels);
      if (!wanted)
        return wanted.takeError();
      options.wanted = *wanted;
    }
    auto bytes = is_source() ? of_source(options) : of_file(options);
    if (!bytes)
      return bytes.takeError();
    if (done_.empty() && seen_.empty())
      return fail("{}: has no code of a target that crosslane knows{}", options_.file,
                  options_.compile.target.empty() ? "" : " and --target names");
    if (done_.empty())
      return fail("{}: has no kernel that --kernels {} names; there are {}", options_.file, options_.kernels,
                  fmt::join(std::span(seen_).first(std::min<size_t>(seen_.size(), 20)), ", "));
    const bool any = std::ranges::any_of(done_, [](const Done& d) { return d.kernel.refused.empty(); });
    if (!any)
      return fail("{}: no kernel can be instrumented: {}", options_.file, done_.front().kernel.refused);
    if (auto error = write(*bytes))
      return std::move(error);
    report();
    return Exit::ok;
  }

private:
  struct Done {
    std::string target;
    rewrite::Instrumented kernel;
  };
  const InstrumentOptions& options_;
  std::vector<Done> done_;
  std::vector<std::string> seen_; // kernels
  rewrite::BranchShare branches_;

  // Of the program's source, if it is one, they are not the probe's.
  std::vector<std::string> probe_options() const {
    return is_source() ? std::vector<std::string>{} : options_.compile.options;
  }

  bool is_source() const {
    const std::string extension = std::filesystem::path(options_.file).extension();
    for (const char* source : {".cl", ".ocl", ".hip", ".cpp", ".cc", ".cxx", ".cu", ".s", ".S", ".asm"})
      if (extension == source)
        return true;
    return false;
  }

  llvm::Expected<std::vector<uint8_t>> of_source(const rewrite::Options& options) {
    auto object = toolchain::load_code(options_.file, options_.compile);
    if (!object)
      return object.takeError();
    return instrument(**object, options);
  }

  // Empty: nothing of it was.
  llvm::Expected<std::vector<uint8_t>> instrument(const codeobject::CodeObject& object,
                                                  const rewrite::Options& options) {
    for (const auto& kernel : object.kernels())
      seen_.push_back(codeobject::demangle(kernel.name));
    auto result = rewrite::instrument(object, options);
    if (!result)
      return result.takeError();
    for (auto& kernel : result->kernels)
      done_.push_back({object.target_id(), std::move(kernel)});
    branches_ += result->branches;
    return std::move(result->bytes);
  }

  // A code object, or all of a container that are for the target that was asked for.
  llvm::Expected<std::vector<uint8_t>> of_file(const rewrite::Options& options) {
    auto bytes = files::read(options_.file);
    if (!bytes)
      return bytes.takeError();
    std::string processor = options_.compile.target;
    processor.resize(std::min(processor.size(), processor.find(':')));
    const auto one = [&](const codeobject::BundleEntry& entry) -> llvm::Expected<std::optional<std::vector<uint8_t>>> {
      const std::string named = entry.target.substr(0, entry.target.find(':'));
      if (!processor.empty() && !named.empty() && named != processor)
        return std::nullopt;
      if (!named.empty() && !isa::parse_target(named))
        return std::nullopt;
      auto object = codeobject::CodeObject::read(entry.bytes, options_.file);
      if (!object)
        return object.takeError();
      if (!isa::parse_target((*object)->processor()))
        return fail("{}: is for {}, whose instructions crosslane does not know", options_.file, (*object)->processor());
      auto result = instrument(**object, options);
      if (!result)
        return result.takeError();
      if (result->empty())
        return std::nullopt;
      return std::move(*result);
    };
    auto rewritten = codeobject::rewrite_file({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, one);
    if (rewritten)
      return rewritten;
    const std::string why = llvm::toString(rewritten.takeError());
    return why.starts_with(options_.file) ? fail("{}", why) : fail("{}: {}", options_.file, why);
  }

  llvm::Error check_output() const {
    if (options_.output.empty())
      return fail("-o FILE says where the new code object goes");
    const files::Use input{options_.file, "the input"}, output{options_.output, "-o"};
    if (auto error = files::refuse_collisions({&input, 1}, {&output, 1}))
      return error;
    return files::check_writable(options_.output);
  }

  static llvm::Expected<std::function<bool(const codeobject::Kernel&)>> named(const std::string& text) {
    try {
      return [pattern = std::regex(text)](const codeobject::Kernel& k) {
        return std::regex_search(k.name, pattern) || std::regex_search(codeobject::demangle(k.name), pattern);
      };
    } catch (const std::regex_error& e) {
      return fail("--kernels {}: no regular expression: {}", text, e.what());
    }
  }

  // A program stays one that can be run.
  llvm::Error write(std::span<const uint8_t> bytes) const {
    if (auto error = files::write(options_.output, bytes))
      return error;
    using std::filesystem::perms;
    constexpr perms runs = perms::owner_exec | perms::group_exec | perms::others_exec;
    std::error_code ignored; // what cannot be asked is no program
    const perms of_input = std::filesystem::status(options_.file, ignored).permissions() & runs;
    if (!ignored && of_input != perms::none && std::filesystem::is_regular_file(options_.output, ignored))
      std::filesystem::permissions(options_.output, of_input, std::filesystem::perm_options::add, ignored);
    return llvm::Error::success();
  }

  llvm::Expected<Exit> strip() const {
    auto bytes = files::read(options_.file);
    if (!bytes)
      return bytes.takeError();
    auto before = codeobject::strip_file({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
    if (!before)
      return before.takeError();
    if (auto error = write(*before))
      return std::move(error);
    return Exit::ok;
  }

  void report() const {
    uint64_t instrumented = 0;
    for (const Done& d : done_)
      instrumented += d.kernel.refused.empty();
    if (options_.json) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const auto& [target, k] : done_) {
        nlohmann::ordered_json entry = {{"kernel", k.kernel}, {"target", target}, {"instrumented", k.refused.empty()}};
        if (!k.refused.empty())
          entry["why_not"] = k.refused;
        else
          entry.update({{"sites", k.sites},
                        {"counters", k.counters},
                        {"instructions", k.instructions},
                        {"added", k.added},
                        {"calls_to_uninstrumented", k.calls_to_old}});
        if (k.refused.empty() && (k.places || k.left_out))
          entry.update({{"places", k.places}, {"places_left_out", k.left_out}});
        list.push_back(std::move(entry));
      }
      nlohmann::ordered_json all{{"kernels", std::move(list)}};
      if (branches_.of)
        all["branches"] = {{"probed", branches_.probed}, {"of", branches_.of}};
      print(all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
      return;
    }
    std::string text;
    for (const auto& [target, k] : done_) {
      const std::string name = codeobject::demangle(k.kernel);
      if (!k.refused.empty()) {
        text += fmt::format("{} ({}): not instrumented, runs as it was: {}\n", name, target, k.refused);
        continue;
      }
      text += fmt::format("{} ({}): {} sites, {} counters; {} instructions and {} of probes\n", name, target, k.sites,
                          k.counters, k.instructions, k.added);
      if (k.places || k.left_out)
        text += fmt::format("  a probe of one's own at {} places{}\n", k.places,
                            k.left_out ? fmt::format("; {} have not what it asks for", k.left_out) : "");
      if (k.calls_to_old)
        text += fmt::format("  {} calls and jumps through pointers: what they lead to runs as it was, uncounted\n",
                            k.calls_to_old);
    }
    print(findings::plain_lines(text + fmt::format("{} of {} kernels instrumented{}: {}\n", instrumented, done_.size(),
                                                   branches_.of ? ", with probes at " + rewrite::text(branches_) : "",
                                                   options_.output)));
  }
};

} // namespace

Run add_instrument(CLI::App& app) {
  auto options = std::make_shared<InstrumentOptions>();
  app.add_option("FILE", options->file,
                 "code object (.co .hsaco .so), offload bundle, HIP program or library, .s, .cl or .hip")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", options->output, "the new code object")->type_name("FILE");
  app.add_option("--probe", options->probes,
                 "divergence: executions and agreements of each branch; blocks: executions of each block; lanes: "
                 "work-items of each block; time: cycles of each wave, and in each loop; memory: addresses of each "
                 "access, lane by lane; FILE.s, FILE.cl, FILE.hip: "
                 "of your own, in assembly, or a function 'probe' in OpenCL C or HIP, at --at; document-lds, "
                 "document-global: as divergence, by Wu's probes; none: copies that do as the "
                 "originals (default: divergence)")
      ->type_name("PROBES");
  app.add_option("--at", options->places,
                 "where a probe of your own goes: before each block, branch or memory (instruction), on each edge of "
                 "branches, at "
                 "entry and exit of kernels, at FILE:LINE of the source")
      ->type_name("PLACES");
  app.add_option(
         "--trace-bytes", options->trace_bytes,
         "memory: of each wave's record, rounded up to a power of two; an access takes 64 to 576 (default: 64K)")
      ->type_name("SIZE");
  app.add_option("--kernels", options->kernels, "those whose name this regular expression is found in (default: all)")
      ->type_name("REGEX");
  app.add_option("--target", options->compile.target, "what of a bundle, and what sources are compiled for")
      ->type_name("GPU");
  app.add_flag("--strip", options->strip, "the other way: the code object as it was before, byte for byte");
  app.add_flag("--json", options->json, "what was instrumented, as JSON");
  app.add_option("--branch-reach", options->branch_reach,
                 "dwords that branches may go, less than the hardware's: a test")
      ->check(CLI::Range(64, 0x7fff))
      ->group("");
  app.add_option("--shuffle", options->shuffle, "code in another order, with s_nop in it; a number chooses: a test")
      ->group("");
  add_clang_option(app, options->compile);
  app.footer("Kernels get a copy with probes, behind the code as it was, which stays; what cannot be copied is named "
             "and runs\n"
             "as it was. 'crosslane launch OUT --counters FILE' reads the counters; so can a program on a card. See\n"
             "docs/instrumentation.md.\n\n"
             "Exit status: 0 ok, 2 bad usage or input.\n\n"
             "Examples: crosslane instrument examples/if_else.cl -o probed.co\n"
             "          crosslane instrument examples/if_else.cl --probe examples/probes/lines.cl --at memory "
             "-o lines.co\n"
             "          crosslane instrument --strip probed.co -o as_it_was.co");
  return [options] { return Instrument(*options).run(); };
}

} // namespace crosslane::cli
