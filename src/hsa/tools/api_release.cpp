// Which release of ROCm the process is made for, as far as its libraries tell.
#include "hsa/tools/api_tables.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <string_view>

namespace crosslane::hsa {

namespace {

struct Named {
  Release release;
  int major, minor;
};
constexpr Named releases[] = {{Release::r5_2, 5, 2}, {Release::r5_5, 5, 5}, {Release::r5_6, 5, 6},
                              {Release::r6_0, 6, 0}, {Release::r6_1, 6, 1}, {Release::r6_2, 6, 2},
                              {Release::r6_3, 6, 3}, {Release::r6_4, 6, 4}, {Release::r7_0, 7, 0}};

// The layout of ROCm major.minor: that of the last release before it which changed any.
Release layout_of(int major, int minor) {
  Release found = Release::r5_2;
  for (const Named& known : releases)
    if (std::pair(known.major, known.minor) <= std::pair(major, minor))
      found = known.release;
  return found;
}

// "/opt/rocm/lib/libamdhip64.so.6" -> the release of the file it leads to, libamdhip64.so.6.2.41134.
Release release_of_hip(const char* path) {
  char real[PATH_MAX];
  if (!realpath(path, real))
    return Release::r5_2;
  const char* name = std::strrchr(real, '/');
  int major = 0, minor = 0;
  if (!name || std::sscanf(name, "/libamdhip64.so.%d.%d", &major, &minor) < 1)
    return Release::r5_2;
  return layout_of(major, minor);
}

// The tables of a loaded object that name what it imports.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  uint32_t count = 0; // of symbols, among which all that are undefined
};

Imports imports_of(const dl_phdr_info& object) {
  Imports found;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC)
      continue;
    const auto* dynamic = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    // glibc has made addresses of what the file says, but for the vDSO.
    const auto address = [&](ElfW(Addr) value) { return value < object.dlpi_addr ? value + object.dlpi_addr : value; };
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
      const ElfW(Addr) at = address(dynamic->d_un.d_ptr);
      if (dynamic->d_tag == DT_SYMTAB)
        found.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
      else if (dynamic->d_tag == DT_STRTAB)
        found.names = reinterpret_cast<const char*>(at);
      else if (dynamic->d_tag ==
               DT_GNU_HASH) // its second word: the first symbol that is hashed; those before are undefined
        found.count = std::max(found.count, reinterpret_cast<const uint32_t*>(at)[1]);
      else if (dynamic->d_tag == DT_HASH) // ... the number of all
        found.count = std::max(found.count, reinterpret_cast<const uint32_t*>(at)[1]);
    }
  }
  return found;
}

Release newest_import(const dl_phdr_info& object) {
  Release newest = Release::r5_2;
  const Imports imports = imports_of(object);
  if (!imports.symbols || !imports.names)
    return newest;
  for (uint32_t i = 1; i < imports.count; ++i) {
    const char* name = imports.names + imports.symbols[i].st_name;
    if (imports.symbols[i].st_shndx != SHN_UNDEF || std::strncmp(name, "hsa_", 4) != 0)
      continue;
    for (const Entry& entry : entries())
      if (entry.since > newest && !std::strcmp(entry.name, name))
        newest = entry.since;
  }
  return newest;
}

} // namespace

Release release_in_use(std::string& error) {
  if (const char* wanted = std::getenv("CROSSLANE_HSA_TABLES"); wanted && *wanted) {
    int major = 0, minor = 0, end = 0;
    if (std::sscanf(wanted, "%d.%d%n", &major, &minor, &end) == 2 && !wanted[end] && major >= 5)
      return layout_of(major, minor);
    error = fmt::format("CROSSLANE_HSA_TABLES is '{}'; it must be a release of ROCm such as 5.2 or 6.2", wanted);
  }
  Release newest = Release::r5_2;
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* data) {
        auto& newest = *static_cast<Release*>(data);
        newest = std::max(newest, newest_import(*object));
        if (object->dlpi_name && std::strstr(object->dlpi_name, "libamdhip64.so"))
          newest = std::max(newest, release_of_hip(object->dlpi_name));
        return 0;
      },
      &newest);
  return newest;
}

} // namespace crosslane::hsa
