// Times are cycles. Keys and their order: ROCm/rocprofiler-sdk, source/lib/att-tool.
#include "timing/formats/viewer.h"
#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace crosslane::timing::formats {

namespace {

using Json = nlohmann::ordered_json;
using replay::What;

constexpr const char* version = "3.0.0"; // of the format

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Lines are numbered from 1, which is the kernel's name.
uint64_t number_of(uint32_t line) { return uint64_t(line) + 2; }

Json code(const Course& course) {
  Json lines = Json::array();
  const uint64_t begin = course.code.empty() ? 0 : course.code.front().address;
  lines.push_back({"; " + course.kernel, 0, 1, course.readable, 1, begin, 0, 0, 0, 0});
  for (uint32_t i = 0; i < course.code.size(); ++i) {
    const CodeLine& l = course.code[i];
    lines.push_back(
        {l.text, 0, number_of(i), l.source, 1, l.address, l.times.hits, l.times.latency, l.times.stall, l.times.idle});
  }
  return {{"code", lines},
          {"version", version},
          {"header", "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle"}};
}

Json occupancy(const Course& course) {
  using Event = std::tuple<uint64_t, int, unsigned, unsigned, unsigned>; // time, begins, unit, SIMD unit, slot
  std::map<unsigned, std::vector<Event>> engines;
  for (const replay::WaveRecord& w : course.recording.waves) {
    engines[w.engine].emplace_back(w.begin, 1, w.unit, w.simd, w.slot);
    engines[w.engine].emplace_back(w.end, 0, w.unit, w.simd, w.slot);
  }
  Json out = Json::object();
  for (auto& [engine, events] : engines) {
    std::ranges::sort(events); // of a place, an end comes before the next begin
    Json& list = out[std::to_string(engine)] = Json::array();
    for (const auto& [time, begins, unit, simd, slot] : events)
      list.push_back({time, unit, simd, slot, begins, 1});
  }
  out["dispatches"] = {{"1", course.readable}};
  out["version"] = version;
  return out;
}

enum class State : uint8_t { idle = 1, exec = 2, wait = 3, stall = 4 };

State state_of_stall(What what) {
  return what == What::wait || what == What::barrier || what == What::sleep || what == What::end ? State::wait
                                                                                                 : State::stall;
}

class Timeline {
public:
  void add(State state, uint64_t cycles) {
    if (!cycles)
      return;
    if (!states_.empty() && states_.back()[0] == int(state))
      states_.back()[1] = states_.back()[1].get<uint64_t>() + cycles;
    else
      states_.push_back({int(state), cycles});
  }
  Json take() { return std::move(states_); }

private:
  Json states_ = Json::array();
};

// For which instructions each s_waitcnt waited.
class Waits {
public:
  void step(uint32_t line, const replay::Row& row) {
    switch (row.what) {
    case What::vector:
      vm_.push_back(line);
      if (row.flat)
        lgkm_.push_back(line);
      break;
    case What::scalar:
    case What::lds:
    case What::counted:
    case What::time: lgkm_.push_back(line); break;
    case What::wait:
      wait(line, vm_, row.vm);
      wait(line, lgkm_, row.lgkm);
      break;
    default: break;
    }
  }
  Json json() const {
    Json out = Json::array();
    for (const auto& [line, sources] : waited_) {
      Json list = Json::array();
      for (const uint32_t source : sources)
        list.push_back({number_of(source), 0});
      out.push_back({number_of(line), list});
    }
    return out;
  }

private:
  void wait(uint32_t line, std::deque<uint32_t>& counter, uint8_t left) {
    if (left == 0xff)
      return;
    for (; counter.size() > left; counter.pop_front())
      waited_[line].insert(counter.front());
  }
  std::deque<uint32_t> vm_, lgkm_;
  std::map<uint32_t, std::set<uint32_t>> waited_;
};

Json wave(const Course& course, const replay::Recording::Detailed& d, unsigned id) {
  const replay::WaveRecord& w = d.wave;
  Json instructions = Json::array();
  Timeline timeline;
  Waits waits;
  uint64_t time = w.begin;
  for (const replay::Step& s : d.steps) {
    const uint32_t line = course.line[s.row];
    const CodeLine& l = course.code[line];
    const uint64_t begin = time + s.idle, duration = uint64_t(s.stall) + s.issue;
    instructions.push_back({begin, int(l.category), s.stall, duration, number_of(line)});
    timeline.add(State::idle, s.idle);
    timeline.add(state_of_stall(l.row.what), s.stall);
    timeline.add(State::exec, s.issue);
    waits.step(line, l.row);
    time = begin + duration;
  }
  timeline.add(State::idle, w.end - time);
  return {{"name", fmt::format("SE{}", w.engine)},
          {"duration", w.end - w.begin},
          {"wave",
           {{"cu", w.unit},
            {"id", id},
            {"simd", w.simd},
            {"slot", w.slot},
            {"begin", w.begin},
            {"end", w.end},
            {"instructions", std::move(instructions)},
            {"timeline", timeline.take()},
            {"waitcnt", waits.json()}}},
          {"num_stitched", d.steps.size()},
          {"num_insts", d.steps.size()}};
}

} // namespace

std::vector<std::pair<std::string, std::string>> viewer_files(const Course& course) {
  std::vector<std::pair<std::string, std::string>> files;
  Json names = Json::object();
  std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> ids; // waves so far of engine, SIMD unit, slot
  for (const replay::Recording::Detailed& d : course.recording.detailed) {
    const replay::WaveRecord& w = d.wave;
    const unsigned id = ids[{w.engine, w.simd, w.slot}]++;
    std::string name = fmt::format("se{}_sm{}_sl{}_wv{}.json", w.engine, w.simd, w.slot, id);
    names[std::to_string(w.engine)][std::to_string(w.simd)][std::to_string(w.slot)][std::to_string(id)] = {
        name, w.begin, w.end};
    files.emplace_back(std::move(name), text_of(wave(course, d, id)));
  }
  files.emplace_back("filenames.json", text_of({{"global_begin_time", 0},
                                                {"gfxv", "vega"},
                                                {"gfxip", course.gfxip},
                                                {"version", version},
                                                {"thread_trace", true},
                                                {"pc_sampling", false},
                                                {"counter_names", Json::array()},
                                                {"wave_filenames", std::move(names)}}));
  files.emplace_back("code.json", text_of(code(course)));
  files.emplace_back("occupancy.json", text_of(occupancy(course)));
  return files;
}

} // namespace crosslane::timing::formats
