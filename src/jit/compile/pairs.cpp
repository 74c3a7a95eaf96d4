// gfx90a's pairs of 32 bits (v_pk_fma_f32 ...): what the row of one item does with the low registers, and with the high
// ones, as src/semantics/packed.h has it. In one operation of 64 bits LLVM would weave them together and apart.
#include "isa/op.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using engine::UopKind;
using isa::Type;

// False: it is none of these.
bool Emitter::pair(const engine::UnitUop& u) {
  const isa::Op name = unit_.instructions[at_].inst.op;
  const isa::Row& row = isa::row(name);
  if (u.kind != UopKind::vector || (row.dst != Type::PkF32 && row.dst != Type::PkB32))
    return false;
  const Uop& op = u.op;
  const uint32_t sources[3] = {op.a, op.b, op.c};
  int count = 0;
  while (count < 3 && row.src[count] != Type::None)
    ++count;
  const auto item = [&](int source, uint32_t d) {
    if (is_lane(sources[source]))
      return read_lane(sources[source] + d * machine::vgpr_bytes);
    return uniform_lane(
        b_.CreateTrunc(b_.CreateLShr(scalar64_at(sources[source], op.k0), i64(uint64_t(d) * 32)), int32_));
  };
  const auto write = [&](const Lane& low, const Lane& high) {
    write_lane(op.dst, low), write_lane(op.dst + machine::vgpr_bytes, high);
    return true;
  };
  if (name == isa::Op::v_pk_mov_b32) // staging has put what it takes of a source into the low item
    return write(item(0, 0), item(1, 0));
  const std::string single = "v_" + std::string(row.mnemonic).substr(std::string_view("v_pk_").size());
  if (!bodies_.has("v16." + single))
    return false;
  const auto result = [&](uint32_t d) {
    Lane items[3];
    bool one = bodies_.has("s1." + single);
    for (int i = 0; i < count; ++i)
      items[i] = item(i, d), one = one && items[i].uniform();
    const std::string body = (one ? "s1." : "v16.") + single;
    const auto apply = [&](auto value) {
      std::vector<Value*> arguments;
      for (int i = 0; i < count; ++i)
        arguments.push_back(value(i));
      arguments.push_back(i32(request_.mode));
      return this->body(body, arguments);
    };
    if (one)
      return uniform_lane(apply([&](int i) { return items[i].base; }));
    Rows of[3];
    for (int i = 0; i < count; ++i)
      of[i] = rows_of(items[i]);
    Lane out;
    out.kind = Lane::vector;
    for (int r = 0; r < rows; ++r)
      out.row[size_t(r)] = in_row(r, [&] { return apply([&](int i) { return of[i][size_t(r)]; }); });
    return out;
  };
  const Lane low = result(0), high = result(1); // both are read before any is written
  return write(low, high);
}

} // namespace crosslane::jit
