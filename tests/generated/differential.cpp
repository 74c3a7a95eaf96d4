// Both sides get the same file; differences are told by slot and work-item.
#include "tests/generated/differential.h"
#include "tests/generated/inputs.h"
#include <atomic>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace crosslane::generated {

namespace {

using workload::Bytes;

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

uint64_t digest(const std::string& text) { // FNV-1a
  uint64_t h = 0xcbf29ce484222325;
  for (const unsigned char c : text)
    h = (h ^ c) * 0x100000001b3;
  return h;
}

bool is_nan(uint64_t bits, Base b) {
  if (b == Base::f32)
    return (bits & 0x7fffffff) > 0x7f800000;
  if (b == Base::f64)
    return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
  return false;
}

// All NaNs are one.
std::string compare_slot(const Kernel& k, size_t slot, const Bytes& got, const Bytes& expected) {
  const Type t = k.slots[slot].type;
  const unsigned size = bytes_of(t.base);
  const size_t start = slot_offset(k, slot), count = size_t(k.shape.items()) * t.width;
  size_t wrong = 0;
  std::string first;
  for (size_t i = 0; i < count; ++i) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, got.data() + start + i * size, size);
    std::memcpy(&b, expected.data() + start + i * size, size);
    if (a == b || (is_nan(a, t.base) && is_nan(b, t.base)))
      continue;
    if (wrong++ == 0)
      first = fmt::format("out{} ({}) of work-item {}{}: {:#x}, expected {:#x}", slot, name_of(t), i / t.width,
                          t.width > 1 ? fmt::format(" element {}", i % t.width) : "", a, b);
  }
  return wrong ? fmt::format("{} ({} of {} elements differ)\n", first, wrong, count) : "";
}

std::string compare_all(const Kernel& k, const workload::Workload& w, const std::vector<Bytes>& got,
                        const std::vector<Bytes>& expected) {
  std::string differences;
  for (size_t slot = 0; slot < k.slots.size(); ++slot)
    differences += compare_slot(k, slot, got[1], expected[1]);
  for (size_t i = 2; i < w.buffers.size(); ++i)
    if (auto d = workload::compare(w.buffers[i], got[i], expected[i]))
      differences += *d + "\n";
  return differences;
}

// gfx803 at -O0: LLVM 19 fails to select calls ("unsupported calling convention" of its own making), so that there are
// none.
std::string compiler_flags(const Setting& s) {
  return s.level +
         " -g0 -w -ffp-contract=off -cl-fp32-correctly-rounded-divide-sqrt -Xclang -fdenormal-fp-math-f32=ieee "
         "-I" GENERATED_INPUTS +
         (s.target < "gfx9" && s.level == "-O0" ? " -DNOINLINE=__attribute__((always_inline))"
                                                : " -DNOINLINE=__attribute__((noinline))");
}

std::string quoted(const std::string& flags) { // for the shell, which runs the compiler
  std::string out;
  for (const char c : flags) {
    if (c == '(' || c == ')')
      out += '\\';
    out += c;
  }
  return out;
}

} // namespace

std::string level_for(uint64_t seed) {
  static constexpr const char* levels[] = {"-O2", "-O0", "-O1", "-O3", "-O2"};
  return levels[seed % std::size(levels)];
}

std::string replayable(const Kernel& k, const Setting& setting) {
  const auto& s = k.shape;
  std::string line =
      fmt::format("// replay {} {} {} {} {}", k.name, setting.target, setting.level, k.input_seed, s.dimensions);
  for (size_t d = 0; d < 3; ++d)
    line += fmt::format(" {} {} {}", s.block[d], s.groups[d], s.offset[d]);
  for (const auto& slot : k.slots)
    line += fmt::format(" {} {}", int(slot.type.base), int(slot.type.width));
  return line + "\n" + print(std::vector<Kernel>{k});
}

std::optional<std::pair<Kernel, Setting>> read_replayable(const std::string& text) {
  std::istringstream line(text.substr(0, text.find('\n')));
  std::string slashes, word;
  Kernel k;
  Setting setting;
  line >> slashes >> word >> k.name >> setting.target >> setting.level >> k.input_seed >> k.shape.dimensions;
  for (size_t d = 0; d < 3; ++d)
    line >> k.shape.block[d] >> k.shape.groups[d] >> k.shape.offset[d];
  if (!line || word != "replay")
    return std::nullopt;
  for (int base, width; line >> base >> width;)
    k.slots.push_back({{Base(base), uint8_t(width)}});
  k.verbatim = text;
  return std::pair(std::move(k), std::move(setting));
}

std::string compiler_flags_for(const Setting& s) { return quoted(compiler_flags(s)); }

std::string source_text(const std::vector<Kernel>& kernels) {
  // Compilers' caches know this file and not what it includes.
  return fmt::format("// portable.h {:016x}\n", digest(read_text(GENERATED_INPUTS "/portable.h"))) + print(kernels);
}

std::vector<std::vector<Verdict>> Differential::run(const std::vector<Kernel>& kernels,
                                                    const std::vector<Setting>& settings) {
  static std::atomic<int> serial = 0;
  std::vector<std::vector<Verdict>> verdicts(kernels.size(), std::vector<Verdict>(settings.size()));
  const auto all = [&](Outcome outcome, const std::string& message) {
    for (auto& row : verdicts)
      for (auto& v : row)
        v = {outcome, message};
    return verdicts;
  };
  if (opencl_.device().empty())
    return all(Outcome::unknown, opencl_.reason());
  source_ = fmt::format("{}/generated-{}-{}.cl", folder_, getpid(), serial++);
  std::ofstream(source_) << source_text(kernels);
  for (size_t i = 0; i < kernels.size(); ++i) {
    auto w = workload_of(kernels[i], source_);
    // Its optimiser off: the oracle should be plain, and is twice as fast to compile.
    w.opencl_options = "-cl-opt-disable -cl-fp32-correctly-rounded-divide-sqrt -w -DNOINLINE= -I " GENERATED_INPUTS;
    auto outside = opencl_.open(w, "");
    if (outside->error().find("does not build") != std::string::npos)
      return all(Outcome::unknown, outside->error());
    if (outside->error().empty())
      outside->once();
    const auto expected = outside->read();
    for (size_t j = 0; j < settings.size(); ++j) {
      Verdict& verdict = verdicts[i][j];
      if (!outside->error().empty()) {
        verdict = {Outcome::unknown, outside->error()};
        continue;
      }
      workload::Settings ours_settings;
      ours_settings.target = settings[j].target;
      ours_settings.flags = compiler_flags_for(settings[j]);
      ours_settings.listener = listener_;
      auto ours = workload::open_crosslane(w, ours_settings);
      if (ours->error().empty())
        ours->once();
      if (!ours->error().empty()) {
        const auto& error = ours->error();
        const size_t at = error.find("error: ");
        const bool compiler = error.find("clang") != std::string::npos && at != std::string::npos;
        verdict = {compiler ? Outcome::uncompiled : Outcome::refused, compiler ? error.substr(at, 400) : error};
        // One kernel that the compiler cannot stomach takes the others of its file along.
        if (compiler && kernels.size() > 1) {
          for (size_t k = 0; k < kernels.size(); ++k)
            verdicts[k] = run({kernels[k]}, settings)[0];
          return verdicts;
        }
        continue;
      }
      instructions_ += ours->stats().instructions;
      std::string differences = compare_all(kernels[i], w, ours->read(), expected);
      if (!differences.empty())
        verdict = {Outcome::different, std::move(differences)};
    }
  }
  return verdicts;
}

} // namespace crosslane::generated
