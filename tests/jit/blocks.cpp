// See blocks.h. Several blocks make up a unit: code that goes to the one whose number is in a scalar register. Each
// ends with s_sleep, which is the interpreter's, so that compiled code must have left all registers in the Wave there.
#include "tests/jit/blocks.h"
#include "engine/context.h"
#include "engine/decode/program.h"
#include "engine/scalar/hwreg.h"
#include "isa/encode.h"
#include "isa/instances.h"
#include "isa/op.h"
#include "isa/print.h"
#include "jit/jit.h"
#include "jit/request.h"
#include "tests/jit/block_source.h"
#include "tests/jit/block_state.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fmt/format.h>
#include <set>
#include <sys/mman.h>
#include <xmmintrin.h>

namespace crosslane::test {
namespace {

using isa::Instruction;
using isa::Op;
using isa::Operand;
using isa::RegisterFile;
using machine::Wave;
using machine::WaveState;
namespace code = isa::code;

constexpr size_t lanes = BlockState::lanes, vectors = BlockState::vectors;
constexpr uint32_t lds_bytes = BlockState::lds_bytes, buffer_bytes = BlockState::buffer_bytes,
                   scratch_per_lane = BlockState::scratch_per_lane;
using State = BlockState;
constexpr uint32_t s_sleep = 0xbf8e0000, s_endpgm = 0xbf810000;
constexpr uint32_t float_modes = 0x3ff;
constexpr int blocks_per_unit = 24;

// Where code meets handlers: not instrumented, not inlined.
[[gnu::noinline]] __attribute__((no_sanitize("address", "thread", "undefined"))) void enter(const engine::Uop* op,
                                                                                            Wave* w) {
  op->fn(op, w);
}

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

jit::CompileFunction compile_function() {
  static void* const library = dlopen(CROSSLANE_JIT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<jit::CompileFunction>(dlsym(library, "crosslane_jit_compile")) : nullptr;
}

using Block = std::vector<Item>;

std::vector<Instruction> flat(const Block& b) {
  std::vector<Instruction> all;
  for (const Item& item : b)
    all.insert(all.end(), item.instructions.begin(), item.instructions.end());
  return all;
}

} // namespace

struct BlockTrials::Impl {
  Impl(isa::Target, BlockSettings);
  ~Impl() { munmap(reinterpret_cast<void*>(window_), window_bytes); }

  // Code of some blocks, decoded and compiled.
  struct Loaded {
    std::vector<uint32_t> words;
    std::vector<uint32_t> begin, end; // dword indexes: of each block's first instruction, and of its s_sleep
    std::unique_ptr<engine::Program> program;
    std::unique_ptr<engine::Code> code;
    engine::CompiledCode compiled;
  };
  struct Setting { // of all blocks of a unit
    uint32_t mode = 0;
    bool one_wave = false, ids = false;
    bool private_segment = true; // what code is told of it
    int line = 64;               // lanes of a line of work-items
    int optimize = 1;
  };

  uint32_t number(uint32_t below) { return source_.random().number(below); }
  Setting setting();
  std::unique_ptr<Loaded> load(const std::vector<Block>&, const Setting&, BlockResult&);
  void start(const Block&, const Setting&, State&);
  void place_in_private_segment(const Instruction&, State&);
  void to_wave(const State&, uint32_t block, const Loaded&);
  void from_wave(State&, uint32_t block, const Loaded&);
  void finish();
  void interpret(const Loaded&, uint32_t block, const State& from, State& to);
  void run_compiled(const Loaded&, uint32_t block, const State& from, State& to, bool* left = nullptr);
  bool differs(const Loaded&, uint32_t block, const State&);
  void examine(Block, const Setting&, const State& from, const State& interpreted, const State& compiled, BlockResult&);
  bool differs_by_payloads(const Loaded&, const std::vector<Instruction>&, const State& from, const State& a,
                           const State& b);
  std::string describe(const Instruction&, const State& before, const State& a, const State& b);

  isa::Target target_;
  BlockSettings settings_;
  std::mt19937_64 random_;
  BlockSource source_;
  std::vector<uint32_t> noise_ = std::vector<uint32_t>(1 << 16);
  static constexpr size_t window_bytes = 1 << 17;
  uint64_t window_ = 0; // straddles a multiple of 4 GiB
  uint8_t* buffer_ = nullptr;
  engine::AqlPacket packet_;
  engine::Options options_;
  std::unique_ptr<engine::DispatchContext> context_;
  std::vector<uint8_t> wave_storage_ = std::vector<uint8_t>(machine::wave_bytes(true) + 128);
  std::vector<uint8_t> lds_ = std::vector<uint8_t>(lds_bytes + 64),
                       scratch_ = std::vector<uint8_t>(scratch_per_lane * lanes + 64);
  machine::Workgroup group_{};
  machine::Fault fault_;
  Wave* wave_;
  State interpreted_, compiled_;
  std::set<Op> complained_;
};

BlockTrials::Impl::Impl(isa::Target t, BlockSettings settings)
    : target_(t), settings_(std::move(settings)), random_(settings_.seed), source_(t, random_, true) {
  for (uint32_t& n : noise_)
    n = uint32_t(random_());
  for (uint64_t edge = uint64_t(0x6900) << 32; !buffer_ && edge < uint64_t(0x6a00) << 32; edge += uint64_t(1) << 32)
    if (void* at = mmap(reinterpret_cast<void*>(edge - window_bytes / 2), window_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        at != MAP_FAILED)
      window_ = edge - window_bytes / 2, buffer_ = reinterpret_cast<uint8_t*>(edge - 4096);
  const auto aligned = [](std::vector<uint8_t>& from) {
    return reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(from.data()) + 63) / 64 * 64);
  };
  context_.reset(new engine::DispatchContext{nullptr, &packet_, &options_, "trial", 0, {}});
  wave_ = reinterpret_cast<Wave*>(aligned(wave_storage_));
  group_.lds = aligned(lds_), group_.lds_bytes = lds_bytes - 64, group_.wave_count = 1,
  group_.dispatch = context_.get();
  Wave& w = *wave_;
  w.vgpr_count = 256, w.reach = machine::window, w.workgroup = &group_, w.fault = &fault_;
  w.scratch = aligned(scratch_), w.scratch_bytes = scratch_per_lane, w.launched = ~uint64_t(0);
}

BlockTrials::Impl::Setting BlockTrials::Impl::setting() {
  Setting s;
  s.mode = number(3) ? uint32_t(random_()) & float_modes : 0x3c0;
  s.one_wave = number(2), s.line = 64 >> number(4), s.ids = number(2);
  s.private_segment = number(2);
  s.optimize = settings_.optimize >= 0 ? settings_.optimize : number(4) ? 1 : 2;
  return s;
}

// Code that s[reserved::block] chooses a block of. SCC becomes what s[reserved::scc] says.
std::unique_ptr<BlockTrials::Impl::Loaded> BlockTrials::Impl::load(const std::vector<Block>& blocks, const Setting& set,
                                                                   BlockResult& result) {
  auto l = std::make_unique<Loaded>();
  const auto put = [&](const Instruction& i) {
    const isa::Encoded e = isa::encode(i);
    l->words.insert(l->words.end(), e.words.begin(), e.words.begin() + e.size / 4);
  };
  const auto compare = [&](Op op, uint16_t a, uint16_t b) {
    Instruction i = isa::instances(op, target_)[0];
    i.src[0] = a, i.src[1] = b;
    put(i);
  };
  std::vector<size_t> branches;
  for (size_t n = 0; n < blocks.size(); ++n) {
    compare(Op::s_cmp_eq_u32, reserved::block, uint16_t(code::inline_int0 + n));
    branches.push_back(l->words.size());
    l->words.push_back(0);
  }
  l->words.push_back(s_endpgm);
  Instruction branch = isa::instances(Op::s_cbranch_scc1, target_)[0];
  for (size_t n = 0; n < blocks.size(); ++n) {
    branch.imm = int32_t(l->words.size() - branches[n] - 1);
    l->words[branches[n]] = isa::encode(branch).words[0];
    l->begin.push_back(uint32_t(l->words.size()));
    compare(Op::s_cmp_lg_u32, reserved::scc, code::inline_int0);
    for (const Instruction& i : flat(blocks[n]))
      put(i);
    l->end.push_back(uint32_t(l->words.size()));
    l->words.insert(l->words.end(), {s_sleep, s_endpgm});
  }
  const uint64_t base = reinterpret_cast<uint64_t>(l->words.data()), bytes = l->words.size() * 4;
  l->program = std::make_unique<engine::Program>(target_, base, bytes, engine::backend(), engine::Hooks{});
  l->code = std::make_unique<engine::Code>(target_, base, bytes);
  const engine::Unit unit = engine::unit_from(target_, base, bytes, 0, {}, {}, 4000);
  jit::Request request;
  request.unit = &unit, request.level = settings_.level.empty() ? engine::host_level() : settings_.level.c_str();
  request.mode = set.mode, request.one_wave = set.one_wave;
  request.optimize = set.optimize, request.private_segment = set.private_segment;
  wave_->mode = set.mode;
  engine::apply_mode(*wave_);
  request.split_modes = wave_->fp_split;
  const auto x = [&](uint16_t n, uint32_t may, uint32_t zeros = 0) {
    return jit::LaunchLane{n, 1, set.line > 16 ? 16 : 0, set.line > 32 ? 32 : 0, may, zeros, set.line > 8 ? 0 : -8};
  };
  const auto y = [&](uint16_t n) { return jit::LaunchLane{n, 0, 16 / set.line, 32 / set.line, 127, 0, 8 / set.line}; };
  request.launch = {x(reserved::lane_x, 127), y(reserved::lane_y)};
  if (set.ids)
    request.launch.insert(request.launch.end(), {x(0, 255, 6), y(1)});
  const double begin = now();
  jit::Compiled answer;
  compile_function()(request, answer);
  result.compile_seconds += now() - begin, ++result.units;
  if (answer.error.empty())
    answer.error = jit::make_code(l->compiled, unit, answer);
  if (!answer.error.empty()) {
    result.refused.push_back(answer.error);
    return nullptr;
  }
  return l;
}

// The private segment as launch makes its resource, at offsets that few lanes have outside of it.
void BlockTrials::Impl::place_in_private_segment(const Instruction& i, State& st) {
  const bool gfx9 = isa::info(target_).generation >= isa::Generation::gfx9;
  const uint64_t at = reinterpret_cast<uint64_t>(wave_->scratch) + uint64_t(number(4)) * 1024;
  uint32_t* s = &st.s[i.srsrc];
  s[0] = uint32_t(at), s[1] = uint32_t(at >> 32) | 0x80000000, s[2] = ~0u, s[3] = gfx9 ? 0x00e00000 : 0x00e80000;
  if (i.saddr < code::vcc)
    st.s[i.saddr] = number(4) * 256;
  const uint32_t kind = number(4), first = number(160);
  for (uint32_t lane = 0; i.offen && lane < lanes; ++lane)
    st.v[size_t(i.addr - code::vgpr0) * lanes + lane] = kind == 0   ? first / 4 * 4
                                                        : kind == 1 ? number(40) * 4
                                                        : kind == 2 ? number(160)
                                                                    : lane * 2 + number(400) / 399 * 1000;
}

// A random state, with what the block's accesses need.
void BlockTrials::Impl::start(const Block& block, const Setting& set, State& st) {
  std::memcpy(st.v.data(), noise_.data() + number(uint32_t(noise_.size() - st.v.size())), st.v.size() * 4);
  for (uint32_t& s : st.s)
    s = 0;
  for (int n = 0; n < 108; ++n)
    st.s[n] = number(2) ? source_.edge() : uint32_t(random_());
  for (size_t n = 0; n < 48; ++n) {
    uint32_t* v = &st.v[n * lanes];
    const uint32_t kind = number(8), a = number(2) ? source_.edge() : uint32_t(random_()), stride = number(9) * 2;
    for (uint32_t lane = 0; lane < lanes; ++lane)
      switch (kind) {
      case 0: v[lane] = a; break;
      case 1: v[lane] = a + lane * stride; break;
      case 2: v[lane] = source_.edge(); break;
      case 3: v[lane] &= 63; break;
      case 4: v[lane] = std::bit_cast<uint32_t>((float(v[lane] & 0xffff) - 32768.f) / 256.f); break;
      case 5: v[lane] = 0x3c003c00 ^ (v[lane] & 0x8fff8fff); break;
      case 6: v[lane] = 0x3fe00000 ^ (v[lane] & 0x805fffff); break;
      default: break;
      }
  }
  const auto ids = [&](size_t x, uint32_t first_x, size_t y, uint32_t first_y) {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      st.v[x * lanes + lane] = first_x + lane % uint32_t(set.line);
      st.v[y * lanes + lane] = first_y + lane / uint32_t(set.line);
    }
  };
  ids(reserved::lane_x, number(64), reserved::lane_y, number(64));
  if (set.ids)
    ids(0, number(3) * 64, 1, number(64));
  st.s[126] = st.s[127] = ~0u; // of a unit's beginning
  st.s[code::m0] = number(2) ? ~0u : number(24) * 16;
  st.mode = set.mode, st.scc = 0;
  const uint64_t masks[] = {~uint64_t(0), 0, uint64_t(1) << number(64), random_(), 0xffff, 0xff00ff00ff00ff};
  const uint64_t exec = masks[number(std::size(masks))];
  st.s[reserved::exec] = uint32_t(exec), st.s[reserved::exec + 1] = uint32_t(exec >> 32);
  if (number(2)) {
    const uint64_t vcc = masks[number(std::size(masks))];
    st.s[code::vcc] = uint32_t(vcc), st.s[code::vcc + 1] = uint32_t(vcc >> 32);
  }
  for (std::vector<uint8_t>* bytes : {&st.lds, &st.buffer, &st.scratch})
    std::memcpy(bytes->data(), noise_.data() + number(1024), bytes->size());
  for (int slot = 0; slot < reserved::slots; ++slot) {
    st.s[reserved::scalars(slot)] = uint32_t(reinterpret_cast<uint64_t>(buffer_));
    st.s[reserved::scalars(slot) + 1] = uint32_t(reinterpret_cast<uint64_t>(buffer_) >> 32);
  }
  for (const Item& item : block)
    if (item.slot >= 0) {
      const Instruction& i = item.instructions.back();
      for (const Operand& o : isa::operands(i))
        if (o.read)
          source_.random().place(i, o, buffer_, buffer_bytes, st.s, st.v.data());
      if (isa::row(i.op).encoding == isa::Encoding::MUBUF && i.srsrc < code::vcc && !i.idxen && !i.addr64 &&
          set.private_segment && number(3))
        place_in_private_segment(i, st);
    }
}

void BlockTrials::Impl::to_wave(const State& st, uint32_t block, const Loaded& l) {
  Wave& w = *wave_;
  context_->code = l.code.get(), context_->plain = {l.program.get(), nullptr};
  std::memcpy(w.v, st.v.data(), st.v.size() * 4);
  std::memset(w.s, 0, sizeof w.s);
  std::memcpy(w.s, st.s, sizeof st.s);
  w.s[reserved::block] = block;
  w.scc = st.scc, w.mode = st.mode, w.status = st.status, w.trapsts = st.trapsts;
  std::memcpy(group_.lds, st.lds.data(), st.lds.size());
  std::memcpy(w.scratch, st.scratch.data(), st.scratch.size());
  std::memcpy(buffer_, st.buffer.data(), st.buffer.size());
  fault_ = {};
  engine::apply_mode(w);
  w.deadline = int64_t(1) << 40, w.state = WaveState::ready, w.compiled = nullptr;
}

void BlockTrials::Impl::from_wave(State& st, uint32_t block, const Loaded& l) {
  Wave& w = *wave_;
  std::memcpy(st.v.data(), w.v, st.v.size() * 4);
  std::memcpy(st.s, w.s, sizeof st.s);
  st.s[reserved::block] = 0; // two units may number a block differently
  st.scc = w.scc, st.mode = w.mode, st.status = w.status, st.trapsts = w.trapsts;
  std::memcpy(st.lds.data(), group_.lds, st.lds.size());
  std::memcpy(st.scratch.data(), w.scratch, st.scratch.size());
  std::memcpy(st.buffer.data(), buffer_, st.buffer.size());
  st.executed = w.instructions - 2 * int64_t(block); // two for each block that was not chosen
  st.fault = w.state == WaveState::faulted ? fault_.kind : machine::FaultKind::none;
  st.fault_lane = fault_.lane, st.fault_address = fault_.address, st.fault_pc = 0;
  if (st.fault != machine::FaultKind::none) {
    const auto* op = static_cast<const engine::Uop*>(w.fault_op);
    st.fault_pc = op->pc - l.begin[block], st.executed += op->ordinal;
    st.forget_registers();
  }
}

// Behind s_sleep, to the end.
void BlockTrials::Impl::finish() {
  while (wave_->state == WaveState::preempted) {
    wave_->state = WaveState::ready;
    enter(static_cast<const engine::Uop*>(wave_->resume), wave_);
  }
}

void BlockTrials::Impl::interpret(const Loaded& l, uint32_t block, const State& from, State& to) {
  to_wave(from, block, l);
  Wave& w = *wave_;
  const auto entry = l.program->at(l.program->base(), w);
  w.instructions = -int64_t(entry.ordinal);
  const unsigned csr = _mm_getcsr();
  _mm_setcsr(w.mxcsr32);
  enter(entry.uop, &w);
  finish();
  _mm_setcsr(csr);
  from_wave(to, block, l);
}

// left: by a guard.
void BlockTrials::Impl::run_compiled(const Loaded& l, uint32_t block, const State& from, State& to, bool* left) {
  to_wave(from, block, l);
  Wave& w = *wave_;
  w.instructions = 0;
  const uint64_t left_before = l.compiled.left;
  const unsigned csr = _mm_getcsr();
  _mm_setcsr(w.mxcsr32);
  enter(l.compiled.entry(0), &w);
  finish();
  _mm_setcsr(csr);
  if (left)
    *left = l.compiled.left != left_before;
  if (settings_.breaks)
    w.vgpr(5)[17] ^= 1;
  from_wave(to, block, l);
}

bool BlockTrials::Impl::differs(const Loaded& l, uint32_t block, const State& from) {
  interpret(l, block, from, interpreted_);
  run_compiled(l, block, from, compiled_);
  return !(interpreted_ == compiled_);
}

// ---- What is wrong

std::string BlockTrials::Impl::describe(const Instruction& inst, const State& before, const State& a, const State& b) {
  std::string text;
  int told = 0;
  const auto tell = [&](const std::string& what, uint64_t x, uint64_t y) {
    if (told++ < 6)
      text += fmt::format("    {}: {:#x} interpreted, {:#x} compiled\n", what, x, y);
  };
  for (int n = 0; n < 128; ++n)
    if (a.s[n] != b.s[n])
      tell(fmt::format("scalar {}", n), a.s[n], b.s[n]);
  if (a.scc != b.scc)
    tell("SCC", a.scc, b.scc);
  if (a.mode != b.mode || a.status != b.status || a.trapsts != b.trapsts)
    tell("MODE, STATUS or TRAPSTS", a.mode, b.mode);
  if (a.executed != b.executed)
    tell("instructions", uint64_t(a.executed), uint64_t(b.executed));
  if (a.fault != b.fault || a.fault_lane != b.fault_lane || a.fault_address != b.fault_address ||
      a.fault_pc != b.fault_pc)
    tell("fault", uint64_t(a.fault) << 32 | uint32_t(a.fault_lane), uint64_t(b.fault) << 32 | uint32_t(b.fault_lane));
  for (size_t n = 0; n < a.v.size(); ++n)
    if (a.v[n] != b.v[n]) {
      tell(fmt::format("v{} lane {}", n / lanes, n % lanes), a.v[n], b.v[n]);
      for (const Operand& o : isa::operands(inst))
        for (size_t d = 0; o.read && told <= 3 && d < o.dwords && d < 2; ++d)
          if (o.file == RegisterFile::scalar || o.file == RegisterFile::special)
            text += fmt::format("      {}: {:#x}\n", isa::print_registers(o, target_),
                                o.file == RegisterFile::scalar ? before.s[o.first + d] : before.scc);
          else
            text += fmt::format("      {}: {:#x}\n", isa::print_registers(o, target_),
                                before.v[(o.first + d + (o.file == RegisterFile::agpr ? 256 : 0)) * lanes + n % lanes]);
    }
  const auto bytes = [&](const char* name, const std::vector<uint8_t>& x, const std::vector<uint8_t>& y) {
    for (size_t n = 0; n < x.size(); ++n)
      if (x[n] != y[n])
        tell(fmt::format("{} byte {}", name, n), x[n], y[n]);
  };
  bytes("LDS", a.lds, b.lds), bytes("memory", a.buffer, b.buffer), bytes("scratch", a.scratch, b.scratch);
  if (told > 6)
    text += fmt::format("    and {} more\n", told - 6);
  return text;
}

// Whether all that differs can come from an operation in which several NaNs met, by registers and memory. `l`: the
// beginnings of the block.
bool BlockTrials::Impl::differs_by_payloads(const Loaded& l, const std::vector<Instruction>& all, const State& from,
                                            const State& a, const State& b) {
  std::vector<bool> scalars(128), vgprs(vectors);
  bool scc = false, memory = false;
  State before;
  for (size_t n = 0; n < all.size(); ++n) {
    const Instruction& inst = all[n];
    interpret(l, uint32_t(n), from, before);
    bool free = scalars[126] || scalars[127] || (memory && isa::row(inst.op).access != isa::Access::none);
    for (size_t lane = 0; lane < lanes && !free; ++lane)
      free = has_free_payload(inst, before, lane);
    const auto each = [&](const Operand& o, auto f) {
      for (size_t d = o.first; d < size_t(o.first) + o.dwords; ++d)
        if (o.file == RegisterFile::scalar)
          f(scalars[d]);
        else if (o.file != RegisterFile::special)
          f(vgprs[d + (o.file == RegisterFile::agpr ? 256 : 0)]);
    };
    const auto operands = isa::operands(inst);
    for (const Operand& o : operands)
      if (o.read)
        each(o, [&](auto&& r) { free |= r; }), free |= o.holds(RegisterFile::special, isa::special::scc) && scc;
    for (const Operand& o : operands)
      if (o.written && free)
        each(o, [&](auto&& r) { r = true; }), scc |= o.holds(RegisterFile::special, isa::special::scc);
    memory |= free && isa::row(inst.op).access != isa::Access::none;
  }
  State excused = b;
  for (size_t n = 0; n < vectors; ++n)
    if (vgprs[n])
      std::copy_n(&a.v[n * lanes], lanes, &excused.v[n * lanes]);
  for (size_t n = 0; n < 128; ++n)
    if (scalars[n])
      excused.s[n] = a.s[n];
  if (scc)
    excused.scc = a.scc;
  if (memory)
    excused.lds = a.lds, excused.buffer = a.buffer, excused.scratch = a.scratch;
  return excused == a;
}

// A block differs: items that need not be there go, then the first instruction is looked for behind which something
// differs.
void BlockTrials::Impl::examine(Block block, const Setting& set, const State& from, const State& interpreted,
                                const State& compiled, BlockResult& result) {
  const auto prefixes = [&](const Block& b) {
    std::vector<Block> all;
    const auto instructions = flat(b);
    for (size_t n = 0; n <= instructions.size(); ++n)
      all.push_back({Item{std::vector<Instruction>(instructions.begin(), instructions.begin() + ptrdiff_t(n))}});
    return all;
  };
  const auto l = load(prefixes(block), set, result);
  if (!l)
    return;
  const auto all = flat(block);
  State before, a = interpreted, b = compiled;
  size_t first = 0;
  while (first <= all.size() && !differs(*l, uint32_t(first), from))
    ++first;
  if (first > all.size()) { // not in a unit with others, where LLVM takes other operands of an operation first
    if (differs_by_payloads(*l, all, from, a, b)) {
      ++result.free_payloads;
      return;
    }
    ++result.differences;
    std::string text = "a block differs that does not among its own beginnings\n";
    for (const Instruction& i : all)
      text += "  " + isa::print(i) + "\n";
    result.complaints.push_back(text + describe(all.back(), from, a, b));
    return;
  }
  if (first == 0) {
    ++result.differences;
    result.complaints.push_back("a block without instructions differs\n" +
                                describe(all[0], from, interpreted_, compiled_));
    return;
  }
  a = interpreted_, b = compiled_;
  interpret(*l, uint32_t(first - 1), from, before);
  const Instruction& culprit = all[first - 1];
  State excused = b;
  for (size_t n = 0; n < a.v.size(); ++n)
    if (a.v[n] != b.v[n] && differs_by_payload(culprit, before, a, b, n / lanes, n % lanes))
      excused.v[n] = a.v[n];
  excuse_payloads_in_lds(culprit, before, a, excused);
  // Or of one before it, of which LLVM takes the operands in another order now that more stands behind it.
  const std::vector<Instruction> upto(all.begin(), all.begin() + ptrdiff_t(first));
  if (excused == a || differs_by_payloads(*l, upto, from, a, b)) {
    ++result.free_payloads;
    return;
  }
  ++result.differences;
  if (!complained_.insert(culprit.op).second)
    return;
  // The shortest block that differs.
  while (block.size() > 1) {
    std::vector<Block> shorter;
    for (size_t n = 0; n < block.size(); ++n) {
      shorter.push_back(block);
      shorter.back().erase(shorter.back().begin() + ptrdiff_t(n));
    }
    const auto tries = load(shorter, set, result);
    size_t n = 0;
    while (tries && n < shorter.size() && !differs(*tries, uint32_t(n), from))
      ++n;
    if (!tries || n == shorter.size())
      break;
    block = shorter[n];
  }
  std::string text =
      fmt::format("{}: after `{}`, optimize {}, MODE {:#x}, exec s[96:97] {:#x}:{:x}{}{}\n", isa::info(target_).name,
                  isa::print(culprit), set.optimize, set.mode, from.s[reserved::exec + 1], from.s[reserved::exec],
                  set.line < 64 ? fmt::format(", lines of {}", set.line) : "", set.ids ? ", ids" : "");
  for (const Instruction& i : flat(block))
    text += "  " + isa::print(i) + "\n";
  result.complaints.push_back(text + describe(culprit, before, a, b));
}

BlockTrials::BlockTrials(isa::Target t, BlockSettings settings)
    : impl_(std::make_unique<Impl>(t, std::move(settings))) {}
BlockTrials::~BlockTrials() = default;

BlockResult BlockTrials::run(uint64_t count) {
  BlockResult result;
  Impl& m = *impl_;
  if (!m.buffer_ || !compile_function()) {
    result.refused.push_back(m.buffer_ ? CROSSLANE_JIT_LIBRARY " cannot be opened" : "no memory below 2^47 to try in");
    return result;
  }
  const Instruction exec_is = [&] {
    Instruction i = isa::instances(Op::s_mov_b64, m.target_)[0];
    i.dst = code::exec, i.src[0] = reserved::exec;
    return i;
  }();
  State from;
  while (result.blocks < count) {
    const Impl::Setting set = m.setting();
    std::vector<Block> blocks;
    for (int n = 0; n < blocks_per_unit; ++n) {
      blocks.push_back(m.source_.block());
      if (m.number(10) < 6)
        blocks.back().insert(blocks.back().begin(), Item{{exec_is}});
    }
    const auto l = m.load(blocks, set, result);
    for (size_t n = 0; l && n < blocks.size(); ++n) {
      ++result.blocks, result.instructions += flat(blocks[n]).size();
      for (int s = 0; s < m.settings_.states; ++s) {
        m.start(blocks[n], set, from);
        bool left;
        m.interpret(*l, uint32_t(n), from, m.interpreted_);
        m.run_compiled(*l, uint32_t(n), from, m.compiled_, &left);
        ++result.runs, result.left += left;
        result.faults += m.interpreted_.fault != machine::FaultKind::none;
        if (!(m.interpreted_ == m.compiled_))
          m.examine(blocks[n], set, from, State(m.interpreted_), State(m.compiled_), result);
      }
    }
    if (!l && result.refused.size() > 20)
      break;
  }
  return result;
}

} // namespace crosslane::test
