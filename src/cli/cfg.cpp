// crosslane cfg: the control-flow graph of a file, or how long its analysis takes.
#include "analysis/graph.h"
#include "cli/code_options.h"
#include "cli/graph_text.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "files/read.h"
#include "launch/signature.h"
#include "toolchain/compile.h"
#include <ctime>
#include <map>

namespace crosslane::cli {

namespace {

struct CfgOptions {
  std::string file, only;
  toolchain::CompileOptions compile;
  bool json = false, dot = false, stats = false;
};

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

struct Totals {
  uint64_t objects = 0, bytes = 0, kernels = 0, functions = 0, blocks = 0, instructions = 0, edges = 0, calls = 0,
           loops = 0, unknowns = 0, tangled = 0;
  double graph = 0, loop = 0, live = 0;
};

void measure(const codeobject::CodeObject& object, const analysis::CodeImage& image, Totals& t) {
  const double start = processor_seconds();
  const analysis::Graph graph = analysis::build(image.code);
  const double built = processor_seconds();
  const auto loops = analysis::loops(graph, analysis::dominators(graph));
  const double looped = processor_seconds();
  const auto liveness = analysis::liveness(image.code, graph);
  t.live += processor_seconds() - looped, t.loop += looped - built, t.graph += built - start;
  ++t.objects;
  for (const auto& region : image.regions)
    if (region.kind == analysis::RegionKind::code)
      t.bytes += region.bytes.size();
  t.kernels += object.kernels().size(), t.functions += graph.functions.size(), t.blocks += graph.blocks.size();
  for (const auto& block : graph.blocks)
    t.instructions += block.instructions;
  t.edges += graph.edges.size(), t.calls += graph.calls.size(), t.loops += loops.loops.size();
  t.unknowns += graph.unknowns.size(), t.tangled += liveness.tangled_parts;
}

std::string stats_text(const std::map<std::string, Totals>& totals, size_t skipped) {
  std::string out;
  for (const auto& [target, t] : totals) {
    out += fmt::format("{}: {} code objects, {} bytes of code, {} kernels, {} functions\n", target, t.objects, t.bytes,
                       t.kernels, t.functions);
    out += fmt::format("  {} instructions, {} blocks, {} edges, {} calls, {} loops, {} unknown, {} tangled\n",
                       t.instructions, t.blocks, t.edges, t.calls, t.loops, t.unknowns, t.tangled);
    out += fmt::format("  {:.2f} s of one core: graph {:.2f}, dominators and loops {:.2f}, masks and liveness {:.2f}\n",
                       t.graph + t.loop + t.live, t.graph, t.loop, t.live);
  }
  if (skipped)
    out += fmt::format("{} code objects for other targets left out\n", skipped);
  return out;
}

// All code objects of a library, or those for the target that was asked for.
llvm::Expected<Exit> stats(const CfgOptions& options) {
  auto bytes = files::read(options.file);
  if (!bytes)
    return bytes.takeError();
  std::span<const uint8_t> all(reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size());
  std::vector<uint8_t> expanded;
  if (codeobject::is_compressed_bundle(all)) {
    auto plain = codeobject::decompress_bundle(all);
    if (!plain)
      return plain.takeError();
    expanded = std::move(*plain), all = expanded;
  }
  auto entries = codeobject::list_bundle(all);
  if (!entries)
    return entries.takeError();
  std::map<std::string, Totals> totals;
  size_t skipped = 0;
  const auto add = [&](const codeobject::CodeObject& object) -> llvm::Error {
    auto image = analysis::load_image(object);
    if (!image)
      return image.takeError();
    measure(object, **image, totals[object.processor()]);
    return llvm::Error::success();
  };
  for (const auto& entry : *entries) {
    const auto target = isa::parse_target(entry.target);
    if (entry.target.empty() || entry.bytes.empty())
      continue;
    if (!target || (!options.compile.target.empty() && isa::info(*target).name != options.compile.target)) {
      ++skipped;
      continue;
    }
    auto object = codeobject::CodeObject::read(entry.bytes, options.file);
    if (!object)
      return object.takeError();
    if (auto error = add(**object))
      return error;
  }
  if (entries->empty()) {
    auto object = toolchain::load_code(options.file, options.compile);
    if (!object)
      return object.takeError();
    if (auto error = add(**object))
      return error;
  }
  if (totals.empty())
    return fail("{}: no code object for {}", options.file,
                options.compile.target.empty() ? "a target that crosslane knows" : options.compile.target);
  print(stats_text(totals, skipped));
  return Exit::ok;
}

llvm::Expected<Exit> run(const CfgOptions& options) {
  if (options.file.empty())
    return fail("cfg needs a file");
  if (options.json + options.dot + options.stats > 1)
    return fail("--json, --dot and --stats exclude one another");
  if (options.stats)
    return stats(options);
  auto object = toolchain::load_code(options.file, options.compile);
  if (!object)
    return object.takeError();
  auto image = analysis::load_image(**object);
  if (!image)
    return image.takeError();
  const analysis::Graph graph = analysis::build((*image)->code);
  const auto dominators = analysis::dominators(graph);
  const auto loops = analysis::loops(graph, dominators);
  const auto liveness = analysis::liveness((*image)->code, graph);
  std::vector<uint32_t> parts;
  if (!options.only.empty()) {
    for (const auto& function : (*object)->functions())
      if (function.name == options.only || launch::is_called(function.name, options.only))
        if (const uint32_t f = graph.function_at(function.begin + (*image)->bias); f != analysis::none)
          parts.push_back(graph.blocks[graph.functions[f].block].part);
    if (parts.empty())
      return fail("{}: '{}' is not a function", (*object)->name(), options.only);
  }
  const AnalysedCode analysed{**object, **image, graph, dominators, loops, liveness};
  if (options.json || options.dot)
    print(options.json ? graph_json(analysed, parts) : graph_dot(analysed, parts));
  else
    print_report(graph_text(analysed, parts));
  return Exit::ok;
}

} // namespace

Run add_cfg(CLI::App& app) {
  auto options = std::make_shared<CfgOptions>();
  add_code_options(app, options->file, options->compile);
  app.add_option("--kernel", options->only,
                 "this function alone, and those that it shares blocks with: its symbol, or its name in the source")
      ->type_name("NAME");
  app.add_flag("--json", options->json, "as JSON");
  app.add_flag("--dot", options->dot, "as a graph for Graphviz");
  app.add_flag("--stats", options->stats,
               "sizes and processor time of the analysis alone; of all code objects of a library");
  app.footer(
      "Blocks are named by their address. What cannot be told before anything runs (where a computed jump goes) is\n"
      "said as unknown, with its kind; behind it every register counts as live. See docs/analysis.md.\n\n"
      "Exit status: 0 ok, 2 bad usage or input.\n\n"
      "Examples: crosslane cfg examples/if_else.s --kernel if_else\n"
      "          crosslane cfg examples/mandelbrot.cl --target gfx906 --dot\n"
      "          crosslane cfg examples/matmul_tiled.cl --stats");
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
