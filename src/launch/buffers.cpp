// Array arguments from their description.
#include "launch/buffers.h"
#include "files/error.h"
#include "files/place.h"
#include "files/read.h"
#include "files/write.h"
#include "launch/npy.h"
#include <cmath>
#include <cstring>
#include <filesystem>

namespace crosslane::launch {

namespace {

constexpr std::string_view example = "for example f32[1000]:iota, [64,64]:random:7 or @x.npy";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
uint64_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

llvm::Expected<double> number(std::string_view text) {
  uint8_t bytes[8];
  if (auto error = store(Type::f64, text, bytes))
    return std::move(error);
  return load(Type::f64, bytes).real;
}
llvm::Expected<int64_t> integer(std::string_view text) {
  uint8_t bytes[8];
  if (auto error = store(Type::i64, text, bytes))
    return std::move(error);
  return load(Type::i64, bytes).integer;
}

llvm::Error fill_iota(Buffer& buffer, std::span<const std::string_view> words) {
  if (words.size() > 3)
    return fail("iota takes a start and a step: iota:5:2");
  const uint32_t size = size_of(buffer.type);
  if (is_float(buffer.type)) {
    double value[2] = {0, 1};
    for (size_t i = 1; i < words.size(); ++i) {
      auto parsed = number(words[i]);
      if (!parsed)
        return parsed.takeError();
      value[i - 1] = *parsed;
    }
    for (uint64_t i = 0; i < buffer.count(); ++i)
      store_real(buffer.type, value[0] + value[1] * static_cast<double>(i), buffer.bytes.data() + i * size);
    return llvm::Error::success();
  }
  int64_t value[2] = {0, 1};
  for (size_t i = 1; i < words.size(); ++i) {
    auto parsed = integer(words[i]);
    if (!parsed)
      return parsed.takeError();
    value[i - 1] = *parsed;
  }
  for (uint64_t i = 0; i < buffer.count(); ++i)
    store_integer(buffer.type,
                  static_cast<int64_t>(static_cast<uint64_t>(value[0]) + static_cast<uint64_t>(value[1]) * i),
                  buffer.bytes.data() + i * size);
  return llvm::Error::success();
}

llvm::Error fill_random(Buffer& buffer, std::span<const std::string_view> words) {
  if (words.size() != 1 && words.size() != 2 && words.size() != 4)
    return fail("random takes a seed and the ends of a range: random:7 or random:7:-1:1");
  uint64_t state = 0;
  if (words.size() > 1) {
    auto seed = integer(words[1]);
    if (!seed)
      return seed.takeError();
    state = static_cast<uint64_t>(*seed);
  }
  const uint32_t size = size_of(buffer.type);
  double low = 0, high = 1;
  if (words.size() == 4) {
    auto first = number(words[2]), last = number(words[3]);
    if (!first)
      return llvm::joinErrors(first.takeError(), last.takeError());
    if (!last)
      return last.takeError();
    low = *first, high = *last;
    if (!(low < high))
      return fail("random: the range {} to {} is empty", words[2], words[3]);
  }
  for (uint64_t i = 0; i < buffer.count(); ++i) {
    const uint64_t bits = next_random(state);
    uint8_t* out = buffer.bytes.data() + i * size;
    const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
    // f32 and f16 take as many bits as they can hold, so that 1.0 cannot come out by rounding.
    const double held = buffer.type == Type::f64   ? unit
                        : buffer.type == Type::f32 ? static_cast<double>(bits >> 40) * 0x1p-24
                                                   : static_cast<double>(bits >> 53) * 0x1p-11;
    if (is_float(buffer.type))
      store_real(buffer.type, low + (high - low) * held, out);
    else if (words.size() == 4)
      store_integer(buffer.type, static_cast<int64_t>(std::floor(low + (high - low) * unit)), out);
    else
      store_integer(buffer.type, static_cast<int64_t>(buffer.type == Type::b1 ? bits >> 63 : bits), out);
  }
  return llvm::Error::success();
}

llvm::Error fill(Buffer& buffer, std::string_view init) {
  const uint32_t size = size_of(buffer.type);
  const auto words = split(init, ':');
  if (init == "zeros")
    return llvm::Error::success();
  if (init == "uninit") {
    std::memset(buffer.bytes.data(), 0xa5, buffer.bytes.size());
    buffer.unwritten = true;
    return llvm::Error::success();
  }
  if (words[0] == "iota")
    return fill_iota(buffer, words);
  if (words[0] == "random")
    return fill_random(buffer, words);
  const auto values = split(init, ',');
  if (values.size() != 1 && values.size() != buffer.count())
    return fail("{} values for {}, which has {} elements", values.size(), describe(buffer), buffer.count());
  for (size_t i = 0; i < values.size(); ++i) {
    uint8_t element[8];
    if (auto error = store(buffer.type, values[i], element)) {
      if (values.size() > 1)
        return error;
      llvm::consumeError(std::move(error));
      return fail(
          "'{}' is neither a value of type {} nor zeros, uninit, iota[:START[:STEP]] or random[:SEED[:LOW:HIGH]]", init,
          name(buffer.type));
    }
    if (values.size() > 1)
      std::memcpy(buffer.bytes.data() + i * size, element, size);
    else
      for (uint64_t k = 0; k < buffer.count(); ++k)
        std::memcpy(buffer.bytes.data() + k * size, element, size);
  }
  return llvm::Error::success();
}

llvm::Expected<Buffer> from_file(std::string_view text, std::optional<Type> type, const std::string& folder) {
  std::string_view path = text.substr(1);
  std::optional<Type> given;
  if (const size_t colon = path.rfind(':'); colon != std::string_view::npos) {
    given = parse_type(path.substr(colon + 1));
    if (given)
      path = path.substr(0, colon);
  }
  const std::string file = resolve_path(folder, path);
  auto bytes = files::read(file);
  if (!bytes)
    return bytes.takeError();
  if (is_npy(*bytes)) {
    auto buffer = parse_npy(*bytes, path);
    if (!buffer)
      return buffer;
    if (given && *given != buffer->type)
      return fail("{}: holds {}, not {}", path, describe(*buffer), name(*given));
    buffer->file = file;
    return buffer;
  }
  if (path.ends_with(".npy"))
    return fail("{}: not a .npy file", path);
  if (!given)
    given = type;
  if (!given)
    return fail("{}: say the type of its elements: @{}:f32", path, path);
  const uint32_t size = size_of(*given);
  if (bytes->size() % size)
    return fail("{}: {} bytes are not a whole number of {} elements", path, bytes->size(), name(*given));
  return Buffer{*given, {bytes->size() / size}, std::move(*bytes), file};
}

} // namespace

bool looks_like_buffer(std::string_view text) {
  if (text.starts_with("@") || text.starts_with("buf:"))
    return true;
  const size_t open = text.find('[');
  return open != std::string_view::npos && open <= text.find(':');
}

llvm::Expected<Buffer> make_buffer(std::string_view text, std::optional<Type> type, const std::string& folder) {
  if (text.starts_with("buf:"))
    text.remove_prefix(4);
  if (text.starts_with("@"))
    return from_file(text, type, folder);
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return fail("'{}' does not describe a buffer; {}", text, example);
  if (open > 0) {
    const auto given = parse_type(text.substr(0, open));
    if (!given)
      return fail("'{}' is not an element type; use f16 f32 f64, i8 i16 i32 i64, u8 u16 u32 u64 or b1",
                  text.substr(0, open));
    type = given;
  }
  if (!type)
    return fail("'{}': say the type of its elements, {}", text, example);
  auto shape = parse_shape(text.substr(open + 1, close - open - 1));
  if (!shape)
    return fail("'{}': {}", text, llvm::toString(shape.takeError()));
  Buffer buffer{*type, *shape, {}};
  uint64_t size = size_of(*type);
  for (const uint64_t n : *shape)
    size *= n;
  if (size > files::host_memory())
    return fail("'{}': {} bytes, and this machine has memory for {}", text, size, files::host_memory());
  buffer.bytes.resize(size);
  const std::string_view rest = text.substr(close + 1);
  if (rest.empty())
    return buffer;
  if (rest[0] != ':')
    return fail("'{}': expected ':' after ']', {}", text, example);
  if (auto error = fill(buffer, rest.substr(1)))
    return fail("'{}': {}", text, llvm::toString(std::move(error)));
  return buffer;
}

std::string resolve_path(const std::string& folder, std::string_view path) {
  const std::filesystem::path given(path);
  return folder.empty() || given.is_absolute() ? given.string() : (std::filesystem::path(folder) / given).string();
}

std::string resolve_output(const std::string& folder, const std::string& path) {
  return path == files::standard_output ? path : resolve_path(folder, path);
}

llvm::Error write_buffer(const std::string& path, const Buffer& buffer) {
  return path.ends_with(".npy") ? files::write(path, format_npy(buffer)) : files::write(path, buffer.bytes);
}

} // namespace crosslane::launch
