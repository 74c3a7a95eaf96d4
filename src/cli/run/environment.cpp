// Variables, paths, quoting.
#include "cli/run/environment.h"
#include "files/error.h"
#include "files/place.h"
#include "gpu/choice.h"
#include "rewrite/probes.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* runtime_library = "libhsa-runtime64.so.1";
constexpr const char* preload_library = "libcrosslane-preload.so";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> split(const std::string& list, const char* separators) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find_first_of(separators, begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool any_has(const std::vector<std::string>& folders, const std::string& file) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return is_there(fs::path(folder) / file); });
}

bool needs(const Program& program, std::string_view prefix) {
  return std::any_of(program.libraries.begin(), program.libraries.end(),
                     [&](const std::string& name) { return name.starts_with(prefix); });
}

// What the loader takes before anything else.
std::string preload(const std::string& runtime, const Program* program) {
  // A list of libraries ends at a blank or colon; LD_LIBRARY_PATH, which leads to the bare name too, knows no blanks.
  const bool listable = runtime.find_first_of(" :") == std::string::npos;
  const auto name = [&](const char* library) { return listable ? runtime + "/" + library : std::string(library); };
  std::string list = variable("LD_PRELOAD");
  // The loader would complain of a library of the wrong kind, and AddressSanitizer insists on being the first.
  const bool suits =
      !program || !program->elf || (program->is_64_bit && program->dynamic && !needs(*program, "libasan.so"));
  if (suits)
    list = append_preload(list, name(preload_library));
  // The program's own path goes before LD_LIBRARY_PATH: another runtime must not be found there.
  if (program && program->dynamic && any_has(program->rpath, runtime_library))
    list = append_preload(list, name(runtime_library));
  return list;
}

std::string sh_quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("/._-+:,@%=").find(char(c)) != std::string_view::npos;
  });
  if (plain)
    return text;
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text)
    result += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return result + "'";
}

} // namespace

llvm::Expected<std::string> find_runtime(const std::string& crosslane) {
  const fs::path bin = fs::path(crosslane).parent_path(), lib = CROSSLANE_LIBDIR;
  // Of an installation first: a folder lib/ beside bin/ may be the system's, with another runtime in it.
  const fs::path places[] = {lib.is_absolute() ? lib / "crosslane" : bin.parent_path() / lib / "crosslane",
                             bin.parent_path() / "lib" / "crosslane", bin.parent_path() / "lib"};
  for (const fs::path& place : places)
    if (is_there(place / runtime_library) && is_there(place / preload_library)) {
      if (place.string().find_first_of(":;") != std::string::npos)
        return fail(
            "{}: the system's loader takes no folder with ':' or ';' in its name: install crosslane in another one",
            place.string());
      return place.string();
    }
  return fail("{} is not where it belongs, {} or {}: build or install crosslane with its runtime library",
              runtime_library, places[0].string(), places[2].string());
}

std::string prepend_path(const std::string& folder, const std::string& path) {
  std::string result = folder;
  if (!path.empty())
    for (const auto& part : split(path, ":;"))
      if (part != folder)
        result.append(":").append(part);
  return result;
}

std::string append_preload(const std::string& list, const std::string& library) {
  std::string result;
  for (const auto& part : split(list, ": "))
    if (!part.empty() && part != library)
      result.append(part).append(":");
  return result + library;
}

std::string llvm_folder(const Program& program, const std::string& search_path, const std::string& root) {
  constexpr std::string_view prefix = "libomptarget.so.";
  for (const auto& library : program.libraries) {
    if (!library.starts_with(prefix))
      continue;
    static const std::vector<std::string> system = {
        "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
        "/usr/local/lib"};
    const auto listed = search_path.empty() ? std::vector<std::string>() : split(search_path, ":;");
    if (any_has(program.rpath, library) || any_has(listed, library) || any_has(program.runpath, library) ||
        any_has(system, library))
      continue;
    const std::string number = library.substr(prefix.size(), library.find('.', prefix.size()) - prefix.size());
    const std::string folder = fmt::format("{}/llvm-{}/lib", root, number);
    if (is_there(fs::path(folder) / library))
      return folder;
  }
  return "";
}

std::vector<Variable> environment(const GpuOptions& options, const std::string& runtime, const Program* program) {
  const std::string before = variable("LD_LIBRARY_PATH");
  std::string path = prepend_path(runtime, before);
  if (const std::string folder = program ? llvm_folder(*program, before) : ""; !folder.empty())
    path += ":" + folder;
  std::vector<Variable> variables = {{"LD_LIBRARY_PATH", path}};
  if (const std::string list = preload(runtime, program); !list.empty())
    variables.push_back({"LD_PRELOAD", list});
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty())
      variables.push_back({name, value});
  };
  // The program may change its folder before files are read and reports are written.
  std::vector<std::string> gpus;
  if (!options.gpus.empty())
    gpus = split(options.gpus, ",");
  for (std::string& gpu : gpus)
    if (gpu::is_file(gpu))
      gpu = fs::absolute(gpu).lexically_normal().string();
  set("CROSSLANE_GPU", fmt::format("{}", fmt::join(gpus, ",")));
  set("CROSSLANE_VRAM", options.vram);
  const auto file = [](const std::string& path) {
    return path.empty() || path == files::standard_output ? path : fs::absolute(path).lexically_normal().string();
  };
  const profile::Names& names = profile::variable_names;
  set(names.views, options.profile.views);
  set(names.kernels, options.profile.kernels);
  set(names.launches, options.profile.launches);
  set(names.sample, options.profile.sample);
  set(names.by, options.profile.by);
  set(names.json, file(options.profile.json));
  set(names.csv, file(options.profile.csv));
  set(names.html, file(options.profile.html));
  set(names.per_wave, options.profile.per_wave ? "1" : "");
  set(names.trace, options.profile.trace);
  set(names.instrument, rewrite::with_files(options.profile.instrument, file));
  set(names.at, options.profile.at);
  set(names.trace_bytes, options.profile.trace_bytes);
  set("CROSSLANE_STATS", options.stats ? "1" : "");
  set("CROSSLANE_OUTPUT", file(options.output));
  set("CROSSLANE_THREADS", options.threads);
  set("CROSSLANE_BOUNDS", options.bounds);
  set("CROSSLANE_HOST_MEMORY", options.host_memory ? "1" : "");
  set("CROSSLANE_CHECK", options.check);
  set("CROSSLANE_CHECK_KERNEL", options.check_kernels);
  set("CROSSLANE_CHECK_LAUNCH", options.check_launches);
  set("CROSSLANE_FINDINGS", file(options.findings));
  set("CROSSLANE_SUPPRESS", file(options.suppress));
  set("CROSSLANE_MAX_FINDINGS", options.max_findings);
  set("CROSSLANE_ERROR_EXITCODE", options.error_exitcode);
  set("CROSSLANE_POISON", options.poison);
  set("CROSSLANE_CAPTURE", file(options.capture));
  set("CROSSLANE_CAPTURE_KERNEL", options.capture_kernels);
  set("CROSSLANE_CAPTURE_LAUNCH", options.capture_launches);
  set("CROSSLANE_CAPTURE_LIMIT", options.capture_limit);
  set("CROSSLANE_LATE", options.late ? "1" : "");
  set("CROSSLANE_TIME", options.time ? "1" : "");
  set("CROSSLANE_TIME_ERROR", options.time_error);
  set("CROSSLANE_TIME_FILES", file(options.time_files));
  set("CROSSLANE_TIMEOUT", options.timeout);
  set("CROSSLANE_QUIET", options.quiet ? "1" : "");
  return variables;
}

std::string shell_text(const std::vector<Variable>& variables, Shell shell) {
  std::string text;
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : variables)
    switch (shell) {
    case Shell::sh: text += fmt::format("export {}={}\n", name, sh_quoted(value)); break;
    case Shell::fish: text += fmt::format("set -gx {} {}\n", name, fish_quoted(value)); break;
    case Shell::json: object[name] = value; break;
    }
  return shell == Shell::json ? object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
                              : text;
}

} // namespace crosslane::cli
