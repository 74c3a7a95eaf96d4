// The run-time view of the table of rows, and the names that differ per generation.
#include "isa/table.h"

namespace crosslane::isa {
namespace {

struct Name {
  Op op;
  Generation first, last;
  std::string_view name;
};
constexpr Name names[] = {
#define NAME(mnemonic, first, last, name) {Op::mnemonic, Generation::first, Generation::last, #name},
#include "isa/rows/names.inc"
#undef NAME
};

} // namespace

const Row* const detail::first_row = table;
std::span<const Row> rows() { return table; }

std::string_view mnemonic(Op o, Target target) {
  const Generation g = info(target).generation;
  if (g <= Generation::gfx8 || g == Generation::gfx90a)
    for (const Name& n : names)
      if (n.op == o && n.first <= g && g <= n.last)
        return n.name;
  return row(o).mnemonic;
}

std::optional<Op> find_op(std::string_view name, Target target) {
  const Generation g = info(target).generation;
  for (size_t i = 0; i < std::size(table); ++i)
    if (table[i].opcodes.of(g) != absent && mnemonic(Op(i), target) == name)
      return Op(i);
  return std::nullopt;
}

Implicit implicit(const Row& r, Target target) {
  const bool ds_reads_m0 =
      r.encoding == Encoding::DS && r.memory != Type::None && info(target).generation <= Generation::gfx8;
  return ds_reads_m0 ? r.implicit | Implicit::m0_r : r.implicit;
}

} // namespace crosslane::isa
