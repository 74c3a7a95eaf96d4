// Keys, files. A file that is not what it should be is removed.
#include "jit/cache/cache.h"
#include "files/build_id.h"
#include "jit/cache/identity.h"

namespace crosslane::jit {

namespace {

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

} // namespace

Cache::Cache(const files::CacheSettings& settings, const std::string& compiler)
    : folder_(settings.folder, settings.most_bytes) {
  if (settings.folder.empty())
    unusable_ = "there is no HOME to have it in";
  else if (!settings.folder.starts_with('/'))
    unusable_ = "its folder, '" + settings.folder + "', is no absolute path";
  if (!unusable_.empty())
    return;
  compiler_ = files::build_id_of(compiler);
  // This program's as it was loaded: there may be a newer file in its place.
  for (const auto& id : {compiler_, files::build_id_at(reinterpret_cast<const void*>(&files::cache_settings))}) {
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
  const auto& [unit, level, mode, split_modes, one_wave, full_waves, partial_waves, private_segment, arguments, launch,
               ranges, group_id, optimize, worth, patience, leaves_ragged, only_loops, counts, wrong, endless,
               fail_every, keep_text, report, keep_assembly] = request;
  files::CacheHasher hash;
  hash.bytes(makers_.data(), makers_.size()).bytes(level.data(), level.size());
  hash(mode)(split_modes)(one_wave)(full_waves)(partial_waves)(private_segment)(arguments)(ranges)(group_id);
  hash(optimize)(counts)(wrong)(endless)(fail_every);
  for (const auto& [vgpr, column, odd, last, may, zeros, half] : launch)
    hash(vgpr)(column)(odd)(last)(may)(zeros)(half);
  // The unit, which is made of these.
  const auto entry = uint32_t((query.entry - code.base()) / 4);
  const auto begin = begin_of(code, entry);
  hash(code.target())(query.decode_mode)(query.limits.sgprs)(query.limits.vgprs)(query.limits.agprs);
  hash(code.size())(entry); // branches may lead out of it
  hash.bytes(begin.data(), begin.size_bytes());
  return hash.result();
}

bool Cache::is_of(const void* function) const { return files::build_id_at(function) == compiler_; }

std::optional<CacheEntry> Cache::find(const CacheKey& key, const engine::Code& code, std::string& trouble) const {
  const auto bytes = folder_.read(files::name_of(key), trouble);
  if (!bytes)
    return {};
  auto found = unpacked(key, *bytes);
  if (!found) {
    folder_.remove(files::name_of(key));
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
  return folder_.write(files::name_of(key), packed(key, code, answer));
}

} // namespace crosslane::jit
