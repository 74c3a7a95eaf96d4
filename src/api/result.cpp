// Results: numbers as structures, and everything else as documents that are made when they are asked for.
#include "api/attempt.h"
#include "api/handles.h"
#include "launch/ready.h"
#include "report/counter_csv.h"
#include "report/html.h"
#include "report/json.h"
#include <nlohmann/json.hpp>

using namespace crosslane;
using api::attempt, api::failed, api::give;

namespace {

// One of the members beside the profile, as a document of its own; nothing if there is none.
std::optional<std::string> member(const launch::Result& result, const char* key) {
  const auto members = nlohmann::ordered_json::parse("{" + result.members + "}");
  const auto found = members.find(key);
  if (found == members.end())
    return {};
  return found->dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<std::string> if_any(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

struct Document {
  std::string_view name;
  std::string_view option; // without which there is none
  std::optional<std::string> (*make)(const crosslane_result&);
};

template <const char* file> std::optional<std::string> findings(const crosslane_result& r) {
  if (!r.result.judged)
    return {};
  return check::document_of({&*r.result.judged, 1}, r.result.checked ? r.result.checked->suppressed : 0, file);
}
constexpr char json_file[] = ".json", sarif_file[] = ".sarif", xml_file[] = ".xml";

using Text = std::optional<std::string>;
constexpr Document documents[] = {
    {"printed", "", [](const crosslane_result& r) { return Text(r.result.printed); }},
    {"notes.txt", "", [](const crosslane_result& r) { return Text(r.notes); }},
    {"profile.json", "profile",
     [](const crosslane_result& r) {
       return r.result.profile ? Text(report::json(*r.result.profile, r.result.members)) : Text();
     }},
    {"profile.html", "profile",
     [](const crosslane_result& r) {
       return r.result.profile ? Text(report::html(*r.result.profile, r.result.members)) : Text();
     }},
    {"profile.csv", "profile",
     [](const crosslane_result& r) {
       return r.result.profile ? Text(report::counter_csv(*r.result.profile)) : Text();
     }},
    {"profile.txt", "profile",
     [](const crosslane_result& r) { return r.result.profile ? Text(r.result.summary) : Text(); }},
    {"findings.json", "check", findings<json_file>},
    {"findings.sarif", "check", findings<sarif_file>},
    {"findings.xml", "check", findings<xml_file>},
    {"findings.txt", "check",
     [](const crosslane_result& r) { return r.result.checked ? Text(r.result.checked->text) : Text(); }},
    {"timing.json", "time", [](const crosslane_result& r) { return member(r.result, "timing"); }},
    {"timing.txt", "time", [](const crosslane_result& r) { return if_any(r.result.timing); }},
    {"fidelity.json", "fidelity", [](const crosslane_result& r) { return member(r.result, "fidelity"); }},
    {"fidelity.txt", "fidelity", [](const crosslane_result& r) { return if_any(r.result.fidelity); }},
    {"counters.json", "counters", [](const crosslane_result& r) { return if_any(r.result.counters_document); }},
    {"counters.txt", "counters", [](const crosslane_result& r) { return if_any(r.result.counters); }},
    {"comparisons.txt", "expect",
     [](const crosslane_result& r) {
       std::string text;
       for (const launch::Comparison& c : r.result.comparisons)
         text += c.text + "\n";
       return if_any(text);
     }},
};

std::string names() {
  std::string text;
  for (const Document& d : documents)
    text += (text.empty() ? "" : ", ") + std::string(d.name);
  return text;
}

} // namespace

void crosslane_result_destroy(crosslane_result* result) { delete result; }
crosslane_status crosslane_result_status(const crosslane_result* result) {
  return result ? result->status : CROSSLANE_ERROR_ARGUMENT;
}
const char* crosslane_result_message(const crosslane_result* result) {
  return !result                   ? "there is no result: nothing ran"
         : result->message.empty() ? result->why.c_str()
                                   : result->message.c_str();
}

crosslane_status crosslane_result_get_stats(const crosslane_result* result, crosslane_stats* stats) {
  if (!result)
    return CROSSLANE_ERROR_ARGUMENT;
  const launch::Result& r = result->result;
  crosslane_stats value = {};
  value.instructions = r.outcome.stats.instructions, value.waves = r.outcome.stats.waves;
  value.workgroups = r.outcome.stats.workgroups, value.seconds = r.outcome.stats.seconds;
  value.best_seconds = r.best, value.findings = r.checked ? r.checked->findings : 0;
  return give(stats, value);
}

crosslane_status crosslane_result_get_fault(crosslane_result* result, crosslane_fault* fault) {
  return attempt(result, [&](crosslane_result& r) {
    const auto& f = r.result.outcome.fault;
    if (!f)
      return failed(r.message, CROSSLANE_ERROR_NAME, "there was no fault");
    r.fault_kind = machine::name(f->kind);
    crosslane_fault value = {};
    value.kind = r.fault_kind.c_str(), value.kernel = f->kernel.c_str();
    value.pc = r.fault_pc;
    value.instruction = f->instruction.c_str(), value.source = f->source.c_str();
    std::ranges::copy(f->workgroup, value.workgroup);
    value.wave = f->wave, value.lane = f->lane, value.address = f->address, value.detail = f->detail.c_str();
    return give(fault, value);
  });
}

crosslane_status crosslane_result_document(crosslane_result* result, const char* name, const char** text,
                                           size_t* size) {
  return attempt(result, [&](crosslane_result& r) {
    if (!name || !text)
      return failed(r.message, CROSSLANE_ERROR_ARGUMENT, "there is no {}", name ? "place for the text" : "name");
    *text = nullptr;
    auto known = r.documents.find(name);
    if (known == r.documents.end()) {
      const auto* document = std::ranges::find(documents, std::string_view(name), &Document::name);
      if (document == std::end(documents))
        return failed(r.message, CROSSLANE_ERROR_NAME, "there is no document '{}'; there are {}", name, names());
      auto made = document->make(r);
      if (!made)
        return failed(r.message, CROSSLANE_ERROR_NAME, "there is no {}: the launch had no option '{}'", name,
                      document->option);
      known = r.documents.emplace(name, std::move(*made)).first;
    }
    *text = known->second.c_str();
    if (size)
      *size = known->second.size();
    return CROSSLANE_OK;
  });
}

crosslane_status crosslane_result_get_buffer(crosslane_result* result, const char* name, crosslane_contents* contents) {
  return attempt(result, [&](crosslane_result& r) {
    if (!name)
      return failed(r.message, CROSSLANE_ERROR_ARGUMENT, "there is no name");
    auto known = r.contents.find(name);
    if (known == r.contents.end()) {
      if (!r.result.ready)
        return failed(r.message, CROSSLANE_ERROR_NAME,
                      "there is no buffer '{}': captured memory is gone after a replay", name);
      auto buffer = r.result.buffer(name);
      if (!buffer)
        return failed(r.message, CROSSLANE_ERROR_NAME, buffer.takeError());
      known = r.contents.emplace(name, std::move(*buffer)).first;
    }
    const launch::Buffer& kept = known->second;
    crosslane_contents value = {};
    value.bytes = kept.bytes.data(), value.byte_count = kept.bytes.size(), value.element = api::type_of(kept.type);
    value.dimensions = static_cast<uint32_t>(kept.shape.size()), value.shape = kept.shape.data();
    return give(contents, value);
  });
}
