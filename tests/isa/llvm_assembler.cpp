// See llvm_assembler.h. A batch is one buffer that LLVM's AsmParser reads from end to end, with a streamer that notes
// the encoding of each instruction and a diagnostic handler that notes each error, both by line number.
#include "tests/isa/llvm_assembler.h"
#include <algorithm>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCFixup.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace crosslane::tests {
namespace {

// As llvm_oracle.h has text: one blank between words, none around.
std::string single_blanks(std::string_view raw) {
  std::string text;
  bool blank = false;
  for (const char c : raw) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    if (blank && !text.empty())
      text += ' ';
    blank = false;
    text += c;
  }
  return text;
}

// Notes every instruction's bytes with the place in the source that it came from.
class Recorder : public llvm::MCStreamer {
public:
  struct Encoded {
    const char* where;
    llvm::SmallVector<char, 16> bytes;
    bool symbolic;
    std::string text;
    LlvmRegisters registers;
    LlvmKind kind;
  };

  // `instructions`: null unless registers are to be noted.
  Recorder(llvm::MCContext& context, llvm::MCCodeEmitter& emitter, llvm::MCInstPrinter* printer,
           const llvm::MCInstrInfo* instructions, isa::Target target, std::vector<Encoded>& out)
      : MCStreamer(context), emitter_(emitter), printer_(printer), instructions_(instructions), target_(target),
        out_(out) {}

  void emitInstruction(const llvm::MCInst& instruction, const llvm::MCSubtargetInfo& subtarget) override {
    Encoded e{instruction.getLoc().getPointer(), {}, false, {}, {}, {}};
    llvm::SmallVector<llvm::MCFixup, 4> fixups;
    emitter_.encodeInstruction(instruction, e.bytes, fixups, subtarget);
    e.symbolic = !fixups.empty();
    if (printer_ && !e.symbolic) {
      std::string raw;
      llvm::raw_string_ostream stream(raw);
      printer_->printInst(&instruction, 0, "", subtarget, stream);
      e.text = single_blanks(stream.str());
    }
    if (instructions_) {
      e.registers = llvm_registers(instruction, *instructions_, *getContext().getRegisterInfo(), target_);
      e.kind = llvm_kind(instruction, *instructions_);
    }
    out_.push_back(std::move(e));
  }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection*, llvm::MCSymbol*, uint64_t, llvm::Align, llvm::SMLoc) override {}

private:
  llvm::MCCodeEmitter& emitter_;
  llvm::MCInstPrinter* printer_;
  const llvm::MCInstrInfo* instructions_;
  isa::Target target_;
  std::vector<Encoded>& out_;
};

void note_error(const llvm::SMDiagnostic& d, void* lines) {
  if (d.getKind() != llvm::SourceMgr::DK_Error || d.getLineNo() < 1)
    return;
  auto& all = *static_cast<std::vector<LlvmAssembler::Line>*>(lines);
  const size_t line = static_cast<size_t>(d.getLineNo()) - 1;
  if (line < all.size() && all[line].error.empty())
    all[line].error = d.getMessage();
}

} // namespace

struct LlvmAssembler::Impl {
  llvm::Triple triple{"amdgcn--"};
  llvm::MCTargetOptions options;
  const llvm::Target* target = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstPrinter> printer; // null unless lines are to be printed
  isa::Target gpu{};
  bool registers_too = false; // LlvmRegisters of each line
};

LlvmAssembler::LlvmAssembler(const std::string& processor, Notes notes) : impl_(new Impl) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  Impl& d = *impl_;
  const std::string& name = d.triple.getTriple();
  std::string error;
  d.target = llvm::TargetRegistry::lookupTarget(name, error);
  d.registers.reset(d.target->createMCRegInfo(name));
  d.assembly.reset(d.target->createMCAsmInfo(*d.registers, name, d.options));
  d.instructions.reset(d.target->createMCInstrInfo());
  d.subtarget.reset(d.target->createMCSubtargetInfo(name, processor, ""));
  d.gpu = isa::parse_target(processor).value();
  d.registers_too = notes.registers;
  if (notes.text)
    d.printer.reset(d.target->createMCInstPrinter(d.triple, 0, *d.assembly, *d.instructions, *d.registers));
}

LlvmAssembler::~LlvmAssembler() = default;

std::vector<LlvmAssembler::Line> LlvmAssembler::assemble(std::span<const std::string> lines) {
  const Impl& d = *impl_;
  std::vector<Line> result(lines.size());
  std::string text;
  std::vector<size_t> starts; // of each line in `text`
  for (size_t i = 0; i < lines.size(); ++i) {
    starts.push_back(text.size());
    std::string_view crash = llvm_assembler_crashes_on(lines[i]);
    if (lines[i].find('\n') != std::string::npos)
      crash = "more than one line";
    if (crash.empty())
      text += lines[i];
    else
      result[i].error = crash;
    text += '\n';
  }

  llvm::SourceMgr sources;
  sources.setDiagHandler(note_error, &result);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), llvm::SMLoc());
  const char* const begin = sources.getMemoryBuffer(sources.getMainFileID())->getBufferStart();

  llvm::MCContext context(d.triple, d.assembly.get(), d.registers.get(), d.subtarget.get(), &sources, &d.options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(d.target->createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(sections.get());
  const std::unique_ptr<llvm::MCCodeEmitter> emitter(d.target->createMCCodeEmitter(*d.instructions, context));
  std::vector<Recorder::Encoded> encoded;
  Recorder recorder(context, *emitter, d.printer.get(), d.registers_too ? d.instructions.get() : nullptr, d.gpu,
                    encoded);
  d.target->createNullTargetStreamer(recorder); // which owns it
  const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, recorder, *d.assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      d.target->createMCAsmParser(*d.subtarget, *parser, *d.instructions, d.options));
  parser->setTargetParser(*target_parser);
  parser->Run(/*NoInitialTextSection=*/false, /*NoFinalize=*/true);

  for (const Recorder::Encoded& e : encoded) {
    const size_t offset = static_cast<size_t>(e.where - begin);
    const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
    Line& line = result[static_cast<size_t>(after - starts.begin()) - 1];
    if (e.symbolic)
      line.error = "refers to a symbol";
    else if (line.error.empty())
      line.bytes.insert(line.bytes.end(), e.bytes.begin(), e.bytes.end()),
          line.text = e.text, line.registers = e.registers, line.kind = e.kind;
  }
  return result;
}

LlvmAssembler::Line LlvmAssembler::assemble(std::string_view line) {
  const std::string one(line);
  return assemble({&one, 1})[0];
}

std::vector<std::string> LlvmAssembler::instruction_names() const {
  std::vector<std::string> names;
  for (unsigned i = 0; i < impl_->instructions->getNumOpcodes(); ++i)
    names.push_back(impl_->instructions->getName(i).str());
  return names;
}

std::string_view llvm_assembler_crashes_on(std::string_view) { return {}; }

} // namespace crosslane::tests
