// Modules: code from files and bytes, its kernels and variables.
#include "api/attempt.h"
#include "api/handles.h"
#include "toolchain/compile.h"
#include <filesystem>

using namespace crosslane;
using api::attempt, api::failed, api::give;

namespace {

using Loaded = llvm::Expected<std::unique_ptr<codeobject::CodeObject>>;

std::shared_ptr<api::Module> module_of(std::shared_ptr<launch::Device> device,
                                       std::shared_ptr<launch::LoadedCode> code) {
  auto module = std::make_shared<api::Module>();
  module->device = std::move(device);
  module->target = code->object().processor();
  for (const codeobject::Kernel& kernel : code->object().kernels()) {
    launch::Signature signature = launch::signature_of(kernel);
    std::string name = signature.kernel, text = launch::describe(signature);
    module->kernels.push_back({module.get(), &kernel, std::move(signature), std::move(name), std::move(text)});
  }
  module->code = std::move(code);
  return module;
}

// What line tables call it: clang is given the name alone, and assembly all of it.
profile::SourceTexts texts_of(std::span<const uint8_t> bytes, const std::string& name) {
  profile::SourceTexts texts;
  if (const auto text = profile::as_source_text(bytes))
    texts[name] = texts[std::filesystem::path(name).filename()] = *text;
  return texts;
}

// Compilers have a temporary folder, for which they take signals; one at a time can.
template <class F>
crosslane_status load(crosslane_context* context, const crosslane_load_options* options, crosslane_module** module,
                      F load_code, std::span<const uint8_t> bytes = {}, const char* name = "") {
  return attempt(context, [&](crosslane_context& c) {
    if (!module)
      return failed(c.message, CROSSLANE_ERROR_ARGUMENT, "there is no place for the module");
    *module = nullptr;
    toolchain::CompileOptions compile;
    if (options && options->size >= sizeof(*options)) {
      compile.target = options->target ? options->target : "";
      for (const char* const* o = options->clang_options; o && *o; ++o)
        compile.options.emplace_back(*o);
    } else if (options) {
      return failed(c.message, CROSSLANE_ERROR_ARGUMENT, "options of {} bytes: set their size to sizeof",
                    options->size);
    }
    static std::mutex one;
    const std::lock_guard lock(one);
    Loaded object = load_code(compile);
    if (!object)
      return failed(c.message, CROSSLANE_ERROR_CODE, object.takeError());
    auto code = launch::LoadedCode::load(std::move(*object), c.device);
    if (!code)
      return failed(c.message, CROSSLANE_ERROR_CODE, code.takeError());
    auto shared = module_of(c.device, std::move(*code));
    if (!bytes.empty())
      shared->texts = texts_of(bytes, name);
    *module = new crosslane_module{std::move(shared), {}};
    return CROSSLANE_OK;
  });
}

} // namespace

crosslane_status crosslane_module_load(crosslane_context* context, const char* file,
                                       const crosslane_load_options* options, crosslane_module** module) {
  if (!file)
    return CROSSLANE_ERROR_ARGUMENT;
  return load(context, options, module,
              [&](const toolchain::CompileOptions& compile) { return toolchain::load_code(file, compile); });
}

crosslane_status crosslane_module_load_bytes(crosslane_context* context, const void* bytes, size_t size,
                                             const char* name, const crosslane_load_options* options,
                                             crosslane_module** module) {
  if (!bytes || !name)
    return CROSSLANE_ERROR_ARGUMENT;
  const std::span given(static_cast<const uint8_t*>(bytes), size);
  return load(
      context, options, module,
      [&](const toolchain::CompileOptions& compile) { return toolchain::load_code(given, name, compile); }, given,
      name);
}

void crosslane_module_destroy(crosslane_module* module) { delete module; }
const char* crosslane_module_message(const crosslane_module* module) {
  return module ? module->message.c_str() : "there is no module";
}
const char* crosslane_module_target(const crosslane_module* module) {
  return module ? module->shared->target.c_str() : "";
}

size_t crosslane_module_kernel_count(const crosslane_module* module) {
  return module ? module->shared->kernels.size() : 0;
}
const crosslane_kernel* crosslane_module_kernel_at(const crosslane_module* module, size_t index) {
  return index < crosslane_module_kernel_count(module) ? &module->shared->kernels[index] : nullptr;
}

const crosslane_kernel* crosslane_module_kernel(crosslane_module* module, const char* name) {
  const crosslane_kernel* found = nullptr;
  attempt(module, [&](crosslane_module& m) {
    auto kernel = launch::choose_kernel(m.shared->code->object(), name ? name : "", "name one");
    if (!kernel)
      return failed(m.message, CROSSLANE_ERROR_NAME, kernel.takeError());
    for (const crosslane_kernel& k : m.shared->kernels)
      if (k.kernel == *kernel)
        found = &k;
    return CROSSLANE_OK;
  });
  return found;
}

crosslane_status crosslane_module_variable(crosslane_module* module, const char* name, crosslane_buffer** buffer) {
  return attempt(module, [&](crosslane_module& m) {
    if (!name || !buffer)
      return failed(m.message, CROSSLANE_ERROR_ARGUMENT, "there is no {}", name ? "place for the buffer" : "name");
    *buffer = nullptr;
    const launch::LoadedCode& code = *m.shared->code;
    const codeobject::Symbol* symbol = nullptr;
    for (const codeobject::Symbol& s : code.object().symbols())
      if (s.kind == codeobject::Symbol::Kind::object && s.defined && !s.absolute &&
          (s.name == name || codeobject::demangle(s.name) == name))
        symbol = &s;
    if (!symbol)
      return failed(m.message, CROSSLANE_ERROR_NAME, "{} has no variable '{}'", code.object().name(), name);
    if (symbol->address < code.object().image_begin() || symbol->size > code.object().image_size() ||
        symbol->address - code.object().image_begin() > code.object().image_size() - symbol->size)
      return failed(m.message, CROSSLANE_ERROR_CODE, "{}: '{}' lies outside of what is loaded; the file is damaged",
                    code.object().name(), name);
    auto memory = std::make_shared<api::Memory>();
    memory->module = m.shared;
    memory->data = reinterpret_cast<void*>(code.loaded(symbol->address)), memory->size = symbol->size;
    *buffer = new crosslane_buffer{std::move(memory)};
    return CROSSLANE_OK;
  });
}

crosslane_status crosslane_module_reset(crosslane_module* module) {
  return attempt(module, [&](crosslane_module& m) {
    auto error = m.shared->code->reset();
    return error ? failed(m.message, CROSSLANE_ERROR_CODE, std::move(error)) : CROSSLANE_OK;
  });
}

crosslane_status crosslane_kernel_get_info(const crosslane_kernel* kernel, crosslane_kernel_info* info) {
  if (!kernel)
    return CROSSLANE_ERROR_ARGUMENT;
  const codeobject::Kernel& k = *kernel->kernel;
  crosslane_kernel_info value = {};
  value.name = kernel->name.c_str(), value.symbol = k.name.c_str(), value.signature = kernel->text.c_str();
  value.has_metadata = kernel->signature.known;
  value.parameter_count = static_cast<uint32_t>(kernel->signature.parameters.size());
  value.kernarg_bytes = std::max(k.kernarg_segment_size, k.descriptor.kernarg_size);
  value.lds_bytes = std::max(k.group_segment_fixed_size, k.descriptor.group_segment_fixed_size);
  value.scratch_bytes = std::max(k.private_segment_fixed_size, k.descriptor.private_segment_fixed_size);
  value.vgprs = k.allocated_vgpr_count, value.agprs = k.agpr_count, value.sgprs = k.allocated_sgpr_count;
  value.max_block = k.max_flat_workgroup_size ? k.max_flat_workgroup_size : 1024;
  std::ranges::copy(k.reqd_workgroup_size, value.required_block);
  return give(info, value);
}

crosslane_status crosslane_kernel_get_parameter(const crosslane_kernel* kernel, size_t index,
                                                crosslane_parameter_info* info) {
  if (!kernel || index >= kernel->signature.parameters.size())
    return CROSSLANE_ERROR_ARGUMENT;
  const launch::Parameter& p = kernel->signature.parameters[index];
  using Kind = launch::Parameter::Kind;
  crosslane_parameter_info value = {};
  value.name = p.name.c_str(), value.type_name = p.type_name.c_str();
  value.kind = p.kind == Kind::scalar    ? CROSSLANE_PARAMETER_VALUE
               : p.kind == Kind::pointer ? CROSSLANE_PARAMETER_POINTER
               : p.kind == Kind::local   ? CROSSLANE_PARAMETER_LOCAL
                                         : CROSSLANE_PARAMETER_UNSUPPORTED;
  value.bytes = p.size, value.element = p.element ? api::type_of(*p.element) : CROSSLANE_TYPE_UNKNOWN;
  value.elements = p.elements, value.read_only = p.read_only;
  return give(info, value);
}

ptrdiff_t crosslane_kernel_parameter_index(const crosslane_kernel* kernel, const char* name) {
  if (kernel && name)
    for (size_t i = 0; i < kernel->signature.parameters.size(); ++i)
      if (kernel->signature.parameters[i].name == name)
        return static_cast<ptrdiff_t>(i);
  return -1;
}
