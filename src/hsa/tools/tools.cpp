// Finding, ordering, loading and unloading tools.
#include "hsa/tools/tools.h"
#include "hsa/settings.h"
#include "hsa/tools/api_tables.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <list>
#include <string_view>
#include <strings.h>

namespace crosslane::hsa {

namespace {

struct Tool {
  void* library; // of dlopen
  uint64_t order;
  std::string name;
};

std::vector<Tool> loaded;

// OnLoad(table, its major version, how many tools failed so far, their names).
using OnLoad = bool (*)(void*, uint64_t, uint64_t, const char* const*);

// A symbol of this library itself, not of one that it depends on.
void* own_symbol(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (!symbol)
    return nullptr;
  Dl_info info;
  link_map *of_symbol = nullptr, *of_library = nullptr;
  if (!dladdr1(symbol, &info, reinterpret_cast<void**>(&of_symbol), RTLD_DL_LINKMAP) ||
      dlinfo(library, RTLD_DI_LINKMAP, &of_library) || of_symbol != of_library)
    return nullptr;
  return symbol;
}

// The names of what is in the process, each with a 0 behind it. Nothing is allocated while their list is locked: where
// malloc() unwinds stacks (heaptrack's does) it walks that list too, under a lock of its own.
std::string names_of_loaded() {
  struct Names {
    std::string text;
    size_t bytes = 0; // of all names, which `text` may have no room for
  } names;
  do {
    names.text.clear(), names.text.reserve(names.bytes), names.bytes = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* data) {
          auto& [text, all] = *static_cast<Names*>(data);
          const size_t bytes = object->dlpi_name ? std::strlen(object->dlpi_name) + 1 : 1;
          if (bytes > 1 && (all += bytes) <= text.capacity())
            text.append(object->dlpi_name, bytes);
          return 0;
        },
        &names);
  } while (names.bytes > names.text.size());
  return names.text;
}

// What is in the process already and says that it is a tool, with what it says.
std::vector<Tool> find_loaded_tools() {
  const std::string names = names_of_loaded();
  std::vector<Tool> found;
  for (const char* name = names.c_str(); *name; name += std::strlen(name) + 1) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
      continue;
    if (const auto* priority = static_cast<const uint32_t*>(own_symbol(library, "HSA_AMD_TOOL_PRIORITY")))
      found.push_back({library, *priority, name});
    else
      dlclose(library);
  }
  return found;
}

bool is(const char* variable, const char* value) {
  const char* set = std::getenv(variable);
  return set && !std::strcmp(set, value);
}

// HSA_TOOLS_ROCPROFILER_V1_TOOLS.
bool wants_old_tools_too() {
  const char* set = std::getenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS");
  if (!set)
    return false;
  const std::string_view value = set;
  if (!value.empty() && value.find_first_not_of("0123456789") == value.npos)
    return std::strtoull(set, nullptr, 10) != 0;
  return std::ranges::none_of(std::array{"off", "false", "no", "n", "f"},
                              [&](const char* no) { return !strcasecmp(set, no); });
}

// Version 1.18.0 of the runtime, which is of the release after 6.4, as rocprofiler-register computes it.
constexpr uint32_t registered_version = 10000 * 1 + 100 * 18;
uint32_t import_version() { return registered_version; }

// Of rocprofiler-register.h.
using Register = int (*)(const char* library, uint32_t (*import)(), uint32_t version, void** tables, uint64_t count,
                         uint64_t* id);
constexpr int registered = 0;

// Tells rocprofiler-register of the tables. True: it knows a profiler, which has them now.
bool register_tables(void* table, Register tell) {
  uint64_t id = 0;
  const int status = tell("hsa", import_version, registered_version, &table, 1, &id);
  if (status != registered && is("HSA_TOOLS_REPORT_REGISTER_FAILURE", "1"))
    say(fmt::format("rocprofiler-register did not take the API tables: error {}", status));
  return status == registered;
}

Register find_register() {
  if (is("HSA_TOOLS_DISABLE_REGISTER", "1"))
    return nullptr;
  static void* const library = dlopen("librocprofiler-register.so.0", RTLD_LAZY);
  return library ? reinterpret_cast<Register>(dlsym(library, "rocprofiler_register_library_api_table")) : nullptr;
}

void complain(const std::string& message) {
  if (!is("HSA_TOOLS_REPORT_LOAD_FAILURE", "0"))
    say(message);
}

} // namespace

std::vector<std::string> parse_tool_names(const std::string& list) {
  std::vector<std::string> names;
  std::string name;
  bool quoted = false;
  const auto end_name = [&] {
    if (!name.empty())
      names.push_back(std::exchange(name, {}));
  };
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size()) {
      name += list[++i];
    } else if (list[i] == '"') {
      if (quoted)
        end_name();
      quoted = !quoted;
    } else if (list[i] == ' ' && !quoted) {
      end_name();
    } else {
      name += list[i];
    }
  }
  end_name();
  return names;
}

bool load_tools(std::string& error) {
  if (const Register tell = find_register()) {
    const bool said = std::getenv("CROSSLANE_HSA_TABLES");
    const Release release = said ? release_in_use(error) : Release::r7_0; // whose tables only grow at the end
    if (!error.empty())
      return false;
    if (register_tables(make_tables(release), tell) && !wants_old_tools_too())
      return true;
  }
  std::list<Tool> tools;
  std::vector<std::string> failed;
  if (const char* list = std::getenv("HSA_TOOLS_LIB"))
    for (const auto& name : parse_tool_names(list)) {
      if (void* library = dlopen(name.c_str(), RTLD_LAZY)) {
        tools.push_back({library, tools.size(), name});
      } else {
        failed.push_back(name);
        complain(fmt::format("HSA_TOOLS_LIB: '{}' cannot be loaded: {}", name, dlerror()));
      }
    }
  // Those of the variable come first.
  const size_t named = tools.size() + failed.size();
  for (Tool& tool : find_loaded_tools()) {
    const auto same = std::ranges::find(tools, tool.library, &Tool::library);
    if (same != tools.end()) {
      dlclose(tool.library);
      continue;
    }
    tool.order += named;
    tools.push_back(std::move(tool));
  }
  if (tools.empty())
    return true;
  tools.sort([](const Tool& a, const Tool& b) { return a.order < b.order; }); // stable

  const Release release = release_in_use(error);
  if (!error.empty())
    return false;
  void* const table = make_tables(release);
  const auto major = *static_cast<const uint32_t*>(table);
  for (Tool& tool : tools) {
    const auto on_load = reinterpret_cast<OnLoad>(own_symbol(tool.library, "OnLoad"));
    std::vector<const char*> names;
    names.reserve(failed.size());
    for (const auto& name : failed)
      names.push_back(name.c_str());
    if (on_load && on_load(table, major, names.size(), names.data())) {
      loaded.push_back(std::move(tool));
      continue;
    }
    complain(on_load ? fmt::format("the tool '{}' does not want to be loaded: its OnLoad returned false", tool.name)
                     : fmt::format("'{}' is no tool: it exports no OnLoad", tool.name));
    dlclose(tool.library);
    failed.push_back(tool.name);
  }
  return true;
}

void unload_tools() {
  for (auto tool = loaded.rbegin(); tool != loaded.rend(); ++tool)
    if (const auto on_unload = reinterpret_cast<void (*)()>(own_symbol(tool->library, "OnUnload")))
      on_unload();
  loaded.clear();
  // Some tool may not have cleaned up.
  reset_tables();
}

} // namespace crosslane::hsa
