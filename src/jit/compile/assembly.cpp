// Machine code as text, each line with the instruction that it is of.
#include "jit/compile/object.h"
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace crosslane::jit {

namespace {

// "\t.loc\t1 13 2 is_stmt 0": the line is one more than the instruction's index, the column says the version.
void read_location(llvm::StringRef line, HostLine& at) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(line, words);
  unsigned number = 0, column = 0;
  if (words.size() < 4 || words[2].getAsInteger(10, number) || words[3].getAsInteger(10, column))
    return;
  at.instruction = number ? number - 1 : no_instruction;
  at.full_exec = column == 2;
}

// Without directives, and without what is not code.
std::vector<HostLine> lines_of(llvm::StringRef text) {
  std::vector<HostLine> out;
  HostLine at;
  bool in_code = true;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, false);
  for (const llvm::StringRef line : lines) {
    const llvm::StringRef word = line.trim();
    const bool is_label = !line.starts_with("\t") && word.ends_with(":");
    if (word.starts_with(".section"))
      in_code = word.contains(",\"ax");
    else if (word == ".text")
      in_code = true;
    else if (word.starts_with(".type"))
      at = {};
    else if (word.starts_with(".loc\t") || word.starts_with(".loc "))
      read_location(word, at);
    const bool is_marker = word.starts_with(".Ltmp") || word.starts_with(".Lfunc_");
    if (!in_code || word.empty() || word.starts_with("#") || is_marker || (word.starts_with(".") && !is_label))
      continue;
    at.text = word.str();
    out.push_back(at);
  }
  return out;
}

} // namespace

void write_assembly(const llvm::Module& module, const Request& request, Compiled& out) {
  llvm::TargetMachine* machine = machine_for(request, out);
  if (!machine)
    return;
  const auto copy = llvm::CloneModule(module); // code generation changes it
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    out.error = "LLVM does not write assembly here";
    return;
  }
  passes.run(*copy);
  out.report.assembly = lines_of(text);
}

} // namespace crosslane::jit
