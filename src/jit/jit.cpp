// When kernels are compiled, and how answers become code that waves enter.
#include "jit/jit.h"
#include "engine/counts.h"
#include "engine/dispatch.h"
#include "engine/matrix.h"
#include "files/beside.h"
#include "jit/ask.h"
#include "jit/background.h"
#include "jit/cache/cache.h"
#include "jit/examine.h"
#include "jit/gdb.h"
#include "jit/image.h"
#include "jit/perf_map.h"
#include "jit/request.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <x86intrin.h>

namespace crosslane::jit {

namespace {

constexpr const char* library_name = "libcrosslane_jit.so";

// What it exports.
struct Library {
  CompileFunction compile = nullptr; // null: it cannot be had
  TellGdb tell_gdb = nullptr;
  UntellGdb untell_gdb = nullptr;
};

Library open_library(std::string& why) {
  const std::string path = files::beside(library_name, why);
  if (path.empty())
    return {};
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto* found = library ? static_cast<const uint64_t*>(dlsym(library, "crosslane_jit_layout")) : nullptr;
  if (found && *found != layout) {
    why = path + " is of another version of crosslane";
    return {};
  }
  if (void* function = found ? dlsym(library, "crosslane_jit_compile") : nullptr)
    return {reinterpret_cast<CompileFunction>(function),
            reinterpret_cast<TellGdb>(dlsym(library, "crosslane_jit_tell_gdb")),
            reinterpret_cast<UntellGdb>(dlsym(library, "crosslane_jit_untell_gdb"))};
  why = dlerror();
  return {};
}

// ---- When it pays

// What compiling may cost, in processor time of an Intel Xeon of 2023: units of few instructions. Of others it is found
// out on the way.
constexpr double seconds_per_unit = 3e-3, seconds_per_instruction = 0.7e-3;
// What takes longer is left to the interpreter.
constexpr double most_seconds = 2;
// What has taken so long in spite of that is given up.
constexpr double patience = 5 * most_seconds;
// Nothing is looked at that has cost less.
constexpr uint64_t first_look = 10'000'000; // ticks: 3 to 5 ms
// Code without what no wave had executed is made so often, and each time with more.
constexpr size_t most_withdrawn = 4;

// Ticks of the time stamp counter in a second.
double tick_rate() {
  static const auto begin = std::pair(std::chrono::steady_clock::now(), __rdtsc());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin.first).count();
  return seconds > 1e-3 ? double(__rdtsc() - begin.second) / seconds : 3e9;
}

// Seconds that compiling may take. What is left of a dispatch is known: if it is much more, whoever asks does best to
// compile at once. That launches to come take as long as those that were is a guess, and the thread that compiles takes
// its time from those that run kernels: the more of it, the fewer cores there are.
double worth_now(uint64_t left) { return double(left) / tick_rate() / 3; }
double worth_in_background(uint64_t spent) {
  const double cores = std::max(1u, std::thread::hardware_concurrency());
  return double(spent) / tick_rate() / (2 * std::max(1.0, 4 / cores));
}

class Jit final : public engine::CodeCompiler {
public:
  Jit();
  std::string refusal() override {
    if (policy() == Policy::unknown)
      return "CROSSLANE_JIT is '" + std::string(std::getenv("CROSSLANE_JIT")) +
             "'; it must be on, off, always or verify, or not set";
    if (!settings_.wrong.empty())
      return settings_.wrong;
    return differs_ ? "what the cache of compiled kernels has is not what compiling makes of them" : "";
  }
  engine::CompiledKernel& find(const engine::Code& code, const engine::CompileQuery& q,
                               const std::string& name) override {
    engine::CompiledKernel& kernel = engine::compiled_kernel(code, q, not_seen);
    if (kernel.hot_at == not_seen) {
      const std::lock_guard lock(mutex_); // of two dispatches, one compiles and the other one waits
      if (kernel.hot_at == not_seen) {
        if (perf_listens() || gdb_listens())
          kernel.name = name;
        see(code, q, kernel);
      }
    }
    return kernel;
  }
  void hot(const engine::Code& code, const engine::CompileQuery& q, uint64_t left) override {
    std::unique_lock lock(mutex_);
    const auto kernel = engine::compiled_kernel(code, q, engine::CompiledKernel::never).shared_from_this();
    const uint64_t spent = kernel->interpreted;
    if (spent < kernel->hot_at)
      return; // another thread was first
    kernel->hot_at = engine::CompiledKernel::never;
    if (const engine::CompiledCode* made = kernel->code()) { // it left out too much
      if (made->pays())
        kernel->hot_at = spent;
      else if (kernel->withdraw() < most_withdrawn)
        cover(*kernel, code.size() / 4);
      return;
    }
    kernel->covered();
    if (!kernel->coverage() && !q.counts && is_too_long(code, q))
      return cover(*kernel, code.size() / 4);
    const std::shared_ptr<CompiledUnit> unit = prepare(code, q, kernel);
    if (!unit)
      return;
    const double found = kernel->cost;
    double cost = found ? found : seconds_per_unit + seconds_per_instruction * double(size_of(unit->unit));
    if (cost >= most_seconds && !q.counts) {
      if (!kernel->coverage())
        return cover(*kernel, code.size() / 4);
      unit->request.only_loops = true, cost = most_seconds / 2;
    }
    unit->request.patience = std::min(unit->request.patience, patience);
    double& worth = unit->request.worth;
    if (worth = std::min(worth_now(left), most_seconds); cost < worth) {
      lock.unlock();
      compile(*unit);
    } else if (worth = std::min(worth_in_background(spent), most_seconds); cost < worth) {
      // Without a thread that does it, the kernel asks again; one that is compiled never does.
      const auto lost = [unit] {
        if (!unit->ended)
          unit->kernel->hot_at = unit->kernel->interpreted.load();
      };
      if (!in_background([this, unit] { compile(*unit); }, lost))
        refuse("there is no thread that compiles in the background");
    } else {
      kernel->hot_at = spent + spent / 2;
    }
  }
  bool verifies() override { return policy() == Policy::verify; }
  void tell(engine::Verdict verdict) override {
    const std::lock_guard lock(stats_mutex_);
    ++(verdict == engine::Verdict::same ? stats_.same : stats_.not_compared);
  }
  void compile(const Request& request, Compiled& answer) {
    const std::lock_guard lock(compiling_);
    run(request, answer);
  }
  Stats stats() {
    const std::lock_guard lock(stats_mutex_);
    Stats all = stats_;
    for (const auto& known : codes_)
      if (const auto code = known.lock())
        all.entered += code->entered, all.left += code->left, all.ranged += code->ranged;
    return all;
  }

private:
  struct CompiledUnit {
    std::shared_ptr<engine::CompiledKernel> kernel;
    engine::Unit unit;
    size_t dwords = 0; // of all code
    Request request;
    std::optional<CacheKey> key;   // none: it is not kept
    std::vector<uint8_t> expected; // what the cache has, which is to be verified; empty: nothing
    bool ended = false;            // compiling it, with whatever result
  };

  void refuse(std::string why) {
    const std::lock_guard lock(stats_mutex_);
    ++stats_.refused;
    stats_.why = std::move(why);
  }

  static constexpr uint64_t not_seen = 0; // CompiledKernel::hot_at, as they are made

  // What is too large to be compiled may be small in what is executed of it.
  static void cover(engine::CompiledKernel& kernel, size_t dwords) {
    kernel.cover(dwords);
    kernel.cost = 0;
    kernel.hot_at = kernel.interpreted + first_look;
  }

  // A kernel that no dispatch has had: it starts compiled if it was compiled in an earlier run.
  void see(const engine::Code& code, const engine::CompileQuery& q, engine::CompiledKernel& kernel) {
    const bool always = policy() == Policy::always || policy() == Policy::verify;
    uint64_t hot_at = always ? engine::CompiledKernel::never : first_look;
    std::vector<uint8_t> expected;
    if (load(code, q, kernel, expected))
      hot_at = kernel.code() && kernel.code()->cold ? hot_at : engine::CompiledKernel::never;
    else if (always || !expected.empty())
      if (const auto unit = prepare(code, q, kernel.shared_from_this())) {
        unit->expected = std::move(expected);
        compile(*unit);
      }
    kernel.hot_at = hot_at;
  }

  // None: nothing is kept of it.
  std::optional<CacheKey> key_of(const engine::Code& code, const engine::CompileQuery& q, const Request& request) {
    if (settings_.use == files::CacheUse::off || std::getenv("CROSSLANE_JIT_LOOPS"))
      return {};
    if (!cache_) {
      std::string no_library;
      cache_ = std::make_unique<Cache>(settings_, files::beside(library_name, no_library));
      const std::lock_guard lock(stats_mutex_);
      stats_.cache_folder = cache_->folder(), stats_.cache_trouble = cache_->unusable();
    }
    return cache_->unusable().empty() ? std::optional(cache_->key(request, code, q)) : std::nullopt;
  }

  // Whether the cache knew what becomes of it. Where that is to be verified, it is `expected` instead.
  bool load(const engine::Code& code, const engine::CompileQuery& q, engine::CompiledKernel& kernel,
            std::vector<uint8_t>& expected) {
    const auto begin = std::chrono::steady_clock::now();
    Request request;
    const auto key = ask(q, request).empty() ? key_of(code, q, request) : std::nullopt;
    if (!key)
      return false;
    std::string trouble;
    auto found = cache_->find(*key, code, trouble);
    if (!found) {
      if (const std::lock_guard lock(stats_mutex_); !trouble.empty())
        stats_.cache_trouble = std::move(trouble);
      return false;
    }
    if (settings_.use == files::CacheUse::verify && !found->answer.cold) { // which each process makes another way
      expected = packed(*key, found->code, found->answer);
      return false;
    }
    engine::Unit unit; // handlers that are called are this process's
    unit.base = code.base();
    if (!found->answer.calls.empty() || q.counts)
      if (!read_again(code, q, found->code, unit))
        return false;
    kernel.expect(found->code);
    if (!found->code.are_in(code.base()))
      return false;
    if (!found->answer.error.empty())
      return refuse(found->answer.error), true;
    const auto made = std::make_shared<engine::CompiledCode>();
    made->mode = q.mode;
    if (const std::string why = make_code(*made, unit, found->answer, q.counts); !why.empty())
      return refuse(why), true;
    publish(kernel, made, found->answer);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const std::lock_guard lock(stats_mutex_);
    ++stats_.loaded, stats_.loading += took.count();
    remember(made);
    return true;
  }

  void publish(engine::CompiledKernel& kernel, std::shared_ptr<engine::CompiledCode> made, const Compiled& answer) {
    if (perf_listens())
      tell_perf(kernel.name, made->image.get(), answer.code_bytes);
    if (gdb_listens()) {
      const std::lock_guard lock(opening_); // code that was kept is there without the library
      if (open(); library_.tell_gdb) {
        void* const told = library_.tell_gdb(kernel.name.c_str(), made->image.get(), answer.code_bytes);
        void* const code = made->image.get();
        made->image = {code, [image = made->image, told, untell = library_.untell_gdb](void*) { untell(told); }};
      }
    }
    kernel.publish(std::move(made));
  }

  void keep(const CompiledUnit& u, const Compiled& answer) {
    if (!u.key || !cache_works_ || !(answer.error.empty() || answer.lasting))
      return;
    std::string trouble = cache_->keep(*u.key, u.unit.bytes, answer);
    cache_works_ = trouble.empty();
    const std::lock_guard lock(stats_mutex_);
    if (cache_works_)
      ++stats_.kept;
    else
      stats_.cache_trouble = std::move(trouble);
  }

  // What was found, and what has just been compiled.
  void verify(const CompiledUnit& u, const Compiled& answer) {
    const bool same = u.key && packed(*u.key, u.unit.bytes, answer) == u.expected;
    const std::lock_guard lock(stats_mutex_);
    ++(same ? stats_.verified : stats_.differing);
    differs_ = differs_ || !same;
  }

  // Null: it is left to the interpreter, for ever.
  std::shared_ptr<CompiledUnit> prepare(const engine::Code& code, const engine::CompileQuery& q,
                                        std::shared_ptr<engine::CompiledKernel> kernel) {
    auto out = std::make_shared<CompiledUnit>();
    if (const std::string why = ask(code, q, out->unit, out->request, kernel->coverage().get()); !why.empty())
      return refuse(why), nullptr;
    out->key = key_of(code, q, out->request), out->dwords = code.size() / 4;
    kernel->expect(out->unit.bytes);
    if (!out->unit.bytes.are_in(code.base()))
      return refuse("its code changed while it was read"), nullptr;
    out->kernel = std::move(kernel);
    out->request.keep_text = std::getenv("CROSSLANE_JIT_TEXT") != nullptr;
    return out;
  }

  void open() {
    if (std::exchange(opened_, true))
      return;
    library_ = open_library(no_library_);
    cache_works_ = library_.compile && cache_ && cache_->is_of(reinterpret_cast<const void*>(library_.compile));
  }

  void run(const Request& request, Compiled& answer) {
    {
      const std::lock_guard lock(opening_);
      open();
    }
    if (library_.compile)
      library_.compile(request, answer);
    else
      answer.error = no_library_;
    if (request.only_loops && answer.error.empty() && answer.loops.empty()) {
      answer.error = "the kernel is too large, and no loop of it can be compiled by itself";
      answer.lasting = true;
    }
  }

  static bool is_too_large(const Compiled& a) { return !a.error.empty() && (a.lasting || a.cost >= most_seconds); }

  void compile(CompiledUnit& u) {
    const std::lock_guard lock(compiling_);
    u.ended = true; // for a child of fork(), which waits until it is
    Compiled answer;
    run(u.request, answer);
    if (u.request.keep_text)
      write_text(u, answer);
    {
      const std::lock_guard stats_lock(stats_mutex_);
      stats_.seconds += answer.phases.total();
    }
    const auto code = std::make_shared<engine::CompiledCode>();
    code->mode = u.request.mode;
    bool only_loops = u.request.only_loops;
    if (is_too_large(answer) && policy() == Policy::on && !u.request.counts && !u.kernel->coverage())
      return cover(*u.kernel, u.dwords);
    if (is_too_large(answer))
      for (const Request& request : smaller(u.request)) {
        Compiled part;
        run(request, part);
        {
          const std::lock_guard stats_lock(stats_mutex_);
          stats_.seconds += part.phases.total();
        }
        if (part.error.empty() || (part.cost && part.cost < most_seconds)) {
          answer = std::move(part), only_loops = request.only_loops;
          break;
        }
      }
    if (answer.cost && answer.cost < most_seconds) { // it may be worth it later
      u.kernel->cost = only_loops ? most_seconds : answer.cost;
      u.kernel->hot_at = u.kernel->interpreted + u.kernel->interpreted / 2;
      return;
    }
    const std::string why = answer.error.empty() ? make_code(*code, u.unit, answer, u.request.counts) : answer.error;
    if (why.empty())
      publish(*u.kernel, code, answer);
    if (why.empty() && answer.cold && policy() == Policy::on)
      u.kernel->hot_at = u.kernel->interpreted + first_look;
    if (!u.expected.empty())
      verify(u, answer);
    else
      keep(u, answer);
    if (!why.empty())
      return refuse(why);
    const std::lock_guard stats_lock(stats_mutex_);
    ++stats_.units, stats_.only_loops += code->only_loops;
    remember(code);
  }

  // For stats(), under their mutex. What is gone would keep its memory otherwise.
  void remember(const std::shared_ptr<const engine::CompiledCode>& code) {
    std::erase_if(codes_, [](const auto& known) { return known.expired(); });
    codes_.push_back(code);
  }

  static void write_text(const CompiledUnit& u, const Compiled& answer) {
    const Phases& p = answer.phases;
    std::ofstream(std::getenv("CROSSLANE_JIT_TEXT"), std::ios::app)
        << answer.ir << "; " << u.unit.instructions.size() << " instructions, " << answer.ir_instructions
        << " of IR; seconds: open " << p.open << " translate " << p.translate << " optimize " << p.optimize
        << " generate " << p.generate << " " << answer.error << "\n";
  }

  const files::CacheSettings settings_ = files::cache_settings();
  std::unique_ptr<Cache> cache_;     // made when first asked
  bool cache_works_ = true;          // as far as is known, for who compiles
  std::atomic<bool> differs_{false}; // from what was compiled again
  std::mutex mutex_;                 // who decides what is compiled,
  std::mutex compiling_;             // who does it
  std::mutex opening_;               // who opens the library
  bool opened_ = false;
  Library library_;
  std::string no_library_;
  std::mutex stats_mutex_;
  Stats stats_;
  std::vector<std::weak_ptr<const engine::CompiledCode>> codes_;
};

Jit& jit() {
  static Jit& only = *new Jit; // code may run until the process ends
  return only;
}

// A child of fork() finds all as it is between two compilations.
Jit::Jit() {
  tick_rate();
  static constexpr auto after = [](bool child) {
    background_after_fork(child);
    jit().stats_mutex_.unlock(), jit().compiling_.unlock(), jit().mutex_.unlock();
  };
  pthread_atfork(
      [] {
        jit().mutex_.lock(), jit().compiling_.lock(), jit().stats_mutex_.lock();
        background_before_fork();
      },
      [] { after(false); }, [] { after(true); });
}

// Undecided until somebody asks for it, or has chosen.
std::atomic<std::optional<Policy>> chosen;

} // namespace

Policy policy_of(std::string_view word) {
  return word == "on"       ? Policy::on
         : word == "off"    ? Policy::off
         : word == "always" ? Policy::always
         : word == "verify" ? Policy::verify
                            : Policy::unknown;
}

bool choose(Policy wanted) {
  std::optional<Policy> none;
  return chosen.compare_exchange_strong(none, wanted) || *none == wanted;
}

Policy policy() {
  if (const auto known = chosen.load(std::memory_order_relaxed))
    return *known;
  const char* const word = std::getenv("CROSSLANE_JIT");
  choose(word ? policy_of(word) : Policy::on);
  return *chosen.load();
}

std::string make_code(engine::CompiledCode& code, const engine::Unit& unit, const Compiled& answer, bool counts) {
  std::string error;
  if (counts)
    code.counted = engine::counted_unit(unit);
  code.image = in_memory(answer.image, error);
  if (!code.image)
    return error;
  engine::make_entries(code, answer.entries);
  for (const LoopEntry& l : answer.loops)
    code.loops.push_back({l.pc, l.full, l.entry});
  std::vector<size_t> begins;
  for (const Call& call : answer.calls) {
    begins.push_back(code.called.size());
    const auto& instruction = unit.instructions[call.instruction];
    for (uint32_t n = 0; n < instruction.count; ++n) {
      const engine::Uop& op = unit.uops[instruction.first + n].op;
      code.called.push_back(call.left ? engine::together(op, instruction.inst.op, {call.a, call.b}, call.left) : op);
    }
    if (call.left <= 1)
      code.called.push_back(engine::way_back());
  }
  for (const size_t begin : begins)
    code.table.push_back(&code.called[begin]);
  code.calls = code.table.data();
  code.ranges = answer.ranges, code.waits = answer.waits, code.sums = answer.sums,
  code.frame_bytes = answer.frame_bytes, code.only_loops = answer.only_loops, code.partial = answer.partial;
  code.comes_back = answer.comes_back, code.cold = answer.cold;
  code.base = unit.base;
  code.function =
      reinterpret_cast<engine::CompiledCode::Function>(static_cast<uint8_t*>(code.image.get()) + answer.start);
  return {};
}

engine::CodeCompiler* compiler() { return policy() == Policy::off ? nullptr : &jit(); }
Stats stats() { return jit().stats(); }

std::unique_ptr<Examined> examine(const engine::Code& code, const engine::CompileQuery& q, bool keep_text,
                                  bool keep_assembly) {
  auto out = std::make_unique<Examined>();
  Request request;
  request.report = true, request.keep_text = keep_text, request.keep_assembly = keep_assembly;
  out->answer.error = ask(code, q, out->unit, request);
  if (out->answer.error.empty())
    jit().compile(request, out->answer);
  if (out->answer.lasting)
    for (const Request& smaller_one : smaller(request)) {
      Compiled part;
      if (jit().compile(smaller_one, part); part.error.empty()) {
        out->answer = std::move(part);
        break;
      }
    }
  out->level = request.level, out->at_first = request.launch;
  return out;
}

} // namespace crosslane::jit
