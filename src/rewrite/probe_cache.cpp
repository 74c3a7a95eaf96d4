// A file: a mark, the key, what became of each kernel, the new code object, and a hash of all that.
#include "rewrite/probe_cache.h"
#include "files/build_id.h"
#include <algorithm>
#include <cstring>
#include <ctime>
#include <fmt/format.h>

namespace crosslane::rewrite {

namespace {

constexpr std::string_view mark = "crosslane-probes-2\n";

double processor_seconds() {
  timespec now;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? double(now.tv_sec) + 1e-9 * double(now.tv_nsec) : 0;
}

void add(files::CacheHasher& hash, std::string_view text) { hash.bytes(text.data(), text.size()); }

void add(files::CacheHasher& hash, const Probes& probes) {
  // Whoever adds a field decides here whether it changes the code.
  const auto& [divergence, blocks, lanes, time, memory, trace_bytes, user, document_lds, document_global, poison] =
      probes;
  for (const bool on :
       {divergence, blocks, lanes, time, memory, user.has_value(), document_lds, document_global, poison})
    hash(uint8_t(on));
  hash(trace_bytes);
  if (!user)
    return;
  const auto& [name, text, source, at] = *user;
  add(hash, name), add(hash, text);
  hash(uint8_t(source.empty())); // what is in it comes as intermediate code
  for (const UserPlace& place : at) {
    hash(uint8_t(place.kind))(place.line);
    add(hash, place.file);
  }
}

// `ir`: of a source.
files::CacheKey key_of(std::span<const uint8_t> maker, const codeobject::CodeObject& object, const Options& options,
                       const std::string& ir) {
  files::CacheHasher hash;
  hash.bytes(mark.data(), mark.size()).bytes(maker.data(), maker.size());
  hash.bytes(object.bytes().data(), object.bytes().size());
  add(hash, options.probes);
  add(hash, ir);
  hash(options.branch_reach)(options.shuffle);
  for (const codeobject::Kernel& kernel : object.kernels())
    hash(uint8_t(!options.wanted || options.wanted(kernel)));
  return hash.result();
}

class Writer {
public:
  void operator()(uint64_t value) { raw(&value, sizeof value); }
  void text(std::string_view text) { (*this)(text.size()), raw(text.data(), text.size()); }
  void raw(const void* p, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(p);
    out.insert(out.end(), bytes, bytes + size);
  }
  std::vector<uint8_t> out;
};

class Reader {
public:
  explicit Reader(std::span<const uint8_t> from) : from_(from) {}
  bool operator()(uint64_t& value) {
    const auto bytes = take(sizeof value);
    if (bytes.empty())
      return false;
    std::memcpy(&value, bytes.data(), sizeof value);
    return true;
  }
  bool text(auto& text) {
    uint64_t size = 0;
    if (!(*this)(size) || size > from_.size())
      return false;
    const auto bytes = take(size);
    text.assign(bytes.begin(), bytes.end());
    return true;
  }
  std::span<const uint8_t> take(size_t size) {
    if (size > from_.size())
      return {};
    const auto bytes = from_.first(size);
    from_ = from_.subspan(size);
    return bytes;
  }
  bool at_end() const { return from_.empty(); }

private:
  std::span<const uint8_t> from_;
};

// Fields of a kernel, in either direction: f(number) or f.text(text) of each.
template <class Stream, class Kernel> bool pass(Stream& f, Kernel& k) {
  auto& [kernel, refused, sites, counters, places, left_out, instructions, added, calls_to_old] = k;
  if constexpr (std::is_same_v<Stream, Writer>) {
    f.text(kernel), f.text(refused);
    for (const uint64_t n : {sites, counters, places, left_out, instructions, added, calls_to_old})
      f(n);
    return true;
  } else {
    return f.text(kernel) && f.text(refused) && f(sites) && f(counters) && f(places) && f(left_out) &&
           f(instructions) && f(added) && f(calls_to_old);
  }
}

llvm::BLAKE3Result<> hash_of(std::span<const uint8_t> bytes) {
  return llvm::BLAKE3::hash(llvm::ArrayRef(bytes.data(), bytes.size()));
}

std::vector<uint8_t> packed(const files::CacheKey& key, const Result& result) {
  Writer write;
  write.raw(mark.data(), mark.size()), write.raw(key.data(), key.size());
  write(result.kernels.size());
  for (const Instrumented& kernel : result.kernels)
    pass(write, kernel);
  write(result.branches.probed), write(result.branches.of);
  write.text({reinterpret_cast<const char*>(result.bytes.data()), result.bytes.size()});
  const auto hash = hash_of(write.out);
  write.raw(hash.data(), hash.size());
  return std::move(write.out);
}

// None: these are not what packed() gave for that key, or not all of it.
std::optional<Result> unpacked(const files::CacheKey& key, std::span<const uint8_t> bytes) {
  llvm::BLAKE3Result<> hash;
  if (bytes.size() < mark.size() + key.size() + hash.size())
    return {};
  const auto contents = bytes.first(bytes.size() - hash.size());
  hash = hash_of(contents);
  Reader read(contents);
  const auto begin = read.take(mark.size());
  if (!std::equal(hash.begin(), hash.end(), bytes.end() - ptrdiff_t(hash.size())) ||
      !std::equal(begin.begin(), begin.end(), mark.begin()) || !std::ranges::equal(read.take(key.size()), key))
    return {};
  Result result;
  uint64_t kernels = 0;
  if (!read(kernels))
    return {};
  for (; kernels; --kernels)
    if (!pass(read, result.kernels.emplace_back()))
      return {};
  if (!read(result.branches.probed) || !read(result.branches.of) || !read.text(result.bytes) || !read.at_end())
    return {};
  return result;
}

} // namespace

ProbeCache::ProbeCache(const files::CacheSettings& settings)
    : use_(settings.wrong.empty() ? settings.use : files::CacheUse::off), files_(settings.folder, settings.most_bytes),
      maker_(files::build_id_at(reinterpret_cast<const void*>(&probe_cache))) {
  stats_.folder = settings.folder;
  stats_.trouble = use_ == files::CacheUse::off        ? ""
                   : settings.folder.empty()           ? "there is no HOME to have it in"
                   : !settings.folder.starts_with('/') ? "its folder, '" + settings.folder + "', is no absolute path"
                   : maker_.empty()                    ? "this build of crosslane has no build id"
                                                       : "";
}

llvm::Expected<Result> ProbeCache::make(const codeobject::CodeObject& object, const Options& options) {
  const double begin = processor_seconds();
  auto result = rewrite::instrument(object, options);
  const double seconds = processor_seconds() - begin;
  const std::lock_guard lock(mutex_);
  ++stats_.made, stats_.making += seconds;
  if (result)
    stats_.branches += result->branches;
  return result;
}

// f(), if it was not asked for that before.
template <class Known, class Make>
auto ask_once(std::mutex& mutex, Known& known, const typename Known::key_type& key, Make make) -> decltype(make()) {
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end())
      return found->second;
  }
  auto made = make();
  if (!made)
    return made;
  const std::lock_guard lock(mutex);
  return known.insert_or_assign(key, std::move(*made)).first->second;
}

// A program loads many code objects, and one probe goes into all of them.
ProbeCompiler ProbeCache::remembering(const ProbeCompiler& compiler) {
  return {.ir =
              [this, &compiler](const std::string& file, isa::Target target) {
                return ask_once(mutex_, ir_, {file, target}, [&] { return compiler.ir(file, target); });
              },
          .code =
              [this, &compiler](const std::string& ir, const std::string& symbol, isa::Target target,
                                const std::string& name) {
                return ask_once(mutex_, code_, {ir, target}, [&] { return compiler.code(ir, symbol, target, name); });
              }};
}

llvm::Expected<Result> ProbeCache::instrument(const codeobject::CodeObject& object, const Options& given) {
  if (given.wanted && std::ranges::none_of(object.kernels(), given.wanted)) // libraries' own, mostly
    return Result{};
  Options options = given;
  options.compiler = remembering(given.compiler);
  const auto target = isa::parse_target(object.processor());
  std::string ir;
  if (const auto& user = options.probes.user; user && !user->source.empty() && target) {
    auto text = options.compiler.ir(user->source, *target);
    if (!text)
      return text.takeError();
    ir = std::move(*text);
  }
  if (use_ == files::CacheUse::off || !stats().trouble.empty())
    return make(object, options);
  const files::CacheKey key = key_of(maker_, object, options, ir);
  auto found = find(key);
  if (found && use_ != files::CacheUse::verify)
    return std::move(*found);
  auto result = make(object, options);
  if (!result)
    return result;
  if (!found) {
    keep(key, *result);
    return result;
  }
  const bool same = packed(key, *found) == packed(key, *result);
  const std::lock_guard lock(mutex_);
  ++(same ? stats_.verified : stats_.differing);
  stats_.branches.probed -= found->branches.probed, stats_.branches.of -= found->branches.of; // counted twice
  return result;
}

std::optional<Result> ProbeCache::find(const files::CacheKey& key) {
  const double begin = processor_seconds();
  std::string trouble;
  const auto bytes = files_.read(files::name_of(key), trouble);
  auto result = bytes ? unpacked(key, *bytes) : std::nullopt;
  if (bytes && !result)
    files_.remove(files::name_of(key));
  const double seconds = processor_seconds() - begin;
  const std::lock_guard lock(mutex_);
  if (result)
    ++stats_.found, stats_.finding += seconds, stats_.branches += result->branches;
  if (stats_.trouble.empty())
    stats_.trouble = trouble;
  return result;
}

void ProbeCache::keep(const files::CacheKey& key, const Result& result) {
  const std::string trouble = files_.write(files::name_of(key), packed(key, result));
  const std::lock_guard lock(mutex_);
  if (trouble.empty())
    ++stats_.kept;
  else if (stats_.trouble.empty())
    stats_.trouble = trouble;
}

ProbeStats ProbeCache::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

ProbeCache& probe_cache() {
  static auto& cache = *new ProbeCache(files::cache_settings()); // programs launch kernels until the very end
  return cache;
}

std::string text(const ProbeStats& s) {
  std::string text;
  if (s.made)
    text = fmt::format("{} code object(s) got probes in {:.1f} ms of processor time", s.made, s.making * 1e3);
  if (s.found)
    text +=
        fmt::format("{}{} found with probes in the cache in {:.1f} ms", s.made ? ", " : "", s.found, s.finding * 1e3);
  if (text.empty())
    return text;
  text = "instrumented: " + text +
         (s.branches.of ? "; probes are at " + rewrite::text(s.branches) + " of their code\n" : "\n");
  if (s.verified || s.differing)
    text += fmt::format("instrumented again: {} code object(s) are as the cache has them, {} are not\n", s.verified,
                        s.differing);
  if (s.kept)
    text += fmt::format("kept for other runs: {} code object(s) with probes, in {}\n", s.kept, s.folder);
  if (!s.trouble.empty())
    text += fmt::format("code with probes is not kept: {}\n", s.trouble);
  return text;
}

} // namespace crosslane::rewrite
