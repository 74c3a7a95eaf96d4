// Signatures from metadata. HIP kernels carry no type names, but their mangled names do.
#include "cli/signature.h"
#include "cli/error.h"
#include <cctype>

namespace crosslane::cli {

namespace {

// Parameter types of "void f(float*, A<int, 2>, int)"; empty if the text is no function.
std::vector<std::string> parameter_types(std::string_view demangled) {
  const size_t open = demangled.find('('), close = demangled.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open + 1)
    return {};
  std::vector<std::string> types;
  int depth = 0;
  std::string type;
  for (const char c : demangled.substr(open + 1, close - open - 1)) {
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

std::string kernel_list(const codeobject::CodeObject& object) {
  std::string text;
  for (const auto& kernel : object.kernels())
    text += "\n  " + describe(signature_of(kernel));
  return text;
}

} // namespace

std::string function_name(std::string_view demangled) {
  const size_t open = demangled.find('(');
  if (open == std::string_view::npos)
    return std::string(demangled);
  std::string_view name = demangled.substr(0, open);
  if (const size_t angle = name.find('<'); angle != std::string_view::npos)
    name = name.substr(0, angle);
  if (const size_t space = name.rfind(' '); space != std::string_view::npos)
    name = name.substr(space + 1);
  return std::string(name);
}

Signature signature_of(const codeobject::Kernel& kernel) {
  const std::string demangled = codeobject::demangle(kernel.name);
  Signature signature;
  signature.kernel = function_name(demangled);
  signature.known = kernel.has_metadata;
  const auto types = demangled == kernel.name ? std::vector<std::string>() : parameter_types(demangled);
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

llvm::Expected<const codeobject::Kernel*> choose_kernel(const codeobject::CodeObject& object, std::string_view wanted) {
  const auto kernels = object.kernels();
  if (kernels.empty())
    return fail("{}: has no kernels", object.name());
  if (wanted.empty()) {
    if (kernels.size() == 1)
      return &kernels[0];
    return fail("{}: has {} kernels; choose one with --kernel:{}", object.name(), kernels.size(), kernel_list(object));
  }
  if (const auto* kernel = object.find_kernel(wanted))
    return kernel;
  const codeobject::Kernel* found = nullptr;
  for (const auto& kernel : kernels) {
    const std::string demangled = codeobject::demangle(kernel.name);
    if (demangled == wanted)
      return &kernel;
    if (function_name(demangled) != wanted)
      continue;
    if (found)
      return fail("{}: several kernels are called '{}'; name one in full:\n  {}\n  {}", object.name(), wanted,
                  found->name, kernel.name);
    found = &kernel;
  }
  if (found)
    return found;
  return fail("{}: has no kernel '{}'; there {}:{}", object.name(), wanted, kernels.size() == 1 ? "is" : "are",
              kernel_list(object));
}

} // namespace crosslane::cli
