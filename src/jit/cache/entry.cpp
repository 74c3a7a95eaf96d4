// A file: a mark, the key, code and answer, and a hash of all that.
#include "jit/cache/entry.h"
#include <algorithm>
#include <cstring>
#include <llvm/Support/BLAKE3.h>
#include <type_traits>

namespace crosslane::jit {

namespace {

constexpr std::string_view mark = "crosslane-jit-1\n";

// Fields one after the other, in either direction.
class Writer {
public:
  explicit Writer(std::vector<uint8_t>& to) : to_(to) {}
  bool operator()(const auto& value) {
    const auto* p = reinterpret_cast<const uint8_t*>(&value);
    to_.insert(to_.end(), p, p + sizeof value);
    return true;
  }
  template <class T> bool many(const T& all) {
    (*this)(uint32_t(all.size()));
    const auto* p = reinterpret_cast<const uint8_t*>(all.data());
    to_.insert(to_.end(), p, p + all.size() * sizeof *all.data());
    return true;
  }

private:
  std::vector<uint8_t>& to_;
};

class Reader {
public:
  explicit Reader(std::span<const uint8_t> from) : from_(from) {}
  bool operator()(auto& value) { return take(&value, sizeof value); }
  template <class T> bool many(T& all) {
    uint32_t count = 0;
    if (!(*this)(count) || count > from_.size() / sizeof *all.data())
      return false;
    all.resize(count);
    return take(all.data(), count * sizeof *all.data());
  }
  bool at_end() const { return from_.empty(); }

private:
  bool take(void* to, size_t bytes) {
    if (bytes > from_.size())
      return false;
    if (bytes)
      std::memcpy(to, from_.data(), bytes);
    from_ = from_.subspan(bytes);
    return true;
  }
  std::span<const uint8_t> from_;
};

// No padding, of which the bytes would be anything.
template <class Stream, class Loop> bool pass_loop(Stream& s, Loop& l) {
  auto& [pc, full, entry] = l;
  return s(pc) && s(full) && s(entry);
}

template <class Stream, class Answer> bool pass(Stream& s, Answer& answer) {
  // Whoever adds a field decides here whether a file has it. `cost`, `phases`, `ir` and `report` are about the
  // compilation.
  auto& [error, lasting, cost, image, start, entries, loops, partial, ranges, waits, sums, only_loops, comes_back, cold,
         frame_bytes, calls, code_bytes, ir_instructions, phases, ir, report] = answer;
  auto count = uint32_t(loops.size());
  if (!(s.many(error) && s(lasting) && s.many(image) && s(start) && s.many(entries) && s(partial) && s(ranges) &&
        s(waits) && s(sums) && s(only_loops) && s(comes_back) && s(cold) && s(frame_bytes) && s.many(calls) &&
        s(code_bytes) && s(ir_instructions) && s(count)))
    return false;
  if constexpr (!std::is_const_v<Answer>)
    for (loops.clear(); loops.size() < count;)
      if (!pass_loop(s, loops.emplace_back()))
        return false;
  if constexpr (std::is_const_v<Answer>)
    for (const LoopEntry& l : loops)
      pass_loop(s, l);
  return true;
}

llvm::BLAKE3Result<> hash_of(std::span<const uint8_t> bytes) {
  return llvm::BLAKE3::hash(llvm::ArrayRef(bytes.data(), bytes.size()));
}

// What whoever enters the code relies on.
bool is_sound(const Compiled& a) {
  if (!a.error.empty())
    return a.lasting;
  const auto numbered = [&](const LoopEntry& l) { return l.entry < a.entries.size(); };
  return a.start < a.image.size() && a.partial >= -1 && a.partial < int64_t(a.entries.size()) && !a.entries.empty() &&
         std::all_of(a.loops.begin(), a.loops.end(), numbered);
}

} // namespace

std::vector<uint8_t> packed(const CacheKey& key, const engine::CodeBytes& code, const Compiled& answer) {
  std::vector<uint8_t> out(mark.begin(), mark.end());
  Writer write(out);
  write(key);
  write(uint32_t(code.runs.size()));
  for (const auto& run : code.runs)
    write(run.pc), write.many(run.words);
  pass(write, answer);
  write(hash_of(out));
  return out;
}

std::optional<CacheEntry> unpacked(const CacheKey& key, std::span<const uint8_t> bytes) {
  llvm::BLAKE3Result<> hash;
  if (bytes.size() < mark.size() + key.size() + hash.size())
    return {};
  const auto contents = bytes.first(bytes.size() - hash.size());
  if (hash = hash_of(contents); !std::equal(hash.begin(), hash.end(), bytes.end() - ptrdiff_t(hash.size())) ||
                                std::memcmp(contents.data(), mark.data(), mark.size()) != 0)
    return {};
  Reader read(contents.subspan(mark.size()));
  CacheKey of;
  uint32_t runs = 0;
  CacheEntry out;
  if (!read(of) || of != key || !read(runs))
    return {};
  for (; runs; --runs)
    if (auto& run = out.code.runs.emplace_back(); !read(run.pc) || !read.many(run.words))
      return {};
  if (!pass(read, out.answer) || !read.at_end() || !is_sound(out.answer))
    return {};
  return out;
}

} // namespace crosslane::jit
