// Settings, keys, files. A file that is not what it should be is removed.
#include "jit/cache/cache.h"
#include "files/size.h"
#include "jit/cache/identity.h"
#include <cstdlib>
#include <cstring>
#include <llvm/Support/BLAKE3.h>

namespace crosslane::jit {

namespace {

std::string name_of(const CacheKey& key) {
  std::string name;
  for (const uint8_t byte : key)
    for (const int digit : {byte >> 4, byte & 15})
      name += "0123456789abcdef"[digit];
  return name;
}

// Values, each of a size that its place says.
class Hasher {
public:
  template <class T> Hasher& operator()(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    hash_.update({reinterpret_cast<const uint8_t*>(&value), sizeof value});
    return *this;
  }
  Hasher& bytes(const void* p, size_t size) {
    (*this)(uint64_t(size));
    hash_.update({static_cast<const uint8_t*>(p), size});
    return *this;
  }
  CacheKey result() {
    CacheKey key;
    const auto bytes = hash_.final();
    std::memcpy(key.data(), bytes.data(), key.size());
    return key;
  }

private:
  llvm::BLAKE3 hash_;
};

// The words from the entry to the first one that looks like the end: kernels begin alike, but for few. What the key
// does not see of them is compared.
std::span<const uint32_t> begin_of(const engine::Code& code, uint32_t entry) {
  constexpr uint32_t s_endpgm = 0xbf810000;
  constexpr size_t most = 16 << 10;
  const size_t words = code.size() / 4;
  const auto* all = reinterpret_cast<const uint32_t*>(code.base());
  if (entry >= words)
    return {};
  size_t end = entry;
  while (end < words && end - entry < most && all[end] != s_endpgm)
    ++end;
  return {all + entry, end - entry};
}

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

Cache::Cache(const CacheSettings& settings, const std::string& compiler)
    : folder_(settings.folder, settings.most_bytes) {
  if (settings.folder.empty())
    unusable_ = "there is no HOME to have it in";
  else if (!settings.folder.starts_with('/'))
    unusable_ = "its folder, '" + settings.folder + "', is no absolute path";
  if (!unusable_.empty())
    return;
  compiler_ = build_id_of(compiler);
  // This program's as it was loaded: there may be a newer file in its place.
  for (const auto& id : {compiler_, build_id_at(reinterpret_cast<const void*>(&cache_settings))}) {
    if (id.empty())
      unusable_ = "this build of crosslane has no build id";
    makers_.insert(makers_.end(), id.begin(), id.end());
  }
  const auto cpu = processor();
  const auto* p = reinterpret_cast<const uint8_t*>(cpu.data());
  makers_.insert(makers_.end(), p, p + cpu.size() * sizeof cpu[0]);
}

CacheKey Cache::key(const Request& request, const engine::Code& code, const engine::CompileQuery& query) const {
  // Whoever adds a field decides here whether it changes the code.
  const auto& [unit, level, mode, split_modes, one_wave, arguments, launch, ranges, group_id, optimize, worth,
               only_loops, counts, wrong, fail_every, keep_text, report, keep_assembly] = request;
  Hasher hash;
  hash.bytes(makers_.data(), makers_.size()).bytes(level.data(), level.size());
  hash(mode)(split_modes)(one_wave)(arguments)(ranges)(group_id)(optimize)(counts)(wrong)(fail_every);
  for (const auto& [vgpr, column, odd, last, may, zeros] : launch)
    hash(vgpr)(column)(odd)(last)(may)(zeros);
  // The unit, which is made of these.
  const auto entry = uint32_t((query.entry - code.base()) / 4);
  const auto begin = begin_of(code, entry);
  hash(code.target())(query.decode_mode)(query.limits.sgprs)(query.limits.vgprs)(query.limits.agprs);
  hash(code.size())(entry); // branches may lead out of it
  hash.bytes(begin.data(), begin.size_bytes());
  return hash.result();
}

bool Cache::is_of(const void* function) const { return build_id_at(function) == compiler_; }

std::optional<CacheEntry> Cache::find(const CacheKey& key, const engine::Code& code, std::string& trouble) const {
  const auto bytes = folder_.read(name_of(key), trouble);
  if (!bytes)
    return {};
  auto found = unpacked(key, *bytes);
  if (!found) {
    folder_.remove(name_of(key));
    return {};
  }
  for (const auto& run : found->code.runs)
    if (!run.words.empty() && uint64_t(run.pc) + run.words.size() > code.size() / 4)
      return {};
  if (!found->code.are_in(code.base()))
    return {};
  return found;
}

std::string Cache::keep(const CacheKey& key, const engine::CodeBytes& code, const Compiled& answer) const {
  return folder_.write(name_of(key), packed(key, code, answer));
}

} // namespace crosslane::jit
