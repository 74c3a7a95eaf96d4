// The .npy header is a Python dictionary literal: three keys in any order, read by a scanner of just that grammar.
#include "launch/npy.h"
#include "files/error.h"
#include <cstring>

namespace crosslane::launch {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<uint64_t> shape;
};

class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  std::optional<std::string> string() {
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
      return {};
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos)
      return {};
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  std::optional<bool> boolean() {
    skip();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    return {};
  }
  std::optional<uint64_t> integer() {
    skip();
    const size_t begin = at_;
    uint64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, uint64_t(10), &value) ||
          __builtin_add_overflow(value, static_cast<uint64_t>(text_[at_] - '0'), &value))
        return {};
    if (at_ == begin)
      return {};
    if (at_ < text_.size() && text_[at_] == 'L')
      ++at_; // Python 2 wrote 3L
    return value;
  }
  std::optional<std::vector<uint64_t>> tuple() {
    if (!take('('))
      return {};
    std::vector<uint64_t> values;
    while (!take(')')) {
      const auto value = integer();
      if (!value)
        return {};
      values.push_back(*value);
      if (!take(',')) {
        if (!take(')'))
          return {};
        break;
      }
    }
    return values;
  }
  size_t at() const { return at_; }

private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  std::string_view text_;
  size_t at_ = 0;
};

llvm::Expected<Header> parse_header(std::string_view text, std::string_view name) {
  std::string descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<uint64_t>> shape;
  Scanner scan(text);
  const auto damaged = [&] { return fail("{}: damaged .npy header near column {}: {}", name, scan.at() + 1, text); };
  if (!scan.take('{'))
    return damaged();
  while (!scan.take('}')) {
    const auto key = scan.string();
    if (!key || !scan.take(':'))
      return damaged();
    if (*key == "descr") {
      const auto type = scan.string();
      if (!type)
        return fail("{}: structured arrays are not supported; save one field of it", name);
      descr = *type;
    } else if (*key == "fortran_order") {
      fortran_order = scan.boolean();
      if (!fortran_order)
        return damaged();
    } else if (*key == "shape") {
      shape = scan.tuple();
      if (!shape)
        return damaged();
    } else {
      return fail("{}: unknown key '{}' in the .npy header", name, *key);
    }
    if (!scan.take(',')) {
      if (!scan.take('}'))
        return damaged();
      break;
    }
  }
  if (descr.empty() || !fortran_order || !shape)
    return damaged();
  return Header{std::move(descr), *fortran_order, std::move(*shape)};
}

llvm::Expected<Type> parse_descr(const std::string& descr, std::string_view name) {
  if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
    return fail("{}: unknown element type '{}'", name, descr);
  const std::string kind = descr.substr(1);
  static constexpr struct {
    std::string_view kind;
    Type type;
  } kinds[] = {{"b1", Type::b1},  {"i1", Type::i8},  {"i2", Type::i16}, {"i4", Type::i32},
               {"i8", Type::i64}, {"u1", Type::u8},  {"u2", Type::u16}, {"u4", Type::u32},
               {"u8", Type::u64}, {"f2", Type::f16}, {"f4", Type::f32}, {"f8", Type::f64}};
  for (const auto& row : kinds)
    if (row.kind == kind) {
      if (descr[0] == '>' && size_of(row.type) > 1)
        return fail("{}: big-endian elements ('{}'); save array.astype('<{}')", name, descr, kind);
      return row.type;
    }
  return fail("{}: element type '{}' is not supported; use f2 f4 f8, i1 i2 i4 i8, u1 u2 u4 u8 or b1", name, descr);
}

std::string_view kind_of(Type type) {
  static constexpr std::string_view kinds[type_count] = {"|i1", "<i2", "<i4", "<i8", "|u1", "<u2",
                                                         "<u4", "<u8", "<f2", "<f4", "<f8", "|b1"};
  return kinds[static_cast<size_t>(type)];
}

} // namespace

bool is_npy(std::span<const uint8_t> bytes) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

llvm::Expected<Buffer> parse_npy(std::span<const uint8_t> bytes, std::string_view name) {
  if (!is_npy(bytes))
    return fail("{}: not a .npy file", name);
  const auto truncated = [&] { return fail("{}: the .npy file ends early ({} bytes)", name, bytes.size()); };
  if (bytes.size() < 10)
    return truncated();
  const int major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3)
    return fail("{}: .npy version {}.{} is not known (1, 2 and 3 are)", name, major, minor);
  size_t begin = major == 1 ? 10 : 12;
  if (bytes.size() < begin)
    return truncated();
  uint64_t length = bytes[8] | bytes[9] << 8;
  if (major > 1)
    length |= uint64_t(bytes[10]) << 16 | uint64_t(bytes[11]) << 24;
  if (bytes.size() - begin < length)
    return truncated();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + begin, length);
  auto header = parse_header(text.substr(0, text.find_last_not_of(" \n") + 1), name);
  if (!header)
    return header.takeError();
  auto type = parse_descr(header->descr, name);
  if (!type)
    return type.takeError();
  if (header->fortran_order && header->shape.size() > 1)
    return fail("{}: Fortran order; save numpy.ascontiguousarray(array)", name);

  Buffer buffer{*type, header->shape, {}};
  uint64_t size = size_of(*type);
  for (const uint64_t n : buffer.shape)
    if (__builtin_mul_overflow(size, n, &size))
      return fail("{}: impossible shape", name);
  const auto data = bytes.subspan(begin + length);
  if (data.size() != size)
    return fail("{}: {} needs {} bytes, the file has {}", name, describe(buffer), size, data.size());
  buffer.bytes.assign(data.begin(), data.end());
  return buffer;
}

std::vector<uint8_t> format_npy(const Buffer& buffer) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", kind_of(buffer.type),
                                   fmt::join(buffer.shape, ", "), buffer.shape.size() == 1 ? "," : "");
  const size_t unpadded = magic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::vector<uint8_t> bytes(magic.begin(), magic.end());
  bytes.insert(bytes.end(), {1, 0, static_cast<uint8_t>(header.size()), static_cast<uint8_t>(header.size() >> 8)});
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), buffer.bytes.begin(), buffer.bytes.end());
  return bytes;
}

} // namespace crosslane::launch
