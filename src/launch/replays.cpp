// Items, and their results as JSON.
#include "launch/replays.h"
#include "check/checks.h"
#include "files/error.h"
#include "gpu/choice.h"
#include "launch/ranges.h"
#include "launch/ready.h"
#include "model/timed.h"
#include <algorithm>
#include <llvm/Support/xxhash.h>
#include <nlohmann/json.hpp>

namespace crosslane::launch {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const char* word_of(End end) {
  switch (end) {
  case End::complete: return "complete";
  case End::fault: return "fault";
  case End::refused: return "refused";
  case End::timeout: return "timeout";
  case End::stopped: return "stopped";
  }
  return "unknown";
}

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> all;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    all.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return all;
}

// What writes a file, or says something of one run.
const char* single(const Job& job) {
  const profile::Texts& p = job.profile;
  return !p.views.empty()            ? "--profile"
         : !p.instrument.empty()     ? "--instrument"
         : !p.csv.empty()            ? "--csv"
         : !p.html.empty()           ? "--html"
         : !p.trace.empty()          ? "--trace-wave"
         : !job.time_files.empty()   ? "--time-files"
         : !job.checked.file.empty() ? "--findings"
         : job.overhead              ? "--overhead"
         : job.fidelity              ? "--fidelity"
         : job.stats                 ? "--stats"
         : job.sandbox               ? "--sandbox"
         : job.runs != 1             ? "--runs"
                                     : nullptr;
}

// What cannot be put together of ranges.
const char* whole(const Job& job) {
  return job.time_error >= 0 ? "--time-error" : !job.check.empty() ? "--check" : nullptr;
}

// All workgroups that a replay of the job runs.
llvm::Expected<capture::Workgroups> chosen(const Job& job, const capture::Dispatch& dispatch) {
  if (!job.workgroups.empty())
    return parse_workgroups(job.workgroups);
  return dispatch.workgroups.value_or(capture::Workgroups{0, dispatch.workgroup_count()});
}

void say(Json& json, const Comparison& comparison) {
  json["same"] = comparison.different == 0;
  if (comparison.different)
    json["different"] = comparison.text;
}

llvm::Expected<std::vector<std::string>> cards_for(const Job& job, const capture::Dispatch& dispatch) {
  if (!job.time || job.gpu.empty())
    return std::vector<std::string>{""};
  const auto target = isa::parse_target(dispatch.target);
  std::vector<std::string> cards;
  if (job.gpu == "all") {
    for (const gpu::Card& card : gpu::cards())
      if (target && card.target == *target)
        cards.emplace_back(card.name);
    return cards;
  }
  for (const std::string& word : words(job.gpu)) {
    auto choice = gpu::choose(word);
    if (!choice)
      return fail("--gpu {}: {}", word, llvm::toString(choice.takeError()));
    // Of a capture for several cards each has its own dispatches.
    if (target && choice->card->target == *target)
      cards.push_back(word);
  }
  return cards;
}

} // namespace

llvm::Expected<Replays> Replays::create(const Job& job, uint64_t ranges) {
  if (const char* option = single(job))
    return fail("{} is of one replay; --dispatch N says which", option);
  if (const char* option = ranges ? whole(job) : nullptr)
    return fail("{} is of whole dispatches: leave --ranges {} out", option, ranges);
  if (!job.gpu.empty() && !job.time)
    return fail("--gpu {} needs --time: what runs is what was captured", job.gpu);
  auto reader = capture::Reader::open(job.capture);
  if (!reader)
    return reader.takeError();
  Replays replays;
  replays.job_ = job;
  replays.job_.profile.json.clear(); // of all of them
  for (const uint64_t number : (*reader)->numbers()) {
    if (job.dispatch && *job.dispatch != number)
      continue;
    auto dispatch = (*reader)->dispatch(number);
    if (!dispatch)
      return dispatch.takeError();
    auto cards = cards_for(job, *dispatch);
    if (!cards)
      return cards.takeError();
    if (auto error = replays.add(*dispatch, *cards, ranges))
      return std::move(error);
    replays.name_ += fmt::format("{}:{:x} ", number, llvm::xxh3_64bits(capture::text_of(*dispatch)));
  }
  if (replays.items_.empty())
    return job.dispatch ? fail("{}: has no dispatch {}; --list tells which there are", job.capture, *job.dispatch)
                        : fail("{}: has no dispatch{}", job.capture, job.gpu.empty() ? "" : " for those cards");
  replays.name_ = fmt::format("replays by {}{}{}{}{}{}{}{}{}{} of {}", capture::producer(),
                              job.expect_captured ? ", expect" : "", job.check.empty() ? "" : ", check " + job.check,
                              job.late ? ", late" : "", job.poison ? fmt::format(", poison {}", job.poison) : "",
                              job.time ? ", time on " + (job.gpu.empty() ? "its card" : job.gpu) : "",
                              job.time_error >= 0 ? fmt::format(" within {} %", job.time_error) : "",
                              job.workgroups.empty() ? "" : ", workgroups " + job.workgroups,
                              ranges ? fmt::format(", in {} ranges", ranges) : "",
                              job.timeout > 0 ? fmt::format(", {} s at most", job.timeout) : "", replays.name_);
  return replays;
}

llvm::Error Replays::add(const capture::Dispatch& dispatch, const std::vector<std::string>& cards, uint64_t ranges) {
  if (!ranges || dispatch.workgroup_count() == 0) {
    for (const std::string& card : cards)
      items_.push_back({dispatch.number, card, {}});
    return llvm::Error::success();
  }
  auto all = chosen(job_, dispatch);
  if (!all)
    return all.takeError();
  for (const std::string& card : cards)
    for (const capture::Workgroups& range : cut(*all, ranges))
      items_.push_back({dispatch.number, card, range, *all});
  return llvm::Error::success();
}

// Once for the ranges of a dispatch: each puts back what it has changed.
llvm::Error Replays::place(uint64_t dispatch) {
  if (placed_ && placed_->captured->dispatch().number == dispatch)
    return llvm::Error::success();
  placed_.reset(); // before other memory takes its place
  auto captured = Captured::open(job_.capture, dispatch);
  if (!captured)
    return captured.takeError();
  auto device = Device::create();
  if (auto error = (*captured)->place(device->memory(), job_.zeroed))
    return error;
  placed_ = {std::move(device), std::move(*captured)};
  return llvm::Error::success();
}

std::string Replays::run(uint64_t number) {
  const Item& item = items_[number];
  Job job = job_;
  job.dispatch = item.dispatch;
  if (!item.card.empty())
    job.gpu = item.card;
  if (item.range) {
    job.workgroups = fmt::format("{}..{}", item.range->first, item.range->first + item.range->count - 1);
    job.footprint = true;
    if (job.time && item.range->count != item.all.count)
      job.range_of = item.all;
    job.expect_captured = false; // all of them are expected together
  }
  Json json = {{"dispatch", *job.dispatch}};
  if (!item.card.empty())
    json["card"] = item.card;
  std::vector<std::string> notes;
  Observer observer;
  observer.note = [&](const std::string& text) { notes.push_back(text); };
  const auto failed = [&](llvm::Error error) {
    placed_.reset();
    json["error"] = llvm::toString(std::move(error));
    return text_of(json);
  };
  if (!item.range)
    placed_.reset(); // another dispatch's memory comes
  else if (auto error = place(item.dispatch))
    return failed(std::move(error));
  auto result = launch(job, observer, nullptr, item.range ? &*placed_ : nullptr);
  if (!result)
    return failed(result.takeError());
  json["kernel"] = codeobject::demangle(result->ready->kernel->name);
  json["target"] = result->ready->object->processor();
  json["end"] = word_of(result->end);
  if (!result->why.empty())
    json["why"] = result->why;
  if (result->end == End::complete) {
    json["instructions"] = result->outcome.stats.instructions;
    json["waves"] = result->outcome.stats.waves;
    json["workgroups"] = result->outcome.stats.workgroups;
  }
  if (item.range && job_.expect_captured && result->end == End::fault) {
    auto comparison = result->ready->captured->compare(result->outcome);
    if (!comparison)
      json["error"] = llvm::toString(comparison.takeError());
    else
      result->comparisons.push_back(std::move(*comparison));
  }
  for (const Comparison& comparison : result->comparisons)
    say(json, comparison);
  if (result->judged)
    json["findings"] =
        Json::parse(check::document_of({&*result->judged, 1}, result->checked->suppressed, ".json"))["findings"];
  if (const auto members = Json::parse("{" + result->members + "}"); members.contains("timing"))
    json["timing"] = members["timing"];
  if (!notes.empty())
    json["notes"] = notes;
  if (!item.range)
    return text_of(json);
  if (auto error = placed_->captured->reset(result->footprint->writes))
    return failed(std::move(error));
  return text_of(json) + "\n" + bytes_of(*result->footprint);
}

std::vector<std::string> Replays::join(std::vector<std::string> results) {
  placed_.reset();
  std::vector<std::string> joined;
  for (size_t first = 0; first < results.size();) {
    size_t end = first + 1;
    while (items_[first].range && end < results.size() && items_[end].dispatch == items_[first].dispatch &&
           items_[end].card == items_[first].card)
      ++end;
    joined.push_back(items_[first].range ? join_ranges(first, std::span(results).subspan(first, end - first))
                                         : std::move(results[first]));
    first = end;
  }
  return joined;
}

// What stopped the first of those that did not come to their end is the dispatch's end; else what they left is put
// together.
std::string Replays::join_ranges(size_t first, std::span<const std::string> results) const {
  Json json, ended;
  const auto failed = [&](llvm::Error error) {
    return text_of({{"dispatch", items_[first].dispatch}, {"error", llvm::toString(std::move(error))}});
  };
  auto captured = Captured::open(job_.capture, items_[first].dispatch);
  if (!captured)
    return failed(captured.takeError());
  std::vector<Range> ranges;
  std::vector<Json> timings;
  for (size_t r = 0; r < results.size(); ++r) {
    const std::string& text = results[r];
    const size_t line = std::min(text.find('\n'), text.size());
    Json part = Json::parse(text.begin(), text.begin() + ptrdiff_t(line), nullptr, false);
    if (part.is_object() && part.contains("error"))
      return text_of(part);
    if (!part.is_object() || line == text.size())
      return failed(fail("the result of a range of workgroups is none: {}", text.substr(0, 80)));
    auto footprint = parse_footprint(std::string_view(text).substr(line + 1), (*captured)->dispatch().memory);
    if (!footprint)
      return failed(footprint.takeError());
    ranges.push_back({*items_[first + r].range, std::move(*footprint)});
    if (part.contains("timing"))
      timings.push_back(std::move(part["timing"])), part.erase("timing");
    if (ended.is_null() && part.value("end", "") != "complete")
      ended = part;
    if (json.is_null()) {
      json = std::move(part);
      continue;
    }
    for (const Json& note : part.value("notes", Json::array()))
      if (Json& notes = json["notes"]; std::ranges::find(notes, note) == notes.end())
        notes.push_back(note);
    for (const char* sum : {"instructions", "waves", "workgroups"})
      json[sum] = json.value(sum, uint64_t(0)) + part.value(sum, uint64_t(0));
  }
  if (!job_.workgroups.empty()) {
    auto all = chosen(job_, (*captured)->dispatch());
    if (!all)
      return failed(all.takeError());
    if (auto error = (*captured)->choose(*all))
      return failed(std::move(error));
  }
  const std::shared_ptr<Device> device = Device::create();
  if (auto error = (*captured)->place(device->memory(), job_.zeroed))
    return failed(std::move(error));
  if (auto error = launch::join((*captured)->dispatch(), ranges))
    return failed(std::move(error));
  if (!ended.is_null())
    return text_of(ended);
  const Json notes = json.contains("notes") ? json["notes"] : Json(); // the last member, as of whole dispatches
  json.erase("notes");
  if (job_.expect_captured) {
    auto comparison = (*captured)->compare({});
    if (!comparison)
      return failed(comparison.takeError());
    say(json, *comparison);
  }
  if (job_.time) {
    std::optional<Json> timing;
    if (timings.size() == results.size())
      timing = timings.size() == 1 ? std::move(timings[0]) : model::join_timing(timings);
    if (!timing)
      return failed(fail("the times of ranges of workgroups are none"));
    json["timing"] = std::move(*timing);
  }
  if (!notes.is_null())
    json["notes"] = notes;
  return text_of(json);
}

llvm::Expected<Replays::Summary> Replays::summary(std::span<const std::string> results) {
  Summary summary;
  Json list = Json::array();
  std::vector<std::array<std::string, 6>> rows = {{"dispatch", "card", "ended", "memory", "findings", "time"}};
  std::vector<std::string> kernels = {"kernel"};
  for (const std::string& text : results) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("dispatch"))
      return fail("the result of a replay is no JSON: {}", text.substr(0, 80));
    const std::string end = json.value("end", "not run");
    const bool same = json.value("same", true);
    const size_t findings = json.contains("findings") ? json["findings"].size() : 0;
    summary.failed += json.contains("error");
    // Of a captured fault it is the fault that is expected.
    summary.faults += (end == "fault" || end == "refused") && !(json.contains("same") && same);
    summary.timeouts += end == "timeout", summary.different += !same, summary.findings += findings;
    rows.push_back(
        {json["dispatch"].dump(), json.value("card", ""), end, json.contains("same") ? same ? "same" : "differs" : "",
         json.contains("findings") ? std::to_string(findings) : "",
         json.contains("timing") ? fmt::format("{:.1f} us", json["timing"].value("nanoseconds", 0.0) / 1000) : ""});
    kernels.push_back(json.contains("error") ? json["error"].get<std::string>() : json.value("kernel", ""));
    list.push_back(std::move(json));
  }
  std::array<size_t, 6> widths = {};
  std::array<bool, 6> used = {};
  for (const auto& row : rows)
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size()), used[c] |= &row != &rows.front() && !row[c].empty();
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < rows[r].size(); ++c)
      if (used[c])
        summary.text += fmt::format("{:>{}}  ", rows[r][c], widths[c]);
    summary.text += kernels[r] + "\n";
  }
  summary.document = Json{{"replays", std::move(list)}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return summary;
}

} // namespace crosslane::launch
