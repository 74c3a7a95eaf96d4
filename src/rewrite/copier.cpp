// Block by block, in the order of addresses.
#include "rewrite/copier.h"
#include "codeobject/first_instruction.h"
#include "isa/flow.h"
#include "isa/op.h"
#include "isa/operands.h"
#include "isa/print.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::EdgeKind;
using analysis::Exit;
using Kind = Item::Kind;

namespace {

class Copier {
public:
  Copier(Listing& listing, const CopyInput& in) : out_(listing), in_(in), graph_(in.subject.graph) {}

  Copied run() {
    const size_t first = out_.chunks.size();
    for (const CopiedKernel* k : in_.kernels)
      for (const BlockId b : k->blocks)
        if (labels_.try_emplace(b, 0).second)
          blocks_.push_back(b);
    std::ranges::sort(blocks_);
    for (const BlockId b : blocks_)
      labels_[b] = out_.add();
    for (const auto& [block, items] : in_.insertions.on_call)
      if (labels_.contains(block))
        call_labels_[block] = out_.add();
    Copied copied;
    for (const CopiedKernel* k : in_.kernels)
      copied.entries.push_back(entry(*k));
    std::map<BlockId, Label> entries; // where a kernel's entry stands before its block
    for (size_t i = 0; i < in_.kernels.size(); ++i)
      entries.emplace(graph_.functions[in_.kernels[i]->function].block, copied.entries[i]);
    for (const BlockId b : blocks_) {
      if (const auto e = entries.find(b); e != entries.end()) {
        out_.order.push_back(e->second);
        if (const Label next = out_.chunks[e->second].next; next != label(b)) // behind its old entry
          out_.order.push_back(next);
      }
      if (const auto c = call_labels_.find(b); c != call_labels_.end())
        call_entry(b, c->second);
      block(b);
    }
    add_functions();
    out_.order.insert(out_.order.end(), late_.begin(), late_.end());
    for (Chunk& chunk : std::span(out_.chunks).subspan(first))
      for (Item& item : chunk.items)
        item.target = resolved(item.target);
    copied.uses_scratch = uses_scratch_;
    return copied;
  }

private:
  Listing& out_;
  const CopyInput& in_;
  const analysis::Graph& graph_;
  std::vector<BlockId> blocks_;
  std::map<BlockId, Label> labels_, call_labels_;
  std::vector<Label> late_; // that nothing falls into
  Label seldom_end_ = no_label, first_function_ = no_label;
  bool uses_scratch_ = false;
  std::vector<Item>* items_ = nullptr;

  isa::Target target() const { return in_.subject.target(); }
  Label label(BlockId b) const { return labels_.at(b); }

  void add_functions() {
    const auto& functions = in_.insertions.functions;
    first_function_ = Label(out_.chunks.size());
    for (const FunctionBlock& block : functions) {
      const Label at = out_.add();
      out_.chunks[at].items = block.items, out_.chunks[at].next = resolved(block.next);
      late_.push_back(at);
    }
  }
  Label resolved(Label label) const {
    return label >= function_label && label != no_label ? first_function_ + (label - function_label) : label;
  }

  Label entry(const CopiedKernel& k) {
    const Label at = out_.add();
    Chunk& chunk = out_.chunks[at];
    chunk.alignment = 256; // the hardware keeps entry >> 8
    if (const auto found = in_.insertions.at_entry.find(k.function); found != in_.insertions.at_entry.end())
      chunk.items = found->second;
    chunk.next = label(graph_.functions[k.function].block);
    if (!codeobject::preloaded_entry(k.kernel->descriptor))
      return at;
    // Both have to lie 256 bytes apart: one behind the other, each at a multiple of that.
    const Label old = out_.add();
    Chunk& before = out_.chunks[old];
    before.alignment = 256, before.next = at, before.tied = true;
    if (const auto found = in_.insertions.at_old_entry.find(k.function); found != in_.insertions.at_old_entry.end())
      before.items = found->second;
    before.items.push_back(address_of(isa::code::vcc, k.kernel->entry + in_.subject.image->bias));
    append(before.items, target(), "s_setpc_b64 vcc");
    return old;
  }

  void call_entry(BlockId b, Label at) {
    out_.chunks[at].items = in_.insertions.on_call.at(b);
    out_.chunks[at].next = label(b);
    out_.order.push_back(at);
  }

  void put(std::span<const Item> items) { items_->insert(items_->end(), items.begin(), items.end()); }

  void copied(uint64_t pc, uint32_t size) {
    if (!items_->empty()) {
      Item& last = items_->back();
      if (last.kind == Kind::copy && last.origin + last.size == pc) {
        last.size += size;
        return;
      }
    }
    items_->push_back({.kind = Kind::copy, .size = size, .origin = pc});
  }

  void block(BlockId b) {
    const analysis::Block& block = graph_.blocks[b];
    std::vector<Item> items;
    items_ = &items;
    uint32_t n = 0, skip = 0;
    const auto put_before = [&] {
      if (const auto found = in_.insertions.before.find({b, n}); found != in_.insertions.before.end())
        put(found->second);
    };
    each_instruction(in_.subject.code(), block, [&](uint64_t pc, const isa::Instruction& in) {
      put_before();
      if (skip)
        --skip;
      else if (pc == block.last && isa::flow(in).kind != isa::FlowKind::next)
        last(b, pc, in);
      else if (in.op == isa::Op::s_getpc_b64)
        skip = address(b, n, pc, in);
      else
        copied(pc, in.size);
      ++n;
    });
    put_before();
    const Label at = label(b);
    out_.chunks[at].items = std::move(items);
    out_.order.push_back(at);
    // What it falls through to.
    const auto successors = graph_.successors(b);
    for (uint32_t i = 0; i < successors.size(); ++i) {
      if (successors[i].kind != EdgeKind::fall_through && successors[i].kind != EdgeKind::after_call)
        continue;
      const Label next = edge(b, i, /*falls=*/true);
      out_.chunks[at].next = next;
      if (next != label(successors[i].to))
        out_.order.push_back(next);
    }
  }

  // Where an edge leads: its own chunk if something stands on it.
  Label edge(BlockId b, uint32_t i, bool falls) {
    const Label to = label(graph_.successors(b)[i].to);
    const auto found = in_.insertions.on_edge.find({b, i});
    if (found == in_.insertions.on_edge.end())
      return to;
    const Label at = out_.add();
    out_.chunks[at].items = found->second;
    out_.chunks[at].next = to;
    if (!falls)
      late_.push_back(at);
    return at;
  }

  void last(BlockId b, uint64_t pc, const isa::Instruction& in) {
    const isa::Flow flow = isa::flow(in);
    const BlockId to = single_target(in_.subject, b);
    switch (flow.kind) {
    case isa::FlowKind::branch: {
      const auto successors = graph_.successors(b);
      for (uint32_t i = 0; i < successors.size(); ++i)
        if (successors[i].kind == EdgeKind::branch)
          return direct(pc, edge(b, i, /*falls=*/false));
      return copied(pc, in.size); // to nowhere: refused before
    }
    case isa::FlowKind::jump:
      if (is_table_jump(in_.subject, b))
        return table_jump(b, pc, in);
      if (graph_.blocks[b].exit != Exit::jump || to == analysis::none)
        return copied(pc, in.size); // a return, or nobody knows
      for (uint32_t i = 0; i < graph_.successors(b).size(); ++i) {
        Item item = branch_to(target(), edge(b, i, /*falls=*/false));
        item.origin = pc;
        return items_->push_back(item);
      }
      return;
    case isa::FlowKind::call: {
      if (to == analysis::none)
        return copied(pc, in.size);
      const auto through = call_labels_.find(to);
      const Label callee = through == call_labels_.end() ? label(to) : through->second;
      if (flow.direct)
        return direct(pc, callee);
      return call(pc, in, callee);
    }
    case isa::FlowKind::end: end(); return copied(pc, in.size);
    default: return copied(pc, in.size);
    }
  }

  void end() {
    for (Item item : in_.insertions.at_end) {
      if (item.kind == Kind::branch && item.target == no_label)
        item.target = seldom_end();
      items_->push_back(item);
    }
  }

  Label seldom_end() {
    if (seldom_end_ == no_label) {
      late_.push_back(seldom_end_ = out_.add());
      std::vector<Item>& items = out_.chunks[seldom_end_].items;
      items = in_.insertions.seldom_at_end;
      append(items, target(), "s_endpgm");
    }
    return seldom_end_;
  }

  void direct(uint64_t pc, Label to) {
    uint32_t word;
    std::memcpy(&word, analysis::bytes_at(in_.subject.code(), pc).data(), 4);
    Item item{.kind = Kind::branch, .size = 4, .origin = pc, .target = to};
    item.words[0] = word;
    items_->push_back(item);
  }

  // One comparison for each place. They lie in one code object, so lower halves of addresses tell them apart. SCC, if
  // somebody wants it, comes back on the way.
  void table_jump(BlockId b, uint64_t pc, const isa::Instruction& in) {
    const auto successors = graph_.successors(b);
    const uint64_t first = graph_.blocks[successors[0].to].begin;
    const uint32_t n = graph_.blocks[b].instructions - 1;
    const uint16_t s = in_.scratch_sgpr;
    const bool keep = in_.scc_live(b, n);
    uses_scratch_ = true;
    std::vector<Item> items, behind;
    if (keep)
      append(items, target(), fmt::format("s_cselect_b32 s{}, 1, 0", s + 2));
    Item address = address_of(s, first);
    address.origin = pc;
    items.push_back(address);
    const std::string low =
        isa::print_registers({.file = isa::RegisterFile::scalar, .first = in.src[0], .dwords = 1}, target());
    append(items, target(), fmt::format("s_sub_u32 s{0}, {1}, s{0}", s, low));
    for (uint32_t i = 0; i < successors.size(); ++i) {
      const auto distance = uint32_t(graph_.blocks[successors[i].to].begin - first);
      if (i + 1 < successors.size())
        append(items, target(), fmt::format("s_cmp_eq_u32 s{}, {:#x}", s, distance));
      items.push_back(branch_to(target(), i, i + 1 < successors.size() ? "s_cbranch_scc1" : "s_branch"));
    }
    if (keep)
      append(items, target(), fmt::format("s_cmp_lg_u32 s{}, 0", s + 2));
    const size_t restores = keep ? 1 : 0;
    CopyInput::Piece piece = with_registers(b, n, std::move(items));
    behind.assign(piece.items.end() - ptrdiff_t(restores), piece.items.end());
    behind.insert(behind.end(), piece.behind.begin(), piece.behind.end());
    piece.items.resize(piece.items.size() - restores);
    for (Item& item : piece.items) {
      if (item.kind == Kind::branch) {
        Label to = edge(b, item.target, /*falls=*/false);
        if (!behind.empty()) {
          const Label way = out_.add();
          out_.chunks[way].items = behind, out_.chunks[way].next = to;
          late_.push_back(to = way);
        }
        item.target = to;
      }
      items_->push_back(item);
    }
  }

  CopyInput::Piece with_registers(BlockId b, uint32_t n, std::vector<Item> items) const {
    if (in_.with_registers)
      return in_.with_registers(b, n, items);
    return {std::move(items), {}};
  }

  // The link is free until the call writes it. SCC is nobody's at a call.
  void call(uint64_t pc, const isa::Instruction& in, Label callee) {
    Item address = address_of(in.dst, callee);
    address.origin = pc;
    items_->push_back(address);
    append(*items_, target(), fmt::format("s_swappc_b64 s[{0}:{1}], s[{0}:{1}]", in.dst, in.dst + 1));
  }

  // s_getpc_b64 has to give what it gave: data has not moved, and code that is reached by it otherwise than by a known
  // jump or call is the code as it was. With the sum behind it in one. Returns how many more instructions that was.
  uint32_t address(BlockId b, uint32_t n, uint64_t pc, const isa::Instruction& in) {
    const auto bytes = analysis::bytes_at(in_.subject.code(), pc);
    isa::Instruction low, high;
    const uint64_t next = pc + 4;
    const uint16_t s = in.dst;
    if (const int size = isa::decode(target(), bytes.subspan(4), low);
        size > 0 && next + uint64_t(size) <= graph_.blocks[b].last)
      if (isa::decode(target(), bytes.subspan(4 + size_t(size)), high) > 0 && adds(low, isa::Op::s_add_u32, s) &&
          adds(high, isa::Op::s_addc_u32, uint16_t(s + 1)) && !in_.insertions.before.contains({b, n + 1}) &&
          !in_.insertions.before.contains({b, n + 2}) && !in_.scc_live(b, n + 3)) {
        const uint64_t distance = uint64_t(constant(low)) | uint64_t(constant(high)) << 32;
        Item item = address_of(s, next + distance);
        item.origin = pc;
        items_->push_back(item);
        return 2;
      }
    Item item = address_of(s, next);
    item.origin = pc;
    if (!in_.scc_live(b, n + 1)) {
      items_->push_back(item);
      return 0;
    }
    uses_scratch_ = true;
    std::vector<Item> items;
    append(items, target(), fmt::format("s_cselect_b32 s{}, 1, 0", in_.scratch_sgpr));
    items.push_back(item);
    append(items, target(), fmt::format("s_cmp_lg_u32 s{}, 0", in_.scratch_sgpr));
    const CopyInput::Piece piece = with_registers(b, n, std::move(items));
    put(piece.items), put(piece.behind);
    return 0;
  }

  static bool adds(const isa::Instruction& in, isa::Op op, uint16_t s) {
    return in.op == op && in.dst == s && in.src[0] == s &&
           (in.src[1] == isa::code::literal || (in.src[1] >= 128 && in.src[1] <= 208));
  }
  static uint32_t constant(const isa::Instruction& in) {
    const uint16_t c = in.src[1];
    return c == isa::code::literal ? in.literal : c <= 192 ? uint32_t(c - 128) : uint32_t(-(c - 192));
  }
};

} // namespace

Copied copy(Listing& listing, const CopyInput& in) { return Copier(listing, in).run(); }

} // namespace crosslane::rewrite
