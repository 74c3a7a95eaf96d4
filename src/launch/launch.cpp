// A launch as a list of steps: what costs little and may be wrong comes first, what takes long last.
#include "launch/launch.h"
#include "check/checks.h"
#include "check/late.h"
#include "codeobject/first_instruction.h"
#include "events/several.h"
#include "files/error.h"
#include "files/folder.h"
#include "files/write.h"
#include "findings/fidelity.h"
#include "launch/buffers.h"
#include "launch/card.h"
#include "launch/counters.h"
#include "launch/ready.h"
#include "launch/runs.h"
#include "launch/sandbox.h"
#include "launch/shape.h"
#include "launch/wanted.h"
#include "model/dependence.h"
#include "model/timed.h"
#include "profile/probe_compiler.h"
#include "semantics/fidelity.h"
#include "timing/formats/folder.h"
#include "toolchain/compile.h"
#include "views/instructions.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace crosslane::launch {

namespace {

findings::Modelled modelled_of(const timing::replay::Figures& f, const timing::replay::Machine& m, uint64_t lds_waits) {
  return {.cycles = f.cycles,
          .compute_units = m.units,
          .simds = m.simds,
          .address_busy = f.units.address_busy,
          .lds_waits = lds_waits,
          .l1_misses = f.units.l1_misses,
          .l2_hits = f.memory.hits,
          .l2_misses = f.memory.misses,
          .bytes_read = f.memory.read,
          .bytes_written = f.memory.written};
}

class Launch {
public:
  Launch(const Job& job, const Observer& observer, const Prepared* prepared, const PlacedDispatch* placed)
      : job_(job), observer_(observer), prepared_(prepared), placed_(placed) {}

  llvm::Expected<Result> run() {
    static constexpr llvm::Error (Launch::* steps[])() = {
        &Launch::judge,           // what is asked for can be had, and files have a place
        &Launch::prepare_sandbox, // while there is one thread, and nothing was read of the kernel
        &Launch::load_kernel,     // compiles it, if it is source
        &Launch::bind_arguments,  // words to values and buffers
        &Launch::check_files,     // nothing of the user's is overwritten by the way
        &Launch::fill_memory,     // code, buffers and packet where the GPU sees them
        &Launch::load_trap_handler,
        &Launch::place_counters,
        &Launch::prepare_runs,
        &Launch::choose_card,
        &Launch::prepare_footprint,
        &Launch::enter_sandbox,
        &Launch::execute,
        &Launch::take_footprint,
        &Launch::judge_fidelity,
        &Launch::judge_checks,
        &Launch::judge_time,
        &Launch::take_counters,
        &Launch::write_files, // before anybody prints: 'head' behind the text ends the process
        &Launch::compare_buffers,
    };
    for (const auto step : steps)
      if (auto error = (this->*step)())
        return std::move(error);
    return std::move(result_);
  }

private:
  template <class... T> std::string option(std::string_view key, const T&... value) const {
    return launch::option(job_.wording, key, value...);
  }

  llvm::Error judge() {
    if (job_.runs == 0)
      return fail("{} must be at least 1", option("runs"));
    if (job_.time && job_.runs > 1)
      return fail("{} models one run; {} are more", option("time"), option("runs", job_.runs));
    if (job_.time_error >= 0 && !job_.time)
      return fail("{} needs {}, whose error it is", option("time_error", job_.time_error), option("time"));
    if (!job_.gpu.empty() && !job_.time)
      return fail("{} needs {}: what runs is what {} says", option("gpu", job_.gpu), option("time"), option("target"));
    if (!job_.time_files.empty()) {
      if (!job_.time)
        return fail("{} needs {}, which it is of", option("time_files", job_.time_files), option("time"));
      if (job_.sandbox)
        return fail("{}: is a folder, and {} lets files be written alone", option("time_files", job_.time_files),
                    option("sandbox"));
      if (auto error = files::check_new_folder(job_.time_files))
        return fail("{} {}", option("time_files"), llvm::toString(std::move(error)));
    }
    if (!job_.check.empty()) {
      const auto wanted = check::wanted_of(job_.check);
      if (!wanted)
        return fail("{}: must be {}, or several with commas", option("check", job_.check), check::check_names);
      if (wanted->leaks)
        return fail(
            "{}: leaks are of what a program allocates, and a launch's buffers are not its own: crosslane run --check "
            "leaks -- PROGRAM",
            option("check", job_.check));
      checks_wanted_ = *wanted;
      if (auto error = job_.checked.judge())
        return error;
    } else if (const check::Telling& t = job_.checked; t != check::Telling()) {
      return fail("{} needs {}, whose findings are meant",
                  option(!t.file.empty()       ? "findings"
                         : !t.suppress.empty() ? "suppress"
                         : t.status            ? "error_exitcode"
                                               : "max_findings"),
                  option("check"));
    }
    auto profiling = profile_options(job_);
    if (!profiling)
      return profiling.takeError();
    profiling_ = std::move(*profiling);
    auto outputs = outputs_of(job_);
    if (!outputs)
      return outputs.takeError();
    outputs_ = std::move(*outputs);
    result_.standard_output = files::uses_standard_output(outputs_);
    return llvm::Error::success();
  }

  llvm::Error prepare_sandbox() {
    if (!job_.sandbox)
      return llvm::Error::success();
    std::vector<std::string> paths;
    paths.reserve(outputs_.size());
    for (const auto& output : outputs_)
      paths.push_back(output.name);
    auto sandbox = Sandbox::prepare(std::move(paths));
    if (!sandbox)
      return sandbox.takeError();
    sandbox_ = std::move(*sandbox);
    return llvm::Error::success();
  }

  llvm::Error load_kernel() {
    if (!job_.capture.empty())
      return load_captured();
    if (prepared_) {
      ready_->device = prepared_->device, ready_->object = prepared_->code->shared_object();
      ready_->kernel = prepared_->kernel;
    } else if (auto error = find_kernel()) {
      return error;
    }
    ready_->signature = signature_of(*ready_->kernel);
    return profiling_.probes ? put_probes_in() : llvm::Error::success();
  }

  llvm::Error find_kernel() {
    const std::string file = resolve_path(job_.folder, job_.file);
    auto object = toolchain::load_code(file, job_.compile);
    if (!object)
      return object.takeError();
    ready_->object = std::move(*object);
    if (observer_.loaded)
      observer_.loaded(*ready_->object, file);
    auto kernel = choose_kernel(*ready_->object, job_.kernel);
    if (!kernel)
      return kernel.takeError();
    ready_->kernel = *kernel;
    return llvm::Error::success();
  }

  // Its memory has to come before any other of the window.
  llvm::Error load_captured() {
    if (placed_) {
      ready_->device = placed_->device, ready_->captured = placed_->captured;
    } else {
      auto captured = Captured::open(job_.capture, job_.dispatch);
      if (!captured)
        return captured.takeError();
      ready_->captured = std::move(*captured);
    }
    if (!job_.workgroups.empty()) {
      auto chosen = parse_workgroups(job_.workgroups, job_.wording);
      if (!chosen)
        return chosen.takeError();
      if (auto error = ready_->captured->choose(*chosen, job_.wording))
        return error;
    }
    const capture::Dispatch& dispatch = ready_->captured->dispatch();
    const auto& some = job_.range_of ? job_.range_of : dispatch.workgroups;
    if (job_.time && some && some->count != dispatch.workgroup_count())
      return fail("{} models all workgroups of a dispatch, and only some are to run", option("time"));
    if (!placed_)
      if (auto error = ready_->captured->place(ready_->device->memory(), job_.zeroed))
        return error;
    auto object = ready_->captured->object();
    if (!object)
      return object.takeError();
    ready_->object = std::move(*object);
    auto kernel = ready_->captured->kernel_of(*ready_->object);
    if (!kernel)
      return kernel.takeError();
    ready_->kernel = *kernel;
    ready_->signature = signature_of(**kernel);
    if (observer_.note && std::ranges::any_of((*kernel)->arguments, [](const codeobject::KernelArgument& a) {
          return a.value_kind == "hidden_hostcall_buffer";
        }))
      observer_.note("warning: the kernel asks its host for something (printf, malloc, assert), and in a replay nobody "
                     "answers: it waits until " +
                     option("timeout"));
    if (!profiling_.probes)
      return llvm::Error::success();
    for (const auto& symbol : ready_->object->symbols())
      if (symbol.kind == codeobject::Symbol::Kind::object && is_written(symbol.address))
        return fail("{}: code with probes lies elsewhere, and other memory may point to its variable '{}', which is "
                    "captured; {} does without probes",
                    option("instrument"), codeobject::demangle(symbol.name), option("profile"));
    return put_probes_in();
  }

  bool is_written(uint64_t address) const {
    return std::ranges::any_of(ready_->object->segments(), [&](const codeobject::Segment& s) {
      return s.writable && address - s.address < s.size;
    });
  }

  llvm::Error put_probes_in() {
    const std::string name = ready_->kernel->name;
    auto probed = rewrite::probe(ready_->object, {.probes = *profiling_.probes,
                                                  .wanted = [&](const auto& kernel) { return kernel.name == name; },
                                                  .compiler = profile::probe_compiler()});
    if (!probed)
      return probed.takeError();
    if (const std::string why = probed->why_not(name); !why.empty())
      return fail("{}: kernel '{}' cannot have probes: {}", option("instrument"), codeobject::demangle(name), why);
    ready_->probed = std::move(*probed);
    ready_->object = ready_->probed->object;
    ready_->kernel = ready_->object->find_kernel(name);
    return llvm::Error::success();
  }

  llvm::Error bind_arguments() {
    if (ready_->captured)
      return llvm::Error::success();
    auto arguments = launch::bind_arguments(ready_->signature, job_.arguments, job_.folder,
                                            prepared_ ? prepared_->arguments : SetArguments());
    if (!arguments)
      return arguments.takeError();
    ready_->arguments = std::move(*arguments);
    auto shape = make_shape(job_, *ready_->kernel);
    if (!shape)
      return shape.takeError();
    ready_->shape = *shape;
    auto wanted = resolve(job_, ready_->arguments, ready_->signature);
    if (!wanted)
      return wanted.takeError();
    wanted_ = std::move(*wanted);
    return llvm::Error::success();
  }

  llvm::Error check_files() { return files::refuse_collisions(inputs_of(job_, ready_->arguments, wanted_), outputs_); }

  llvm::Error fill_memory() {
    if (ready_->captured && !ready_->probed) {
      const capture::Dispatch& d = ready_->captured->dispatch();
      auto code = LoadedCode::at(d.code.base, ready_->object, *isa::parse_target(d.target));
      ready_->session =
          Session::create(ready_->device, std::move(code), *ready_->kernel, ready_->arguments, ready_->captured);
      return llvm::Error::success();
    }
    const bool loaded = prepared_ && !ready_->probed;
    auto code = loaded ? prepared_->code : LoadedCode::load(ready_->object, ready_->device);
    if (!code)
      return code.takeError();
    if (ready_->captured) {
      ready_->session =
          Session::create(ready_->device, std::move(*code), *ready_->kernel, ready_->arguments, ready_->captured);
      return llvm::Error::success();
    }
    auto session = Session::create(ready_->device, std::move(*code), *ready_->kernel, ready_->arguments, ready_->shape,
                                   job_.stack);
    if (!session)
      return session.takeError();
    ready_->session = std::move(*session);
    if (job_.host_memory && observer_.note)
      observer_.note(fmt::format("the kernel reaches all memory of this process ({})", option("host_memory")));
    if (job_.bounds == "card")
      ready_->session->use_card_bounds();
    return llvm::Error::success();
  }

  llvm::Error load_trap_handler() {
    if (job_.trap_handler.empty())
      return llvm::Error::success();
    auto handler = toolchain::load_code(resolve_path(job_.folder, job_.trap_handler),
                                        {.target = std::string(ready_->object->processor())});
    if (!handler)
      return handler.takeError();
    auto code = LoadedCode::load(std::move(*handler), ready_->device);
    if (!code)
      return code.takeError();
    return ready_->session->set_trap_handler(std::move(*code));
  }

  llvm::Error place_counters() {
    if (ready_->probed)
      if (const rewrite::KernelPlan* plan = ready_->probed->find(ready_->kernel->name))
        return ready_->session->place_records(*plan);
    if (job_.counters.empty())
      return llvm::Error::success();
    auto counters = Counters::create(*ready_->object, *ready_->kernel, *ready_->session, job_.wording);
    if (!counters)
      return counters.takeError();
    counters_ = std::move(*counters);
    return llvm::Error::success();
  }

  llvm::Error prepare_runs() {
    auto runs = Runs::create(job_, profiling_, observer_, *ready_->session, *ready_->kernel,
                             ready_->probed ? &*ready_->probed : nullptr,
                             prepared_ ? prepared_->texts : profile::SourceTexts());
    if (!runs)
      return runs.takeError();
    runs_ = std::move(*runs);
    return llvm::Error::success();
  }

  llvm::Error enter_sandbox() { return sandbox_ ? sandbox_->enter() : llvm::Error::success(); }

  llvm::Error execute() {
    events::Several also;
    if (job_.fidelity)
      also.add(instructions_);
    std::unique_ptr<events::Listener> checking;
    if (checks_wanted_.any()) {
      const views::Image& image = ready_->session->image();
      subject_ = lint::make_subject(*image.object, image.target, reinterpret_cast<const uint8_t*>(image.base));
      checks_.emplace(checks_wanted_, *subject_, &ready_->session->allocations());
      checking = checks_->begin({.kernel = *ready_->kernel,
                                 .lds_bytes = ready_->session->packet().group_segment_size,
                                 .scratch = ready_->session->packet().private_segment_size != 0 ||
                                            ready_->kernel->descriptor.private_segment_fixed_size != 0,
                                 .memory = ready_->session->unwritten()});
      also.add(*checking); // before what changes registers
    }
    if (job_.late)
      also.add(late_);
    if (touched_)
      also.add(*touched_);
    if (timed_)
      also.add(timed_->listener());
    return runs_->run(also.empty()  ? nullptr
                      : also.only() ? also.only()
                                    : &also,
                      timed_ ? timed_->pace() : nullptr, result_);
  }

  llvm::Error choose_card() {
    if (!job_.time)
      return llvm::Error::success();
    const isa::Target target = ready_->session->image().target;
    auto card = card_of(job_, target, ready_->captured ? ready_->captured->dispatch().card : "");
    if (!card)
      return card.takeError();
    timed_ = std::make_unique<model::Timed>(
        *card, ready_->session->image(), *ready_->kernel, ready_->session->packet(),
        model::TimedOptions{.record = !job_.time_files.empty() || !job_.profile.html.empty(),
                            .threads = job_.threads,
                            .error = job_.time_error < 0 ? std::nullopt : std::optional(job_.time_error / 100),
                            .window = window()});
    if (!timed_->refused().empty())
      return fail("{}: {}", option("time"), timed_->refused());
    return llvm::Error::success();
  }

  std::optional<timing::replay::WindowRange> window() const {
    const auto& all = job_.range_of;
    const auto& range = ready_->captured ? ready_->captured->dispatch().workgroups : std::nullopt;
    if (!all || !range)
      return {};
    return timing::replay::WindowRange{.first = range->first,
                                       .count = range->count,
                                       .begins = range->first == all->first,
                                       .ends = range->first + range->count == all->first + all->count};
  }

  llvm::Error prepare_footprint() {
    if (!job_.footprint)
      return llvm::Error::success();
    const views::Image& image = ready_->session->image();
    const uint64_t entry = codeobject::first_instruction(*ready_->kernel) - image.object->image_begin() + image.base;
    if (model::uses_global_share(*image.object, image.target, reinterpret_cast<const uint8_t*>(image.base), entry))
      return fail("kernel '{}' uses the global data share or global barriers, which all workgroups have in common",
                  codeobject::demangle(ready_->kernel->name));
    auto touched = Touched::create(ready_->captured->dispatch().memory);
    if (!touched)
      return touched.takeError();
    touched_ = std::move(*touched);
    return llvm::Error::success();
  }

  llvm::Error take_footprint() {
    if (touched_)
      result_.footprint = touched_->footprint();
    return llvm::Error::success();
  }

  llvm::Error judge_time() {
    if (!timed_)
      return llvm::Error::success();
    const std::string trouble = timed_->finish(result_.outcome.stats);
    if (result_.end != End::complete)
      return llvm::Error::success();
    if (!trouble.empty())
      return fail("{}: {}", option("time"), trouble);
    beside_["timing"] = timed_->json();
    if (job_.range_of)
      return llvm::Error::success();
    result_.timing = timed_->text();
    modelled_ = modelled_of(timed_->figures(), timed_->machine(), timed_->lds_waits());
    return llvm::Error::success();
  }

  llvm::Error take_counters() {
    if (!counters_ || result_.end == End::refused)
      return llvm::Error::success();
    counters_->take();
    result_.counters = counters_->text();
    result_.counters_document =
        counters_->json().dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    return llvm::Error::success();
  }

  llvm::Error judge_checks() {
    if (!checks_ || result_.end == End::refused)
      return llvm::Error::success();
    result_.judged = lint::place(*subject_, checks_->report({}),
                                 {.file = prepared_ || ready_->captured ? ready_->object->name() : job_.file});
    auto told = job_.checked.tell({&*result_.judged, 1}, job_.colour);
    if (!told)
      return told.takeError();
    beside_["check"] = nlohmann::ordered_json::parse(told->page);
    result_.checked = std::move(*told);
    return llvm::Error::success();
  }

  llvm::Error judge_fidelity() {
    if (!job_.fidelity)
      return llvm::Error::success();
    const isa::Target target = ready_->session->image().target;
    std::vector<findings::ApproximateUse> uses;
    for (const auto& [op, count] : instructions_.operations())
      if (const auto fidelity = semantics::fidelity(isa::row(op).mnemonic); !fidelity.exact)
        uses.push_back({std::string(isa::mnemonic(op, target)), count.waves, semantics::bound(fidelity),
                        std::string(fidelity.why)});
    const findings::FidelityReport report{ready_->signature.kernel, ready_->object->processor(), uses,
                                          instructions_.total().waves};
    result_.fidelity = findings::table(report);
    beside_["fidelity"] = nlohmann::ordered_json::parse(findings::json(report))["fidelity"];
    return llvm::Error::success();
  }

  // All of them, also after one that could not be written; the result tells of all that could not.
  llvm::Error write_files() {
    llvm::Error errors = llvm::Error::success();
    if (result_.end == End::complete)
      for (const auto& out : wanted_.outs)
        errors = llvm::joinErrors(std::move(errors), write_buffer(out.path, ready_->session->contents(out.buffer)));
    const std::string beside = beside_.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    result_.members = beside.substr(1, beside.size() - 2); // without its brackets
    if (runs_->profiled()) {
      errors = llvm::joinErrors(std::move(errors),
                                runs_->write(result_.members, result_, modelled_ ? &*modelled_ : nullptr));
    } else if (!job_.profile.json.empty()) {
      nlohmann::ordered_json document = {{"kernel", ready_->signature.kernel}, {"target", ready_->object->processor()}};
      document.update(beside_);
      const std::string text = document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
      errors = llvm::joinErrors(std::move(errors), files::write(job_.profile.json, text));
    }
    if (timed_ && timed_->course() && !job_.time_files.empty())
      errors = llvm::joinErrors(std::move(errors),
                                files::write_folder(job_.time_files, timing::formats::folder(*timed_->course())));
    if (result_.checked && !job_.checked.file.empty())
      errors = llvm::joinErrors(std::move(errors), files::write(job_.checked.file, result_.checked->document));
    if (counters_ && result_.end != End::refused)
      errors = llvm::joinErrors(std::move(errors), files::write(job_.counters, result_.counters_document));
    result_.unwritten = errors ? llvm::toString(std::move(errors)) : "";
    return llvm::Error::success();
  }

  llvm::Error compare_buffers() {
    result_.prints = wanted_.prints;
    result_.ready = ready_;
    if (job_.expect_captured && (result_.end == End::complete || result_.end == End::fault)) {
      auto comparison = ready_->captured->compare(result_.outcome, job_.wording);
      if (!comparison)
        return comparison.takeError();
      result_.comparisons.push_back(std::move(*comparison));
    }
    if (result_.end != End::complete)
      return llvm::Error::success();
    for (const auto& expect : wanted_.expects) {
      auto comparison =
          compare(expect.name, ready_->session->contents(expect.buffer), expect.value, job_.rtol, job_.atol);
      if (!comparison)
        return comparison.takeError();
      result_.comparisons.push_back(std::move(*comparison));
    }
    return llvm::Error::success();
  }

  const Job& job_;
  const Observer& observer_;
  const Prepared* prepared_;     // null: the job says it all
  const PlacedDispatch* placed_; // null: it is placed here, if there is one
  profile::Options profiling_;
  std::vector<files::Use> outputs_;
  std::unique_ptr<Sandbox> sandbox_;
  std::shared_ptr<Ready> ready_ = std::make_shared<Ready>();
  Wanted wanted_;
  std::unique_ptr<Runs> runs_;
  views::Instructions instructions_;                                 // that ran, for the fidelity
  nlohmann::ordered_json beside_ = nlohmann::ordered_json::object(); // members of the JSON document beside the profile
  check::Wanted checks_wanted_;
  std::optional<lint::Subject> subject_; // of checks_
  std::optional<check::Checks> checks_;
  check::Late late_;
  std::unique_ptr<model::Timed> timed_;
  std::unique_ptr<Touched> touched_;
  std::unique_ptr<Counters> counters_;
  std::optional<findings::Modelled> modelled_; // with timed_
  Result result_;
};

} // namespace

llvm::Expected<Result> launch(const Job& job, const Observer& observer, const Prepared* prepared,
                              const PlacedDispatch* placed) {
  return Launch(job, observer, prepared, placed).run();
}

} // namespace crosslane::launch
