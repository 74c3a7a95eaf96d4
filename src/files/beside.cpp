// Places of a build and of an installation.
#include "files/beside.h"
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <unistd.h>

namespace crosslane::files {

std::string own_file() {
  Dl_info here;
  link_map* map = nullptr;
  if (!dladdr1(reinterpret_cast<const void*>(&own_file), &here, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) ||
      !map)
    return {};
  std::error_code error;
  return std::filesystem::canonical(*map->l_name ? map->l_name : "/proc/self/exe", error).string();
}

std::string beside(const std::string& name, std::string& why) {
  const std::string file = own_file();
  if (file.empty()) {
    why = "this program does not know where it is";
    return {};
  }
  const std::string folder = file.substr(0, file.rfind('/') + 1);
  for (const char* place : {"", "crosslane/", "../lib/", "../" CROSSLANE_LIBDIR "/crosslane/"})
    if (std::string path = folder + place + name; access(path.c_str(), F_OK) == 0)
      return path;
  why = name + " was not found beside " + folder;
  return {};
}

} // namespace crosslane::files
