// Owns finding device code in a program of the host, by whichever compiler: HIP's bundles in .hip_fatbin, the offload
// binaries of LLVM's OpenMP (and of newer drivers) in .llvm.offloading, and code objects that lie in the data as they
// are, as GCC puts them.
// Source: LLVM 19, llvm/Object/OffloadBinary.h and clang's documentation, "Offloading Design & Internals"; GCC 12,
// mkoffload of the gcn back end, which writes an array of bytes.
#include "codeobject/read/host_program.h"
#include "codeobject/processor.h"
#include "codeobject/read/contents.h"
#include <algorithm>
#include <llvm/BinaryFormat/ELF.h>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;
using Bytes = std::span<const uint8_t>;

constexpr std::string_view binary_magic{"\x10\xff\x10\xad", 4};
constexpr std::string_view binary_name = "offload binary";

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool is_host(Bytes bytes) {
  return bytes.size() >= sizeof(Elf64_Ehdr) && text_of(bytes).starts_with(ElfMagic) && bytes[EI_CLASS] == ELFCLASS64 &&
         bytes[EI_DATA] == ELFDATA2LSB && load_little<uint16_t>(&bytes[18]) != EM_AMDGPU;
}

// f(name, contents) of each section that is in the file. Damage in the host's file is of no concern here.
template <class F> void each_section(Bytes bytes, F f) {
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  auto elf = Elf::create({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!elf)
    return ignore(elf.takeError());
  auto headers = elf->sections();
  if (!headers)
    return ignore(headers.takeError());
  auto strings = elf->getSectionStringTable(*headers);
  if (!strings)
    return ignore(strings.takeError());
  for (const Elf::Elf_Shdr& header : *headers) {
    if (header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL)
      continue;
    auto name = elf->getSectionName(header, *strings);
    if (!name)
      return ignore(name.takeError());
    auto contents = elf->getSectionContents(header);
    if (!contents) {
      ignore(contents.takeError());
      continue;
    }
    if (!contents->empty())
      f(header, std::string_view(*name), Bytes(contents->data(), contents->size()));
  }
}

Bytes find_section(Bytes host, std::string_view wanted) {
  Bytes found;
  each_section(host, [&](const Elf::Elf_Shdr&, std::string_view name, Bytes contents) {
    if (name == wanted && found.empty())
      found = contents;
  });
  return found;
}

// How long a code object at the start of `bytes` is by its own headers; 0: it is none.
uint64_t length_of(Bytes bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr) || !text_of(bytes).starts_with(ElfMagic) || bytes[EI_CLASS] != ELFCLASS64 ||
      bytes[EI_DATA] != ELFDATA2LSB || load_little<uint16_t>(&bytes[18]) != EM_AMDGPU ||
      load_little<uint32_t>(&bytes[20]) != EV_CURRENT)
    return 0;
  uint64_t end = sizeof(Elf64_Ehdr);
  const auto cover = [&](uint64_t offset, uint64_t size) {
    if (inside(offset, size, 0, bytes.size()))
      end = std::max(end, offset + size);
  };
  const auto table = [&](size_t offset_at, size_t size_at, size_t count_at, size_t least, auto each) {
    const auto offset = load_little<uint64_t>(&bytes[offset_at]);
    const uint64_t size = load_little<uint16_t>(&bytes[size_at]), count = load_little<uint16_t>(&bytes[count_at]);
    if (size < least || !inside(offset, size * count, 0, bytes.size()))
      return;
    cover(offset, size * count);
    for (uint64_t n = 0; n < count; ++n)
      each(&bytes[offset + n * size]);
  };
  table(32, 54, 56, sizeof(Elf64_Phdr),
        [&](const uint8_t* p) { cover(load_little<uint64_t>(p + 8), load_little<uint64_t>(p + 32)); });
  table(40, 58, 60, sizeof(Elf64_Shdr), [&](const uint8_t* p) {
    if (load_little<uint32_t>(p + 4) != SHT_NOBITS)
      cover(load_little<uint64_t>(p + 24), load_little<uint64_t>(p + 32));
  });
  return end;
}

// Code objects that lie in the data as they are. f(bytes) until it says no more.
template <class F> void each_in_data(Bytes host, F f) {
  bool more = true;
  each_section(host, [&](const Elf::Elf_Shdr& header, std::string_view, Bytes contents) {
    if (!(header.sh_flags & SHF_ALLOC) || (header.sh_flags & SHF_EXECINSTR))
      return;
    for (size_t at = 0; more && (at = text_of(contents).find(ElfMagic, at)) != std::string_view::npos;) {
      const uint64_t length = length_of(contents.subspan(at));
      if (length)
        more = f(contents.subspan(at, length));
      at += std::max<uint64_t>(length, 4);
    }
  });
}

// Text that ends with a zero.
std::string_view string_at(Bytes bytes, uint64_t offset) {
  if (offset >= bytes.size())
    return {};
  const std::string_view rest = text_of(bytes.subspan(offset));
  return rest.substr(0, rest.find('\0'));
}

std::string target_of_mach(Bytes object) {
  const Processor* processor = find_processor(load_little<uint32_t>(&object[48]));
  return processor ? std::string(processor->name) : std::string("an AMD GPU that is not known");
}

// One at the start of `bytes`; `size` becomes its own.
llvm::Error read_binary(Bytes bytes, std::vector<BundleEntry>& entries, uint64_t& size) {
  constexpr uint64_t header_size = 32, entry_size = 40, string_size = 16;
  const auto damaged = [&](std::string_view what) {
    return fail(binary_name, "{} reaches past its end ({} bytes); the file is damaged or cut short", what,
                bytes.size());
  };
  if (bytes.size() < header_size)
    return damaged("the header");
  if (const auto version = load_little<uint32_t>(&bytes[4]); version != 1)
    return fail(binary_name, "has version {}, and only 1 is known", version);
  size = load_little<uint64_t>(&bytes[8]);
  if (size < header_size || size > bytes.size())
    return damaged(fmt::format("its size of {} bytes", size));
  const Bytes own = bytes.first(size);
  const auto entry = load_little<uint64_t>(&own[16]);
  if (!inside(entry, entry_size, 0, size))
    return damaged("the entry");
  const auto strings = load_little<uint64_t>(&own[entry + 8]), count = load_little<uint64_t>(&own[entry + 16]),
             image = load_little<uint64_t>(&own[entry + 24]), length = load_little<uint64_t>(&own[entry + 32]);
  if (!inside(image, length, 0, size))
    return damaged("the image");
  if (count > size / string_size || !inside(strings, count * string_size, 0, size))
    return damaged("the table of strings");
  std::string_view triple, arch;
  for (uint64_t n = 0; n < count; ++n) {
    const uint8_t* at = &own[strings + n * string_size];
    const std::string_view key = string_at(own, load_little<uint64_t>(at)),
                           value = string_at(own, load_little<uint64_t>(at + 8));
    if (key == "triple")
      triple = value;
    else if (key == "arch")
      arch = value;
  }
  constexpr std::string_view producers[] = {"none", "openmp", "cuda", "", "hip"};
  const auto producer = load_little<uint16_t>(&own[entry + 2]);
  BundleEntry found{fmt::format("{}-{}--{}", producer < std::size(producers) ? producers[producer] : "", triple, arch),
                    {},
                    own.subspan(image, length)};
  if (triple.starts_with("amdgcn"))
    found.target = arch;
  entries.push_back(std::move(found));
  return llvm::Error::success();
}

} // namespace

bool is_offload_binary(Bytes bytes) { return text_of(bytes).starts_with(binary_magic); }

llvm::Error read_offload_binaries(Bytes bytes, std::vector<BundleEntry>& entries) {
  for (size_t at; (at = text_of(bytes).find(binary_magic)) != std::string_view::npos;) { // each is aligned
    bytes = bytes.subspan(at);
    uint64_t size = 0;
    if (llvm::Error error = read_binary(bytes, entries, size))
      return error;
    bytes = bytes.subspan(size);
  }
  return llvm::Error::success();
}

Bytes find_fatbin(Bytes bytes) { return is_host(bytes) ? find_section(bytes, ".hip_fatbin") : Bytes{}; }

Bytes find_offloading(Bytes bytes) { return is_host(bytes) ? find_section(bytes, ".llvm.offloading") : Bytes{}; }

std::vector<BundleEntry> objects_in_data(Bytes bytes) {
  std::vector<BundleEntry> entries;
  if (is_host(bytes))
    each_in_data(bytes, [&](Bytes object) {
      entries.push_back({"embedded-amdgcn-amd-amdhsa--" + target_of_mach(object), target_of_mach(object), object});
      return true;
    });
  return entries;
}

Bytes first_object_in_data(Bytes bytes) {
  Bytes first;
  if (is_host(bytes))
    each_in_data(bytes, [&](Bytes object) { return first = object, false; });
  return first;
}

} // namespace crosslane::codeobject
