// Owns the compressed offload bundle ("CCOB"): a header in one of three versions and a zlib or zstd stream of an
// ordinary bundle. A host program of several translation units holds one behind the other. Source: Clang documentation,
// "Clang Offload Bundler", "Compression and Decompression".
#include "codeobject/read/contents.h"
#include <algorithm>
#include <llvm/Support/Compression.h>

namespace crosslane::codeobject {
namespace {

using Bytes = std::span<const uint8_t>;
constexpr std::string_view magic = "CCOB", bundle_name = "offload bundle";

struct Header {
  uint16_t method = 0;
  uint64_t size = 0;  // of this header
  uint64_t total = 0; // header and stream; version 1 does not say, so everything there is
  uint64_t expanded = 0;
};

llvm::Expected<Header> read_header(Bytes bytes) {
  constexpr uint64_t longest = 32;
  std::vector<uint8_t> padded(bytes.begin(), bytes.begin() + std::min<uint64_t>(bytes.size(), longest));
  padded.resize(longest);
  auto version = load_little<uint16_t>(&padded[4]);
  auto number32 = [&](size_t at) -> uint64_t { return load_little<uint32_t>(&padded[at]); };
  auto number64 = [&](size_t at) { return load_little<uint64_t>(&padded[at]); };
  Header header;
  header.method = load_little<uint16_t>(&padded[6]);
  switch (version) { // behind the sizes stands a hash of 8 bytes, which no reader checks
  case 1: header.size = 20, header.total = bytes.size(), header.expanded = number32(8); break;
  case 2: header.size = 24, header.total = number32(8), header.expanded = number32(12); break;
  case 3: header.size = 32, header.total = number64(8), header.expanded = number64(16); break;
  default:
    return fail(bundle_name,
                "compressed format version {} is not known (1 to 3 are); bundle it without compression "
                "(--no-offload-compress)",
                version);
  }
  if (bytes.size() < header.size || header.total > bytes.size() || header.total < header.size)
    return fail(bundle_name,
                "compressed: {} bytes are there, the header speaks of {}; it was cut short, build or copy it again",
                bytes.size(), std::max(header.total, header.size));
  if (!plausible_expansion(header.total, header.expanded))
    return fail(bundle_name, "compressed: {} bytes claim to hold {}; the header is damaged", header.total,
                header.expanded);
  return header;
}

// Appends what one stream holds.
llvm::Error expand(Bytes stream, const Header& header, std::vector<uint8_t>& result) {
  constexpr uint16_t zlib = 0, zstd = 1;
  namespace compression = llvm::compression;
  llvm::ArrayRef<uint8_t> body(stream.data(), stream.size());
  size_t start = result.size(), size = header.expanded;
  result.resize(start + size);
  if (header.method == zlib && compression::zlib::isAvailable()) {
    if (llvm::Error error = compression::zlib::decompress(body, result.data() + start, size))
      return fail_because(bundle_name, "compressed contents", std::move(error));
  } else if (header.method == zstd && compression::zstd::isAvailable()) {
    if (llvm::Error error = compression::zstd::decompress(body, result.data() + start, size))
      return fail_because(bundle_name, "compressed contents", std::move(error));
  } else {
    return fail(bundle_name,
                "compressed with method {}, and only zlib (0) and zstd (1) are known; bundle it without compression "
                "(--no-offload-compress)",
                header.method);
  }
  result.resize(start + size);
  return llvm::Error::success();
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

} // namespace

bool is_compressed_bundle(Bytes bytes) { return text_of(bytes).starts_with(magic); }

llvm::Expected<uint64_t> compressed_size(Bytes bytes) {
  auto header = read_header(bytes);
  if (!header)
    return header.takeError();
  return header->total;
}

llvm::Expected<std::vector<uint8_t>> decompress_bundle(Bytes bytes) {
  const uint64_t given = bytes.size();
  std::vector<uint8_t> result;
  do {
    auto header = read_header(bytes);
    if (!header)
      return header.takeError();
    if (!plausible_expansion(given, result.size() + header->expanded))
      return fail(bundle_name, "compressed: all of them together would take more than {} bytes; the file is damaged",
                  result.size());
    if (llvm::Error error = expand(bytes.subspan(header->size, header->total - header->size), *header, result))
      return error;
    bytes = bytes.subspan(header->total);
    bytes = bytes.subspan(std::min(text_of(bytes).find(magic), bytes.size())); // past the linker's padding
  } while (!bytes.empty());
  return result;
}

} // namespace crosslane::codeobject
