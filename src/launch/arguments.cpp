// Words to arguments.
#include "launch/arguments.h"
#include "files/error.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

namespace crosslane::launch {

namespace {

struct Word {
  std::string_view name; // empty: by position
  std::string_view value;
};

Word split_name(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return {{}, word};
  for (const char c : word.substr(0, equals))
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      return {{}, word};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

// "f32x4:1,2,3,4" -> f32, 4, "1,2,3,4"; without a type `type` stays empty.
struct TypedText {
  std::optional<Type> type;
  uint32_t elements = 1;
  std::string_view text;
};
TypedText split_type(std::string_view value) {
  const size_t colon = value.find(':');
  if (colon == std::string_view::npos)
    return {{}, 1, value};
  const std::string_view spelling = value.substr(0, colon);
  if (const auto type = parse_type(spelling))
    return {type, 1, value.substr(colon + 1)};
  if (const size_t x = spelling.find('x'); x != std::string_view::npos) {
    uint32_t count = 0;
    const auto result = std::from_chars(spelling.data() + x + 1, spelling.data() + spelling.size(), count);
    const auto type = parse_type(spelling.substr(0, x));
    if (type && result.ec == std::errc() && result.ptr == spelling.data() + spelling.size() && count > 0 && count <= 16)
      return {type, count, value.substr(colon + 1)};
  }
  return {{}, 1, value};
}

llvm::Expected<std::vector<uint8_t>> elements(Type type, uint32_t count, std::string_view text) {
  std::vector<uint8_t> bytes;
  uint32_t given = 0;
  uint8_t element[8] = {};
  for (std::string_view rest = text;; ++given) {
    const size_t comma = rest.find(',');
    if (auto error = store(type, rest.substr(0, comma), element))
      return std::move(error);
    bytes.insert(bytes.end(), element, element + size_of(type));
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  ++given;
  if (given == 1)
    for (; given < count; ++given)
      bytes.insert(bytes.end(), element, element + size_of(type));
  if (given == 3 && count == 4)
    bytes.resize(size_t(4) * size_of(type)), given = 4;
  if (given != count)
    return fail("{} value(s) where {} are needed", given, count);
  return bytes;
}

llvm::Expected<std::vector<uint8_t>> hex_bytes(std::string_view text) {
  std::vector<uint8_t> bytes;
  if (text.size() % 2)
    return fail("an odd number of hex digits");
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const auto result = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (result.ptr != text.data() + i + 2)
      return fail("'{}' is not hexadecimal", text.substr(i, 2));
    bytes.push_back(byte);
  }
  return bytes;
}

class Binder {
public:
  explicit Binder(const std::string& folder) : folder_(folder) {}

  llvm::Error bind(Bound& bound, std::string_view value, size_t position) {
    switch (bound.parameter.kind) {
    case Parameter::Kind::scalar: return bind_scalar(bound, value);
    case Parameter::Kind::pointer: return bind_pointer(bound, value, position);
    case Parameter::Kind::local: return bind_local(bound, value);
    case Parameter::Kind::unsupported: break;
    }
    return fail("arguments of kind '{}' are not supported", bound.parameter.value_kind);
  }

  // Without metadata the value itself says what it is; arguments follow each other at their natural alignment.
  llvm::Error bind_untyped(Bound& bound, std::string_view value, uint32_t& offset, size_t position) {
    auto& p = bound.parameter;
    if (looks_like_buffer(value) || value == "null" || value.starts_with("&")) {
      p.kind = Parameter::Kind::pointer, p.size = 8;
    } else if (value.starts_with("lds:")) {
      p.kind = Parameter::Kind::local, p.size = 4;
    } else if (value.starts_with("hex:")) {
      p.size = static_cast<uint32_t>(value.size() - 4) / 2;
    } else {
      const auto typed = split_type(value);
      if (!typed.type)
        return fail("the kernel has no metadata: say the type, such as i32:{}", value);
      p.element = typed.type, p.elements = typed.elements == 3 ? 4 : typed.elements;
      p.size = size_of(*typed.type) * p.elements;
    }
    place(p, offset, value.starts_with("hex:") ? 8 : alignment_of(p.size));
    return bind(bound, value, position);
  }

  static llvm::Error set(Bound& bound, const SetArgument& value) {
    const auto& p = bound.parameter;
    if (value.local_bytes) {
      if (p.kind != Parameter::Kind::local)
        return fail("bytes of LDS for what is no local pointer");
      bound.local_bytes = *value.local_bytes;
      return llvm::Error::success();
    }
    if (p.kind == Parameter::Kind::local)
      return fail("a local pointer has a size of LDS, and no value");
    if (p.kind == Parameter::Kind::unsupported)
      return fail("arguments of kind '{}' are not supported", p.value_kind);
    if (value.bytes.size() != p.size)
      return fail("{} bytes where {} are needed", value.bytes.size(), p.size);
    bound.bytes = value.bytes;
    return llvm::Error::success();
  }

  // As bind_untyped().
  static void set_untyped(Bound& bound, const SetArgument& value, uint32_t& offset) {
    auto& p = bound.parameter;
    p.kind = value.local_bytes ? Parameter::Kind::local : Parameter::Kind::scalar;
    p.size = value.local_bytes ? 4 : static_cast<uint32_t>(value.bytes.size());
    place(p, offset, alignment_of(p.size));
    bound.bytes = value.bytes, bound.local_bytes = value.local_bytes.value_or(0);
  }

  std::vector<NamedBuffer> take_buffers() { return std::move(buffers_); }

private:
  static uint32_t alignment_of(uint32_t size) {
    uint32_t alignment = 1;
    while (alignment < size && alignment < 16)
      alignment *= 2;
    return alignment;
  }
  static void place(Parameter& p, uint32_t& offset, uint32_t alignment) {
    p.offset = offset = (offset + alignment - 1) / alignment * alignment;
    offset += p.size;
  }
  llvm::Error bind_scalar(Bound& bound, std::string_view value) {
    const auto& p = bound.parameter;
    if (looks_like_buffer(value))
      return fail("a buffer where a value is needed");
    if (value.starts_with("hex:")) {
      auto bytes = hex_bytes(value.substr(4));
      if (!bytes)
        return bytes.takeError();
      if (bytes->size() != p.size)
        return fail("{} bytes where {} are needed", bytes->size(), p.size);
      bound.bytes = std::move(*bytes);
      return llvm::Error::success();
    }
    auto typed = split_type(value);
    if (typed.elements == 3)
      typed.elements = 4;
    if (!typed.type) {
      if (!p.element && p.size != 1 && p.size != 2 && p.size != 4 && p.size != 8)
        return fail("a struct of {} bytes: give its bytes, hex:{}...", p.size, "00");
      typed.type = p.element;
      typed.elements = p.elements;
      if (!typed.type) { // no type known: a number with a point is floating
        const bool real = typed.text.find_first_of(".n") != std::string_view::npos && !typed.text.starts_with("0x");
        static constexpr Type reals[] = {Type::f16, Type::f16, Type::f32, Type::f64};
        static constexpr Type integers[] = {Type::i8, Type::i16, Type::i32, Type::i64};
        const int log2 = p.size == 1 ? 0 : p.size == 2 ? 1 : p.size == 4 ? 2 : 3;
        typed.type = real ? reals[log2] : integers[log2];
      }
    } else if (p.element && (*p.element != *typed.type || p.elements != typed.elements)) {
      return fail("{} where {} is needed", value.substr(0, value.find(':')), p.type_name);
    } else if (size_of(*typed.type) * typed.elements != p.size) {
      return fail("{} bytes where {} are needed", size_of(*typed.type) * typed.elements, p.size);
    }
    auto bytes = elements(*typed.type, typed.elements, typed.text);
    if (!bytes)
      return bytes.takeError();
    bound.bytes = std::move(*bytes);
    return llvm::Error::success();
  }

  llvm::Error bind_pointer(Bound& bound, std::string_view value, size_t position) {
    const auto& p = bound.parameter;
    if (value == "null")
      return llvm::Error::success();
    if (value.starts_with("&")) {
      for (size_t i = 0; i < buffers_.size(); ++i)
        if (buffers_[i].name == value.substr(1)) {
          bound.buffer = static_cast<int>(i);
          return llvm::Error::success();
        }
      return fail("there is no buffer '{}' before it", value.substr(1));
    }
    if (!looks_like_buffer(value))
      return fail("'{}' where a buffer is needed, such as f32[1000]:iota, @x.npy or null", value);
    auto buffer = make_buffer(value, p.element, folder_);
    if (!buffer)
      return buffer.takeError();
    // Signedness and bytes are the user's business; another size or kind of element is surely a mistake.
    if (p.element && (size_of(*p.element) != size_of(buffer->type) || is_float(*p.element) != is_float(buffer->type)) &&
        size_of(buffer->type) != 1)
      return fail("a buffer of {} where {} is needed", name(buffer->type), p.type_name);
    bound.buffer = static_cast<int>(buffers_.size());
    buffers_.push_back({p.name.empty() ? fmt::format("arg{}", position) : p.name, std::move(*buffer)});
    return llvm::Error::success();
  }

  llvm::Error bind_local(Bound& bound, std::string_view value) {
    if (looks_like_buffer(value) && !value.starts_with("@")) { // lds as a typed array: f32[256]
      auto buffer = make_buffer(value, bound.parameter.element, folder_);
      if (!buffer)
        return buffer.takeError();
      bound.local_bytes = static_cast<uint32_t>(std::min<uint64_t>(buffer->bytes.size(), UINT32_MAX));
      return llvm::Error::success();
    }
    uint8_t bytes[4];
    if (value.starts_with("lds:"))
      value.remove_prefix(4);
    if (auto error = store(Type::u32, value, bytes)) {
      llvm::consumeError(std::move(error));
      return fail("'{}' where bytes of LDS are needed, such as lds:1024 or f32[256]", value);
    }
    std::memcpy(&bound.local_bytes, bytes, 4);
    return llvm::Error::success();
  }

  const std::string& folder_;
  std::vector<NamedBuffer> buffers_;
};

} // namespace

llvm::Expected<int> Arguments::find_buffer(std::string_view name, const Signature& signature) const {
  for (const auto& b : bound)
    if (b.buffer >= 0 && b.parameter.name == name)
      return b.buffer;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].name == name)
      return static_cast<int>(i);
  std::vector<std::string> names;
  names.reserve(buffers.size());
  for (const auto& buffer : buffers)
    names.push_back(buffer.name);
  if (names.empty())
    return fail("there is no buffer '{}': no argument is a buffer\n  kernel: {}", name, describe(signature));
  return fail("there is no buffer '{}'; the buffers are {}\n  kernel: {}", name, fmt::join(names, ", "),
              describe(signature));
}

llvm::Expected<Arguments> bind_arguments(const Signature& signature, std::span<const std::string> words,
                                         const std::string& folder, const SetArguments& set) {
  Arguments arguments;
  Binder binder(folder);
  const auto in_context = [&](std::string_view which, llvm::Error error) {
    return fail("argument {}: {}\n  kernel: {}", which, llvm::toString(std::move(error)), describe(signature));
  };
  if (!signature.known) {
    uint32_t offset = 0;
    size_t next = 0; // word
    for (size_t i = 0; i < words.size() + set.size(); ++i) {
      Bound bound;
      if (const auto given = set.find(i); given != set.end()) {
        Binder::set_untyped(bound, given->second, offset);
      } else if (next == words.size()) {
        return fail("argument {} is missing\n  kernel: {}", i, describe(signature));
      } else {
        const Word word = split_name(words[next]);
        bound.parameter.name = word.name;
        if (auto error = binder.bind_untyped(bound, word.value, offset, i))
          return in_context(words[next], std::move(error));
        ++next;
      }
      arguments.bound.push_back(std::move(bound));
    }
    arguments.buffers = binder.take_buffers();
    return arguments;
  }

  const size_t count = signature.parameters.size();
  std::vector<std::optional<std::string_view>> values(count);
  if (!set.empty() && set.rbegin()->first >= count)
    return fail("there is no argument {}\n  kernel: {}", set.rbegin()->first, describe(signature));
  for (const auto& text : words) {
    const Word word = split_name(text);
    if (word.name.empty())
      continue;
    size_t found = count;
    for (size_t i = 0; i < count; ++i)
      if (signature.parameters[i].name == word.name ||
          (signature.parameters[i].name.empty() && word.name == fmt::format("arg{}", i)))
        found = i;
    if (found == count)
      return fail("the kernel has no parameter '{}'\n  kernel: {}", word.name, describe(signature));
    if (values[found] || set.contains(found))
      return fail("parameter '{}' is given twice", word.name);
    values[found] = word.value;
  }
  size_t next = 0;
  for (const auto& text : words) {
    const Word word = split_name(text);
    if (!word.name.empty())
      continue;
    while (next < count && (values[next] || set.contains(next)))
      ++next;
    if (next == count)
      return fail("too many arguments: '{}' is left over\n  kernel: {}", text, describe(signature));
    values[next] = word.value;
  }
  for (size_t i = 0; i < count; ++i) {
    Bound bound{signature.parameters[i], {}, -1, 0};
    const std::string which = bound.parameter.name.empty() ? fmt::format("{}", i) : "'" + bound.parameter.name + "'";
    const auto& value = values[i];
    const auto given = set.find(i);
    if (!value && given == set.end())
      return fail("argument {} is missing\n  kernel: {}", which, describe(signature));
    if (auto error = value ? binder.bind(bound, *value, i) : Binder::set(bound, given->second))
      return in_context(which, std::move(error));
    arguments.bound.push_back(std::move(bound));
  }
  arguments.buffers = binder.take_buffers();
  return arguments;
}

} // namespace crosslane::launch
