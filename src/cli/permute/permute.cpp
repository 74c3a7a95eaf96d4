// crosslane permute: how a CPU and a GPU move lanes by a pattern.
#include "cli/outputs.h"
#include "cli/permute/gcn_plan.h"
#include "cli/permute/host_plan.h"
#include "cli/permute/host_set.h"
#include "cli/permute/lane_expression.h"
#include "cli/permute/lane_picture.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "files/write.h"
#include "toolchain/compile.h"
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

struct PermuteOptions {
  std::vector<std::string> expressions;
  std::string target = "gfx900", cpu = "host", level, svg;
  int element = 32, lanes = 64;
  bool json = false, all = false, ready = false, exec_written = false;
};

llvm::Error check(const PermuteOptions& options) {
  if (options.element != 8 && options.element != 16 && options.element != 32 && options.element != 64)
    return fail("--element {}: an element has 8, 16, 32 or 64 bits", options.element);
  const int n = options.lanes;
  if (n < 2 || n > 256 || (n & (n - 1)))
    return fail("--lanes {}: use a power of two from 2 to 256", n);
  if (n * options.element > 2048)
    return fail("{} lanes of {} bits are {} bytes, and plans are for at most 256: use --lanes {} or fewer", n,
                options.element, n * options.element / 8, 2048 / options.element);
  return llvm::Error::success();
}

nlohmann::ordered_json lanes_json(const std::vector<int>& from) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const int f : from)
    all.push_back(f == lane_zero  ? nlohmann::ordered_json("zero")
                  : f == lane_any ? nlohmann::ordered_json("any")
                                  : nlohmann::ordered_json(f));
  return all;
}

// What the CPU makes of several results of one source; a GPU moves one at a time.
llvm::Expected<Exit> run_several(const PermuteOptions& options) {
  if (!options.svg.empty())
    return fail("--svg draws one expression, and here are {}", options.expressions.size());
  std::vector<std::vector<int>> from;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::string text = fmt::format("{} results of one source: {} lanes of {} bits\n", options.expressions.size(),
                                 options.lanes, options.element);
  for (const std::string& expression : options.expressions) {
    auto one = evaluate_lanes(expression, options.lanes);
    if (!one)
      return one.takeError();
    results.push_back({{"expression", expression}, {"description", describe_lanes(*one)}, {"from", lanes_json(*one)}});
    text += fmt::format("  {}. {}\n     {}\n", results.size(), expression, describe_lanes(*one));
    from.push_back(std::move(*one));
  }
  auto host = plan_host_set(from, options.element, options.cpu, options.level);
  if (!host)
    return host.takeError();
  if (options.json) {
    const nlohmann::ordered_json all = {
        {"lanes", options.lanes}, {"element_bits", options.element}, {"results", results}, {"cpu", host_json(*host)}};
    print(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    print_report(text + host_text(*host));
  }
  return Exit::ok;
}

llvm::Expected<Exit> run(const PermuteOptions& options) {
  if (auto error = check(options))
    return error;
  auto target = toolchain::known_target(options.target);
  if (!target)
    return target.takeError();
  if (options.expressions.size() > 1)
    return run_several(options);
  const std::string& expression = options.expressions.front();
  auto from = evaluate_lanes(expression, options.lanes);
  if (!from)
    return from.takeError();
  auto host = plan_host(*from, options.element, options.cpu, options.level);
  if (!host)
    return host.takeError();
  // A wavefront has 64 lanes.
  std::optional<GcnPlan> gcn;
  if (options.lanes <= cross_lane::lane_count)
    gcn = plan_gcn(*from, options.element, *target,
                   {.source_just_written = !options.ready, .exec_just_written = options.exec_written});

  if (!options.svg.empty()) {
    if (auto error = prepare_outputs({}, {{{options.svg, "--svg"}}}))
      return std::move(error);
    if (auto error = files::write(options.svg, lane_svg(*from, expression)))
      return error;
  }

  const std::string description = describe_lanes(*from);
  if (options.json) {
    nlohmann::ordered_json all = {{"expression", expression},        {"lanes", options.lanes},
                                  {"element_bits", options.element}, {"description", description},
                                  {"from", lanes_json(*from)},       {"cpu", host_json(*host)}};
    all["gpu"] = gcn ? gcn_json(*gcn) : nlohmann::ordered_json(nullptr);
    print(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return Exit::ok;
  }
  std::string text = fmt::format("{}: {} lanes of {} bits\n  {}\n{}\n{}\n", expression, options.lanes, options.element,
                                 description, lane_rows(*from, "  "), host_text(*host));
  text +=
      gcn ? gcn_text(*gcn, options.all)
          : fmt::format("GPU {}: a wavefront has 64 lanes, so there is no way for {}\n", options.target, options.lanes);
  print_report(text);
  return Exit::ok;
}

constexpr const char* footer =
    R"(EXPR says for each lane i of n which lane it reads: C's integer expressions with i, n, the functions min, max, abs,
popcount and rev(x, bits), and the names zero (the lane becomes 0) and any (it may become anything). A list in brackets
is the pattern of a group of that size. Several expressions are results of one source, which the CPU makes together:
the plan of all, what it costs, and what they cost one by one; a GPU's ways are of one. In the picture, '.' is a lane that reads itself, 'z' zero, '?' anything.

Exit status: 0 ok, 2 bad usage or expression.

Examples: crosslane permute 'i ^ 1'
          crosslane permute 'i < 16 ? 15 - i : i' --target gfx900 --cpu zen4
          crosslane permute '[1,0,3,2]' --target gfx701
          crosslane permute 'i == 0 ? zero : i - 1' --target gfx803 --all
          crosslane permute 'i ^ 1' --target gfx803 --exec-written
          crosslane permute '2 * i < n ? 2 * i : any' '2 * i < n ? 2 * i + 1 : any' --element 8 --lanes 128 --cpu zen5
          crosslane permute 'rev(i, 6)' --cpu icelake --level avx2 --element 8 --svg reversed.svg)";

} // namespace

Run add_permute(CLI::App& app) {
  auto options = std::make_shared<PermuteOptions>();
  const auto add = [options](const std::string& expression) { options->expressions.push_back(expression); };
  app.add_option_function<std::string>("EXPR", add, "the lane that lane i reads, such as 'i ^ 1'; up to 16: see below")
      ->required()
      ->type_name("");
  // Not one option of several words, of which CLI11 would make four of [1,0,3,2].
  for (int k = 2; k <= 16; ++k)
    app.add_option_function<std::string>(fmt::format("EXPR{}", k), add)->group("");
  app.add_option("--target", options->target, "GPU: gfx600, gfx803, gfx90a, ... (default: gfx900)")->type_name("GPU");
  app.add_option("--cpu", options->cpu,
                 "whose costs decide: icelake, zen3, zen4, zen5, sapphirerapids, alderlake or host (default: host)")
      ->type_name("CPU");
  app.add_option("--level", options->level,
                 "avx2, avx512, avx512_vbmi, avx512_vbmi2, avx512_gfni or host (default: all that the CPU has)")
      ->type_name("LEVEL");
  app.add_option("--element", options->element, "bits of an element: 8, 16, 32 or 64 (default: 32)")->type_name("BITS");
  app.add_option("--lanes", options->lanes,
                 "a power of two; of 64 and fewer a wavefront does as many groups as fit (default: 64)")
      ->type_name("N");
  app.add_flag("--all", options->all, "the assembly of every way of the GPU, not only the cheapest");
  app.add_flag("--ready", options->ready,
               "no VALU instruction wrote the source just before, so that DPP need not wait");
  app.add_flag("--exec-written", options->exec_written,
               "a VALU instruction (v_cmpx) wrote EXEC just before, for which DPP waits longer");
  app.add_flag("--json", options->json, "everything, for programs");
  app.add_option("--svg", options->svg, "also draw the lanes' movement into this file")->type_name("FILE");
  app.footer(footer);
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
