// Signatures from metadata. HIP kernels carry no type names, but their mangled names do.
#include "launch/signature.h"
#include "files/error.h"
#include "findings/names.h"
#include "isa/suggest.h"
#include <cctype>

namespace crosslane::launch {

namespace {

// "(float*, A<int, 2>, int)" one by one.
std::vector<std::string> split_types(std::string_view parameters) {
  if (parameters.size() <= 2)
    return {};
  std::vector<std::string> types;
  int depth = 0;
  std::string type;
  for (const char c : parameters.substr(1, parameters.size() - 2)) {
    if (c == '<' || c == '(' || c == '[')
      ++depth;
    if (c == '>' || c == ')' || c == ']')
      --depth;
    if (c == ',' && depth == 0)
      types.push_back(std::move(type)), type.clear();
    else if (c != ' ' || !type.empty())
      type += c;
  }
  types.push_back(std::move(type));
  return types;
}

// What is left of a type's spelling once qualifiers are off; says whether it was a pointer.
std::string bare_type(std::string_view text, bool& pointer) {
  pointer = false;
  std::string result, word;
  const auto flush = [&] {
    static constexpr std::string_view qualifiers[] = {"const",        "volatile", "restrict", "__restrict",
                                                      "__restrict__", "global",   "__global", "__constant",
                                                      "constant",     "struct",   "*const",   "*restrict"};
    for (const auto q : qualifiers)
      if (word == q)
        word.clear();
    if (!word.empty())
      result += (result.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char c : text) {
    if (c == '*' || c == '&')
      flush(), pointer = true;
    else if (c == ' ')
      flush();
    else
      word += c;
  }
  flush();
  return result;
}

// As the demangler has it: "float const*".
bool points_to_const(std::string_view type) {
  const size_t star = type.rfind('*');
  return star != std::string_view::npos && type.substr(0, star).ends_with(" const");
}

// "float4" -> f32, 4.
void set_element(Parameter& parameter, std::string_view spelling) {
  bool pointer = false;
  std::string bare = bare_type(spelling, pointer);
  if (bare.starts_with("HIP_vector_type<")) { // float4 of HIP, demangled
    const size_t comma = bare.find(',');
    const std::string count = bare.substr(std::min(bare.size(), bare.find_first_of("0123456789", comma)));
    bare = bare.substr(16, comma - 16) + std::to_string(std::atoi(count.c_str()));
  }
  size_t digits = bare.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(bare[digits - 1])))
    --digits;
  const std::string base = bare.substr(0, digits), count = bare.substr(digits);
  // OpenCL's int8 is a vector of eight ints, not what parse_type() takes it for.
  const auto scalar = parse_type(base);
  if (!count.empty() && scalar && (count == "2" || count == "3" || count == "4" || count == "8" || count == "16")) {
    parameter.element = scalar;
    parameter.elements = count == "3" ? 4 : static_cast<uint32_t>(std::atoi(count.c_str()));
  } else if (const auto type = parse_type(bare)) {
    parameter.element = type;
  }
}

std::string spelled(const Parameter& p) {
  if (!p.type_name.empty())
    return p.type_name;
  if (p.kind == Parameter::Kind::pointer)
    return "pointer";
  if (p.kind == Parameter::Kind::local)
    return "local pointer";
  if (p.kind == Parameter::Kind::unsupported)
    return p.value_kind;
  return fmt::format("{} bytes", p.size);
}

bool same_but_for_spaces(std::string_view a, std::string_view b) {
  const auto bare = [](std::string_view text) {
    std::string result(text);
    std::erase(result, ' ');
    return result;
  };
  return bare(a) == bare(b);
}

std::string full_names(const std::vector<const codeobject::Kernel*>& kernels) {
  std::string text;
  for (const auto* kernel : kernels)
    text += "\n  " + codeobject::demangle(kernel->name);
  return text;
}

std::string kernel_list(const codeobject::CodeObject& object) {
  std::string text;
  for (const auto& kernel : object.kernels())
    text += "\n  " + describe(signature_of(kernel));
  return text;
}

} // namespace

bool is_called(std::string_view symbol, std::string_view wanted) {
  const auto parts = findings::function_parts(symbol);
  return symbol == wanted || (parts && same_but_for_spaces(parts->name, wanted)) ||
         same_but_for_spaces(codeobject::demangle(symbol), wanted);
}

Signature signature_of(const codeobject::Kernel& kernel) {
  const auto parts = findings::function_parts(kernel.name);
  Signature signature;
  signature.kernel = parts ? parts->name : kernel.name;
  signature.known = kernel.has_metadata;
  const auto types = parts ? split_types(parts->parameters) : std::vector<std::string>();
  for (const auto& argument : kernel.arguments) {
    if (argument.hidden())
      continue;
    Parameter p;
    p.name = argument.name;
    // clang rewrites HIP's pointers to global ones and renames the argument.
    if (const size_t dot = p.name.find('.'); dot != std::string::npos)
      p.name.resize(dot);
    p.type_name = argument.type_name;
    if (p.type_name.empty() && signature.parameters.size() < types.size())
      p.type_name = types[signature.parameters.size()];
    p.value_kind = argument.value_kind;
    p.read_only = argument.is_const || points_to_const(p.type_name);
    p.offset = argument.offset, p.size = argument.size, p.pointee_align = argument.pointee_align;
    if (p.value_kind == "by_value")
      p.kind = Parameter::Kind::scalar;
    else if (p.value_kind == "global_buffer")
      p.kind = Parameter::Kind::pointer;
    else if (p.value_kind == "dynamic_shared_pointer")
      p.kind = Parameter::Kind::local;
    else
      p.kind = Parameter::Kind::unsupported;
    set_element(p, p.type_name);
    if (p.kind == Parameter::Kind::scalar && p.element && size_of(*p.element) * p.elements != p.size)
      p.element.reset();
    signature.parameters.push_back(std::move(p));
  }
  return signature;
}

std::string describe(const Parameter& p) { return p.name.empty() ? spelled(p) : spelled(p) + " " + p.name; }

std::string describe(const Signature& signature) {
  if (!signature.known)
    return signature.kernel + "(no metadata: arguments in order, with types, such as f32[64] and i32:5)";
  std::string text = signature.kernel + "(";
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    text += (i ? ", " : "") + describe(signature.parameters[i]);
  return text + ")";
}

llvm::Expected<const codeobject::Kernel*> choose_kernel(const codeobject::CodeObject& object, std::string_view wanted,
                                                        std::string_view how) {
  const auto kernels = object.kernels();
  for (const auto& kernel : object.empty_kernels())
    if (wanted == kernel.name || (wanted.empty() && kernels.empty()))
      return fail("{}: kernel '{}' has no instructions; LLVM leaves none of code that it knows is not reached",
                  object.name(), kernel.name);
  if (kernels.empty())
    return fail("{}: has no kernels", object.name());
  if (wanted.empty()) {
    if (kernels.size() == 1)
      return &kernels[0];
    return fail("{}: has {} kernels; {}:{}", object.name(), kernels.size(), how, kernel_list(object));
  }
  if (const auto* kernel = object.find_kernel(wanted))
    return kernel;
  // By what it is called in full, and else without the arguments of its template.
  for (const bool in_full : {true, false}) {
    std::vector<const codeobject::Kernel*> found;
    for (const auto& kernel : kernels) {
      const auto parts = findings::function_parts(kernel.name);
      if (in_full ? is_called(kernel.name, wanted) || same_but_for_spaces(describe(signature_of(kernel)), wanted)
                  : parts && same_but_for_spaces(parts->of, wanted))
        found.push_back(&kernel);
    }
    if (found.size() == 1)
      return found[0];
    if (!found.empty())
      return fail("{}: {} kernels are called '{}'; name one in full:{}", object.name(), found.size(), wanted,
                  full_names(found));
  }
  std::vector<std::string> names;
  for (const auto& kernel : kernels) {
    const auto parts = findings::function_parts(kernel.name);
    names.push_back(parts ? std::string(parts->of) : kernel.name);
  }
  return fail("{}: has no kernel '{}'{} There {}:{}", object.name(), wanted,
              isa::did_you_mean(wanted, std::vector<std::string_view>(names.begin(), names.end()), "."),
              kernels.size() == 1 ? "is" : "are", kernel_list(object));
}

} // namespace crosslane::launch
