// Kernels to units, units to requests, answers to code that waves enter.
#include "jit/jit.h"
#include "engine/dispatch.h"
#include "jit/request.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <mutex>

namespace crosslane::jit {

namespace {

// Units of more instructions are left to the interpreter.
constexpr size_t most_instructions = 4000;

// Next to the file that this code is in, or where an installation has it.
CompileFunction open_library(std::string& why) {
  Dl_info here;
  if (!dladdr(reinterpret_cast<const void*>(&open_library), &here) || !here.dli_fname) {
    why = "this program does not know where it is";
    return nullptr;
  }
  std::string folder = here.dli_fname;
  folder.resize(folder.find_last_of('/') == std::string::npos ? 0 : folder.find_last_of('/') + 1);
  for (const char* place : {"", "../lib/", "../" CROSSLANE_LIBDIR "/crosslane/"}) {
    const std::string path = folder + place + "libcrosslane_jit.so";
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      if (void* function = dlsym(library, "crosslane_jit_compile"))
        return reinterpret_cast<CompileFunction>(function);
  }
  const char* error = dlerror();
  why = error ? error : "libcrosslane_jit.so was not found";
  return nullptr;
}

// Where work-item ids are in full waves of a full workgroup, as lane numbers times something.
std::vector<LaunchLane> launch_lanes(const engine::CompileQuery& q) {
  std::vector<LaunchLane> lanes;
  const uint32_t x = q.workgroup_size[0], y = q.workgroup_size[1], z = q.workgroup_size[2];
  if (x * y * z % 64)
    return lanes; // the last wave of a workgroup is not full, and others are of no use without it
  const auto bits = [](uint32_t size) { return std::bit_ceil(std::max(size, 1u)) - 1; };
  if (q.packed_ids) {
    if (x % 64 == 0 && y == 1 && z == 1)
      lanes.push_back({0, 1, 16, 32, bits(x)});
    return lanes;
  }
  const uint16_t ids = q.workitem_ids;
  if (x % 64 == 0) {
    lanes.push_back({0, 1, 16, 32, bits(x)});
    for (uint16_t d = 1; d < ids; ++d)
      lanes.push_back({d, 0, 0, 0, bits(d == 1 ? y : z)});
  } else if ((x == 16 && y % 4 == 0) || (x == 32 && y % 2 == 0)) {
    lanes.push_back({0, 1, x == 16 ? 0 : 16, 0, bits(x)});
    if (ids > 1)
      lanes.push_back({1, 0, x == 16 ? 1 : 0, x == 16 ? 2 : 1, bits(y)});
    if (ids > 2)
      lanes.push_back({2, 0, 0, 0, bits(z)});
  }
  return lanes;
}

class Jit final : public engine::CodeCompiler {
public:
  std::string refusal() override {
    if (policy() != Policy::unknown)
      return {};
    return "CROSSLANE_JIT is '" + std::string(std::getenv("CROSSLANE_JIT")) + "'; it must be off or always, or not set";
  }
  const engine::CompiledCode* find(const engine::CompileQuery& q) override {
    const std::lock_guard lock(mutex_);
    const std::string key = key_of(q);
    if (const auto kept = engine::find_compiled(*q.code, key))
      return *kept;
    return engine::keep_compiled(*q.code, key, compile(q));
  }
  Stats stats() {
    const std::lock_guard lock(mutex_);
    Stats all = stats_;
    for (const auto& known : codes_)
      if (const auto code = known.lock())
        all.entered += code->entered, all.left += code->left;
    return all;
  }

private:
  struct Kept : engine::CompiledCode {
    Compiled answer;
  };

  static std::string key_of(const engine::CompileQuery& q) {
    std::string key;
    const auto add = [&](auto v) { key.append(reinterpret_cast<const char*>(&v), sizeof v); };
    add(q.entry), add(q.decode_mode.bits), add(q.mode), add(q.split_modes), add(q.limits.sgprs), add(q.limits.vgprs);
    add(q.limits.agprs), add(q.workgroup_size[0]), add(q.workgroup_size[1]), add(q.workgroup_size[2]);
    add(q.workitem_ids), add(q.packed_ids), add(q.arguments);
    return key;
  }

  std::shared_ptr<engine::CompiledCode> refuse(std::string why) {
    ++stats_.refused;
    stats_.why = std::move(why);
    return nullptr;
  }

  std::shared_ptr<engine::CompiledCode> compile(const engine::CompileQuery& q) {
    if (q.decode_mode.bits)
      return refuse("the kernel starts in a mode that is not compiled (FP16_OVFL)");
    const std::string level = engine::host_level();
    if (level == "v1")
      return refuse("this host has no AVX2");
    if (!opened_)
      opened_ = true, function_ = open_library(no_library_);
    if (!function_)
      return refuse(no_library_);
    engine::Unit unit =
        engine::unit_from(q.code->target(), q.code->base(), q.code->size(), uint32_t((q.entry - q.code->base()) / 4),
                          q.decode_mode, q.limits, most_instructions);
    if (unit.too_long)
      return refuse("the kernel has more than " + std::to_string(most_instructions) + " instructions");
    Request request;
    request.unit = &unit, request.level = level, request.mode = q.mode, request.split_modes = q.split_modes;
    request.one_wave = q.workgroup_size[0] * q.workgroup_size[1] * q.workgroup_size[2] <= 64;
    request.launch = launch_lanes(q), request.arguments = q.arguments;
    request.optimize = 2;
    auto kept = std::make_shared<Kept>();
    const char* text = std::getenv("CROSSLANE_JIT_TEXT");
    request.keep_text = text != nullptr;
    function_(request, kept->answer);
    if (text)
      std::ofstream(text, std::ios::app) << kept->answer.ir << "; " << unit.instructions.size() << " instructions, "
                                         << kept->answer.ir_instructions << " of IR; seconds: open "
                                         << kept->answer.phases.open << " translate " << kept->answer.phases.translate
                                         << " optimize " << kept->answer.phases.optimize << " generate "
                                         << kept->answer.phases.generate << " " << kept->answer.error << "\n";
    if (!kept->answer.error.empty())
      return refuse(kept->answer.error);
    ++stats_.units;
    codes_.push_back(kept);
    const Phases& p = kept->answer.phases;
    stats_.seconds += p.open + p.translate + p.link + p.optimize + p.generate;
    make_code(*kept, unit, kept->answer);
    kept->bytes = std::move(unit.bytes);
    return kept;
  }

  std::mutex mutex_;
  bool opened_ = false;
  CompileFunction function_ = nullptr;
  std::string no_library_;
  Stats stats_;
  std::vector<std::weak_ptr<const engine::CompiledCode>> codes_;
};

Jit& jit() {
  static Jit& only = *new Jit; // code may run until the process ends
  return only;
}

} // namespace

Policy policy() {
  static const char* const word = std::getenv("CROSSLANE_JIT");
  if (!word || std::string_view(word) == "off")
    return Policy::off;
  return std::string_view(word) == "always" ? Policy::always : Policy::unknown;
}

void make_code(engine::CompiledCode& code, const engine::Unit& unit, const Compiled& answer) {
  engine::make_entries(code, answer.entries);
  for (const uint32_t i : answer.calls) {
    const auto& instruction = unit.instructions[i];
    for (uint32_t n = 0; n < instruction.count; ++n)
      code.called.push_back(unit.uops[instruction.first + n].op);
    code.called.push_back(engine::way_back());
  }
  size_t at = 0;
  for (const uint32_t i : answer.calls) {
    code.table.push_back(&code.called[at]);
    at += unit.instructions[i].count + 1;
  }
  code.calls = code.table.data();
  code.function = reinterpret_cast<engine::CompiledCode::Function>(answer.function);
}

engine::CodeCompiler* compiler() { return policy() == Policy::off ? nullptr : &jit(); }
Stats stats() { return jit().stats(); }

} // namespace crosslane::jit
