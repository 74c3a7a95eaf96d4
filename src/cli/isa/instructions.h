// Owns what there is to say about an instruction: a row of the ISA joined with what the engine does with it and how
// exactly. `crosslane isa` shows it.
#pragma once
#include "isa/op.h"
#include "semantics/fidelity.h"
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace crosslane::cli {

// One form of an instruction on one target.
struct FormFacts {
  std::string_view form; // "e32", "sdwa", "return"; see isa::form_name()
  bool decodes = false;  // from bytes, to the same
  bool executes = false;
  std::string_view fault; // why not, if it does not
  std::string example;    // as assembly
};

struct TargetFacts {
  isa::Target target{};
  std::string_view name; // there
  int opcode = 0;
  std::vector<FormFacts> forms;
};

struct InstructionFacts {
  isa::Op op{};
  semantics::Fidelity fidelity; // of the forms that execute
  std::vector<TargetFacts> targets;
  const isa::Row& row() const { return isa::row(op); }
};

InstructionFacts facts_of(isa::Op, std::span<const isa::Target> targets);
std::vector<isa::Target> all_targets();

// Which instructions are asked for.
struct InstructionFilter {
  std::optional<isa::Target> target;
  std::optional<isa::Encoding> encoding;
  std::string pattern; // of a name that some target uses; empty: all
};
std::vector<isa::Op> find_instructions(const InstructionFilter&);

// "exact", "0.502 ulp", "fault: graphics: exports to the rasteriser", "exact; fault: gds, lds". Judged on the targets
// that the engine runs, if it has one of them.
std::string fidelity_text(const InstructionFacts&);
// "all", "gfx6-gfx8", "gfx8, gfx906+": generations, as the rows count them.
std::string generations_text(const isa::Row&);
// Names of the forms, each once: "e32 e64 dpp sdwa"; those of memory instructions without "base".
std::string forms_text(const InstructionFacts&);
// "reads EXEC, VCC; writes SCC"; empty if there is nothing.
std::string implicit_text(isa::Implicit);

} // namespace crosslane::cli
