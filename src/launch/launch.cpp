// A launch as a list of steps: what costs little and may be wrong comes first, what takes long last.
#include "launch/launch.h"
#include "check/checks.h"
#include "check/late.h"
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
#include "model/timed.h"
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
  Launch(const Job& job, const Observer& observer) : job_(job), observer_(observer) {}

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
        &Launch::enter_sandbox,
        &Launch::execute,
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
  llvm::Error judge() {
    if (job_.runs == 0)
      return fail("--runs must be at least 1");
    if (job_.time && job_.runs > 1)
      return fail("--time models one run; --runs {} are more", job_.runs);
    if (job_.time_error >= 0 && !job_.time)
      return fail("--time-error {} needs --time, whose error it is", job_.time_error);
    if (!job_.gpu.empty() && !job_.time)
      return fail("--gpu {} needs --time: what runs is what --target says", job_.gpu);
    if (!job_.time_files.empty()) {
      if (!job_.time)
        return fail("--time-files {} needs --time, which it is of", job_.time_files);
      if (job_.sandbox)
        return fail("--time-files {}: is a folder, and --sandbox lets files be written alone", job_.time_files);
      if (auto error = files::check_new_folder(job_.time_files))
        return fail("--time-files {}", llvm::toString(std::move(error)));
    }
    if (!job_.check.empty()) {
      const auto wanted = check::wanted_of(job_.check);
      if (!wanted)
        return fail("--check {}: must be {}, or several with commas", job_.check, check::check_names);
      checks_wanted_ = *wanted;
      if (auto error = job_.checked.judge())
        return error;
    } else if (const check::Telling& t = job_.checked; t != check::Telling()) {
      return fail("{} needs --check, whose findings are meant", !t.file.empty()       ? "--findings"
                                                                : !t.suppress.empty() ? "--suppress"
                                                                : t.status            ? "--error-exitcode"
                                                                                      : "--max-findings");
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
    ready_->signature = signature_of(**kernel);
    return profiling_.probes ? put_probes_in() : llvm::Error::success();
  }

  llvm::Error put_probes_in() {
    const std::string name = ready_->kernel->name;
    auto probed = rewrite::probe(ready_->object, {.probes = *profiling_.probes,
                                                  .wanted = [&](const auto& kernel) { return kernel.name == name; }});
    if (!probed)
      return probed.takeError();
    if (const std::string why = probed->why_not(name); !why.empty())
      return fail("--instrument: kernel '{}' cannot have probes: {}", codeobject::demangle(name), why);
    ready_->probed = std::move(*probed);
    ready_->object = ready_->probed->object;
    ready_->kernel = ready_->object->find_kernel(name);
    return llvm::Error::success();
  }

  llvm::Error bind_arguments() {
    auto arguments = launch::bind_arguments(ready_->signature, job_.arguments, job_.folder);
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
    auto session = Session::create(*ready_->object, *ready_->kernel, ready_->arguments, ready_->shape, job_.stack);
    if (!session)
      return session.takeError();
    ready_->session = std::move(*session);
    if (job_.host_memory && observer_.note)
      observer_.note("the kernel reaches all memory of this process (--host-memory)");
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
    ready_->trap_handler = std::move(*handler);
    return ready_->session->set_trap_handler(*ready_->trap_handler);
  }

  llvm::Error place_counters() {
    if (ready_->probed)
      if (const rewrite::KernelPlan* plan = ready_->probed->find(ready_->kernel->name))
        return ready_->session->place_records(*plan);
    if (job_.counters.empty())
      return llvm::Error::success();
    auto counters = Counters::create(*ready_->object, *ready_->kernel, *ready_->session);
    if (!counters)
      return counters.takeError();
    counters_ = std::move(*counters);
    return llvm::Error::success();
  }

  llvm::Error prepare_runs() {
    auto runs = Runs::create(job_, profiling_, observer_, *ready_->session, *ready_->kernel,
                             ready_->probed ? &*ready_->probed : nullptr);
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
    auto card = card_of(job_, target);
    if (!card)
      return card.takeError();
    timed_ = std::make_unique<model::Timed>(
        *card, ready_->session->image(), *ready_->kernel, ready_->session->packet(),
        model::TimedOptions{.record = !job_.time_files.empty() || !job_.profile.html.empty(),
                            .error = job_.time_error < 0 ? std::nullopt : std::optional(job_.time_error / 100)});
    return llvm::Error::success();
  }

  llvm::Error judge_time() {
    if (!timed_)
      return llvm::Error::success();
    const std::string trouble = timed_->finish(result_.outcome.stats);
    if (result_.end != End::complete)
      return llvm::Error::success();
    if (!trouble.empty())
      return fail("--time: {}", trouble);
    result_.timing = timed_->text();
    beside_["timing"] = timed_->json();
    modelled_ = modelled_of(timed_->figures(), timed_->machine(), timed_->lds_waits());
    return llvm::Error::success();
  }

  llvm::Error take_counters() {
    if (!counters_ || result_.end == End::refused)
      return llvm::Error::success();
    counters_->take();
    result_.counters = counters_->text();
    return llvm::Error::success();
  }

  llvm::Error judge_checks() {
    if (!checks_ || result_.end == End::refused)
      return llvm::Error::success();
    result_.judged = lint::place(*subject_, checks_->report({}), {.file = job_.file});
    auto told = job_.checked.tell({&*result_.judged, 1});
    if (!told)
      return told.takeError();
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
    if (runs_->profiled()) {
      std::string members = beside_.dump(); // without its brackets
      members = members.substr(1, members.size() - 2);
      errors = llvm::joinErrors(std::move(errors), runs_->write(members, result_, modelled_ ? &*modelled_ : nullptr));
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
      errors = llvm::joinErrors(
          std::move(errors),
          files::write(job_.counters,
                       counters_->json().dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"));
    result_.unwritten = errors ? llvm::toString(std::move(errors)) : "";
    return llvm::Error::success();
  }

  llvm::Error compare_buffers() {
    result_.prints = wanted_.prints;
    result_.ready = ready_;
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
  std::unique_ptr<Counters> counters_;
  std::optional<findings::Modelled> modelled_; // with timed_
  Result result_;
};

} // namespace

llvm::Expected<Result> launch(const Job& job, const Observer& observer) { return Launch(job, observer).run(); }

} // namespace crosslane::launch
