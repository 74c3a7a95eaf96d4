// Owns what leads from an exported function to its implementation: a slot for each, which points to an entry of a
// table. The list of all of them is functions.inc.
#pragma once
#include <cstdint>
#include <span>

namespace crosslane::hsa {

enum class Table : uint8_t { core, amd, finalizer, image, tools, pc_sampling };
// Of ROCm: those that brought a new layout of the tables.
enum class Release : uint8_t { r5_2, r5_5, r5_6, r6_0, r6_1, r6_2, r6_3, r6_4, r7_0 };

using Code = void (*)(); // a function, whatever its arguments

struct Entry {
  Table table;
  Release since;
  const char* name;
  Code original;     // null: an event of the tools' table
  const Code** slot; // which the exported function jumps through; null: it is in the table alone
};

// All entries of all tables, each table in its order.
std::span<const Entry> entries();

} // namespace crosslane::hsa
