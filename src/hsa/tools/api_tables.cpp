// The tables, filled from functions.inc, in the layout of each release.
#include "hsa/tools/api_tables.h"
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>

namespace crosslane::hsa {

namespace {

// ApiTableVersion. The minor version is the size of the table in bytes: what is appended is found by it.
struct Version {
  uint32_t major, minor, step, reserved;
};

constexpr size_t tables = 6; // of Table

// One table: CoreApiTable, AmdExtTable...
struct Entries {
  Version version;
  Code functions[128];
};
static_assert(sizeof(Version) == 16 && offsetof(Entries, functions) == 16);

// HsaApiTable; the order of its members is that of Table.
struct Root {
  Version version;
  Entries* table[tables];
};

Root root{};
std::array<Entries, tables> all_entries{};
Release laid_out{};

uint32_t count(Table table, Release release) {
  uint32_t n = 0;
  for (const Entry& entry : entries())
    n += entry.table == table && entry.since <= release;
  return n;
}

uint32_t amd_step(Release release) {
  switch (release) {
  case Release::r6_1: return 1;
  case Release::r6_2: return 3;
  case Release::r6_3: return 4;
  case Release::r6_4: return 6; // assumed: one step for each function, as before
  case Release::r7_0: return 7;
  default: return 0;
  }
}

Version version_of(Table table, Release release) {
  const uint32_t size = uint32_t(sizeof(Version) + sizeof(Code) * count(table, release));
  const uint32_t major = release >= Release::r6_0 ? 2 : 1;
  switch (table) {
  case Table::core: return {major, size, 0, 0};
  case Table::amd: return {major, size, amd_step(release), 0};
  case Table::finalizer: return {}; // as ROCr without one: there, but no version of it
  case Table::image: return {major, size, release >= Release::r7_0 ? 1u : 0u, 0};
  case Table::tools:
  case Table::pc_sampling: return {1, size, 0, 0};
  }
  return {};
}

void set(const Code** slot, const Code* to) { __atomic_store_n(slot, to, __ATOMIC_RELEASE); }

} // namespace

void* make_tables(Release release) {
  if (root.version.major)
    return &root;
  laid_out = release;
  reset_tables();
  size_t used = 0;
  for (size_t i = 0; i < tables; ++i) {
    const auto table = Table(i);
    if (!count(table, release)) // the release does not know it yet
      continue;
    all_entries[i].version = version_of(table, release);
    root.table[i] = &all_entries[i];
    used = i + 1;
    size_t n = 0;
    for (const Entry& entry : entries())
      if (entry.table == table && entry.since <= release) {
        if (entry.slot)
          set(entry.slot, &all_entries[i].functions[n]);
        ++n;
      }
  }
  const uint32_t major = release >= Release::r6_1 ? 3 : release >= Release::r6_0 ? 2 : 1;
  root.version = {major, uint32_t(sizeof(Version) + sizeof(void*) * used), release >= Release::r6_2 ? 1u : 0u, 0};
  return &root;
}

void reset_tables() {
  size_t n[tables] = {};
  for (const Entry& entry : entries())
    if (entry.since <= laid_out) {
      const auto i = size_t(entry.table);
      __atomic_store_n(&all_entries[i].functions[n[i]++], entry.original, __ATOMIC_RELEASE);
    }
}

bool is_replaced(const char* name) {
  if (!root.version.major)
    return false;
  size_t n[tables] = {};
  for (const Entry& entry : entries())
    if (entry.since <= laid_out) {
      const auto i = size_t(entry.table);
      const Code now = __atomic_load_n(&all_entries[i].functions[n[i]++], __ATOMIC_ACQUIRE);
      if (!std::strcmp(entry.name, name))
        return now != entry.original;
    }
  return false;
}

} // namespace crosslane::hsa
