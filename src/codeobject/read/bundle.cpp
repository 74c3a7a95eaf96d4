// Owns the containers in which clang ships code objects: the offload bundle, compressed or not, of which the
// .hip_fatbin section of a host program holds one per translation unit; and the choice among what any container holds.
// Source: Clang documentation, "Clang Offload Bundler", "Bundled Binary File Layout" and "Compression and
// Decompression".
#include "codeobject/read/contents.h"
#include "codeobject/read/host_program.h"
#include <algorithm>

namespace crosslane::codeobject {
namespace {

using Bytes = std::span<const uint8_t>;
using Entries = std::vector<BundleEntry>;
constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view bundle_name = "offload bundle";

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The processor part of "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-": what follows KIND-ARCH-VENDOR-OS-ENVIRONMENT-.
std::string target_of(std::string_view id) {
  constexpr std::string_view triple = "-amdgcn-amd-amdhsa-";
  size_t at = id.find(triple);
  if (at == std::string_view::npos || id.starts_with("host"))
    return {};
  std::string_view rest = id.substr(at + triple.size());
  return std::string(rest.starts_with('-') ? rest.substr(1) : rest);
}

// One bundle at the start of `bytes`; `end` becomes the end of its last entry.
llvm::Error read_bundle(Bytes bytes, Entries& entries, uint64_t& end) {
  auto cut_short = [&](std::string what) {
    return fail(bundle_name, "{} reaches past the end of the file ({} bytes); it was cut short, build or copy it again",
                what, bytes.size());
  };
  uint64_t at = bundle_magic.size();
  auto take = [&](uint64_t& value) {
    if (!inside(at, 8, 0, bytes.size()))
      return false;
    value = load_little<uint64_t>(&bytes[at]);
    at += 8;
    return true;
  };
  uint64_t count = 0;
  if (!take(count))
    return cut_short("the header");
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = 0, size = 0, length = 0;
    if (!take(offset) || !take(size) || !take(length) || !inside(at, length, 0, bytes.size()))
      return cut_short(fmt::format("the header of entry {} of {}", i, count));
    std::string id(text_of(bytes.subspan(at, length)));
    at += length;
    if (!inside(offset, size, 0, bytes.size()))
      return cut_short(fmt::format("entry {} {} at offset 0x{:x}, {} bytes,", i, quoted(id), offset, size));
    end = std::max({end, at, offset + size});
    entries.push_back({id, target_of(id), bytes.subspan(offset, size)});
  }
  end = std::max(end, at);
  return llvm::Error::success();
}

// The bundles of one section, each of which the linker has aligned.
llvm::Error read_bundles(Bytes bytes, Entries& entries) {
  while (!bytes.empty()) {
    size_t start = text_of(bytes).find(bundle_magic);
    if (start == std::string_view::npos)
      break;
    bytes = bytes.subspan(start);
    uint64_t end = 0;
    if (llvm::Error error = read_bundle(bytes, entries, end))
      return error;
    bytes = bytes.subspan(std::min<uint64_t>(end, bytes.size()));
  }
  return llvm::Error::success();
}

// "gfx906:xnack-" -> processor "gfx906", and whether every modifier that both name agrees.
bool compatible(std::string_view wanted, std::string_view offered) {
  auto split = [](std::string_view id) {
    return std::pair(id.substr(0, id.find(':')), id.substr(std::min(id.find(':'), id.size())));
  };
  auto [wanted_processor, wanted_modifiers] = split(wanted);
  auto [offered_processor, offered_modifiers] = split(offered);
  if (wanted_processor != offered_processor)
    return false;
  for (std::string_view feature : {":sramecc", ":xnack"}) {
    size_t in_wanted = wanted_modifiers.find(feature), in_offered = offered_modifiers.find(feature);
    if (in_wanted == std::string_view::npos || in_offered == std::string_view::npos)
      continue;
    if (wanted_modifiers.substr(in_wanted + feature.size(), 1) !=
        offered_modifiers.substr(in_offered + feature.size(), 1))
      return false;
  }
  return true;
}

std::string list_targets(const Entries& entries) {
  std::string list;
  for (const BundleEntry& entry : entries)
    if (!entry.target.empty())
      list += (list.empty() ? "" : ", ") + entry.target;
  return list.empty() ? "none" : list;
}

llvm::Expected<Bytes> choose(const Entries& entries, std::string_view processor) {
  std::vector<const BundleEntry*> found;
  for (const BundleEntry& entry : entries)
    if (!entry.target.empty() && !entry.bytes.empty() && (processor.empty() || compatible(processor, entry.target)))
      found.push_back(&entry);
  if (found.empty())
    return fail(bundle_name, "no code object for {}; it holds: {}",
                processor.empty() ? "any AMD GPU" : quoted(processor), list_targets(entries));
  // What names the asked id exactly goes first, then the one with fewest demands, then '-' before '+': crosslane has
  // neither XNACK replay nor ECC.
  auto rank = [&](const BundleEntry* entry) {
    return std::tuple(entry->target != processor, std::count(entry->target.begin(), entry->target.end(), ':'),
                      std::count(entry->target.begin(), entry->target.end(), '+'));
  };
  const BundleEntry* best =
      *std::min_element(found.begin(), found.end(), [&](auto* a, auto* b) { return rank(a) < rank(b); });
  for (const BundleEntry* other : found) {
    if (other == best || (rank(other) != rank(best) && !processor.empty()))
      continue;
    if (processor.empty() && other->target != best->target)
      return fail(bundle_name, "several processors to choose from; name one of: {}", list_targets(entries));
    if (!std::ranges::equal(other->bytes, best->bytes))
      return fail(bundle_name,
                  "several code objects for {}, one per translation unit of the program; compile the source of the "
                  "one you mean with --offload-device-only",
                  quoted(best->target));
  }
  return best->bytes;
}

} // namespace

Bytes bundles_of(Bytes bytes) {
  if (text_of(bytes).starts_with(bundle_magic) || is_compressed_bundle(bytes) || is_offload_binary(bytes))
    return bytes;
  for (const auto find : {find_fatbin, find_offloading, first_object_in_data})
    if (const Bytes found = find(bytes); !found.empty())
      return found;
  return {};
}

llvm::Expected<std::vector<BundleEntry>> list_bundle(Bytes bytes) {
  Entries entries;
  const auto add = [&](Bytes container) -> llvm::Error {
    if (is_compressed_bundle(container))
      return fail(bundle_name, "this one is compressed; decompress_bundle() first");
    return is_offload_binary(container) ? read_offload_binaries(container, entries) : read_bundles(container, entries);
  };
  if (text_of(bytes).starts_with(bundle_magic) || is_compressed_bundle(bytes) || is_offload_binary(bytes)) {
    if (llvm::Error error = add(bytes))
      return error;
    return entries;
  }
  for (const auto find : {find_fatbin, find_offloading})
    if (llvm::Error error = add(find(bytes)))
      return error;
  if (entries.empty())
    return objects_in_data(bytes);
  return entries;
}

llvm::Expected<Bytes> unbundle(Bytes bytes, std::string_view processor) {
  if (bundles_of(bytes).empty())
    return bytes;
  auto entries = list_bundle(bytes);
  if (!entries)
    return entries.takeError();
  return choose(*entries, processor);
}

llvm::Expected<std::unique_ptr<CodeObject>> read_for(Bytes bytes, std::string name, std::string_view processor) {
  auto with_name = [&](llvm::Error error) { return bad_input(name, llvm::toString(std::move(error))); };
  std::vector<uint8_t> expanded;
  if (Bytes container = bundles_of(bytes); is_compressed_bundle(container)) {
    auto decompressed = decompress_bundle(container);
    if (!decompressed)
      return with_name(decompressed.takeError());
    expanded = std::move(*decompressed);
    bytes = expanded;
  }
  auto chosen = unbundle(bytes, processor);
  if (!chosen)
    return with_name(chosen.takeError());
  return CodeObject::read(*chosen, std::move(name));
}

llvm::Expected<std::unique_ptr<CodeObject>> read_file_for(const std::string& path, std::string_view processor) {
  auto bytes = read_bytes(path);
  if (!bytes)
    return bytes.takeError();
  return read_for(*bytes, path, processor);
}

} // namespace crosslane::codeobject
