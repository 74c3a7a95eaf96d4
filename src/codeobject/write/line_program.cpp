// Rows of the old table, at their new places.
#include "codeobject/write/line_program.h"
#include "codeobject/read/contents.h"
#include <algorithm>
#include <llvm/BinaryFormat/Dwarf.h>

namespace crosslane::codeobject {
namespace {
using namespace llvm::dwarf;
using Row = llvm::DWARFDebugLine::Row;

// What a row holds for: [low, high) in the old code. Of several at one address all but the last are empty.
struct Stretch {
  uint64_t low, high;
  const Row* row;
};

class Program {
public:
  Program(const llvm::DWARFDebugLine::Prologue& header, Bytes& out) : header_(header), out_(out) {}

  // From `address` on; `whole`: the row starts there, and does not go on from code that did not move with it.
  void add(const Row& row, uint64_t address, bool whole) {
    if (open_ && !whole && same_place(row))
      return;
    if (!open_) {
      state_ = Row(header_.DefaultIsStmt);
      extended(DW_LNE_set_address, 8);
      append(out_, address);
      open_ = true;
    } else {
      advance(address);
    }
    state_.Address.Address = address;
    if (row.File != state_.File)
      out_.push_back(DW_LNS_set_file), append_uleb(out_, row.File);
    if (row.Column != state_.Column)
      out_.push_back(DW_LNS_set_column), append_uleb(out_, row.Column);
    if (row.Line != state_.Line)
      out_.push_back(DW_LNS_advance_line), append_sleb(out_, int64_t{row.Line} - int64_t{state_.Line});
    if (row.IsStmt != state_.IsStmt)
      out_.push_back(DW_LNS_negate_stmt);
    if (row.Isa != state_.Isa && DW_LNS_set_isa < header_.OpcodeBase)
      out_.push_back(DW_LNS_set_isa), append_uleb(out_, row.Isa);
    if (whole && row.BasicBlock)
      out_.push_back(DW_LNS_set_basic_block);
    if (whole && row.PrologueEnd && DW_LNS_set_prologue_end < header_.OpcodeBase)
      out_.push_back(DW_LNS_set_prologue_end);
    if (whole && row.EpilogueBegin && DW_LNS_set_epilogue_begin < header_.OpcodeBase)
      out_.push_back(DW_LNS_set_epilogue_begin);
    if (row.Discriminator) {
      Bytes number;
      append_uleb(number, row.Discriminator);
      extended(DW_LNE_set_discriminator, number.size());
      append(out_, number);
    }
    out_.push_back(DW_LNS_copy);
    const uint64_t at = state_.Address.Address;
    state_ = row;
    state_.Address.Address = at;
  }

  void end(uint64_t address) {
    if (!open_)
      return;
    advance(address);
    extended(DW_LNE_end_sequence, 0);
    open_ = false;
  }

private:
  bool same_place(const Row& row) const {
    const auto key = [](const Row& r) {
      return std::tuple(r.File, r.Line, r.Column, bool(r.IsStmt), r.Isa, r.Discriminator);
    };
    return key(row) == key(state_);
  }
  void extended(uint8_t operation, uint64_t size) {
    out_.push_back(0);
    append_uleb(out_, size + 1);
    out_.push_back(operation);
  }
  void advance(uint64_t address) {
    const uint64_t by = address - state_.Address.Address;
    const bool counts = header_.MinInstLength && by % header_.MinInstLength == 0 && header_.MaxOpsPerInst <= 1;
    if (by == 0)
      return;
    if (counts) {
      out_.push_back(DW_LNS_advance_pc);
      append_uleb(out_, by / header_.MinInstLength);
    } else {
      extended(DW_LNE_set_address, 8);
      append(out_, address);
    }
  }

  const llvm::DWARFDebugLine::Prologue& header_;
  Bytes& out_;
  bool open_ = false;
  Row state_;
};

std::vector<Stretch> stretches_of(const llvm::DWARFDebugLine::LineTable& table,
                                  llvm::function_ref<bool(Range)> in_code) {
  std::vector<Stretch> result;
  for (const llvm::DWARFDebugLine::Sequence& sequence : table.Sequences) {
    if (!sequence.isValid() || !in_code({sequence.LowPC, sequence.HighPC}))
      continue;
    for (unsigned i = sequence.FirstRowIndex; i + 1 < sequence.LastRowIndex && i + 1 < table.Rows.size(); ++i)
      if (const Row &row = table.Rows[i], &next = table.Rows[i + 1]; row.Address.Address <= next.Address.Address)
        result.push_back({row.Address.Address, next.Address.Address, &row});
  }
  std::ranges::sort(result, {}, [](const Stretch& s) { return std::pair(s.low, s.row); });
  return result;
}

} // namespace

Bytes moved_lines(const llvm::DWARFDebugLine::LineTable& table, llvm::StringRef header, const Moves& moves,
                  llvm::function_ref<bool(Range)> in_code) {
  const std::vector<Stretch> stretches = stretches_of(table, in_code);
  const llvm::DWARFDebugLine::Prologue& prologue = table.Prologue;
  if (stretches.empty() || prologue.OpcodeBase <= DW_LNS_set_basic_block)
    return {};
  uint64_t end = 0;
  for (const Stretch& stretch : stretches)
    end = std::max(end, stretch.high);
  const std::vector<Moves::Piece> pieces = moves.in({stretches.front().low, end});
  if (pieces.empty())
    return {};
  const bool wide = prologue.FormParams.Format == DWARF64;
  Bytes out(header.bytes_begin(), header.bytes_end());
  const size_t program = out.size();
  Program lines(prologue, out);
  uint64_t last = 0; // where the row before ends, in the new code
  for (const Moves::Piece& piece : pieces) {
    auto at = std::ranges::lower_bound(stretches, piece.from, {}, &Stretch::low);
    if (at != stretches.begin() && (at == stretches.end() || at->low != piece.from))
      --at; // a row that goes on over the start of the piece, if it does
    for (; at != stretches.end() && at->low < piece.from + piece.size; ++at) {
      if (at->low < piece.from && at->high <= piece.from)
        continue;
      const uint64_t low = piece.low(at->low);
      if (low != last)
        lines.end(last);
      lines.add(*at->row, low, at->low >= piece.from);
      last = piece.high(at->high);
    }
  }
  lines.end(last);
  if (out.size() == program)
    return {};
  if (wide) {
    const uint64_t length = out.size() - 12;
    std::memcpy(&out[4], &length, sizeof length);
  } else {
    const auto length = static_cast<uint32_t>(out.size() - 4);
    std::memcpy(out.data(), &length, sizeof length);
  }
  return out;
}

} // namespace crosslane::codeobject
