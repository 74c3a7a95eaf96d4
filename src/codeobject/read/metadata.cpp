// Owns the MessagePack metadata: what the compiler tells a runtime about each kernel. Read straight off the stream,
// never as a tree, so that a damaged or hostile note costs no more memory than its own size. Source: LLVM AMDGPUUsage,
// "Code Object V3 Metadata", "V4", "V5".
#include "codeobject/read/contents.h"
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/BinaryFormat/MsgPackReader.h>

namespace crosslane::codeobject {
namespace {
using llvm::Error;
using llvm::msgpack::Object;
using llvm::msgpack::Type;

// A place in the document, put into words only for a message: "amdhsa.kernels[0].args[2].offset".
struct Path {
  const Path* up = nullptr;
  std::string_view key = {}; // empty: the element `index` of an array
  size_t index = 0;

  std::string text() const {
    if (!up)
      return "";
    std::string outer = up->text();
    if (key.empty())
      return fmt::format("{}[{}]", outer, index);
    return outer + (outer.empty() || key.starts_with('.') ? "" : ".") + printable(key, 64);
  }
};

// Walks one MessagePack document.
class Walker {
public:
  Walker(std::string_view file, std::span<const uint8_t> blob)
      : file_(file), reader_(llvm::StringRef(reinterpret_cast<const char*>(blob.data()), blob.size())) {}

  template <class... Args> Error wrong(const Path& where, fmt::format_string<Args...> format, Args&&... args) {
    return fail(file_,
                "metadata note, {}: {}; the note is damaged or written by a foreign tool, rebuild the code object",
                where.up ? where.text() : "top level", fmt::format(format, std::forward<Args>(args)...));
  }

  Error next(Object& object, const Path& where) {
    auto got = reader_.read(object);
    if (!got)
      return wrong(where, "not MessagePack ({})", llvm::toString(got.takeError()));
    if (!*got)
      return wrong(where, "ends too early");
    return Error::success();
  }

  // `each(key, path)` must consume the value, with one of the readers here.
  Error map(const Path& where, llvm::function_ref<Error(std::string_view, const Path&)> each) {
    Object object;
    if (Error error = next(object, where))
      return error;
    if (object.Kind != Type::Map)
      return wrong(where, "a map was expected");
    for (size_t left = object.Length; left; --left) {
      Object key;
      if (Error error = next(key, where))
        return error;
      if (key.Kind != Type::String)
        return wrong(where, "a map key that is not a string");
      std::string_view name(key.Raw.data(), key.Raw.size());
      if (Error error = each(name, Path{&where, name}))
        return error;
    }
    return Error::success();
  }

  Error array(const Path& where, llvm::function_ref<Error(size_t, const Path&)> each) {
    Object object;
    if (Error error = next(object, where))
      return error;
    if (object.Kind != Type::Array)
      return wrong(where, "an array was expected");
    for (size_t i = 0; i < object.Length; ++i)
      if (Error error = each(i, Path{&where, {}, i}))
        return error;
    return Error::success();
  }

  // Any value, however deep, without recursion.
  Error skip(const Path& where) {
    for (uint64_t left = 1; left; --left) {
      Object object;
      if (Error error = next(object, where))
        return error;
      if (object.Kind == Type::Array)
        left += object.Length;
      else if (object.Kind == Type::Map)
        left += 2 * uint64_t{object.Length};
    }
    return Error::success();
  }

  Error read(std::string& value, const Path& where) {
    Object object;
    if (Error error = next(object, where))
      return error;
    if (object.Kind != Type::String)
      return wrong(where, "a string was expected");
    value = object.Raw.str();
    return Error::success();
  }

  Error read(uint32_t& value, const Path& where) {
    Object object;
    if (Error error = next(object, where))
      return error;
    uint64_t number;
    if (object.Kind == Type::UInt)
      number = object.UInt;
    else if (object.Kind == Type::Int && object.Int >= 0)
      number = static_cast<uint64_t>(object.Int);
    else
      return wrong(where, "an unsigned number was expected");
    if (number > UINT32_MAX)
      return wrong(where, "{} does not fit 32 bits", number);
    value = static_cast<uint32_t>(number);
    return Error::success();
  }

  Error read(bool& value, const Path& where) { // v5 writes uniform_work_group_size as 0 or 1
    Object object;
    if (Error error = next(object, where))
      return error;
    if (object.Kind == Type::Boolean)
      value = object.Bool;
    else if (object.Kind == Type::UInt && object.UInt <= 1)
      value = object.UInt != 0;
    else if (object.Kind == Type::Int && (object.Int == 0 || object.Int == 1))
      value = object.Int != 0;
    else
      return wrong(where, "a boolean was expected");
    return Error::success();
  }

  Error read(uint32_t (&value)[3], const Path& where) {
    size_t count = 0;
    if (Error error = array(where, [&](size_t i, const Path& path) -> Error {
          count = i + 1;
          return i < 3 ? read(value[i], path) : wrong(where, "more than three numbers");
        }))
      return error;
    return count == 3 ? Error::success() : wrong(where, "three numbers were expected, {} found", count);
  }

private:
  std::string_view file_;
  llvm::msgpack::Reader reader_;
};

// Where the value of a key goes.
template <class Owner, class Value> struct Field {
  std::string_view key;
  Value Owner::* member;
};

constexpr Field<KernelArgument, std::string> argument_strings[] = {
    {".name", &KernelArgument::name},
    {".type_name", &KernelArgument::type_name},
    {".value_kind", &KernelArgument::value_kind},
    {".address_space", &KernelArgument::address_space},
    {".access", &KernelArgument::access},
    {".actual_access", &KernelArgument::actual_access},
};
constexpr Field<KernelArgument, uint32_t> argument_numbers[] = {
    {".offset", &KernelArgument::offset},
    {".size", &KernelArgument::size},
    {".pointee_align", &KernelArgument::pointee_align},
};
constexpr Field<KernelArgument, bool> argument_flags[] = {
    {".is_const", &KernelArgument::is_const},
    {".is_volatile", &KernelArgument::is_volatile},
    {".is_restrict", &KernelArgument::is_restrict},
    {".is_pipe", &KernelArgument::is_pipe},
};
constexpr Field<Kernel, std::string> kernel_strings[] = {
    {".name", &Kernel::name},
    {".symbol", &Kernel::symbol},
    {".kind", &Kernel::kind},
    {".language", &Kernel::language},
    {".vec_type_hint", &Kernel::vec_type_hint},
    {".device_enqueue_symbol", &Kernel::device_enqueue_symbol},
};
constexpr Field<Kernel, uint32_t> kernel_numbers[] = {
    {".kernarg_segment_size", &Kernel::kernarg_segment_size},
    {".kernarg_segment_align", &Kernel::kernarg_segment_align},
    {".group_segment_fixed_size", &Kernel::group_segment_fixed_size},
    {".private_segment_fixed_size", &Kernel::private_segment_fixed_size},
    {".wavefront_size", &Kernel::wavefront_size},
    {".sgpr_count", &Kernel::sgpr_count},
    {".vgpr_count", &Kernel::vgpr_count},
    {".agpr_count", &Kernel::agpr_count},
    {".sgpr_spill_count", &Kernel::sgpr_spill_count},
    {".vgpr_spill_count", &Kernel::vgpr_spill_count},
    {".max_flat_workgroup_size", &Kernel::max_flat_workgroup_size},
};
constexpr Field<Kernel, uint32_t[3]> kernel_triples[] = {
    {".reqd_workgroup_size", &Kernel::reqd_workgroup_size},
    {".workgroup_size_hint", &Kernel::workgroup_size_hint},
};
constexpr Field<Kernel, bool> kernel_flags[] = {
    {".uses_dynamic_stack", &Kernel::uses_dynamic_stack},
    {".uniform_work_group_size", &Kernel::uniform_work_group_size},
    {".workgroup_processor_mode", &Kernel::workgroup_processor_mode},
};

// Reads the value of `key` to where one of the tables says, or skips it.
template <class Owner, class... Tables>
Error read_field(Walker& walk, std::string_view key, const Path& path, Owner& owner, const Tables&... tables) {
  std::optional<Error> result;
  auto search = [&](const auto& table) {
    for (const auto& field : table)
      if (field.key == key && !result)
        result = walk.read(owner.*field.member, path);
  };
  (search(tables), ...);
  return result ? std::move(*result) : walk.skip(path);
}

Error read_argument(Walker& walk, const Path& where, KernelArgument& argument) {
  bool placed = false, sized = false;
  if (Error error = walk.map(where, [&](std::string_view key, const Path& path) -> Error {
        placed |= key == ".offset";
        sized |= key == ".size";
        return read_field(walk, key, path, argument, argument_strings, argument_numbers, argument_flags);
      }))
    return error;
  if (argument.value_kind.empty() || !placed || !sized)
    return walk.wrong(where, "an argument without .value_kind, .offset or .size");
  return Error::success();
}

Error read_kernel(Walker& walk, const Path& where, Kernel& kernel) {
  auto read_one_argument = [&](size_t, const Path& path) -> Error {
    KernelArgument argument;
    if (Error error = read_argument(walk, path, argument))
      return error;
    kernel.arguments.push_back(std::move(argument));
    return Error::success();
  };
  if (Error error = walk.map(where, [&](std::string_view key, const Path& path) -> Error {
        if (key == ".args")
          return walk.array(path, read_one_argument);
        return read_field(walk, key, path, kernel, kernel_strings, kernel_numbers, kernel_triples, kernel_flags);
      }))
    return error;
  if (kernel.name.empty() || kernel.symbol.empty())
    return walk.wrong(where, "a kernel without .name or .symbol");
  if (kernel.wavefront_size != 32 && kernel.wavefront_size != 64)
    return walk.wrong(where, "kernel {} has a wavefront size of {}", quoted(kernel.name), kernel.wavefront_size);
  for (const KernelArgument& argument : kernel.arguments)
    if (!inside(argument.offset, argument.size, 0, kernel.kernarg_segment_size))
      return walk.wrong(where, "argument {} of kernel {} takes bytes {} to {} of a kernarg segment of {}",
                        quoted(argument.name), quoted(kernel.name), argument.offset,
                        uint64_t{argument.offset} + argument.size, kernel.kernarg_segment_size);
  kernel.has_metadata = true;
  return Error::success();
}

Error read_document(Contents& contents, std::span<const uint8_t> blob) {
  Walker walk(contents.name, blob);
  return walk.map(Path{}, [&](std::string_view key, const Path& path) -> Error {
    if (key == "amdhsa.kernels")
      return walk.array(path, [&](size_t, const Path& where) -> Error {
        Kernel kernel;
        if (Error error = read_kernel(walk, where, kernel))
          return error;
        contents.kernels.push_back(std::move(kernel));
        return Error::success();
      });
    if (key == "amdhsa.target")
      return walk.read(contents.metadata_target, path);
    if (key == "amdhsa.printf")
      return walk.array(path, [&](size_t, const Path& where) -> Error {
        return walk.read(contents.printf_formats.emplace_back(), where);
      });
    return walk.skip(path);
  });
}

} // namespace

Error each_note(const Contents& contents, NoteVisitor visit) {
  constexpr size_t header_size = 12;
  auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
  for (std::span<const uint8_t> notes : contents.notes) {
    while (notes.size() >= header_size) {
      auto name_size = load_little<uint32_t>(notes.data()), size = load_little<uint32_t>(notes.data() + 4);
      auto type = load_little<uint32_t>(notes.data() + 8);
      uint64_t start = header_size + padded(name_size);
      if (!inside(start, size, 0, notes.size()))
        return fail(contents.name,
                    "note at file offset 0x{:x}: name of {} bytes and content of {} reach past the end of the "
                    "notes; the file is damaged",
                    notes.data() - contents.bytes.data(), name_size, size);
      std::string_view name(reinterpret_cast<const char*>(notes.data()) + header_size, name_size);
      if (Error error = visit(name.substr(0, name.find('\0')), type, notes.subspan(start, size)))
        return error;
      notes = notes.subspan(std::min<uint64_t>(start + padded(size), notes.size()));
    }
  }
  return Error::success();
}

// Every metadata note counts: ld.lld does not merge those of several objects, and each describes its own kernels.
Error read_metadata(Contents& contents) {
  return each_note(contents, [&](std::string_view name, uint32_t type, std::span<const uint8_t> content) {
    return type == llvm::ELF::NT_AMDGPU_METADATA && name == "AMDGPU" ? read_document(contents, content)
                                                                     : Error::success();
  });
}

} // namespace crosslane::codeobject
