// Not LLVM's msgpack::Document: it sorts maps, writes numbers its own way, and takes some keys for impossible. Here the
// places of the few values that change are found, and the rest is copied. Source: msgpack.org, "MessagePack
// specification"; LLVM AMDGPUUsage, "Code Object V3 Metadata" and, of LLVM 15, "Code Object V2 Metadata".
#include "codeobject/write/metadata.h"
#include "codeobject/read/contents.h"
#include <algorithm>
#include <charconv>

namespace crosslane::codeobject {
namespace {

// One value of a document: where it stands, and what follows it that is part of it.
struct Item {
  enum class Kind : uint8_t { other, string, array, map } kind = Kind::other;
  size_t begin = 0, end = 0; // of an array or map: of its header
  uint64_t count = 0;        // of elements, or of pairs
  std::string_view text;
};

class Scanner {
public:
  explicit Scanner(std::span<const uint8_t> document) : document_(document) {}

  // False: the document ends, or is none.
  bool next(Item& item) {
    item = {};
    item.begin = at_;
    if (at_ >= document_.size())
      return false;
    const uint8_t tag = document_[at_++];
    uint64_t size = 0;
    if (tag <= 0x7f || tag >= 0xe0 || tag == 0xc0 || tag == 0xc2 || tag == 0xc3)
      return finish(item);
    if (tag <= 0x8f)
      return container(item, Item::Kind::map, tag & 0xf);
    if (tag <= 0x9f)
      return container(item, Item::Kind::array, tag & 0xf);
    if (tag <= 0xbf)
      return string(item, tag & 0x1f);
    switch (tag) {
    case 0xc4:
    case 0xc5:
    case 0xc6: return number(1u << (tag - 0xc4), size) && skip(size) && finish(item);
    case 0xc7:
    case 0xc8:
    case 0xc9: return number(1u << (tag - 0xc7), size) && skip(size + 1) && finish(item);
    case 0xca: return skip(4) && finish(item);
    case 0xcb: return skip(8) && finish(item);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return skip(1u << (tag - 0xcc)) && finish(item);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return skip(1u << (tag - 0xd0)) && finish(item);
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8: return skip((1u << (tag - 0xd4)) + 1) && finish(item);
    case 0xd9:
    case 0xda:
    case 0xdb: return number(1u << (tag - 0xd9), size) && string(item, size);
    case 0xdc:
    case 0xdd: return number(2u << (tag - 0xdc), size) && container(item, Item::Kind::array, size);
    case 0xde:
    case 0xdf: return number(2u << (tag - 0xde), size) && container(item, Item::Kind::map, size);
    default: return false; // 0xc1
    }
  }

  // The value that comes next, with all that is in it.
  bool skip_value() {
    Item item;
    for (uint64_t left = 1; left; --left) {
      if (!next(item))
        return false;
      left += item.kind == Item::Kind::map ? 2 * item.count : item.kind == Item::Kind::array ? item.count : 0;
    }
    return true;
  }

private:
  bool finish(Item& item) {
    item.end = at_;
    return true;
  }
  bool skip(uint64_t bytes) {
    if (bytes > document_.size() - at_)
      return false;
    at_ += bytes;
    return true;
  }
  bool number(size_t width, uint64_t& value) { // big-endian
    for (value = 0; width; --width) {
      if (at_ >= document_.size())
        return false;
      value = value << 8 | document_[at_++];
    }
    return true;
  }
  bool string(Item& item, uint64_t size) {
    item.kind = Item::Kind::string;
    const size_t start = at_;
    if (!skip(size))
      return false;
    item.text = {reinterpret_cast<const char*>(document_.data()) + start, size};
    return finish(item);
  }
  bool container(Item& item, Item::Kind kind, uint64_t count) {
    item.kind = kind;
    item.count = count;
    return finish(item);
  }

  std::span<const uint8_t> document_;
  size_t at_ = 0;
};

Bytes encoded(uint32_t value) {
  if (value < 0x80)
    return {static_cast<uint8_t>(value)};
  const unsigned width = value <= UINT8_MAX ? 1 : value <= UINT16_MAX ? 2 : 4;
  Bytes out{static_cast<uint8_t>(width == 1 ? 0xcc : width == 2 ? 0xcd : 0xce)};
  for (unsigned byte = width; byte--;)
    out.push_back(static_cast<uint8_t>(value >> (8 * byte)));
  return out;
}

struct Key {
  std::string_view name, version2, first_version2; // the last: as LLVM 4 wrote it
  std::optional<uint32_t> KernelNumbers::* number;
};
constexpr Key keys[] = {
    {".sgpr_count", "NumSGPRs", "WavefrontNumSGPRs", &KernelNumbers::sgprs},
    {".vgpr_count", "NumVGPRs", "WorkitemNumVGPRs", &KernelNumbers::vgprs},
    {".group_segment_fixed_size", "GroupSegmentFixedSize", "WorkgroupGroupSegmentSize", &KernelNumbers::group_segment},
    {".private_segment_fixed_size", "PrivateSegmentFixedSize", "WorkitemPrivateSegmentSize",
     &KernelNumbers::private_segment},
};

struct Edit {
  size_t begin, end;
  Bytes with;
};

Bytes apply(std::span<const uint8_t> document, std::vector<Edit> edits) {
  std::ranges::sort(edits, {}, &Edit::begin);
  Bytes result;
  size_t at = 0;
  for (const Edit& edit : edits) {
    append(result, document.subspan(at, edit.begin - at));
    append(result, edit.with);
    at = edit.end;
  }
  append(result, document.subspan(at));
  return result;
}

} // namespace

llvm::Expected<Bytes> change_metadata(std::span<const uint8_t> document, std::span<const KernelNumbers> kernels,
                                      std::string_view file) {
  Scanner scan(document);
  std::vector<Edit> edits;
  std::string missing;

  const auto read_kernel = [&] { // a kernel's map comes next
    Item map, key, value;
    if (!scan.next(map) || map.kind != Item::Kind::map)
      return false;
    std::string_view symbol;
    std::optional<Item> places[std::size(keys)];
    for (uint64_t left = map.count; left; --left) {
      if (!scan.next(key))
        return false;
      const auto* const found = std::ranges::find(keys, key.text, &Key::name);
      if (found == std::end(keys) && key.text != ".symbol") {
        if (!scan.skip_value())
          return false;
        continue;
      }
      if (!scan.next(value))
        return false;
      if (found == std::end(keys))
        symbol = value.text;
      else
        places[found - keys] = value;
    }
    const auto numbers = std::ranges::find(kernels, symbol, &KernelNumbers::symbol);
    if (numbers == kernels.end())
      return true;
    for (size_t i = 0; i < std::size(keys); ++i)
      if (const std::optional<uint32_t>& number = (*numbers).*keys[i].number) {
        if (places[i])
          edits.push_back({places[i]->begin, places[i]->end, encoded(*number)});
        else if (i >= 2) // registers can be had from the descriptor
          missing = fmt::format("kernel {} has no {}", quoted(numbers->name), keys[i].name);
      }
    return true;
  };

  const auto read_document = [&] {
    Item top, key, kernel_list;
    if (!scan.next(top) || top.kind != Item::Kind::map)
      return false;
    for (uint64_t left = top.count; left; --left) {
      if (!scan.next(key))
        return false;
      if (key.text != "amdhsa.kernels") {
        if (!scan.skip_value())
          return false;
        continue;
      }
      if (!scan.next(kernel_list) || kernel_list.kind != Item::Kind::array)
        return false;
      for (uint64_t kernel = kernel_list.count; kernel; --kernel)
        if (!read_kernel())
          return false;
    }
    return true;
  };

  if (!read_document())
    return fail(file, "metadata note: not MessagePack; the note is damaged");
  if (!missing.empty())
    return fail(file, "metadata note: {}, which would have to grow; a runtime could not know it", missing);
  return apply(document, std::move(edits));
}

Bytes change_version2_metadata(std::span<const uint8_t> document, std::span<const KernelNumbers> kernels) {
  constexpr std::string_view item = "- Name:";
  const std::string_view text(reinterpret_cast<const char*>(document.data()), document.size());
  std::vector<Edit> edits;
  auto current = kernels.end();
  size_t kernel_indent = std::string_view::npos; // of the dashes under "Kernels:"; arguments have them further in
  bool in_kernels = false;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const size_t indent = line.find_first_not_of(' ');
    if (indent == 0 && !line.starts_with("- "))
      in_kernels = line.starts_with("Kernels:");
    const size_t colon = line.find(':');
    if (!in_kernels || indent == std::string_view::npos || colon == std::string_view::npos)
      continue;
    const size_t begin = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    std::string_view value = line.substr(begin, line.find_first_of(" \r", begin) - begin);
    const std::string_view key = line.substr(indent, colon - indent);
    if (line.substr(indent).starts_with(item) && indent <= kernel_indent) {
      kernel_indent = indent;
      if (value.size() > 1 && (value.front() == '\'' || value.front() == '"'))
        value = value.substr(1, value.size() - 2);
      current = std::ranges::find(kernels, value, &KernelNumbers::symbol);
    }
    const auto* const found =
        std::ranges::find_if(keys, [&](const Key& k) { return key == k.version2 || key == k.first_version2; });
    if (current == kernels.end() || found == std::end(keys) || !((*current).*found->number))
      continue;
    const std::string digits = fmt::format("{}", *((*current).*found->number));
    edits.push_back({at + begin, at + begin + value.size(), Bytes(digits.begin(), digits.end())});
  }
  return apply(document, std::move(edits));
}

} // namespace crosslane::codeobject
