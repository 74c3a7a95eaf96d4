// Records to text, by the C library's own printf for each conversion.
#include "toolchain/device_printf.h"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

namespace crosslane::toolchain {

namespace {

using Bytes = std::span<const uint8_t>;

constexpr size_t header = 8;               // bytes taken, size of the buffer
constexpr int widest = 4096;               // of a field: formats may be hostile
constexpr uint32_t unwritten = 0x9d5ac3e7; // dwords that no kernel has written
constexpr uint32_t constant_format = 2;    // in the first dword of HIP's records, below its size

template <class T> T load(Bytes bytes, size_t at) {
  T value{};
  if (at <= bytes.size() && sizeof(T) <= bytes.size() - at)
    std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

std::string_view text_of(Bytes bytes) {
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  return {begin, static_cast<size_t>(std::find(bytes.begin(), bytes.end(), 0) - bytes.begin())};
}

// "%-5.2v4hlf": one conversion.
struct Conversion {
  std::string flags;     // "-"
  int width = 0;         // 0: none
  int precision = -1;    // -1: none
  unsigned elements = 1; // 4
  bool star_width = false, star_precision = false;
  std::string length; // "hl"
  char letter = 0;    // 'f'; 0: no conversion
  size_t size = 0;    // characters of it
};

Conversion parse(std::string_view text) { // from behind the '%' on
  Conversion c;
  size_t at = 0;
  const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  const auto digits = [&] {
    int value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at)
      value = std::min(value * 10 + (peek() - '0'), widest);
    return value;
  };
  while (peek() && std::strchr("-+ #0", peek()))
    c.flags += text[at++];
  if (peek() == '*')
    c.star_width = true, ++at;
  else
    c.width = digits();
  if (peek() == '.') {
    ++at;
    if (peek() == '*')
      c.star_precision = true, ++at;
    else
      c.precision = digits();
  }
  if (peek() == 'v')
    ++at, c.elements = static_cast<unsigned>(std::clamp(digits(), 1, 16));
  while (peek() && std::strchr("hlLjzt", peek()))
    c.length += text[at++];
  if (peek() && std::strchr("diouxXcsaAeEfFgGp", peek()))
    c.letter = text[at++];
  c.size = at;
  return c;
}

struct Format {
  std::vector<uint32_t> sizes; // bytes of each argument
  std::vector<bool> texts;     // is it a text?
  std::string text;
  bool whole = true; // LLVM 19 leaves out arguments of formats with "%*d": those are shown as they stand
};

// Which arguments a format takes as texts.
std::vector<bool> texts_of(std::string_view format) {
  std::vector<bool> texts;
  for (size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at)) {
    const Conversion c = parse(format.substr(at + 1));
    texts.insert(texts.end(), c.star_width + c.star_precision, false);
    if (c.letter)
      texts.push_back(c.letter == 's');
    at += 1 + std::max<size_t>(c.size, format.substr(at).starts_with("%%"));
  }
  return texts;
}

// What LLVM escapes in OpenCL's formats.
std::string unescape(std::string_view text) {
  static constexpr std::pair<std::string_view, char> escapes[] = {
      {"\\a", '\a'}, {"\\b", '\b'}, {"\\f", '\f'}, {"\\n", '\n'}, {"\\r", '\r'}, {"\\v", '\v'}, {"\\72", ':'}};
  std::string result;
  while (!text.empty()) {
    const auto escape = std::ranges::find_if(escapes, [&](const auto& e) { return text.starts_with(e.first); });
    if (escape != std::end(escapes)) {
      result += escape->second, text.remove_prefix(escape->first.size());
    } else {
      result += text[0], text.remove_prefix(1);
    }
  }
  return result;
}

// The number before the next colon, and the colon, taken off.
std::optional<uint32_t> number(std::string_view& text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto used = static_cast<size_t>(end - text.data());
  if (error != std::errc() || used == text.size() || text[used] != ':')
    return {};
  text.remove_prefix(used + 1);
  return value;
}

struct Formats {
  std::map<uint32_t, Format> opencl;   // by number
  std::map<uint64_t, std::string> hip; // by hash

  explicit Formats(std::span<const std::string> entries) {
    for (std::string_view text : entries) {
      const auto id = number(text), count = number(text);
      if (!id || !count)
        continue;
      if (*id == 0) { // "0:0:9a02481d4c920418,text"
        uint64_t hash = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
        const auto used = static_cast<size_t>(end - text.data());
        if (error == std::errc() && used < text.size() && text[used] == ',')
          hip[hash] = text.substr(used + 1);
        continue;
      }
      Format format;
      for (uint32_t i = 0; i < *count; ++i)
        if (const auto size = number(text))
          format.sizes.push_back(*size);
      format.text = unescape(text), format.texts = texts_of(format.text);
      format.whole = format.sizes.size() == *count;
      opencl[*id] = std::move(format);
    }
  }
};

// The arguments of one record, in turn. Integers and floating-point numbers of `size` bytes; a text ends at a zero
// byte.
class Arguments {
public:
  Arguments(Bytes bytes, const std::vector<uint32_t>* sizes) : bytes_(bytes), sizes_(sizes) {}
  // Empty: there are no more.
  Bytes next(bool text) {
    size_t size = 8; // HIP
    if (sizes_)
      size = used_ < sizes_->size() ? (*sizes_)[used_] : 0;
    else if (text)
      size = (static_cast<size_t>(std::find(bytes_.begin(), bytes_.end(), 0) - bytes_.begin()) + 8) / 8 * 8;
    size = std::min(size, bytes_.size());
    ++used_;
    const Bytes argument = bytes_.first(size);
    bytes_ = bytes_.subspan(std::min((size + 3) / 4 * 4, bytes_.size()));
    return argument;
  }

private:
  Bytes bytes_;
  const std::vector<uint32_t>* sizes_; // none: HIP's
  size_t used_ = 0;
};

// `conversion` with a length that fits the value that it is for.
template <class T> std::string print(const Conversion& conversion, const char* length, T value) {
  std::string format = "%" + conversion.flags;
  if (conversion.width)
    format += std::to_string(conversion.width);
  if (conversion.precision >= 0)
    format += "." + std::to_string(conversion.precision);
  format += length;
  format += conversion.letter;
  char text[512 + 2 * widest]; // digits of the largest double, width, precision
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
  const int size = std::snprintf(text, sizeof text, format.c_str(), value);
#pragma clang diagnostic pop
  return {text, static_cast<size_t>(std::clamp(size, 0, static_cast<int>(sizeof text) - 1))};
}

int64_t signed_value(Bytes bytes) {
  switch (bytes.size()) {
  case 1: return load<int8_t>(bytes, 0);
  case 2: return load<int16_t>(bytes, 0);
  case 4: return load<int32_t>(bytes, 0);
  default: return load<int64_t>(bytes, 0);
  }
}

std::string print_integer(const Conversion& c, Bytes bytes) {
  int64_t value = signed_value(bytes);
  size_t size = bytes.size();
  if (c.length == "hh")
    value = static_cast<int8_t>(value), size = 1;
  else if (c.length == "h")
    value = static_cast<int16_t>(value), size = std::min<size_t>(size, 2);
  else if (c.length.empty() || c.length == "hl") // HIP widens an int to 8 bytes
    value = static_cast<int32_t>(value), size = std::min<size_t>(size, 4);
  if (c.letter == 'c')
    return print(c, "", static_cast<int>(value));
  if (c.letter == 'd' || c.letter == 'i')
    return print(c, "ll", static_cast<long long>(value));
  const uint64_t bits = size >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * size)) - 1;
  return print(c, "ll", static_cast<unsigned long long>(static_cast<uint64_t>(value) & bits));
}

std::string print_element(const Conversion& c, Bytes bytes) {
  if (!std::strchr("aAeEfFgG", c.letter))
    return print_integer(c, bytes);
  switch (bytes.size()) {
  case 2: return print(c, "", static_cast<double>(load<_Float16>(bytes, 0)));
  case 4: return print(c, "", static_cast<double>(load<float>(bytes, 0)));
  default: return print(c, "", load<double>(bytes, 0));
  }
}

std::string print_argument(const Conversion& c, Bytes bytes) {
  if (c.letter == 's') {
    std::string text(text_of(bytes).substr(0, c.precision < 0 ? bytes.size() : static_cast<size_t>(c.precision)));
    const size_t missing = static_cast<size_t>(c.width) - std::min(text.size(), static_cast<size_t>(c.width));
    return text.insert(c.flags.find('-') == std::string::npos ? 0 : text.size(), missing, ' ');
  }
  if (c.letter == 'p')
    return print(c, "", reinterpret_cast<void*>(load<uint64_t>(bytes, 0)));
  // A vector of three has the size of one of four.
  const size_t size = bytes.size() / (c.elements == 3 ? 4 : c.elements);
  std::string text;
  for (unsigned i = 0; i < c.elements && size; ++i)
    text += (i ? "," : "") + print_element(c, bytes.subspan(i * size, size));
  return text;
}

std::string print_all(std::string_view format, Arguments arguments) {
  std::string text;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    if (format.substr(at).starts_with("%%")) {
      text += '%', at += 2;
      continue;
    }
    Conversion c = parse(format.substr(at + 1));
    const auto star = [&] {
      return static_cast<int>(std::clamp<int64_t>(signed_value(arguments.next(false)), -widest, widest));
    };
    if (c.star_width)
      c.width = star();
    if (c.star_precision)
      c.precision = star();
    if (c.width < 0)
      c.flags += "-", c.width = -c.width;
    const Bytes argument = c.letter ? arguments.next(c.letter == 's') : Bytes();
    // Shown as it stands: no conversion, or one without an argument.
    text += argument.empty() ? std::string(format.substr(at, 1 + c.size)) : print_argument(c, argument);
    at += 1 + c.size;
  }
  return text;
}

// Do these four bytes end a text: one to three characters, then zeros?
bool ends_text(Bytes bytes, bool printable) {
  const std::string_view text = text_of(bytes);
  return !text.empty() && text.size() < bytes.size() &&
         std::ranges::all_of(
             bytes.subspan(text.size()), [](uint8_t byte) { return byte == 0; }) &&
         (!printable || std::ranges::all_of(text, [](char c) { return c >= ' ' && c != 0x7f; }));
}

// LLVM 19 makes room for a text and its final zero, but where the text's length is a multiple of four it writes no
// zero, and all that follows lies four bytes earlier: as many are left over at the end. Which texts those were, their
// last bytes tell.
std::vector<uint32_t> sizes_written(const Format& format, Bytes record) {
  std::vector<uint32_t> sizes = format.sizes;
  size_t left_over = 0;
  while (4 * (left_over + 1) <= record.size() &&
         load<uint32_t>(record, record.size() - 4 * (left_over + 1)) == unwritten)
    ++left_over;
  const size_t count = std::min(sizes.size(), format.texts.size());
  auto texts =
      static_cast<size_t>(std::count(format.texts.begin(), format.texts.begin() + static_cast<long>(count), true));
  for (size_t i = 0, at = 0; i < count && left_over; at += (sizes[i] + 3) / 4 * 4, ++i) {
    if (!format.texts[i])
      continue;
    if (const uint32_t size = sizes[i]; size >= 8 && at + size <= record.size()) {
      const Bytes last = record.subspan(at + size - 4, 4);
      if (text_of(record.subspan(at, size - 4)).size() == size - 4 && (left_over >= texts || !ends_text(last, true)))
        sizes[i] -= 4, --left_over;
    }
    --texts;
  }
  return sizes;
}

// One record's text, and its bytes; 0: none that makes sense.
size_t print_opencl(const Formats& formats, Bytes records, std::string& text) {
  const auto format = formats.opencl.find(load<uint32_t>(records, 0));
  if (format == formats.opencl.end())
    return 0;
  size_t size = 4;
  for (const uint32_t argument : format->second.sizes)
    size += (size_t(argument) + 3) / 4 * 4;
  if (size > records.size())
    return 0;
  if (!format->second.whole) {
    text += format->second.text;
    return size;
  }
  const Bytes record = records.subspan(4, size - 4);
  const std::vector<uint32_t> sizes = sizes_written(format->second, record);
  text += print_all(format->second.text, Arguments(record, &sizes));
  return size;
}

size_t print_hip(const Formats& formats, Bytes records, std::string& text) {
  const auto control = load<uint32_t>(records, 0);
  const size_t size = control >> 2;
  if (size < 12 || size > records.size())
    return 0;
  const Bytes record = records.first(size);
  if (control & constant_format) {
    const auto format = formats.hip.find(load<uint64_t>(record, 4));
    if (format == formats.hip.end())
      return 0;
    text += print_all(format->second, Arguments(record.subspan(12), nullptr));
  } else {
    const std::string_view format = text_of(record.subspan(4));
    text += print_all(format, Arguments(record.subspan(std::min(4 + (format.size() + 8) / 8 * 8, size)), nullptr));
  }
  return size;
}

} // namespace

void prepare_printf_buffer(std::span<uint8_t> buffer) {
  for (size_t at = header; at + 4 <= buffer.size(); at += 4)
    std::memcpy(&buffer[at], &unwritten, 4);
  const uint32_t words[2] = {0, static_cast<uint32_t>(buffer.size())};
  std::memcpy(buffer.data(), words, sizeof words);
}

Printed take_printed(std::span<uint8_t> buffer, std::span<const std::string> entries) {
  const Formats formats(entries);
  const size_t taken = load<uint32_t>(buffer, 0), room = buffer.size() - header;
  Bytes records = Bytes(buffer).subspan(header, std::min(taken, room));
  Printed printed;
  size_t largest = 0;
  while (!records.empty()) {
    const size_t size = formats.opencl.empty() ? print_hip(formats, records, printed.text)
                                               : print_opencl(formats, records, printed.text);
    if (size == 0)
      break;
    largest = std::max(largest, size);
    records = records.subspan(size);
  }
  // Who found no room left no trace with ROCm's allocation: assumed where one more of the largest would have found
  // none.
  printed.full = taken + largest > room;
  if (taken)
    prepare_printf_buffer(buffer);
  return printed;
}

} // namespace crosslane::toolchain
