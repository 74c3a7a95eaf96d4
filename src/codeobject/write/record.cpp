// The note: numbers as LEB128, moves as differences, so that code of 100,000 instructions takes a few hundred KB at
// most. And what is done with it alone: strip(), and the map of addresses.
#include "codeobject/write/record.h"
#include "codeobject/read/contents.h"
#include "codeobject/read/debug_sections.h"
#include <algorithm>
#include <llvm/Support/xxhash.h>

namespace crosslane::codeobject {
using namespace llvm::ELF;
namespace {

constexpr uint64_t record_version = 1;

// Of each record in the file, the oldest first. The object was read, so its program headers are there.
template <class F> void each_record(const CodeObject& object, F f) {
  const std::span<const uint8_t> bytes = object.bytes();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, &bytes[header.e_phoff + i * sizeof segment], sizeof segment);
    if (segment.p_type == PT_NOTE)
      for (const Note& note : notes_in(bytes.subspan(segment.p_offset, segment.p_filesz)))
        if (note.name == record_name && note.type == record_type)
          f(note.content);
  }
}

} // namespace

uint64_t hash_of(std::span<const uint8_t> input) { return llvm::xxh3_64bits({input.data(), input.size()}); }

std::vector<Note> notes_in(std::span<const uint8_t> bytes) {
  constexpr size_t header_size = 12;
  std::vector<Note> notes;
  while (bytes.size() >= header_size) {
    const auto name_size = load_little<uint32_t>(bytes.data()), size = load_little<uint32_t>(bytes.data() + 4);
    const uint64_t start = header_size + align_up(name_size, 4);
    if (!inside(start, size, 0, bytes.size()))
      break;
    const std::string_view name(reinterpret_cast<const char*>(bytes.data()) + header_size, name_size);
    notes.push_back(
        {name.substr(0, name.find('\0')), load_little<uint32_t>(bytes.data() + 8), bytes.subspan(start, size)});
    bytes = bytes.subspan(std::min<uint64_t>(start + align_up(size, 4), bytes.size()));
  }
  return notes;
}

void append_note(Bytes& to, std::string_view name, uint32_t type, std::span<const uint8_t> content) {
  append(to, static_cast<uint32_t>(name.size() + 1));
  append(to, static_cast<uint32_t>(content.size()));
  append(to, type);
  append_text(to, name);
  to.resize(align_up(to.size(), 4));
  append(to, content);
  to.resize(align_up(to.size(), 4));
}

std::vector<MovedCode> joined(std::vector<MovedCode> moved) {
  std::ranges::sort(moved, {}, &MovedCode::to);
  std::vector<MovedCode> result;
  for (const MovedCode& one : moved) {
    if (!result.empty() && result.back().from + result.back().size == one.from &&
        result.back().to + result.back().size == one.to)
      result.back().size += one.size;
    else
      result.push_back(one);
  }
  return result;
}

Bytes encode_record(const Record& record) {
  Bytes out;
  append_uleb(out, record_version);
  append_uleb(out, record.input_size);
  append(out, record.input_hash);
  append_uleb(out, record.journal.size());
  for (const Patch& patch : record.journal) {
    append_uleb(out, patch.offset);
    append_uleb(out, patch.before.size());
    append(out, patch.before);
  }
  append_uleb(out, record.moved.size());
  uint64_t from = 0, to = 0; // where the one before ends
  for (const MovedCode& one : record.moved) {
    append_sleb(out, static_cast<int64_t>(one.from - from));
    append_uleb(out, one.size);
    append_sleb(out, static_cast<int64_t>(one.to - to));
    from = one.from + one.size, to = one.to + one.size;
  }
  append_uleb(out, record.note.size());
  append(out, record.note);
  return out;
}

std::optional<Record> decode_record(std::span<const uint8_t> content) {
  Reader at({reinterpret_cast<const char*>(content.data()), content.size()}, 0);
  const auto bytes_here = [&](uint64_t size) {
    const uint64_t start = at.offset();
    at.skip(size);
    return at ? content.subspan(start, size) : std::span<const uint8_t>();
  };
  Record record;
  if (at.uleb() != record_version)
    return std::nullopt;
  record.input_size = at.uleb();
  record.input_hash = at.number(8);
  for (uint64_t left = at.uleb(); left && at; --left) {
    const uint64_t offset = at.uleb();
    const std::span<const uint8_t> before = bytes_here(at.uleb());
    if (!inside(offset, before.size(), 0, record.input_size))
      return std::nullopt;
    record.journal.push_back({offset, Bytes(before.begin(), before.end())});
  }
  uint64_t from = 0, to = 0;
  for (uint64_t left = at.uleb(); left && at; --left) {
    MovedCode one;
    one.from = from + static_cast<uint64_t>(at.sleb());
    one.size = at.uleb();
    one.to = to + static_cast<uint64_t>(at.sleb());
    from = one.from + one.size, to = one.to + one.size;
    record.moved.push_back(one);
  }
  record.note = bytes_here(at.uleb());
  return at ? std::optional(std::move(record)) : std::nullopt;
}

llvm::Expected<std::vector<uint8_t>> restore(std::span<const uint8_t> rewritten, const Record& record,
                                             std::string_view name) {
  std::vector<uint8_t> input(rewritten.begin(), rewritten.begin() + static_cast<ptrdiff_t>(record.input_size));
  for (auto patch = record.journal.rbegin(); patch != record.journal.rend(); ++patch)
    std::ranges::copy(patch->before, input.begin() + static_cast<ptrdiff_t>(patch->offset));
  if (hash_of(input) != record.input_hash)
    return fail(name,
                "another tool changed it since crosslane wrote it, so that the original cannot be had back; strip "
                "it first, then use that tool");
  return input;
}

llvm::Expected<std::vector<uint8_t>> strip(std::span<const uint8_t> rewritten) {
  constexpr std::string_view name = "rewritten code object";
  auto object = CodeObject::read(rewritten, std::string(name));
  if (!object)
    return object.takeError();
  std::span<const uint8_t> newest;
  each_record(**object, [&](std::span<const uint8_t> content) { newest = content; });
  if (newest.empty())
    return fail(name,
                "there is nothing to strip: it has no note named {}, so crosslane did not write it, or another "
                "tool dropped the note",
                record_name);
  const std::optional<Record> record = decode_record(newest);
  if (!record || record->input_size > rewritten.size())
    return fail(name, "its note named {} is damaged", record_name);
  return restore(rewritten, *record, name);
}

std::vector<std::span<const uint8_t>> rewrite_notes(const CodeObject& object) {
  std::vector<std::span<const uint8_t>> notes;
  each_record(object, [&](std::span<const uint8_t> content) {
    if (const auto record = decode_record(content))
      notes.push_back(record->note);
  });
  return notes;
}

std::span<const uint8_t> rewrite_note(const CodeObject& object) {
  const auto notes = rewrite_notes(object);
  return notes.empty() ? std::span<const uint8_t>() : notes.back();
}

std::vector<MovedCode> moved_code(const CodeObject& object) {
  std::vector<MovedCode> all;
  each_record(object, [&](std::span<const uint8_t> content) {
    if (const auto record = decode_record(content))
      all.insert(all.end(), record->moved.begin(), record->moved.end());
  });
  return joined(std::move(all));
}

uint64_t original_address(std::span<const MovedCode> moved, uint64_t address) {
  for (size_t hops = 0; hops <= moved.size(); ++hops) { // a damaged note may lead in circles
    const auto after = std::ranges::upper_bound(moved, address, {}, &MovedCode::to);
    if (after == moved.begin() || address - std::prev(after)->to >= std::prev(after)->size)
      return address;
    address = std::prev(after)->from + (address - std::prev(after)->to);
  }
  return address;
}

} // namespace crosslane::codeobject
