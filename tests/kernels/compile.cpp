// The same command lines as `crosslane launch`: OpenCL C with the project's prelude of work-item functions and libclc;
// assembly as it is.
#include "tests/kernels/compile.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace crosslane::workload {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

uint64_t digest(const std::string& text) { // FNV-1a
  uint64_t h = 0xcbf29ce484222325;
  for (unsigned char c : text)
    h = (h ^ c) * 0x100000001b3;
  return h;
}

// All of the prelude's text, so that a change of it is a change of what is compiled.
const std::string& prelude() {
  static const std::string text = [] {
    std::string all;
    for (const char* name : {"/opencl.h", "/opencl_half.h", "/hip/hip_runtime.h", "/hip/crosslane_device.h",
                             "/hip/crosslane_extras.h", "/hip/crosslane_math.h"})
      all += read(CROSSLANE_PRELUDE + std::string(name));
    return all;
  }();
  return text;
}

} // namespace

std::string examples_folder() {
  const char* set = std::getenv("CROSSLANE_EXAMPLES");
  return set ? set : CROSSLANE_EXAMPLES_FOLDER;
}

std::string compile(const std::string& source, const std::string& target, const std::string& flags,
                    std::string& error) {
  namespace fs = std::filesystem;
  std::string path = source.front() == '/' ? source : examples_folder() + "/" + source;
  std::string command = CROSSLANE_CLANG " -O2 -g -nogpulib";
  if (path.ends_with(".hip"))
    command += " -x hip --offload-device-only --no-gpu-bundle-output -nogpuinc --offload-arch=" + target +
               " -include " CROSSLANE_PRELUDE "/hip/hip_runtime.h -idirafter " CROSSLANE_PRELUDE;
  else
    command += " --target=amdgcn-amd-amdhsa -mcpu=" + target;
  if (path.ends_with(".cl"))
    command += " -x cl -cl-std=CL2.0 -include " CROSSLANE_PRELUDE "/opencl.h";
  // libclc says that it is code object v5, and clang refuses to mix.
  if (!path.ends_with(".s") && flags.find("-mcode-object-version=") == flags.npos)
    command += " -mcode-object-version=5 -Wno-linker-warnings -Xclang -mlink-builtin-bitcode -Xclang " CROSSLANE_LIBCLC;
  command += " " + flags + " '" + path + "'";
  char name[32];
  std::snprintf(name, sizeof name, "%016llx", (unsigned long long)digest(command + read(path) + prelude()));
  fs::path folder = CROSSLANE_KERNEL_CACHE;
  fs::path kept = folder / (fs::path(path).stem().string() + "-" + target + "-" + name + ".co");
  if (fs::exists(kept))
    return kept;
  fs::create_directories(folder);
  std::string fresh = kept.string() + "." + std::to_string(getpid());
  FILE* pipe = popen((command + " -o '" + fresh + "' 2>&1").c_str(), "r");
  if (!pipe)
    return error = "cannot start " CROSSLANE_CLANG, "";
  std::string output;
  for (int c; (c = std::fgetc(pipe)) != EOF;)
    output += char(c);
  if (pclose(pipe) != 0)
    return error = command + "\n" + output, "";
  fs::rename(fresh, kept); // whole or not at all, with tests side by side
  return kept;
}

} // namespace crosslane::workload
