// Where a block begins all that is dead; behind an instruction what died there, and what it wrote for nobody.
#include "rewrite/poison_probes.h"
#include "isa/operands.h"
#include "isa/print.h"
#include "rewrite/counter_code.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::rewrite {

namespace slot = analysis::slot;
using analysis::RegisterSet;

namespace {

RegisterSet without(RegisterSet a, const RegisterSet& b) {
  for (size_t w = 0; w < a.words.size(); ++w)
    a.words[w] &= ~b.words[w];
  return a;
}

// What an instruction touches, as far as poison could be there.
RegisterSet touched_by(const isa::Instruction& in) {
  RegisterSet set;
  for (const isa::Operand& o : isa::operands(in)) {
    const uint32_t base = o.file == isa::RegisterFile::scalar ? slot::scalar
                          : o.file == isa::RegisterFile::vgpr ? slot::vgpr
                          : o.file == isa::RegisterFile::agpr ? slot::accvgpr
                                                              : slot::end;
    for (uint32_t i = 0; base < slot::end && i < o.dwords && base + o.first + i < slot::end; ++i)
      set.add(base + o.first + i);
    if (o.holds(isa::RegisterFile::special, isa::special::scc))
      set.add(slot::scc);
  }
  return set;
}

} // namespace

llvm::Error PoisonProbes::choose(ProbeNeeds& needs) {
  first_sgpr_ = needs.sgprs = (needs.sgprs + 1) / 2 * 2;
  needs.sgprs += 2;
  return llvm::Error::success();
}

// Registers that the program names, VCC, M0 and SCC. Not vectors where they may be indexed.
RegisterSet PoisonProbes::overwritable(const ProbeRegisters& r) const {
  RegisterSet all, can;
  for (const analysis::BlockId b : code_.blocks())
    each_instruction(code_.subject().code(), code_.graph().blocks[b], [&](uint64_t, const isa::Instruction& in) {
      const RegisterSet touched = touched_by(in);
      for (size_t w = 0; w < all.words.size(); ++w)
        all.words[w] |= touched.words[w];
    });
  const auto first_special = uint16_t(isa::info(code_.target()).addressable_sgprs);
  // Instructions that index registers name all, those of probes too.
  for (uint32_t s = 0; s < slot::end; ++s)
    if (all.has(s) &&
        (s < std::min(r.group, first_special) || s == slot::vcc || s == slot::vcc + 1 || s == slot::m0 ||
         s == slot::scc ||
         (s >= slot::vgpr && !code_.graph().indexes_vgprs && (s < slot::vgpr + r.own_vgprs || s >= slot::accvgpr))))
      can.add(s);
  return can;
}

std::string PoisonProbes::text(const ProbeRegisters& r, const RegisterSet& dead, uint32_t place) const {
  std::string text, vectors;
  const auto garbage = [](uint32_t s) { return 0xdead0000u + s * 0x9e5u; };
  // Virtual SGPRs need some to be.
  const auto left_alone = [&](uint32_t s) {
    return r.virtual_sgprs && s < slot::vcc && (s + 128 - place * 8 % 64) % 128 < r.virtual_sgprs + 8u;
  };
  for (uint32_t s = 0; s < slot::scc; ++s)
    if (dead.has(s) && !left_alone(s))
      text += fmt::format(
          "s_mov_b32 {}, {:#x}\n",
          isa::print_registers({.file = isa::RegisterFile::scalar, .first = uint16_t(s), .dwords = 1}, code_.target()),
          garbage(s));
  for (uint32_t s = slot::vgpr; s < slot::accvgpr; ++s)
    if (dead.has(s))
      vectors += fmt::format("v_mov_b32 v{}, {:#x}\n", s - slot::vgpr, garbage(s));
  for (uint32_t s = slot::accvgpr; s < slot::end; ++s)
    if (dead.has(s))
      vectors += fmt::format("v_accvgpr_write_b32 a{}, {}\n", s - slot::accvgpr, s % 60);
  if (!vectors.empty()) {
    const std::string exec = pair(uint16_t(r.own_sgprs + first_sgpr_));
    text += fmt::format("s_mov_b64 {0}, exec\ns_mov_b64 exec, -1\n{1}s_mov_b64 exec, {0}\n", exec, vectors);
  }
  if (dead.has(slot::scc))
    text += place % 2 ? "s_cmp_eq_u32 0, 0\n" : "s_cmp_lg_u32 0, 0\n";
  return text;
}

void PoisonProbes::insert(const ProbeRegisters& r, Insertions& to) {
  const RegisterSet can = overwritable(r);
  for (const analysis::BlockId b : code_.blocks()) {
    uint32_t n = 0;
    RegisterSet live_before, touched; // before the instruction before, and by it
    const auto put = [&] {
      const RegisterSet dead = without(can, live_[b][n]);
      // What was dead before and is not touched has been overwritten.
      const RegisterSet done = n ? without(without(can, live_before), touched) : RegisterSet{};
      if (const std::string text = this->text(r, without(dead, done), b + n); !text.empty())
        code_.put(to, b, n, text);
    };
    each_instruction(code_.subject().code(), code_.graph().blocks[b], [&](uint64_t, const isa::Instruction& in) {
      put();
      live_before = live_[b][n], touched = touched_by(in);
      ++n;
    });
    if (code_.end_of(b) == n)
      put();
  }
}

} // namespace crosslane::rewrite
