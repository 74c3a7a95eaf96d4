// LLVM's AMDGPU assembler: text to a relocatable object. Started at first use, so that nothing else pays for it, and in
// a process of its own, since there are texts that it aborts at.
#include "files/error.h"
#include "toolchain/child.h"
#include "toolchain/compile.h"
#include "toolchain/positions.h"
#include <llvm/ADT/SmallVector.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSectionELF.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <map>
#include <mutex>

// Declared by hand: llvm/Support/TargetSelect.h would name every target of this LLVM.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace crosslane::toolchain {

namespace {

const llvm::Target* amdgpu(const std::string& triple, std::string& error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
  });
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

void collect(const llvm::SMDiagnostic& diagnostic, void* context) {
  llvm::raw_string_ostream stream(*static_cast<std::string*>(context));
  diagnostic.print(nullptr, stream, false);
}

// "gfx906:sramecc+:xnack-" -> processor gfx906, features "+sramecc,-xnack".
std::pair<std::string, std::string> split_target(const std::string& target) {
  const size_t colon = target.find(':');
  std::string features;
  for (size_t at = colon; at != std::string::npos;) {
    const size_t next = target.find(':', at + 1);
    const std::string feature = target.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    if (!feature.empty())
      features +=
          (features.empty() ? "" : ",") + feature.substr(feature.size() - 1) + feature.substr(0, feature.size() - 1);
    at = next;
  }
  return {target.substr(0, colon), features};
}

// Where each instruction stands in the text, whatever the text says of lines itself (.loc): a label in front of each,
// which the linker gives its address.
class Placing : public llvm::MCCodeEmitter {
public:
  Placing(std::unique_ptr<llvm::MCCodeEmitter> inner, llvm::SourceMgr& sources, llvm::MCContext& context)
      : inner_(std::move(inner)), sources_(sources), context_(context) {}

  void encodeInstruction(const llvm::MCInst& in, llvm::SmallVectorImpl<char>& bytes,
                         llvm::SmallVectorImpl<llvm::MCFixup>& fixups,
                         const llvm::MCSubtargetInfo& subtarget) const override {
    if (streamer && in.getLoc().isValid()) {
      llvm::MCSymbol* label = context_.createTempSymbol();
      streamer->emitLabel(label);
      labels_.push_back(label);
      places_.push_back(place(in.getLoc()));
    }
    inner_->encodeInstruction(in, bytes, fixups, subtarget);
  }

  // As a section of its own, which is no part of the loaded code: toolchain/positions.h reads it.
  void emit_table() {
    streamer->switchSection(context_.getELFSection(positions_section, llvm::ELF::SHT_PROGBITS, 0));
    streamer->emitInt32(uint32_t(names_.size()));
    streamer->emitBytes(names_);
    streamer->emitInt32(uint32_t(labels_.size()));
    for (size_t n = 0; n < labels_.size(); ++n) {
      streamer->emitSymbolValue(labels_[n], 8);
      streamer->emitInt32(places_[n].file);
      streamer->emitInt32(places_[n].line);
      streamer->emitInt32(places_[n].column);
    }
  }

  llvm::MCStreamer* streamer = nullptr; // to be set once it is there

private:
  std::unique_ptr<llvm::MCCodeEmitter> inner_;
  llvm::SourceMgr& sources_;
  llvm::MCContext& context_;
  mutable std::vector<llvm::MCSymbol*> labels_;
  mutable std::vector<Position> places_;
  mutable std::map<unsigned, uint32_t> files_; // by buffer
  mutable std::string names_;                  // each ends in '\0'

  Position place(llvm::SMLoc at) const {
    const unsigned buffer = sources_.FindBufferContainingLoc(at);
    const llvm::StringRef name = buffer ? sources_.getMemoryBuffer(buffer)->getBufferIdentifier() : "";
    if (!buffer || name == "<instantiation>") { // of a macro: the line that names it, as the line table has it
      Position outer = places_.empty() ? Position{} : places_.back();
      if (context_.getGenDwarfForAssembly())
        outer.line = context_.getCurrentDwarfLoc().getLine();
      outer.column = 0;
      return outer;
    }
    const auto [file, added] = files_.try_emplace(buffer, uint32_t(files_.size()));
    if (added)
      names_ += name.str() + '\0';
    const auto [line, column] = sources_.getLineAndColumn(at, buffer);
    return {file->second, line, column};
  }
};

llvm::Expected<std::vector<uint8_t>> assemble_here(const std::string& text, const std::string& name,
                                                   const std::string& target, bool positions) {
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target* backend = amdgpu(triple.str(), error);
  if (!backend)
    return fail("{}: {}", name, error);
  const auto [processor, features] = split_target(target);

  llvm::SourceMgr sources;
  std::string messages;
  sources.setDiagHandler(collect, &messages);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  sources.setIncludeDirs({llvm::sys::path::parent_path(name).str()});

  const llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(backend->createMCRegInfo(triple.str()));
  const std::unique_ptr<llvm::MCAsmInfo> syntax(backend->createMCAsmInfo(*registers, triple.str(), options));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(backend->createMCInstrInfo());
  // Asked of a subtarget without a processor, because one with an unknown processor prints a warning of its own.
  const std::unique_ptr<llvm::MCSubtargetInfo> any(backend->createMCSubtargetInfo(triple.str(), "", ""));
  if (!any || !any->isCPUStringValid(processor))
    return fail("'{}' is not a GPU that LLVM knows", processor);
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      backend->createMCSubtargetInfo(triple.str(), processor, features));
  llvm::MCContext context(triple, syntax.get(), registers.get(), subtarget.get(), &sources, &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(backend->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(sections.get());
  // What is found out when sections are laid out, in one attempt or more.
  context.setDiagnosticHandler(
      [&messages](const llvm::SMDiagnostic& diagnostic, bool, const llvm::SourceMgr&, const auto&) {
        std::string text;
        collect(diagnostic, &text);
        if (!messages.ends_with(text))
          messages += text;
      });
  // Lines of the assembly itself, for faults and profiles; ignored where the text brings its own .loc directives.
  if (text.find(".debug_line") == std::string::npos && text.find("\t.loc\t") == std::string::npos &&
      text.find("\t.file\t") == std::string::npos) {
    context.setGenDwarfForAssembly(true);
    context.setDwarfVersion(5);
    llvm::SmallString<128> folder;
    if (!llvm::sys::fs::current_path(folder))
      context.setCompilationDir(folder);
    context.setMainFileName(name);
    context.setGenDwarfRootFile(name, text);
  }

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::MCAsmBackend* layout = backend->createMCAsmBackend(*subtarget, *registers, options);
  std::unique_ptr<llvm::MCObjectWriter> writer = layout->createObjectWriter(stream);
  auto placing = std::make_unique<Placing>(
      std::unique_ptr<llvm::MCCodeEmitter>(backend->createMCCodeEmitter(*instructions, context)), sources, context);
  Placing& placer = *placing;
  const std::unique_ptr<llvm::MCStreamer> streamer(backend->createMCObjectStreamer(
      triple, context, std::unique_ptr<llvm::MCAsmBackend>(layout), std::move(writer), std::move(placing), *subtarget));
  if (positions)
    placer.streamer = streamer.get();
  const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *syntax));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      backend->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  const bool failed = parser->Run(false, positions);
  if (positions && !failed) {
    placer.emit_table();
    streamer->finish();
  }
  if (failed || context.hadError()) {
    while (!messages.empty() && messages.back() == '\n')
      messages.pop_back();
    return fail("{}", messages.empty() ? name + ": LLVM's assembler failed without a message" : messages);
  }
  return std::vector<uint8_t>(object.begin(), object.end());
}

} // namespace

std::string target_directive(const std::string& text) {
  const size_t directive = text.find(".amdgcn_target");
  if (directive == std::string::npos)
    return {};
  const size_t open = text.find('"', directive), close = text.find('"', open + 1);
  if (open == std::string::npos || close == std::string::npos || text.find('\n', directive) < close)
    return {};
  const std::string id = text.substr(open + 1, close - open - 1);
  const size_t dashes = id.find("--");
  return dashes == std::string::npos ? std::string() : id.substr(dashes + 2);
}

llvm::Expected<std::vector<uint8_t>> assemble(const std::string& text, const std::string& name,
                                              const std::string& target, bool positions) {
  // Far more than any text of this size needs; includes and macros may still be large.
  const ChildLimits limits = {(uint64_t(1) << 30) + 500 * text.size(),
                              static_cast<unsigned>(5 + text.size() / 100'000)};
  return in_child(name, limits, [&] { return assemble_here(text, name, target, positions); });
}

} // namespace crosslane::toolchain
