// One run of clang for a kernel's file; a second one if the kernel prints, since what LLVM makes of OpenCL's printf
// must be made before ROCm's opencl.bc brings a function of that name, and libclc has not what is called then.
#include "toolchain/clang.h"
#include "files/error.h"
#include "toolchain/device_libraries.h"
#include "toolchain/prelude.h"
#include "toolchain/temporary_folder.h"
#include "toolchain/tools.h"
#include <algorithm>
#include <array>

namespace crosslane::toolchain {

namespace {

using codeobject::CodeObject;

constexpr const char* printf_allocator = "__printf_alloc"; // what LLVM's lowering calls

struct Compilation {
  std::string clang, source, target;
  bool hip;
  std::vector<std::string> options; // the user's
  DeviceLibraries libraries;
  const TemporaryFolder& folder;

  std::vector<std::string> language() const;
  std::vector<std::string> linked() const;
  // clang's messages if it failed, else nothing.
  llvm::Expected<std::string> run(const std::vector<std::vector<std::string>>& parts, const std::string& input,
                                  const std::string& output) const;
  // Likewise, and links. OpenCL's object files are linked here: clang compiles in its own process if it has nothing
  // else to do, which saves the start of another one. How the user wants something linked, clang knows.
  bool links_here() const;
  llvm::Expected<std::string> link(std::vector<std::vector<std::string>> parts, const std::string& input,
                                   const std::string& output) const;
};

constexpr const char* common_options[] = {"-O2",
                                          "-gline-tables-only",
                                          "-mcode-object-version=5",
                                          "-Wno-linker-warnings",
                                          "-Wno-unused-command-line-argument",
                                          "-fno-discard-value-names",
                                          "-fno-color-diagnostics"};

// What to read, and what to include before it.
std::vector<std::string> Compilation::language() const {
  const std::string include = folder.path("include");
  if (!hip) {
    std::vector<std::string> words = {"-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu=" + target};
    words.insert(words.end(), {"-include", include + (libraries.rocm ? "/opencl_rocm.h" : "/opencl.h")});
    return words;
  }
  std::vector<std::string> words = {"-x",
                                    "hip",
                                    "--offload-device-only",
                                    "--no-gpu-bundle-output",
                                    "--offload-arch=" + target,
                                    "-mprintf-kind=buffered"};
  if (libraries.rocm)
    words.insert(words.end(), {"--rocm-path=/usr", "-include", include + "/hip/crosslane_rocm.h"});
  else // our headers come before an installed ROCm's, which would want its device libraries
    words.insert(words.end(), {"-nogpuinc", "--rocm-path=" + folder.path(), "-isystem", include, "-include",
                               include + "/hip/hip_runtime.h"});
  return words;
}

// What to link.
std::vector<std::string> Compilation::linked() const {
  const auto bitcode = [](const std::string& file) {
    return std::vector<std::string>{"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file};
  };
  std::vector<std::string> words;
  if (!libraries.rocm) {
    words = bitcode(libraries.path);
    words.push_back("-nogpulib");
    return words;
  }
  if (hip) // which has __printf_alloc
    words = bitcode(libraries.path + "/opencl.bc");
  words.push_back("--rocm-device-lib-path=" + libraries.path);
  return words;
}

bool Compilation::links_here() const {
  constexpr std::array linking = {"-Wl,", "-Xlinker", "-flto", "-fuse-ld"};
  const auto links = [&](const std::string& option) {
    return std::ranges::any_of(linking, [&](const char* begin) { return option.starts_with(begin); });
  };
  return !hip && std::ranges::none_of(options, links);
}

llvm::Expected<std::string> Compilation::run(const std::vector<std::vector<std::string>>& parts,
                                             const std::string& input, const std::string& output) const {
  std::vector<std::string> words(std::begin(common_options), std::end(common_options));
  for (const auto& part : parts)
    words.insert(words.end(), part.begin(), part.end());
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {input, "-o", output});
  auto result = run_tool(clang, words, folder.path("log"));
  if (!result)
    return result.takeError();
  return result->status ? result->messages : std::string();
}

llvm::Expected<std::string> Compilation::link(std::vector<std::vector<std::string>> parts, const std::string& input,
                                              const std::string& output) const {
  if (!links_here())
    return run(parts, input, output);
  const std::string object = folder.path("code.o");
  parts.push_back({"-c"});
  auto wrong = run(parts, input, object);
  if (!wrong || !wrong->empty())
    return wrong;
  if (auto error = wrote(clang, object))
    return std::move(error);
  return link_object(object, output, folder.path("log"));
}

// Does the code hold a function that nobody but opencl.bc defines, and that prints nothing?
bool prints_nowhere(const CodeObject& code) {
  return std::ranges::any_of(code.functions(), [](const auto& function) { return function.name == "printf"; });
}

// As from_clang(), once more for a kernel that prints.
llvm::Expected<std::string> with_printf(const Compilation& compilation, const std::string& output) {
  if (!compilation.libraries.rocm)
    return compilation.link({compilation.language(), {"-DCROSSLANE_PRINTF"}, compilation.linked()}, compilation.source,
                            output);
  const std::string bound = compilation.folder.path("bound.bc");
  auto wrong = compilation.run({compilation.language(), {"-nogpulib", "-emit-llvm", "-c"}}, compilation.source, bound);
  if (!wrong || !wrong->empty())
    return wrong;
  // At -O0 printf() would come back as a declaration that nobody calls, and LLVM 19 crash of it. Code that was compiled
  // at -O0 stays as it is.
  Compilation linking = compilation;
  std::ranges::replace(linking.options, std::string("-O0"), std::string("-O1"));
  return linking.link({{"-x", "ir", "--target=amdgcn-amd-amdhsa", "-mcpu=" + compilation.target}, compilation.linked()},
                      bound, output);
}

// What a compilation needs besides its file.
struct Tools {
  std::string clang;
  DeviceLibraries libraries;
  TemporaryFolder folder; // with our headers
};
llvm::Expected<Tools> find_tools(const std::string& target, bool hip) {
  auto clang = find_tool(Tool::clang);
  if (!clang)
    return clang.takeError();
  auto libraries = find_device_libraries(target, hip);
  if (!libraries)
    return libraries.takeError();
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  for (const auto& file : prelude_files()) {
    const std::span text(reinterpret_cast<const uint8_t*>(file.text.data()), file.text.size());
    if (auto error = folder->write("include/" + std::string(file.name), text))
      return std::move(error);
  }
  return Tools{std::move(*clang), std::move(*libraries), std::move(*folder)};
}

} // namespace

// Warnings of a compilation that succeeds go nowhere: the launch is what the user asked for.
llvm::Expected<std::unique_ptr<CodeObject>> from_clang(const std::string& path, bool hip,
                                                       const CompileOptions& options) {
  const std::string target = options.target.empty() ? default_target : options.target;
  auto tools = find_tools(target, hip);
  if (!tools)
    return tools.takeError();
  const auto& [clang, libraries, folder] = *tools;
  const Compilation compilation{clang, path, target, hip, options.options, libraries, folder};
  const std::string output = folder.path("code.co");
  const auto finish = [&](llvm::Expected<std::string> wrong) -> llvm::Expected<std::unique_ptr<CodeObject>> {
    if (!wrong)
      return wrong.takeError();
    if (!wrong->empty())
      return fail("{}", *wrong);
    auto bytes = code_of(clang, output);
    if (!bytes)
      return bytes.takeError();
    return CodeObject::read(*bytes, path);
  };
  auto wrong = compilation.link({compilation.language(), compilation.linked()}, path, output);
  if (wrong && !libraries.rocm && wrong->find(printf_allocator) != std::string::npos)
    return finish(with_printf(compilation, output));
  auto code = finish(std::move(wrong));
  if (code && libraries.rocm && !hip && prints_nowhere(**code))
    return finish(with_printf(compilation, output));
  return code;
}

llvm::Expected<std::string> ir_of_clang(const std::string& path, bool hip, const CompileOptions& options) {
  const std::string target = options.target.empty() ? default_target : options.target;
  auto tools = find_tools(target, hip);
  if (!tools)
    return tools.takeError();
  const Compilation compilation{tools->clang, path, target, hip, options.options, tools->libraries, tools->folder};
  const std::string output = tools->folder.path("code.ll");
  // HIP's functions that no kernel calls are kept for other files to call.
  const std::vector<std::string> kept = hip ? std::vector<std::string>{"-fgpu-rdc"} : std::vector<std::string>{};
  auto wrong =
      compilation.run({compilation.language(), compilation.linked(), kept, {"-g0", "-S", "-emit-llvm"}}, path, output);
  if (!wrong)
    return wrong.takeError();
  if (!wrong->empty())
    return fail("{}", *wrong);
  auto bytes = code_of(tools->clang, output);
  if (!bytes)
    return bytes.takeError();
  return std::string(bytes->begin(), bytes->end());
}

} // namespace crosslane::toolchain
