// See operands_oracle.h.
#include "tests/engine/operands_oracle.h"
#include "engine/context.h"
#include "engine/decode/program.h"
#include "engine/executes.h"
#include "engine/scalar/hwreg.h"
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/flow.h"
#include "isa/instances.h"
#include "isa/op.h"
#include "isa/operands.h"
#include "isa/print.h"
#include "tests/engine/random_instructions.h"
#include <bit>
#include <cstring>
#include <random>
#include <set>
#include <xmmintrin.h>

namespace crosslane::test {
namespace {

using isa::Access;
using isa::Encoding;
using isa::Instruction;
using isa::Op;
using isa::Operand;
using isa::RegisterFile;
using isa::Role;
using machine::Wave;
namespace code = isa::code;
namespace special = isa::special;

constexpr int vectors = 512, lanes = 64; // VGPRs and AccVGPRs
constexpr uint32_t lds_bytes = 8192, buffer_bytes = 16384, scratch_per_lane = 256;
constexpr uint32_t endpgm = 0xbf810000;
constexpr uint32_t float_modes = 0x3ff, fp16_ovfl = engine::mode_bit::fp16_ovfl,
                   gpr_idx_en = engine::mode_bit::gpr_idx_en;

[[gnu::noinline]] __attribute__((no_sanitize("address", "thread", "undefined"))) void enter(const engine::Uop* op,
                                                                                            Wave* w) {
  op->fn(op, w);
}

// All of a wave that instructions can see, and what they can reach.
struct State {
  std::vector<uint32_t> v = std::vector<uint32_t>(vectors * lanes);
  uint32_t s[128] = {}, scc = 0, mode = 0, status = 0, trapsts = 0;
  std::vector<uint8_t> lds = std::vector<uint8_t>(lds_bytes), buffer = std::vector<uint8_t>(buffer_bytes),
                       scratch = std::vector<uint8_t>(scratch_per_lane * lanes);
  uint64_t exec() const { return uint64_t(s[127]) << 32 | s[126]; }
};

struct Entry {
  Instruction inst;
  uint64_t offset = 0; // in the code
  uint64_t ran = 0;
  bool complained = false;
};

// What may happen to one register, from all operands that hold it.
struct Told {
  bool written = false, masked = true;
  uint32_t may_keep = 0, must_keep = ~0u;
  void add(const Operand& o) {
    if (!o.written)
      return;
    written = true;
    masked &= o.masked;
    may_keep |= o.partial ? ~0u : 0;
    must_keep &= o.partial && o.extent == isa::Extent::exact ? ~o.bits : 0;
  }
  // Old values and results of both runs.
  bool allows(bool active, uint32_t a, uint32_t b, uint32_t to_a, uint32_t to_b) const {
    if (!written || (masked && !active))
      return to_a == a && to_b == b;
    const uint32_t differ = to_a ^ to_b;
    return !(differ & ~may_keep) && !((to_a ^ a) & differ) && !((to_b ^ b) & differ) && !((to_a ^ a) & must_keep) &&
           !((to_b ^ b) & must_keep);
  }
};

} // namespace

struct OperandsOracle::Impl {
  Impl(isa::Target t, int variants, uint64_t seed, Account);
  void add(const Instruction&);
  uint32_t number(uint32_t below) { return make_.number(below); }
  uint32_t noise() { return noise_[next_noise_++ % noise_.size()]; }
  void start(const Entry&, const isa::Operands&, State&, bool indexing);
  void change(const isa::Operands&, const State&, State&);
  machine::FaultKind run(const Entry&, State&);
  std::string judge(const Instruction&, const isa::Operands&, const State&, const State&, const State&, const State&);
  void trial(Entry&, OracleResult&);

  Account account_;
  isa::Target target_;
  isa::Generation generation_;
  std::mt19937_64 random_;
  RandomInstructions make_{target_, random_};
  std::vector<uint32_t> noise_ = std::vector<uint32_t>(1 << 16);
  size_t next_noise_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> code_;
  std::unique_ptr<engine::Program> program_;
  std::unique_ptr<engine::Code> loaded_;
  engine::AqlPacket packet_;
  engine::Options options_;
  std::unique_ptr<engine::DispatchContext> context_;
  std::vector<uint8_t> wave_storage_ = std::vector<uint8_t>(machine::wave_bytes(true) + 128);
  std::vector<uint8_t> lds_ = std::vector<uint8_t>(lds_bytes + 64),
                       scratch_ = std::vector<uint8_t>(scratch_per_lane * lanes + 64),
                       buffer_storage_ = std::vector<uint8_t>(buffer_bytes + 256);
  uint8_t* buffer_;
  machine::Workgroup group_{};
  machine::Fault fault_;
  Wave* wave_;
  State a_, b_, to_a_, to_b_;
};

OperandsOracle::Impl::Impl(isa::Target t, int variants, uint64_t seed, Account account)
    : account_(std::move(account)), target_(t), generation_(isa::info(t).generation), random_(seed) {
  for (uint32_t& n : noise_)
    n = uint32_t(random_());
  for (size_t o = 0; o < isa::rows().size(); ++o)
    for (const Instruction& i : isa::instances(Op(o), t)) {
      add(i);
      for (int n = 0; n < variants; ++n)
        add(make_.varied(i));
    }
  const uint64_t base = reinterpret_cast<uint64_t>(code_.data()), bytes = code_.size() * 4;
  program_ = std::make_unique<engine::Program>(t, base, bytes, engine::backend(), engine::Hooks{});
  loaded_ = std::make_unique<engine::Code>(t, base, bytes);
  context_.reset(new engine::DispatchContext{loaded_.get(), &packet_, &options_, "trial", 0, {program_.get()}});
  const auto aligned = [](std::vector<uint8_t>& from, uintptr_t to) {
    return reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(from.data()) + to - 1) / to * to);
  };
  wave_ = reinterpret_cast<Wave*>(aligned(wave_storage_, 64));
  buffer_ = aligned(buffer_storage_, 256);
  group_.lds = lds_.data(), group_.lds_bytes = lds_bytes, group_.wave_count = 1, group_.dispatch = context_.get();
  Wave& w = *wave_;
  w.vgpr_count = 256, w.reach = machine::everything, w.workgroup = &group_, w.fault = &fault_;
  w.scratch = aligned(scratch_, 64), w.scratch_bytes = scratch_per_lane;
}

void OperandsOracle::Impl::add(const Instruction& i) {
  const isa::Encoded bytes = isa::encode(i);
  Instruction back;
  if (!bytes || !isa::decode(target_, bytes.bytes(), back) || !executes_alone(back))
    return;
  Entry e;
  e.inst = back, e.offset = code_.size() * 4;
  code_.insert(code_.end(), bytes.words.begin(), bytes.words.begin() + bytes.size / 4);
  code_.insert(code_.end(), 4, endpgm); // branches go two further on
  entries_.push_back(e);
}

void OperandsOracle::Impl::start(const Entry& e, const isa::Operands& operands, State& st, bool indexing) {
  const isa::Row& r = isa::row(e.inst.op);
  std::memcpy(st.v.data(), noise_.data() + number(uint32_t(noise_.size() - st.v.size())), st.v.size() * 4);
  for (uint32_t& s : st.s)
    s = 0;
  for (int n = 0; n < 108; ++n)
    st.s[n] = noise();
  static constexpr uint64_t execs[] = {~uint64_t(0), 0, 0xff00ff, uint64_t(1) << 40};
  const uint64_t exec = number(3) ? execs[number(4) % (number(4) ? 1 : 4)] : random_();
  st.s[126] = uint32_t(exec), st.s[127] = uint32_t(exec >> 32);
  const bool limits = r.encoding == Encoding::DS && number(2);
  st.s[code::m0] = limits ? ~0u : number(24) * (r.encoding == Encoding::DS || e.inst.lds ? 16 : 1);
  st.scc = number(2);
  st.mode = noise() & float_modes;
  if (generation_ >= isa::Generation::gfx9)
    st.mode |= noise() & fp16_ovfl;
  if (indexing)
    st.mode |= gpr_idx_en, st.s[code::m0] = number(24) | 0xf000;
  st.status = st.trapsts = 0;
  if (number(2)) // small values are likely to matter: shifts, lanes, conversions
    for (size_t n = 0; n < 16 * lanes; ++n)
      st.v[n] &= 0x3f;
  const bool memory = r.access != Access::none || r.encoding == Encoding::MIMG;
  if (memory)
    for (std::vector<uint8_t>* bytes : {&st.lds, &st.buffer, &st.scratch})
      std::memcpy(bytes->data(), noise_.data() + number(1024), bytes->size());
  for (const Operand& o : operands)
    if (memory && o.read)
      make_.place(e.inst, o, buffer_, buffer_bytes, st.s, st.v.data());
  if (has(r.implicit, isa::Implicit::stack_w))
    st.mode &= ~(7u << engine::mode_bit::csp_shift);
}

// Everything that is not read becomes something else.
void OperandsOracle::Impl::change(const isa::Operands& operands, const State& from, State& to) {
  const uint32_t* other = noise_.data() + number(uint32_t(noise_.size() - from.v.size()));
  for (size_t n = 0; n < from.v.size(); ++n)
    to.v[n] = from.v[n] ^ other[n];
  const auto keep = [&](size_t n) { std::memcpy(&to.v[n * lanes], &from.v[n * lanes], lanes * 4); };
  for (const Operand& o : operands)
    if (o.read && (o.file == RegisterFile::vgpr || o.file == RegisterFile::agpr))
      for (size_t d = 0; d < o.dwords; ++d)
        keep(o.first + d + (o.file == RegisterFile::agpr ? 256u : 0u));
  for (unsigned n = 0; n < 128; ++n) {
    const bool changes = n < 108 || n == code::m0 || n >= code::exec;
    to.s[n] = changes && !operands.reads(RegisterFile::scalar, n) ? from.s[n] ^ noise() : from.s[n];
  }
  to.scc = operands.reads(RegisterFile::special, special::scc) ? from.scc : from.scc ^ 1;
  uint32_t mode_read = 0;
  for (const Operand& o : operands)
    if (o.read && o.holds(RegisterFile::special, special::mode))
      mode_read |= o.bits;
  const uint32_t changeable = float_modes | (generation_ >= isa::Generation::gfx9 ? fp16_ovfl : 0);
  to.mode = from.mode ^ (noise() & changeable & ~mode_read);
  if (from.mode & gpr_idx_en)
    to.s[code::m0] = from.s[code::m0]; // decides which operands are indexed
  to.status = from.status, to.trapsts = from.trapsts;
  to.lds = from.lds, to.buffer = from.buffer, to.scratch = from.scratch;
}

machine::FaultKind OperandsOracle::Impl::run(const Entry& e, State& st) {
  Wave& w = *wave_;
  const isa::Row& r = isa::row(e.inst.op);
  const bool memory = r.access != Access::none || r.encoding == Encoding::MIMG;
  std::memcpy(w.v, st.v.data(), st.v.size() * 4);
  std::memset(w.s, 0, sizeof w.s);
  std::memcpy(w.s, st.s, sizeof st.s);
  w.scc = st.scc, w.mode = st.mode, w.status = st.status, w.trapsts = st.trapsts;
  if (memory) {
    std::memcpy(lds_.data(), st.lds.data(), st.lds.size());
    std::memcpy(w.scratch, st.scratch.data(), st.scratch.size());
    std::memcpy(buffer_, st.buffer.data(), st.buffer.size());
  }
  fault_ = {};
  engine::apply_mode(w);
  const auto entry = program_->at(reinterpret_cast<uint64_t>(code_.data()) + e.offset, w);
  w.instructions = -int64_t(entry.ordinal), w.deadline = 1 << 20, w.state = machine::WaveState::ready;
  w.resume = entry.uop;
  const unsigned csr = _mm_getcsr();
  _mm_setcsr(w.mxcsr32);
  enter(entry.uop, &w);
  _mm_setcsr(csr);
  std::memcpy(st.v.data(), w.v, st.v.size() * 4);
  std::memcpy(st.s, w.s, sizeof st.s);
  st.scc = w.scc, st.mode = w.mode, st.status = w.status, st.trapsts = w.trapsts;
  if (memory) {
    std::memcpy(st.lds.data(), lds_.data(), st.lds.size());
    std::memcpy(st.scratch.data(), w.scratch, st.scratch.size());
    std::memcpy(st.buffer.data(), buffer_, st.buffer.size());
  }
  return w.state == machine::WaveState::faulted ? fault_.kind : machine::FaultKind::none;
}

// What is wrong, empty if nothing is. a, b: before; to_a, to_b: after.
std::string OperandsOracle::Impl::judge(const Instruction&, const isa::Operands& operands, const State& a,
                                        const State& b, const State& to_a, const State& to_b) {
  const auto told = [&](RegisterFile f, unsigned n) {
    Told t;
    for (const Operand& o : operands)
      if (o.holds(f, n))
        t.add(o);
    return t;
  };
  const auto why = [](const Told& t) {
    return t.written ? " depends on what is not read, or is written otherwise than told"
                     : " is written, and not told so";
  };
  for (unsigned n = 0; n < 128; ++n)
    if (const Told t = told(RegisterFile::scalar, n); !t.allows(true, a.s[n], b.s[n], to_a.s[n], to_b.s[n]))
      return "scalar " + std::to_string(n) + why(t);
  const struct {
    const char* name;
    uint16_t number;
    uint32_t State::* field;
  } specials[] = {{"SCC", special::scc, &State::scc},
                  {"MODE", special::mode, &State::mode},
                  {"STATUS", special::status, &State::status},
                  {"TRAPSTS", special::trapsts, &State::trapsts}};
  for (const auto& s : specials)
    if (const Told t = told(RegisterFile::special, s.number);
        !t.allows(true, a.*s.field, b.*s.field, to_a.*s.field, to_b.*s.field))
      return s.name + std::string(why(t));
  for (unsigned n = 0; n < vectors; ++n) {
    const size_t first = size_t(n) * lanes;
    const bool acc = n >= 256;
    const Told t = told(acc ? RegisterFile::agpr : RegisterFile::vgpr, n % 256);
    if (!t.written) {
      if (std::memcmp(&a.v[first], &to_a.v[first], lanes * 4) != 0 ||
          std::memcmp(&b.v[first], &to_b.v[first], lanes * 4) != 0)
        return (acc ? "a" : "v") + std::to_string(n % 256) + why(t);
      continue;
    }
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (const size_t at = first + lane; !t.allows(a.exec() >> lane & 1, a.v[at], b.v[at], to_a.v[at], to_b.v[at]))
        return (acc ? "a" : "v") + std::to_string(n % 256) + " lane " + std::to_string(lane) + why(t);
  }
  if (to_a.lds != to_b.lds)
    return "LDS depends on what is not read";
  if (to_a.buffer != to_b.buffer || to_a.scratch != to_b.scratch)
    return "memory depends on what is not read";
  return {};
}

void OperandsOracle::Impl::trial(Entry& e, OracleResult& result) {
  const isa::Row& r = isa::row(e.inst.op);
  // On gfx8 and gfx9 vector arithmetic may have its registers indexed.
  const bool indexing = generation_ >= isa::Generation::gfx8 && r.encoding >= Encoding::VOP1 &&
                        r.encoding <= Encoding::VOP3 && !number(8);
  const isa::Indexing all{indexing, indexing, indexing, indexing};
  const isa::Operands operands = account_(e.inst, all);
  start(e, operands, a_, indexing);
  change(operands, a_, b_);
  to_a_ = a_, to_b_ = b_;
  const auto fault_a = run(e, to_a_), fault_b = run(e, to_b_);
  if (fault_a != machine::FaultKind::none && fault_a == fault_b) {
    ++result.faults;
    return;
  }
  ++e.ran, ++result.trials;
  std::string wrong;
  if (fault_a != fault_b)
    wrong = "a fault depends on what is not read";
  else
    wrong = judge(e.inst, operands, a_, b_, to_a_, to_b_);
  if (wrong.empty() || e.complained)
    return;
  e.complained = true;
  result.complaints.push_back(isa::print(e.inst) + (indexing ? " (indexed)" : "") + ": " + wrong);
}

OperandsOracle::OperandsOracle(isa::Target t, int variants, uint64_t seed, Account account)
    : impl_(std::make_unique<Impl>(t, variants, seed, std::move(account))) {}
OperandsOracle::~OperandsOracle() = default;

OracleResult OperandsOracle::run(uint64_t trials) {
  OracleResult result;
  result.instructions = impl_->entries_.size();
  for (uint64_t n = 0; result.trials + result.faults < trials; ++n)
    impl_->trial(impl_->entries_[n % impl_->entries_.size()], result);
  std::set<Op> tried, all;
  for (const Entry& e : impl_->entries_) {
    all.insert(e.inst.op);
    if (e.ran)
      tried.insert(e.inst.op);
  }
  for (const Op o : all)
    if (!tried.contains(o))
      result.untried.emplace_back(isa::row(o).mnemonic);
  return result;
}

} // namespace crosslane::test
