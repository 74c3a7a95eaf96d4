// Owns the first look at a file: is it an AMDGPU code object that crosslane can read, and if not, what is it?
// Source: LLVM AMDGPUUsage, "ELF Header".
#include "codeobject/processor.h"
#include "codeobject/read/contents.h"
#include <llvm/BinaryFormat/ELF.h>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;

struct Magic {
  std::string_view bytes, description;
};
constexpr Magic magics[] = {
    {"__CLANG_OFFLOAD_BUNDLE__", "a clang offload bundle"},
    {"CCOB", "a compressed clang offload bundle"},
    {{"\x10\xff\x10\xad", 4}, "an LLVM offload binary"},
    {{"BC\xc0\xde", 4}, "LLVM bitcode"},
    {"!<arch>\n", "an ar archive"},
    {{"\xcf\xfa\xed\xfe", 4}, "a Mach-O file"},
    {{"MZ", 2}, "a Windows executable"},
    {{"\x1f\x8b", 2}, "a gzip file"},
    {{"\x28\xb5\x2f\xfd", 4}, "a zstd file"},
    {"\x93NUMPY", "a NumPy array"},
};

bool is_text(std::span<const uint8_t> bytes) {
  bytes = bytes.first(std::min<size_t>(bytes.size(), 512));
  size_t ascii = 0;
  for (uint8_t c : bytes) {
    if (c == 0 || c == 0x7f || (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f'))
      return false;
    ascii += c < 0x80;
  }
  return ascii > bytes.size() / 2;
}

std::string machine_name(uint16_t machine) {
  switch (machine) {
  case EM_386: return "an i386";
  case EM_X86_64: return "an x86-64";
  case EM_AARCH64: return "an AArch64";
  case EM_ARM: return "an ARM";
  case EM_PPC64: return "a PowerPC64";
  case EM_RISCV: return "a RISC-V";
  case EM_S390: return "an s390";
  case EM_CUDA: return "an NVIDIA CUDA";
  case EM_BPF: return "a BPF";
  case EM_HEXAGON: return "a Hexagon";
  default: return fmt::format("a foreign (ELF machine {})", machine);
  }
}

llvm::Error check_abi(Contents& contents, uint8_t os_abi, uint8_t abi_version) {
  constexpr std::string_view assemble = "build it for amdgcn-amd-amdhsa (llvm-mc: --triple=amdgcn-amd-amdhsa)";
  switch (os_abi) {
  case ELFOSABI_AMDGPU_HSA: break;
  case ELFOSABI_AMDGPU_PAL:
    return fail(contents.name, "ELF header: this code object is for the PAL runtime; {}", assemble);
  case ELFOSABI_AMDGPU_MESA3D: return fail(contents.name, "ELF header: this code object is for Mesa; {}", assemble);
  default:
    return fail(contents.name, "ELF header, byte 7: the OS ABI is {}, and an HSA code object has 64; {}", os_abi,
                assemble);
  }
  switch (abi_version) {
  case ELFABIVERSION_AMDGPU_HSA_V2: contents.version = 2; break;
  case ELFABIVERSION_AMDGPU_HSA_V3: contents.version = 3; break;
  case ELFABIVERSION_AMDGPU_HSA_V4: contents.version = 4; break;
  case ELFABIVERSION_AMDGPU_HSA_V5: contents.version = 5; break;
  case ELFABIVERSION_AMDGPU_HSA_V6: contents.version = 6; break;
  default:
    return fail(contents.name,
                "ELF header, byte 8: unknown ABI version {}; versions 2 to 6 of the code object are "
                "known, rebuild it with -mcode-object-version=5",
                abi_version);
  }
  return llvm::Error::success();
}

} // namespace

std::string describe_format(std::span<const uint8_t> bytes) {
  std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<size_t>(bytes.size(), 64));
  for (const Magic& magic : magics)
    if (start.substr(0, magic.bytes.size()) == magic.bytes)
      return std::string(magic.description);
  return is_text(bytes) ? "text" : "";
}

llvm::Error check_header(Contents& contents) {
  const std::vector<uint8_t>& bytes = contents.bytes;
  const std::string& name = contents.name;
  if (bytes.empty())
    return fail(name, "the file is empty; a code object was expected");
  if (bytes.size() < 4 || !contents.data().starts_with(ElfMagic)) {
    std::string format = describe_format(bytes);
    if (format.find("bundle") != std::string::npos)
      return fail(name, "this is {}, which holds code objects; name the processor to take one out of it", format);
    if (format == "text")
      return fail(name, "this is text, not a code object; assemble or compile it first");
    if (!format.empty())
      return fail(name, "this is {}, not an AMDGPU code object", format);
    return fail(name, "not an ELF file (it does not start with \\x7fELF); an AMDGPU code object was expected");
  }
  if (bytes.size() < sizeof(Elf64_Ehdr))
    return fail(name, "ELF header: the file ends after {} of {} bytes; it was cut short, build or copy it again",
                bytes.size(), sizeof(Elf64_Ehdr));

  auto machine = load_little<uint16_t>(&bytes[18]);
  if (bytes[EI_DATA] != ELFDATA2LSB)
    return fail(name, "ELF header, byte 5: not little-endian; an AMDGPU code object was expected");
  if (machine != EM_AMDGPU)
    return fail(name,
                "this is {} object; an AMDGPU code object was expected (of a HIP program, name the processor to take "
                "out the device code)",
                machine_name(machine));
  if (bytes[EI_CLASS] != ELFCLASS64)
    return fail(name, "ELF header, byte 4: this is a 32-bit object; GCN code objects are 64-bit, build it for "
                      "amdgcn-amd-amdhsa");
  if (llvm::Error error = check_abi(contents, bytes[EI_OSABI], bytes[EI_ABIVERSION]))
    return error;

  auto type = load_little<uint16_t>(&bytes[16]);
  if (type == ET_REL)
    return fail(name, "this object is not linked yet; link it: ld.lld-19 -shared {} -o linked.co", quoted(name));
  if (type != ET_DYN)
    return fail(name,
                "ELF header: the file type is {}, and a code object is a shared object (3); link it with "
                "ld.lld-19 -shared",
                type);
  contents.flags = load_little<uint32_t>(&bytes[48]);
  const bool in_note = contents.version == 2 && !(contents.flags & EF_AMDGPU_MACH); // read_isa_note() finds it
  if (!in_note && !find_processor(contents.flags)) {
    uint32_t number = contents.flags & EF_AMDGPU_MACH;
    if (number == EF_AMDGPU_MACH_NONE)
      return fail(name, "ELF header, e_flags: no processor is named; build it with -mcpu=");
    if (number <= EF_AMDGPU_MACH_R600_LAST)
      return fail(name, "ELF header, e_flags: processor 0x{:x} is of the R600 family, which is not GCN", number);
    return fail(name, "ELF header, e_flags: unknown processor number 0x{:x}", number);
  }
  return llvm::Error::success();
}

} // namespace crosslane::codeobject
