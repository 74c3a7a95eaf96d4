// A list with commas, and what belongs to some of it.
#include "rewrite/probes.h"
#include "files/error.h"
#include "files/read.h"
#include "files/size.h"
#include <filesystem>

namespace crosslane::rewrite {

namespace {

bool is_source(std::string_view name) { return name.ends_with(".cl") || name.ends_with(".hip"); }
bool is_file(std::string_view name) { return name.ends_with(".s") || is_source(name); }

// f(word) of each, until it gives an error.
template <class F> llvm::Error each_word(const std::string& list, F f) {
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    if (auto error = f(list.substr(at, comma - at)))
      return error;
    at = comma + 1;
  }
  return llvm::Error::success();
}

llvm::Expected<UserProbe> user_probe(const std::string& file) {
  if (!is_source(file))
    return read_user_probe(file);
  if (auto text = files::read(file); !text) // clang reads it, and later
    return text.takeError();
  return UserProbe{.name = std::filesystem::path(file).filename(), .text = {}, .source = file, .at = {}};
}

llvm::Expected<Probes> parse_list(const std::string& list, const char* option) {
  const struct {
    std::string_view name;
    bool Probes::* on;
  } known[] = {{"divergence", &Probes::divergence},
               {"blocks", &Probes::blocks},
               {"lanes", &Probes::lanes},
               {"time", &Probes::time},
               {"memory", &Probes::memory},
               {"document-lds", &Probes::document_lds},
               {"document-global", &Probes::document_global},
               {"poison", &Probes::poison}};
  Probes probes;
  auto error = each_word(list, [&](const std::string& name) -> llvm::Error {
    const auto* const found = std::ranges::find(known, name, [](const auto& row) { return row.name; });
    if (found != std::end(known)) {
      probes.*found->on = true;
    } else if (is_file(name)) {
      if (probes.user)
        return fail("{} {}: one file is the probe; put both into one", option, list);
      auto user = user_probe(name);
      if (!user)
        return user.takeError();
      probes.user = std::move(*user);
    } else if (name != "none") {
      return fail("{} {}: there are divergence, blocks, lanes, time, memory, FILE.s, FILE.cl, FILE.hip, document-lds, "
                  "document-global and none",
                  option, list);
    }
    if (name.starts_with("document-") && name != list)
      return fail("{} {}: {} keeps its counters in its own way; ask for it alone", option, list, name);
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return probes;
}

} // namespace

std::string with_files(const std::string& probes, const std::function<std::string(const std::string&)>& name) {
  std::string out;
  llvm::cantFail(each_word(probes, [&](const std::string& word) {
    out += (out.empty() ? "" : ",") + (is_file(word) ? name(word) : word);
    return llvm::Error::success();
  }));
  return out;
}

llvm::Expected<Probes> parse_probes(const ProbeTexts& texts, const ProbeNames& names) {
  auto probes = parse_list(texts.probes, names.probes);
  if (!probes)
    return probes;
  if (!probes->user && !texts.places.empty())
    return fail("{} {}: says where a probe of your own goes, {} FILE.s; others know their places", names.places,
                texts.places, names.probes);
  if (probes->user) {
    if (texts.places.empty())
      return fail("{} {}: {} says where it goes: entry, exit, block, branch, edge, memory, FILE:LINE", names.probes,
                  texts.probes, names.places);
    auto places = parse_places(texts.places, names.places);
    if (!places)
      return places.takeError();
    probes->user->at = std::move(*places);
  }
  if (texts.trace_bytes.empty())
    return probes;
  if (!probes->memory)
    return fail("{} {}: is room for what {} memory traces; nothing else needs it", names.trace_bytes, texts.trace_bytes,
                names.probes);
  const uint64_t bytes = files::bytes_of(texts.trace_bytes);
  if (bytes < 1u << 10 || bytes > 1u << 28)
    return fail("{} {}: write a size from 1K to 256M", names.trace_bytes, texts.trace_bytes);
  probes->trace_bytes = uint32_t(bytes);
  return probes;
}

} // namespace crosslane::rewrite
