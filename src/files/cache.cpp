// The environment, and names.
#include "files/cache.h"
#include "files/size.h"
#include <cstdlib>
#include <cstring>

namespace crosslane::files {

namespace {

std::string variable(const char* name) {
  const char* value = secure_getenv(name);
  return value ? value : "";
}

std::string place() {
  if (std::string own = variable("CROSSLANE_CACHE_DIR"); !own.empty())
    return own;
  if (const std::string base = variable("XDG_CACHE_HOME"); base.starts_with('/')) // the standard has others ignored
    return base + "/crosslane";
  const std::string home = variable("HOME");
  return home.empty() ? home : home + "/.cache/crosslane";
}

} // namespace

CacheSettings cache_settings() {
  CacheSettings out;
  const std::string use = variable("CROSSLANE_CACHE"), size = variable("CROSSLANE_CACHE_SIZE");
  out.use = use.empty() || use == "on" ? CacheUse::on
            : use == "off"             ? CacheUse::off
            : use == "verify"          ? CacheUse::verify
                                       : CacheUse::unknown;
  if (out.use == CacheUse::unknown)
    out.wrong = "CROSSLANE_CACHE is '" + use + "'; it must be on, off or verify, or not set";
  out.folder = place();
  if (!size.empty())
    out.most_bytes = files::bytes_of(size);
  if (!out.most_bytes)
    out.wrong = "CROSSLANE_CACHE_SIZE is '" + size + "'; it must be a number of bytes such as 64M or 1G";
  return out;
}

std::string name_of(const CacheKey& key) {
  std::string name;
  for (const uint8_t byte : key)
    for (const int digit : {byte >> 4, byte & 15})
      name += "0123456789abcdef"[digit];
  return name;
}

CacheKey CacheHasher::result() {
  CacheKey key;
  const auto bytes = hash_.final();
  std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

} // namespace crosslane::files
