// Texts to Options, with messages that say which option, what is wrong with it and what it takes.
#include "profile/options.h"
#include "files/error.h"
#include "findings/names.h"
#include "report/view.h"
#include <charconv>
#include <cmath>

namespace crosslane::profile {

namespace {

// All of `text` as a number.
template <class T> std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return {};
  return value;
}

llvm::Expected<By> parse_by(std::string_view text, const char* name) {
  if (text.empty() || text == "line")
    return By::line;
  if (text == "instruction")
    return By::instruction;
  if (text == "kernel")
    return By::kernel;
  return fail("{} {}: there are line, instruction and kernel", name, text);
}

} // namespace

std::string LaunchRange::text() const {
  if (first == last)
    return fmt::format("{}", first);
  return last == UINT64_MAX ? fmt::format("{}..", first) : fmt::format("{}..{}", first, last);
}

std::array<uint32_t, 3> TracedWave::workgroup_in(const std::array<uint32_t, 3>& groups) const {
  if (!number)
    return workgroup;
  const uint64_t x = std::max(groups[0], 1u), y = std::max(groups[1], 1u);
  return {uint32_t(*number % x), uint32_t(*number / x % y), uint32_t(*number / x / y)};
}

bool Options::wants_kernel(std::string_view symbol) const {
  return !pattern || pattern->match(symbol) || pattern->match(findings::readable_name(symbol));
}

findings::Selection Options::selection() const {
  return {.kernels = kernels,
          .launches = launches.all() ? "" : launches.text(),
          .fraction = sample.fraction,
          .seed = sample.seed};
}

llvm::Expected<findings::Views> parse_views(std::string_view list, const char* name) {
  findings::Views views;
  for (std::string_view rest = list;;) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    bool known = word == "all";
    for (const report::View& view : report::all_views())
      if (word == "all" || word == view.name)
        views.*view.on = known = true;
    if (!known)
      return fail("{} {}: there is no view '{}'; there are {}, or all", name, list, word, report::view_names(" and "));
    if (comma == std::string_view::npos)
      return views;
    rest.remove_prefix(comma + 1);
  }
}

llvm::Expected<LaunchRange> parse_launches(std::string_view text, const char* name) {
  LaunchRange range;
  const size_t dots = text.find("..");
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = dots == std::string_view::npos ? first : text.substr(dots + 2);
  const auto begin = number<uint64_t>(first), end = number<uint64_t>(last);
  if ((!first.empty() && !begin) || (!last.empty() && !end) || (first.empty() && last.empty()))
    return fail("{} {}: which launches of each kernel? Write a number from 0 on or a range: 0, 2..5, 2.. or ..5", name,
                text);
  range.first = begin.value_or(0), range.last = end.value_or(UINT64_MAX);
  if (range.first > range.last)
    return fail("{} {}: the range ends before it begins", name, text);
  return range;
}

llvm::Expected<SampleRate> parse_sample(std::string_view text, const char* name) {
  SampleRate rate;
  const size_t colon = text.find(':');
  std::string_view part = text.substr(0, colon);
  const bool percent = part.ends_with('%');
  if (percent)
    part.remove_suffix(1);
  const auto value = number<double>(part);
  if (!value || !std::isfinite(*value))
    return fail(
        "{} {}: write a part of the workgroups, such as 1% or 0.01, and a seed if you want another choice: 1%:7", name,
        text);
  rate.fraction = percent ? *value / 100 : *value;
  if (rate.fraction <= 0 || rate.fraction > 1)
    return fail("{} {}: the part must be above 0 and at most {}", name, text, percent ? "100%" : "1 (or write 1%)");
  if (colon != std::string_view::npos) {
    const auto seed = number<uint64_t>(text.substr(colon + 1));
    if (!seed)
      return fail("{} {}: the seed behind the colon must be a whole number", name, text);
    rate.seed = *seed;
  }
  return rate;
}

llvm::Expected<TracedWave> parse_traced_wave(std::string_view text, const char* name) {
  const auto wrong = [&] {
    return fail("{} {}: write WORKGROUP:WAVE, the workgroup as its number or as x,y,z: 12:0 or 3,1,0:0", name, text);
  };
  TracedWave traced;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return wrong();
  const auto wave = number<uint32_t>(text.substr(colon + 1));
  if (!wave)
    return wrong();
  traced.wave = *wave;
  std::string_view rest = text.substr(0, colon);
  if (rest.find(',') == std::string_view::npos) {
    traced.number = number<uint64_t>(rest);
    if (!traced.number)
      return wrong();
    return traced;
  }
  for (size_t d = 0;; ++d) {
    const size_t comma = rest.find(',');
    const auto value = number<uint32_t>(rest.substr(0, comma));
    if (!value || d == 3)
      return wrong();
    traced.workgroup[d] = *value;
    if (comma == std::string_view::npos)
      return traced;
    rest.remove_prefix(comma + 1);
  }
}

llvm::Expected<Options> parse(const Texts& texts, const Names& names) {
  Options options;
  options.json = texts.json, options.csv = texts.csv, options.html = texts.html;
  options.per_wave = texts.per_wave;
  const bool files = !texts.json.empty() || !texts.csv.empty() || !texts.html.empty();
  if (!texts.instrument.empty()) {
    for (const auto& [text, name] : {std::pair(texts.views, names.views), std::pair(texts.sample, names.sample),
                                     std::pair(texts.trace, names.trace)})
      if (!text.empty())
        return fail("{} and {}: kernels with probes count by themselves; ask for one of the two", names.instrument,
                    name);
    auto probes =
        rewrite::parse_probes({.probes = texts.instrument, .places = texts.at, .trace_bytes = texts.trace_bytes},
                              {.probes = names.instrument, .places = names.at, .trace_bytes = names.trace_bytes});
    if (!probes)
      return probes.takeError();
    if (!probes->any())
      return fail("{} {}: counts nothing; there are divergence, blocks, lanes, time, memory, and probes of your own",
                  names.instrument, texts.instrument);
    if (probes->document_lds || probes->document_global)
      return fail("{} {}: these know only some branches, of which there are no profiles; 'crosslane instrument --probe "
                  "{}' and 'crosslane launch --counters FILE' count them",
                  names.instrument, texts.instrument, texts.instrument);
    options.probes = std::move(*probes);
    options.views.branches = options.probes->divergence;
    options.views.memory = options.views.lds = options.probes->memory;
    options.probes->blocks |= options.probes->memory; // as views of memory have them
  } else if (!texts.views.empty() || files) {
    auto views = parse_views(texts.views.empty() ? "all" : texts.views, names.views);
    if (!views)
      return views.takeError();
    options.views = *views;
  }
  if (!texts.trace.empty()) {
    if (texts.json.empty() && texts.html.empty())
      return fail("{} needs {} or {}: the trace of a wave is for them", names.trace, names.html, names.json);
    auto trace = parse_traced_wave(texts.trace, names.trace);
    if (!trace)
      return trace.takeError();
    options.trace = *trace;
  }
  const struct {
    bool given;
    const char* name;
  } needs_views[] = {{!texts.kernels.empty(), names.kernels},
                     {!texts.launches.empty(), names.launches},
                     {!texts.sample.empty(), names.sample},
                     {!texts.by.empty(), names.by},
                     {texts.per_wave, names.per_wave}};
  for (const auto& row : needs_views)
    if (row.given && !options.any())
      return fail("{} needs {}", row.name, names.views);
  for (const auto& [text, name] : {std::pair(texts.at, names.at), std::pair(texts.trace_bytes, names.trace_bytes)})
    if (!text.empty() && !options.probes)
      return fail("{} needs {}", name, names.instrument);
  if (texts.per_wave && !options.views.branches)
    return fail("{} needs {} branches, or {} divergence: it is the branches that are counted for each wavefront",
                names.per_wave, names.views, names.instrument);
  if (!texts.kernels.empty()) {
    options.kernels = texts.kernels;
    options.pattern = std::make_shared<llvm::Regex>(texts.kernels);
    if (std::string why; !options.pattern->isValid(why))
      return fail("{} {}: is no regular expression: {}", names.kernels, texts.kernels, why);
  }
  if (!texts.launches.empty()) {
    auto launches = parse_launches(texts.launches, names.launches);
    if (!launches)
      return launches.takeError();
    options.launches = *launches;
  }
  if (!texts.sample.empty()) {
    auto sample = parse_sample(texts.sample, names.sample);
    if (!sample)
      return sample.takeError();
    options.sample = *sample;
  }
  auto by = parse_by(texts.by, names.by);
  if (!by)
    return by.takeError();
  options.by = *by;
  return options;
}

} // namespace crosslane::profile
