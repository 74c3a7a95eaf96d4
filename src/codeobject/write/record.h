// Owns what a written code object knows of its making: the note named crosslane. It holds the size and a hash of the
// input, the bytes of it that were changed, which code went where, and the caller's own bytes. Not for other layers.
#pragma once
#include "codeobject/write.h"
#include "codeobject/write/elf_file.h"

namespace crosslane::codeobject {

inline constexpr std::string_view record_name = "crosslane";
inline constexpr uint32_t record_type = 0x4c58; // no tool has a meaning for it

struct Record {
  uint64_t input_size = 0, input_hash = 0;
  std::vector<Patch> journal;
  std::vector<MovedCode> moved;
  std::span<const uint8_t> note; // points into what was decoded
};

uint64_t hash_of(std::span<const uint8_t> input);
Bytes encode_record(const Record& record);
std::optional<Record> decode_record(std::span<const uint8_t> content); // nothing: damaged

// The input, out of the start of what was written of it. `name`: for messages.
llvm::Expected<std::vector<uint8_t>> restore(std::span<const uint8_t> rewritten, const Record& record,
                                             std::string_view name);

// Sorted by `to`; runs that go on in both places are one.
std::vector<MovedCode> joined(std::vector<MovedCode> moved);

// A note as it lies in the file.
struct Note {
  std::string_view name; // without its zero
  uint32_t type = 0;
  std::span<const uint8_t> content;
};
// The notes in `bytes`, up to the first that is damaged.
std::vector<Note> notes_in(std::span<const uint8_t> bytes);
void append_note(Bytes& to, std::string_view name, uint32_t type, std::span<const uint8_t> content);

} // namespace crosslane::codeobject
