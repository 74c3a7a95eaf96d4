// Rounds of lint.
#include "rewrite/settle.h"
#include "codeobject/code_object.h"
#include "files/error.h"
#include "lint/lint.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <ranges>
#include <set>

namespace crosslane::rewrite {

namespace {

// What was found in the input: a rule at an address of the file.
using Known = std::set<std::pair<lint::Rule, uint64_t>>;

bool concerns(const lint::Finding& f) {
  return f.severity == lint::Severity::error || f.severity == lint::Severity::warning;
}

struct Mend {
  uint64_t address = 0; // before the instruction there, in the new file
  std::string text;
};

const uint8_t* bytes_of(const analysis::Code& code, uint64_t address, uint32_t size) {
  const auto bytes = analysis::bytes_at(code, address);
  return bytes.size() >= size ? bytes.data() : nullptr;
}

class Mender {
public:
  Mender(Listing& listing, const LaidOut& at) : listing_(listing) {
    for (const Label label : listing.order)
      by_address_.emplace(at.chunks[label], label);
  }

  // False: there is no such instruction.
  bool put(const Mend& mend) {
    auto found = by_address_.upper_bound(mend.address);
    if (found == by_address_.begin())
      return false;
    --found;
    Chunk& chunk = listing_.chunks[found->second];
    uint64_t at = found->first;
    std::vector<Item> text;
    append(text, listing_.target, mend.text);
    for (size_t i = 0; i < chunk.items.size(); ++i) {
      Item& item = chunk.items[i];
      if (at == mend.address || (mend.address < at + item.size && instructions_of(item) > 1)) {
        chunk.items.insert(chunk.items.begin() + ptrdiff_t(i), text.begin(), text.end());
        return true;
      }
      if (mend.address < at + item.size) { // in the middle of a run
        Item rest = item;
        item.size = uint32_t(mend.address - at);
        rest.origin += item.size, rest.size -= item.size;
        chunk.items.insert(chunk.items.begin() + ptrdiff_t(i) + 1, rest);
        chunk.items.insert(chunk.items.begin() + ptrdiff_t(i) + 1, text.begin(), text.end());
        return true;
      }
      at += item.size;
    }
    return false;
  }

private:
  Listing& listing_;
  std::multimap<uint64_t, Label> by_address_; // of chunks; an empty one comes before the next
};

} // namespace

llvm::Expected<std::vector<uint8_t>> settle(const lint::Subject& before, Listing& listing, const LayoutOptions& options,
                                            const Finish& finish) {
  const uint64_t bias = before.image->bias;
  Known known;
  for (const lint::Finding& f : lint::judge(before).findings)
    known.emplace(f.rule, f.pc - bias);
  const auto bytes_at = [&](uint64_t address, uint32_t size) { return bytes_of(before.code(), address, size); };
  for (uint32_t round = 0; round < 20; ++round) {
    auto laid_out = lay_out(listing, options, bytes_at);
    if (!laid_out)
      return laid_out.takeError();
    auto file = finish(*laid_out);
    if (!file)
      return file;
    auto object = codeobject::CodeObject::read(*file, before.object->name());
    if (!object)
      return object.takeError();
    auto subject = lint::make_subject(**object);
    if (!subject)
      return subject.takeError();
    std::map<uint64_t, std::string> mends; // one at a place and round
    for (const lint::Finding& f : lint::judge(*subject).findings) {
      const uint64_t address = f.pc - subject->image->bias;
      if (!concerns(f) || address < options.address - bias)
        continue;
      if (known.contains({f.rule, codeobject::original_address(laid_out->moved, address + bias) - bias}))
        continue;
      if (!f.fix || f.fix->kind != lint::Fix::Kind::insert)
        return fail("{}: instrumented code would have what the original has not: {} ({:#x}: {})", before.object->name(),
                    lint::id_of(f.rule), address, f.message);
      mends.try_emplace(f.fix->pc - subject->image->bias, f.fix->text);
    }
    if (mends.empty())
      return file;
    Mender mender(listing, *laid_out);
    for (const auto& [address, text] : std::views::reverse(mends)) // what is put in moves what is behind it
      if (!mender.put({address + bias, text}))
        return fail("{}: no place for '{}' at {:#x}", before.object->name(), text, address);
  }
  return fail("{}: wait states of instrumented code do not settle", before.object->name());
}

} // namespace crosslane::rewrite
