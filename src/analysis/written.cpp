// Unions over functions, each of which is gone through once.
#include "analysis/written.h"

namespace crosslane::analysis {

using isa::RegisterFile;

bool WrittenRegisters::by(uint32_t function, RegisterFile file, unsigned n) {
  const Registers& r = of(function);
  if (file == RegisterFile::scalar)
    return r.all || n >= r.scalars.size() || r.scalars.test(n);
  return r.all || file != RegisterFile::vgpr || n >= r.vgprs.size() || r.vgprs.test(n);
}

const WrittenRegisters::Registers& WrittenRegisters::own(uint32_t function) {
  const auto [found, is_new] = own_.try_emplace(function);
  Registers& r = found->second;
  if (!is_new)
    return r;
  std::set<BlockId> seen{graph_.functions[function].block};
  std::vector<BlockId> work(seen.begin(), seen.end());
  while (!work.empty() && !r.all) {
    const BlockId b = work.back();
    work.pop_back();
    each_instruction(code_, graph_.blocks[b], [&](uint64_t, const isa::Instruction& instruction) {
      for (const isa::Operand& o : isa::operands(instruction))
        for (unsigned n = o.first; o.written && n < unsigned(o.first) + o.dwords; ++n)
          if (o.file == RegisterFile::scalar && n < r.scalars.size())
            r.scalars.set(n);
          else if (o.file == RegisterFile::vgpr && n < r.vgprs.size())
            r.vgprs.set(n);
    });
    const Exit exit = graph_.blocks[b].exit;
    r.all = r.all || (exit == Exit::jump && !graph_.blocks[b].successors) || exit == Exit::trap || exit == Exit::fork;
    for (const Edge& e : graph_.successors(b))
      if (seen.insert(e.to).second)
        work.push_back(e.to);
    if (exit != Exit::call)
      continue;
    const Call* call = graph_.call_of(b);
    r.all = r.all || !call || call->unknown || !call->count;
    if (call)
      for (const uint32_t callee : graph_.callees_of(*call))
        r.callees.insert(callee);
  }
  return r;
}

const WrittenRegisters::Registers& WrittenRegisters::of(uint32_t function) {
  const auto [found, is_new] = of_.try_emplace(function);
  Registers& r = found->second;
  if (!is_new)
    return r;
  r.callees.insert(function);
  std::vector<uint32_t> work{function};
  while (!work.empty() && !r.all) {
    const Registers& one = own(work.back());
    work.pop_back();
    r.scalars |= one.scalars, r.vgprs |= one.vgprs, r.all = r.all || one.all;
    for (const uint32_t callee : one.callees)
      if (r.callees.insert(callee).second)
        work.push_back(callee);
  }
  return r;
}

} // namespace crosslane::analysis
