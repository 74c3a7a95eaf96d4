// Registers are renamed code by code: the function's are numbered from 0 on, and no other ones have such codes.
#include "rewrite/probe_function.h"
#include "files/error.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/decode.h"
#include "isa/flow.h"
#include "isa/operands.h"
#include "isa/print.h"
#include "isa/table.h"
#include "rewrite/virtual_sgprs.h"
#include <algorithm>
#include <set>

namespace crosslane::rewrite {

namespace {

constexpr uint16_t last_sgpr = 101;

// Why no probe can do it; empty: it can.
std::string_view refusal(const isa::Instruction& in) {
  const isa::Unit unit = isa::unit(in);
  const isa::FlowKind flow = isa::flow(in).kind;
  if (in.reserved)
    return "the hardware does not define it";
  if (in.op == isa::Op::s_getpc_b64)
    return "it reads data of its own";
  if (flow == isa::FlowKind::call || flow == isa::FlowKind::jump)
    return "it calls a function that is not inlined";
  if (flow != isa::FlowKind::next && flow != isa::FlowKind::branch)
    return "the wave would end or stop";
  if (unit == isa::Unit::internal && in.op != isa::Op::s_nop && in.op != isa::Op::s_waitcnt &&
      in.op != isa::Op::s_sleep)
    return "it would change when the wave goes on";
  if (unit == isa::Unit::export_ || unit == isa::Unit::gds || unit == isa::Unit::message)
    return "probes compute and load";
  const isa::MemoryUse use = isa::memory_use(in);
  if (use.stores)
    return "it writes to memory";
  if (unit == isa::Unit::vmem && use.loads && !in.addr64)
    return "it has variables in private memory: use less of them, or arrays with constant indices";
  if (isa::has(use.spaces, isa::Space::lds) && unit == isa::Unit::lds)
    return "it reads LDS";
  return "";
}

} // namespace

llvm::Error ProbeFunction::add(const isa::Instruction& in) {
  if (const auto why = refusal(in); !why.empty())
    return fail("'{}': {}", isa::print(in), why);
  vector_ |= isa::is_vector(isa::row(in.op).encoding);
  for (const isa::Operand& o : isa::operands(in)) {
    const bool special = o.file == isa::RegisterFile::special;
    if (o.extent == isa::Extent::indexed)
      return fail("'{}': it indexes registers", isa::print(in));
    if (o.file == isa::RegisterFile::agpr)
      return fail("'{}': it needs too many registers", isa::print(in));
    if (o.file == isa::RegisterFile::vgpr)
      vgprs_ = std::max<uint32_t>(vgprs_, o.first + o.dwords);
    const bool sgpr = o.file == isa::RegisterFile::scalar && o.first + o.dwords <= last_sgpr + 1;
    if (sgpr)
      sgprs_ = std::max<uint32_t>(sgprs_, o.first + o.dwords);
    if (!o.written || o.file == isa::RegisterFile::vgpr || sgpr)
      continue;
    const auto within = [&](uint16_t first, uint16_t n) {
      return o.file == isa::RegisterFile::scalar && o.first >= first && o.first + o.dwords <= first + n;
    };
    if (within(isa::code::exec, 2))
      writes_exec_ = true;
    else if (within(isa::code::vcc, 2))
      writes_vcc_ = true;
    else if (within(isa::code::m0, 1))
      writes_m0_ = true;
    else if (special && o.first == isa::special::scc)
      writes_scc_ = true;
    else if (!special || o.first >= isa::special::hwreg0) // VCCZ and EXECZ follow
      return fail("'{}': it writes to what is the program's", isa::print(in));
  }
  return llvm::Error::success();
}

// `at`: where each instruction is.
llvm::Error ProbeFunction::split(std::span<const isa::Instruction> all, std::span<const uint64_t> at, uint64_t size) {
  std::set<uint64_t> begins{0};
  for (size_t i = 0; i < all.size(); ++i)
    if (const isa::Flow flow = isa::flow(all[i]); flow.kind == isa::FlowKind::branch) {
      straight_ = false;
      begins.insert(flow.target(at[i])), begins.insert(at[i] + all[i].size);
      if (flow.target(at[i]) != size && !std::ranges::binary_search(at, flow.target(at[i])))
        return fail("'{}': it leads elsewhere", isa::print(all[i]));
    }
  const auto block_at = [&](uint64_t address) {
    return uint32_t(std::distance(begins.begin(), begins.lower_bound(address)));
  };
  begins.erase(size);
  for (size_t i = 0; i < all.size(); ++i) {
    if (begins.contains(at[i]))
      blocks_.emplace_back();
    Block& block = blocks_.back();
    block.instructions.push_back(all[i]);
    if (const isa::Flow flow = isa::flow(all[i]); flow.kind == isa::FlowKind::branch)
      block.target = block_at(flow.target(at[i])), block.falls = flow.falls_through;
  }
  return llvm::Error::success();
}

llvm::Expected<ProbeFunction> ProbeFunction::read(const FunctionIr& ir, std::span<const uint8_t> code,
                                                  isa::Target target, const std::string& name) {
  ProbeFunction out;
  out.target_ = target, out.parameters_ = ir.parameters, out.counters_ = out.sgprs_ = ir.counters;
  for (const ProbeParameter& p : ir.parameters) {
    const bool address = p.kind == ProbeParameter::Kind::address;
    out.sgprs_ = std::max<uint32_t>(out.sgprs_, p.sgpr + (address ? 3 : p.dwords));
    out.vgprs_ = std::max<uint32_t>(out.vgprs_, p.vgpr + (address ? 2 : p.dwords));
  }
  std::vector<isa::Instruction> all;
  std::vector<uint64_t> at;
  for (uint64_t pc = 0; pc < code.size();) {
    isa::Instruction in;
    const int size = isa::decode(target, code.subspan(pc), in);
    if (size <= 0)
      return fail("{}: what clang made of it for {} cannot be read at {:#x}", name, isa::info(target).name, pc);
    if (auto error = out.add(in))
      return fail("{}: {}", name, llvm::toString(std::move(error)));
    all.push_back(in), at.push_back(pc);
    pc += uint64_t(size);
  }
  if (all.empty())
    out.blocks_.emplace_back();
  else if (auto error = out.split(all, at, code.size()))
    return fail("{}: {}", name, llvm::toString(std::move(error)));
  return out;
}

std::vector<FunctionBlock> ProbeFunction::blocks(uint16_t sgpr, uint16_t vgpr, Label first_block) const {
  const bool to_virtual = is_virtual(sgpr);
  const auto first_sgpr = uint16_t(to_virtual ? sgpr - first_virtual_sgpr : sgpr);
  std::vector<FunctionBlock> out;
  for (size_t b = 0; b < blocks_.size(); ++b) {
    FunctionBlock& block = out.emplace_back();
    for (isa::Instruction in : blocks_[b].instructions) {
      uint16_t sgprs = 0;
      const auto fields = register_fields(in);
      for (size_t f = 0; f < fields.size(); ++f) {
        uint16_t& c = *fields[f];
        sgprs |= uint16_t((c <= last_sgpr) << f);
        c = uint16_t(c + (c <= last_sgpr ? first_sgpr : isa::is_vgpr(c) ? vgpr : 0));
      }
      Item item = virtual_item(in, to_virtual ? sgprs : uint16_t(0));
      if (isa::flow(in).kind == isa::FlowKind::branch)
        item.kind = Item::Kind::branch, item.target = first_block + blocks_[b].target;
      block.items.push_back(item);
    }
    block.next = blocks_[b].falls ? Label(first_block + b + 1) : no_label;
  }
  return out;
}

} // namespace crosslane::rewrite
