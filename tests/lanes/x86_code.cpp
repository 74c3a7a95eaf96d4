// See x86_code.h. The functions of a batch are one section: a table of their offsets, then their code.
#include "tests/lanes/x86_code.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/SourceMgr.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmParser();
}

namespace crosslane::tests {
namespace {
void note_error(const llvm::SMDiagnostic& d, void* errors) {
  if (d.getKind() == llvm::SourceMgr::DK_Error)
    static_cast<std::vector<std::string>*>(errors)->push_back((d.getMessage() + ": " + d.getLineContents()).str());
}
} // namespace

X86Bytes assemble_x86(const std::string& body) {
  static const bool once [[maybe_unused]] =
      (LLVMInitializeX86TargetInfo(), LLVMInitializeX86TargetMC(), LLVMInitializeX86AsmParser(), true);
  X86Bytes result;
  const llvm::Triple triple("x86_64-unknown-linux-gnu");
  const std::string& name = triple.getTriple();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(name, error);
  if (!target)
    return result.errors.push_back(error), result;
  llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(name));
  const std::unique_ptr<llvm::MCAsmInfo> info(target->createMCAsmInfo(*registers, name, options));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(name, "znver4", ""));

  llvm::SourceMgr sources;
  sources.setDiagHandler(note_error, &result.errors);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(".intel_syntax noprefix\n" + body), llvm::SMLoc());
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &sources, &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(target->createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(sections.get());

  llvm::SmallVector<char, 0> file;
  llvm::raw_svector_ostream stream(file);
  std::unique_ptr<llvm::MCAsmBackend> backend(target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  const std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *info));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  if (parser->Run(/*NoInitialTextSection=*/false) || !result.errors.empty()) {
    if (result.errors.empty())
      result.errors.push_back("the assembler failed");
    return result;
  }

  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(file.data(), file.size()), "text"));
  if (!object)
    return result.errors.push_back(llvm::toString(object.takeError())), result;
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    if (section.relocation_begin() != section.relocation_end())
      result.errors.push_back("a symbol is left open");
    if (llvm::Expected<llvm::StringRef> bytes = section.getContents(); section.isText() && bytes)
      result.bytes.assign(bytes->begin(), bytes->end());
    else if (!bytes)
      llvm::consumeError(bytes.takeError());
  }
  return result;
}

std::string outside_of_features(const std::vector<std::string>& features, const std::string& text) {
  const std::string name = "/tmp/crosslane-lanes-" + std::to_string(getpid()) + ".s";
  {
    std::ofstream file(name);
    file << ".intel_syntax noprefix\n.arch generic64\n";
    for (const std::string& f : features)
      file << ".arch ." << f << "\n";
    file << text;
  }
  std::string said;
  FILE* pipe = popen((CROSSLANE_GNU_AS " -o /dev/null " + name + " 2>&1").c_str(), "r");
  if (!pipe)
    return "cannot run " CROSSLANE_GNU_AS;
  for (char part[512]; const size_t n = fread(part, 1, sizeof part, pipe);)
    said.append(part, n);
  const int status = pclose(pipe);
  unlink(name.c_str());
  return status && said.empty() ? "failed without a word" : said;
}

X86Functions::~X86Functions() {
  if (page_)
    munmap(page_, size_);
}

int X86Functions::add(std::string_view body, std::string_view data) {
  const std::string label = ".Lfunction" + std::to_string(count_);
  text_.append(".p2align 4\n").append(label).append(":\n").append(body).append("  ret\n").append(data);
  return count_++;
}

std::string X86Functions::build() {
  std::string text = ".Lstart:\n";
  for (int i = 0; i < count_; ++i)
    text += ".long .Lfunction" + std::to_string(i) + " - .Lstart\n";
  const X86Bytes made = assemble_x86(text + text_);
  std::string errors;
  for (const std::string& e : made.errors)
    errors += e + "\n";
  if (!errors.empty())
    return errors;
  size_ = made.bytes.size();
  void* page = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return "no memory for the functions";
  page_ = static_cast<uint8_t*>(page);
  std::memcpy(page_, made.bytes.data(), size_);
  if (mprotect(page_, size_, PROT_READ | PROT_EXEC))
    return "memory cannot be made executable";
  text_.clear();
  return {};
}

void X86Functions::call(int function, const void* in, void* out, uint64_t number) const {
  uint32_t offset;
  std::memcpy(&offset, page_ + 4 * size_t(function), 4);
  reinterpret_cast<void (*)(const void*, void*, uint64_t)>(page_ + offset)(in, out, number);
}

} // namespace crosslane::tests
