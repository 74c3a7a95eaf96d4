// What developers are told of a translation (jit/report.h), if they asked; and where each instruction of IR comes from,
// which is kept as the line and column of a source file that does not exist: an instruction's index, and the version.
#include "isa/operands.h"
#include "jit/compile/emitter.h"
#include <algorithm>
#include <llvm/IR/DIBuilder.h>

namespace crosslane::jit {

RegisterClass Emitter::class_of(uint32_t index) const {
  using Kind = RegisterClass::Kind;
  const Lane& l = st_.v[index];
  const uint32_t number = register_of_[index];
  const bool is_agpr = number >= machine::max_vgprs;
  RegisterClass out{.file = is_agpr ? RegisterClass::File::agpr : RegisterClass::File::vgpr,
                    .kind = l.kind == Lane::wave     ? Kind::as_entered
                            : l.uniform()            ? Kind::uniform
                            : l.kind == Lane::affine ? Kind::affine
                                                     : Kind::vector,
                    .number = uint16_t(is_agpr ? number - machine::max_vgprs : number)};
  out.dirty = l.dirty, out.may = l.may;
  if (l.kind != Lane::affine)
    return out;
  out.no_wrap = l.no_wrap, out.column = l.column;
  out.half = l.fixed[0], out.odd = l.fixed[1], out.last = l.fixed[2];
  out.step = l.dynamic, out.by = l.by;
  return out;
}

RegisterClass Emitter::class_of_mask(uint32_t pair) const {
  using Kind = RegisterClass::Kind;
  const Mask& m = st_.m[pair];
  const Kind kind = m.kind == Mask::full      ? Kind::full
                    : m.kind == Mask::empty   ? Kind::empty
                    : m.kind == Mask::uniform ? Kind::uniform
                                              : Kind::rows;
  RegisterClass out{.file = RegisterClass::File::mask, .kind = kind, .number = uint16_t(2 * pair)};
  out.dirty = m.dirty;
  return out;
}

void Emitter::note_block(uint32_t target) {
  if (!report_)
    return;
  const uint32_t b = block_of(target);
  const Target &t = targets_[target], &met = targets_[meeting(b)];
  ReportBlock& out = report_->blocks.emplace_back();
  out.block = b, out.full_exec = target == version(b, true);
  out.comes_back = t.entered || met.entered, out.from_interpreter = t.loops || met.loops;
  note_ = &out.entry;
  if (scope_)
    b_.SetCurrentDebugLocation({});
}

void Emitter::note_instruction() {
  if (dry_ || !report_)
    return;
  ReportBlock& out = report_->blocks.back();
  if (out.steps.empty()) { // the block begins
    for (uint32_t i = 0; i < first_tmp_; ++i)
      if (live_[at_].test(live_lane(i)))
        out.classes.push_back(class_of(i));
    std::ranges::sort(out.classes, {}, [](const RegisterClass& c) { return std::pair(c.file, c.number); });
    for (uint32_t p = 0; p < pair_count; ++p)
      if (st_.m[p].kind != Mask::none)
        out.classes.push_back(class_of_mask(p));
  }
  note_ = &out.steps.emplace_back(ReportStep{.instruction = at_}).counts;
  if (scope_)
    b_.SetCurrentDebugLocation(llvm::DILocation::get(c_, at_ + 1, 1 + out.full_exec, scope_));
}

// Behind the instruction at hand.
void Emitter::note_written() {
  if (!note_ || left_)
    return;
  ReportStep& out = report_->blocks.back().steps.back();
  std::vector<uint32_t> pairs;
  for (const isa::Operand& o : isa::operands(unit_.instructions[at_].inst)) {
    if (!o.written)
      continue;
    for (uint32_t n = o.first; n < uint32_t(o.first) + o.dwords; ++n) {
      const bool is_agpr = o.file == isa::RegisterFile::agpr;
      const uint32_t lane = is_agpr ? machine::max_vgprs + n : n;
      if ((is_agpr || o.file == isa::RegisterFile::vgpr) && lane_of_[lane] != ~0u)
        out.written.push_back(class_of(lane_of_[lane]));
      else if (o.file == isa::RegisterFile::scalar && n < 2 * pair_count)
        pairs.push_back(n / 2);
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  for (const uint32_t pair : pairs)
    if (st_.m[pair].kind != Mask::none)
      out.written.push_back(class_of_mask(pair));
}

// ---- Where IR comes from

void Emitter::begin_locations() {
  if (!report_ || !request_.keep_assembly)
    return;
  llvm::DIBuilder made(module_);
  llvm::DIFile* file = made.createFile("unit", "");
  made.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "", true, "", 0, "", llvm::DICompileUnit::LineTablesOnly);
  scope_ = made.createFunction(file, "unit", "", file, 0, made.createSubroutineType(made.getOrCreateTypeArray({})), 0,
                               llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  made.finalize();
  module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  function_->setSubprogram(scope_);
}

// Helpers are nobody's.
void Emitter::end_locations() {
  if (!scope_)
    return;
  for (llvm::Function& f : module_)
    if (&f != function_)
      for (llvm::BasicBlock& block : f)
        for (llvm::Instruction& i : block)
          i.setDebugLoc({});
}

} // namespace crosslane::jit
