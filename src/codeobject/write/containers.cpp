// Containers that are files of their own, and the record behind whatever file was rewritten: which bytes of the input
// are different now. Nobody who reads a bundle or an ELF file looks behind its end.
#include "codeobject/write/containers.h"
#include "codeobject/read/contents.h"
#include "codeobject/read/host_program.h"
#include "codeobject/write/record.h"
#include <algorithm>

namespace crosslane::codeobject {
namespace {
using Span = std::span<const uint8_t>;

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__", end_magic = "crosslane-record";
constexpr std::string_view name = "offload bundle";

std::string_view text_of(Span bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void put(Bytes& bytes, uint64_t at, uint64_t value) { std::memcpy(&bytes[at], &value, sizeof value); }

bool is_code_object(Span bytes) {
  return bytes.size() > 64 && text_of(bytes).starts_with(llvm::ELF::ElfMagic) &&
         load_little<uint16_t>(&bytes[18]) == llvm::ELF::EM_AMDGPU;
}

// What `input` needs to come out of the first bytes of `output`; all of it where little is the same.
std::vector<Patch> differences(Span input, Span output) {
  if (output.size() < input.size())
    return {{0, Bytes(input.begin(), input.end())}};
  constexpr uint64_t near = 16; // equal bytes that are not worth another patch
  std::vector<Patch> patches;
  for (uint64_t at = 0; at < input.size(); ++at) {
    if (input[at] == output[at])
      continue;
    if (patches.empty() || at - (patches.back().offset + patches.back().before.size()) > near)
      patches.push_back({at, {}});
    Patch& patch = patches.back();
    append(patch.before,
           input.subspan(patch.offset + patch.before.size(), at + 1 - patch.offset - patch.before.size()));
  }
  return patches;
}

// Those who look for the magic numbers of containers must not find the ones of the input.
Bytes inverted(Span bytes) {
  Bytes out(bytes.begin(), bytes.end());
  for (uint8_t& byte : out)
    byte = static_cast<uint8_t>(~byte);
  return out;
}

void append_record(Bytes& output, Span input) {
  Record record;
  record.input_size = input.size();
  record.input_hash = hash_of(input);
  record.journal = differences(input, output);
  const Bytes encoded = inverted(encode_record(record));
  append(output, encoded);
  append(output, uint64_t{encoded.size()});
  output.insert(output.end(), end_magic.begin(), end_magic.end());
}

// Bundles, or offload binaries, one behind the other with the linker's padding.
llvm::Expected<Bytes> rewrite_containers(Span bytes, ObjectRewriter rewrite) {
  constexpr uint64_t alignment = 4096; // of code objects in a bundle
  const bool binaries = is_offload_binary(bytes);
  Bytes out;
  bool changed = false;
  while (!bytes.empty()) {
    uint64_t length = 0;
    OffloadImage before, after;
    auto one = binaries ? rewrite_offload_binary(bytes, rewrite, length, before, after)
                        : rewrite_bundle(bytes, rewrite, length);
    if (!one)
      return one.takeError();
    out.resize(align_up(out.size(), binaries ? 8 : alignment));
    append(out, one->empty() ? bytes.first(length) : Span(*one));
    changed |= !one->empty();
    bytes = bytes.subspan(length);
    size_t next = std::string_view::npos; // past padding
    for (const std::string_view magic :
         {bundle_magic, std::string_view("CCOB"), std::string_view("\x10\xff\x10\xad", 4)})
      next = std::min(next, text_of(bytes).find(magic));
    bytes = bytes.subspan(std::min(next, bytes.size()));
  }
  return changed ? out : Bytes();
}

} // namespace

llvm::Expected<Bytes> rewrite_bundle(Span bytes, ObjectRewriter rewrite, uint64_t& length) {
  constexpr uint64_t alignment = 4096;
  std::vector<uint8_t> expanded;
  length = 0;
  if (is_compressed_bundle(bytes)) {
    auto size = compressed_size(bytes);
    if (!size)
      return size.takeError();
    length = *size;
    auto decompressed = decompress_bundle(bytes.first(length));
    if (!decompressed)
      return decompressed.takeError();
    expanded = std::move(*decompressed);
    bytes = expanded;
  }
  if (!text_of(bytes).starts_with(bundle_magic))
    return fail(name, "does not start with {}", bundle_magic);
  auto entries = list_bundle(bytes); // checks the header; those of later bundles come behind
  if (!entries)
    return entries.takeError();
  const auto count = load_little<uint64_t>(&bytes[bundle_magic.size()]);
  uint64_t at = bundle_magic.size() + 8, end = at;
  struct Change {
    uint64_t header;
    Bytes object;
  };
  std::vector<Change> changes;
  for (uint64_t i = 0; i < count; ++i) {
    const BundleEntry& entry = (*entries)[i];
    if (!entry.target.empty() && is_code_object(entry.bytes)) {
      auto object = rewrite(entry);
      if (!object)
        return object.takeError();
      if (*object)
        changes.push_back({at, std::move(**object)});
    }
    const auto offset = load_little<uint64_t>(&bytes[at]), size = load_little<uint64_t>(&bytes[at + 8]);
    at += 24 + load_little<uint64_t>(&bytes[at + 16]);
    end = std::max({end, at, offset + size});
  }
  if (expanded.empty())
    length = end;
  if (changes.empty())
    return Bytes();
  Bytes out(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(end));
  for (const Change& change : changes) {
    out.resize(align_up(out.size(), alignment));
    put(out, change.header, out.size());
    put(out, change.header + 8, change.object.size());
    append(out, change.object);
  }
  return out;
}

llvm::Expected<Bytes> rewrite_offload_binary(Span bytes, ObjectRewriter rewrite, uint64_t& length, OffloadImage& before,
                                             OffloadImage& after) {
  constexpr uint64_t alignment = 8, size_field = 8, entry_field = 16, image_field = 24;
  std::vector<BundleEntry> entries;
  if (bytes.size() >= 16) // the first alone
    bytes = bytes.first(
        std::min<uint64_t>(bytes.size(), std::max<uint64_t>(16, load_little<uint64_t>(&bytes[size_field]))));
  if (llvm::Error error = read_offload_binaries(bytes, entries))
    return error;
  length = bytes.size();
  const BundleEntry& entry = entries.front();
  const auto header = load_little<uint64_t>(&bytes[entry_field]);
  before = {load_little<uint64_t>(&bytes[header + image_field]), entry.bytes.size()};
  after = before;
  if (entry.target.empty() || !is_code_object(entry.bytes))
    return Bytes();
  auto object = rewrite(entry);
  if (!object)
    return object.takeError();
  if (!*object)
    return Bytes();
  Bytes out(bytes.begin(), bytes.end());
  out.resize(align_up(out.size(), alignment));
  after = {out.size(), (*object)->size()};
  append(out, **object);
  out.resize(align_up(out.size(), alignment));
  put(out, size_field, out.size());
  put(out, header + image_field, after.begin);
  put(out, header + image_field + 8, after.size);
  return out;
}

llvm::Expected<std::vector<uint8_t>> rewrite_file(Span bytes, ObjectRewriter rewrite) {
  if (is_code_object(bytes)) {
    auto object = rewrite({"", "", bytes});
    if (!object)
      return object.takeError();
    return *object ? std::move(**object) : Bytes(bytes.begin(), bytes.end());
  }
  const bool container =
      text_of(bytes).starts_with(bundle_magic) || is_compressed_bundle(bytes) || is_offload_binary(bytes);
  auto out = container ? rewrite_containers(bytes, rewrite) : rewrite_host(bytes, rewrite);
  if (!out)
    return out.takeError();
  if (out->empty())
    return Bytes(bytes.begin(), bytes.end());
  append_record(*out, bytes);
  return out;
}

llvm::Expected<std::vector<uint8_t>> strip_file(Span rewritten) {
  if (is_code_object(rewritten))
    return strip(rewritten);
  constexpr std::string_view file = "rewritten file";
  const uint64_t tail = end_magic.size() + 8;
  if (rewritten.size() < tail || !text_of(rewritten).ends_with(end_magic))
    return fail(file, "there is nothing to strip: crosslane did not write it, or another tool dropped what it left at "
                      "the end");
  const Span rest = rewritten.first(rewritten.size() - tail);
  const auto size = load_little<uint64_t>(rewritten.data() + rest.size());
  const Bytes encoded = size <= rest.size() ? inverted(rest.last(size)) : Bytes();
  const auto record = decode_record(encoded);
  if (!record || record->input_size > rewritten.size())
    return fail(file, "what crosslane left at its end is damaged");
  return restore(rewritten, *record, file);
}

} // namespace crosslane::codeobject
