// crosslane timing: what kernels cost on a card, from their code.
#include "cli/code_options.h"
#include "cli/lint/inputs.h"
#include "cli/outputs.h"
#include "cli/standard_output.h"
#include "cli/timing/machines.h"
#include "cli/timing/page.h"
#include "cli/timing/profile.h"
#include "cli/timing/report.h"
#include "cli/verb.h"
#include "files/error.h"
#include "files/read.h"
#include "files/write.h"
#include "findings/text.h"
#include "launch/shape.h"
#include "launch/signature.h"
#include <charconv>
#include <filesystem>

namespace crosslane::cli {

namespace {

struct TimingOptions {
  std::string file, only, block, gpu, model = "card", latency = "l2", profile, show_gpu, html;
  uint32_t waves = 0;
  toolchain::CompileOptions compile;
  bool instructions = false, json = false, list_gpus = false, toml = false;
};

struct Workgroup {
  uint32_t items = 256;
  bool whole_rows = true;
  std::string from;
};

llvm::Expected<Workgroup> workgroup_of(const TimingOptions& options, const codeobject::Kernel& kernel) {
  launch::Job job;
  job.groups = {{1, 1, 1}, 1};
  if (!options.block.empty()) {
    auto block = launch::parse_sizes(options.block, "--block");
    if (!block)
      return block.takeError();
    job.block = *block;
  }
  auto shape = launch::make_shape(job, kernel);
  if (!shape)
    return shape.takeError();
  Workgroup w;
  w.items = shape->block[0] * shape->block[1] * shape->block[2];
  w.whole_rows = shape->block[0] % 64 == 0;
  w.from = job.block.dims                       ? "--block"
           : kernel.reqd_workgroup_size[0] != 0 ? "the kernel requires them"
           : kernel.workgroup_size_hint[0] != 0 ? "its source hints at them"
                                                : "assumed; --block says others";
  return w;
}

class Timing {
public:
  explicit Timing(const TimingOptions& options) : options_(options) {}

  llvm::Expected<Exit> run() {
    if (options_.toml && options_.show_gpu.empty())
      return fail("--toml needs --show-gpu CARD: it prints that card as a file for --gpu");
    if (options_.list_gpus || !options_.show_gpu.empty())
      return cards();
    if (auto error =
            prepare_outputs({{{options_.file, "the file"}, {options_.profile, "--profile"}, {options_.gpu, "--gpu"}}},
                            {{{options_.html, "--html"}}}))
      return std::move(error);
    if (options_.file.empty())
      return fail("timing needs a file; --list-gpus and --show-gpu need none");
    if (auto error = prepare())
      return std::move(error);
    LintInputs inputs{{options_.file}, options_.compile};
    if (inputs.compile.target.empty() && machine_ && is_source())
      inputs.compile.target = isa::info(machine_->target).name;
    std::vector<std::string> wrong;
    InputVisitor visitor;
    visitor.unit = [&](LintUnit& unit) {
      if (!failed_)
        if (auto error = object(unit)) {
          failed_ = true;
          wrong.push_back(llvm::toString(std::move(error)));
        }
    };
    visitor.error = [&](const std::string& message) { wrong.push_back(message); };
    visitor.gap = [&](const std::string& file, const std::string&, const std::string& reason) {
      skipped_.push_back(fmt::format("{}: left out: {}", file, reason));
    };
    each_unit(inputs, visitor);
    if (!wrong.empty())
      return fail("{}", fmt::join(wrong, "\n"));
    return finish();
  }

private:
  const TimingOptions& options_;
  std::optional<gpu::Machine> machine_; // --gpu
  timing::Model model_ = timing::Model::card;
  std::vector<ProfiledKernel> profile_;
  nlohmann::ordered_json json_ = nlohmann::ordered_json::array();
  TimingPage page_; // --html
  std::vector<std::string> skipped_;
  std::vector<std::string> kernels_seen_;
  uint64_t kernels_ = 0, matched_ = 0;
  bool failed_ = false;

  llvm::Expected<Exit> cards() const {
    if (options_.list_gpus) {
      print(options_.json ? machine_list_json().dump(2) + "\n" : machine_list());
      return Exit::ok;
    }
    auto machine = find_machine(options_.show_gpu);
    if (!machine)
      return machine.takeError();
    print(options_.toml   ? gpu::toml_of(*machine)
          : options_.json ? machine_json(*machine).dump(2) + "\n"
                          : findings::plain_lines(machine_text(*machine)));
    return Exit::ok;
  }

  llvm::Error prepare() {
    model_ = options_.model == "document" ? timing::Model::document : timing::Model::card;
    if (!options_.gpu.empty()) {
      auto machine = find_machine(options_.gpu);
      if (!machine)
        return machine.takeError();
      machine_ = std::move(*machine);
      if (!options_.compile.target.empty()) {
        auto target = toolchain::known_target(options_.compile.target);
        if (!target)
          return target.takeError();
        if (!fits(*target, *machine_))
          return fail("--target {} is not what the card {} runs: {}", options_.compile.target, machine_->name,
                      isa::info(machine_->target).name);
      }
    }
    uint32_t cycles = 0;
    const std::string& l = options_.latency;
    const auto number = std::from_chars(l.data(), l.data() + l.size(), cycles);
    const bool is_number = number.ec == std::errc() && number.ptr == l.data() + l.size();
    if (l != "l1" && l != "l2" && l != "dram" && !(is_number && cycles > 0 && cycles <= 1000000))
      return fail("--latency {}: give cycles, or l1, l2 or dram", l);
    if (!options_.profile.empty()) {
      auto profile = read_profile(options_.profile);
      if (!profile)
        return profile.takeError();
      profile_ = std::move(*profile);
    }
    return llvm::Error::success();
  }

  // It has no target yet; code objects have one, and those of a library that are for others are left out.
  bool is_source() const {
    const std::string extension = std::filesystem::path(options_.file).extension();
    for (const char* source : {".cl", ".ocl", ".hip", ".cpp", ".cc", ".cxx", ".cu"})
      if (extension == source)
        return true;
    if (extension != ".s" && extension != ".S" && extension != ".asm")
      return false;
    auto text = files::read(options_.file);
    if (!text) {
      llvm::consumeError(text.takeError()); // it is read again, and told
      return false;
    }
    return toolchain::target_directive({text->begin(), text->end()}).empty();
  }

  // Instructions and their numbers are a generation's.
  static bool fits(isa::Target code, const gpu::Machine& machine) {
    return isa::info(code).generation == isa::info(machine.target).generation;
  }

  const ProfiledKernel* profiled(const codeobject::Kernel& kernel) const {
    for (const ProfiledKernel& p : profile_)
      if (p.name == kernel.name)
        return &p;
    return nullptr;
  }

  bool wanted(const codeobject::Kernel& kernel) const {
    return (options_.only.empty() || kernel.name == options_.only || kernel.symbol == options_.only ||
            launch::is_called(kernel.name, options_.only)) &&
           (profile_.empty() || !options_.only.empty() || profiled(kernel));
  }

  llvm::Error object(const LintUnit& unit) {
    const codeobject::CodeObject& object = *unit.object;
    const auto target = isa::parse_target(object.processor());
    if (!target)
      return fail("{}: is for {}, whose instructions crosslane does not know", object.name(), object.processor());
    if (machine_ && !fits(*target, *machine_)) {
      skipped_.push_back(fmt::format("{}: left out: is for {}, and the card {} runs {}", object.name(),
                                     object.target_id(), machine_->name, isa::info(machine_->target).name));
      return llvm::Error::success();
    }
    bool any = false;
    for (const auto& kernel : object.kernels()) {
      ++kernels_;
      any |= wanted(kernel);
      kernels_seen_.push_back(kernel.name);
    }
    if (!any)
      return llvm::Error::success();
    const gpu::Machine machine = machine_ ? *machine_ : gpu::machine(*gpu::find_card(isa::info(*target).name));
    auto image = analysis::load_image(object);
    if (!image)
      return image.takeError();
    const timing::AnalysedObject analysed(object, **image);
    nlohmann::ordered_json json = {{"file", object.name()},
                                   {"target", object.target_id()},
                                   {"card", machine.name},
                                   {"card_from", machine_ ? "--gpu" : "the first of the target"},
                                   {"mhz", machine[gpu::Parameter::clock]},
                                   {"model", options_.model},
                                   {"kernels", nlohmann::ordered_json::array()}};
    if (!options_.json)
      print(findings::plain_lines(fmt::format(
          "; {}: code object v{} for {}\n; card {} ({}){}{}\n", object.name(), object.version(), object.target_id(),
          machine.name, machine.product, machine_ ? "" : ", the first of its target; --gpu names another",
          model_ == timing::Model::document ? "; numbers of the document alone (--model document)" : "")));
    gpu::Used used;
    for (const auto& kernel : object.kernels()) {
      if (!wanted(kernel))
        continue;
      ++matched_;
      TimingKernel k{analysed, machine, {}, "", "", {}, {}, {}};
      k.source = [&](uint64_t address) {
        if (unit.origin.position)
          if (const auto line = unit.origin.position(address))
            return line;
        return object.source_line(address);
      };
      if (auto error = fill(k, kernel))
        return error;
      used.add(k.estimate.used);
      if (k.run)
        used.add(k.run->whole.used);
      if (!options_.html.empty())
        page_.add(k);
      if (options_.json)
        json["kernels"].push_back(timing_json(k, options_.instructions));
      else if (!print_report(findings::plain_lines(timing_text(k, options_.instructions))))
        return fail("standard output is closed");
    }
    if (options_.json) {
      json["assumed"] = assumed_json(used, machine);
      json_.push_back(std::move(json));
    } else {
      print_report(findings::plain_lines(assumed_text(used, machine)));
    }
    return llvm::Error::success();
  }

  llvm::Error fill(TimingKernel& k, const codeobject::Kernel& kernel) const {
    const ProfiledKernel* run = profiled(kernel);
    auto workgroup = workgroup_of(options_, kernel);
    if (!workgroup)
      return workgroup.takeError();
    k.options.model = model_, k.options.waves = options_.waves;
    k.options.workgroup_items = workgroup->items, k.options.whole_rows = workgroup->whole_rows;
    k.workgroup_from = workgroup->from;
    if (run && options_.block.empty())
      k.options.workgroup_items = run->workgroup_items, k.workgroup_from = "the profile";
    const std::string& l = options_.latency;
    if (l == "l1" || l == "l2" || l == "dram") {
      k.options.vmem_latency = timing::vmem_latency(k.machine, l);
      k.latency_from = l == "l1" ? "a hit of L1" : l == "l2" ? "a hit of L2" : "from DRAM";
    } else {
      k.options.vmem_latency = std::stod(l), k.latency_from = "--latency";
    }
    timing::Counts counts;
    if (run)
      for (const auto& [address, counted] : run->counts)
        counts[address + k.in.image.bias] = counted;
    k.estimate = timing::estimate(k.in, kernel, k.machine, k.options, counts);
    if (l == "l1" || l == "l2" || l == "dram") {
      using enum gpu::Parameter;
      k.estimate.used.add(l == "l1" ? l1_hit_latency : l2_hit_latency);
      if (l == "dram")
        k.estimate.used.add(dram_latency);
    }
    if (run)
      k.run = {options_.profile, run->launches, run->launch, timing::whole(k.estimate, counts, run->launch, k.machine),
               run->counts};
    return llvm::Error::success();
  }

  llvm::Expected<Exit> finish() {
    if (kernels_ == 0)
      return skipped_.empty() ? fail("{}: has no kernels", options_.file) : fail("{}", fmt::join(skipped_, "\n"));
    if (matched_ == 0 && !options_.only.empty())
      return fail("{}: there is no kernel '{}'; there are {}", options_.file, options_.only,
                  fmt::join(kernels_seen_, ", "));
    if (matched_ == 0)
      return fail("{}: has none of the kernels that {} counts ({})", options_.file, options_.profile,
                  profile_.front().name);
    if (!options_.html.empty())
      if (auto error = files::write(options_.html, page_.html()))
        return error;
    if (options_.json)
      print(json_.dump(2) + "\n");
    else if (!skipped_.empty())
      print(findings::plain_lines(fmt::format("\n{}\n", fmt::join(skipped_, "\n"))));
    return Exit::ok;
  }
};

} // namespace

Run add_timing(CLI::App& app) {
  auto options = std::make_shared<TimingOptions>();
  app.add_option("FILE", options->file,
                 "code object (.co .hsaco .so), offload bundle, HIP program or library, .s, .cl or .hip")
      ->type_name("");
  app.add_option("--gpu", options->gpu,
                 "card or gfx name, or FILE.toml of a card of your own (default: the first card of the code's target)")
      ->type_name("CARD");
  app.add_option("--target", options->compile.target,
                 "what of a library, and what sources are compiled for (default: the card's, or the file's own)")
      ->type_name("GPU");
  app.add_option("--kernel", options->only,
                 "this kernel alone: its symbol, or its name in the source, as 'ns::f<3, float>'")
      ->type_name("NAME");
  app.add_option("--block", options->block, "work-items of a workgroup (default: what the kernel requires, or 256)")
      ->type_name("X[,Y[,Z]]");
  app.add_option("--waves", options->waves, "on each SIMD (default: as many as fit)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  app.add_option("--latency", options->latency,
                 "of vector memory: cycles, or l1, l2, dram as the card has it (default: l2)")
      ->type_name("CYCLES");
  app.add_option("--model", options->model,
                 "card: CLRX's document, corrected by what was measured; document: as it is written (default: card)")
      ->check(CLI::IsMember({"card", "document"}))
      ->type_name("MODEL");
  app.add_option("--profile", options->profile,
                 "how often instructions run: the JSON of 'crosslane launch ... --profile all --json FILE'")
      ->type_name("FILE");
  app.add_flag("--instructions", options->instructions, "each instruction too");
  app.add_flag("--json", options->json, "as JSON");
  app.add_option("--html", options->html, "a page with cycles beside source and disassembly (docs/html-report.md)")
      ->type_name("FILE");
  app.add_flag("--list-gpus", options->list_gpus, "the cards, and how much of each is measured");
  app.add_option("--show-gpu", options->show_gpu, "what is known of a card: parameters, how sure, by whom")
      ->type_name("CARD");
  app.add_flag("--toml", options->toml, "with --show-gpu: as a file, to be changed and given to --gpu");
  add_clang_option(app, options->compile);
  app.footer(
      "Nothing runs: cycles follow from the code and the card. For each kernel: occupancy and what limits it; for "
      "each\n"
      "loop: cycles of each unit, of a wave alone and of several, and which unit binds. A range is what addresses\n"
      "decide. Assumed parameters are listed at the end. See docs/timing.md.\n\n"
      "Exit status: 0 ok, 2 bad usage or input.\n\n"
      "Examples: crosslane timing examples/matmul_tiled.cl --gpu vega10 --block 16,16\n"
      "          crosslane timing examples/if_else.s --kernel if_else --instructions\n"
      "          crosslane timing examples/matmul_tiled.cl --json > times.json\n"
      "          crosslane timing --show-gpu mi210\n"
      "          crosslane timing --show-gpu mi210 --toml > mine.toml");
  return [options] { return Timing(*options).run(); };
}

} // namespace crosslane::cli
