// The files of other tools, read back: what their readers rely on must hold, and must be what was recorded.
#include "isa/parse.h"
#include "timing/formats/csv.h"
#include "timing/formats/folder.h"
#include "timing/formats/perfetto.h"
#include "timing/formats/viewer.h"
#include <bit>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace crosslane::timing::formats {
namespace {

using Json = nlohmann::json;

class Groups final : public replay::Source {
public:
  explicit Groups(std::vector<uint64_t> words) : words_(std::move(words)) {}
  Next next(replay::GroupTrace& trace) override {
    if (number_ == 200)
      return Next::none;
    trace = {.number = number_++, .waves = {words_, words_}};
    return Next::group;
  }

private:
  std::vector<uint64_t> words_;
  uint64_t number_ = 0;
};

class Formats : public testing::Test {
protected:
  Formats() {
    for (const char* line :
         {"s_load_dword s0, s[4:5], 0x0", "global_load_dword v1, v[2:3], off", "s_waitcnt lgkmcnt(0)",
          "s_waitcnt vmcnt(0)", "v_add_f32 v0, v1, v2", "s_barrier", "s_endpgm"}) {
      const isa::Parsed parsed = isa::parse(isa::Target::gfx900, line);
      EXPECT_TRUE(parsed) << line << ": " << parsed.error.message;
      instructions_.push_back(parsed.instruction);
    }
    uint64_t pc = 0x7f0000001000;
    for (const isa::Instruction& i : instructions_) {
      sites_.push_back({pc, &i});
      pc += i.size;
    }
    block_ = {0, sites_};
    replay::Words w;
    w.block(0, false);
    w.access({.instruction = 0, .clocks = 1, .space = replay::Space::scalar}, 10, 1);
    w.access({.instruction = 1, .clocks = 4}, 1000, 4);
    gpu::Used used;
    machine_ = replay::machine_of(gpu::machine(*gpu::find_card("vega10")), used);
    replay::Replay replay(machine_, {}, [&](uint32_t) { return &block_; });
    replay.record({});
    Groups groups(w.take());
    EXPECT_EQ(replay.run(groups), "");
    course_ = course_of(
        replay, machine_, [](uint64_t at) { return at - 0x7f0000000000; },
        [](uint64_t at) { return at == 0x7f0000001000 ? std::string("a \"b\".cl:3:1") : std::string(); });
    course_.kernel = "add.kd", course_.readable = "add(int*)", course_.card = "vega10";
  }

  std::vector<isa::Instruction> instructions_;
  std::vector<events::Site> sites_;
  events::Block block_{};
  replay::Machine machine_;
  Course course_;
};

TEST_F(Formats, StatisticsOfInstructionsHaveTheirColumns) {
  const std::string csv = att_csv(course_);
  EXPECT_THAT(csv,
              testing::StartsWith("\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\","
                                  "\"Source\"\n1,4096,\"; add.kd\",0,0,0,0,\"add(int*)\"\n"
                                  "1,4096,\"s_load_dword s0, s[4:5], 0x0\",400,1600,0,"));
  EXPECT_THAT(csv, testing::HasSubstr(",\"a \"\"b\"\".cl:3:1\"\n"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 9);
}

TEST_F(Formats, StatisticsOfTheKernel) {
  const auto ns = std::to_string(std::llround(course_.figures.nanoseconds));
  EXPECT_EQ(kernel_stats_csv(course_),
            "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n"
            "\"add(int*)\",1," +
                ns + "," + ns + ".000000,100.00," + ns + "," + ns + ",0.00000000e+00\n");
}

// The standard deviation of 1, 2, 3 and 6 as a sample is the root of 14/3; a spreadsheet says so too.
TEST_F(Formats, StatisticsOfSeveralKernels) {
  const std::vector<KernelTimes> kernels = {
      {.name = "often", .calls = 4, .total = 12, .least = 1, .most = 6, .squares = 50},
      {.name = "once", .calls = 1, .total = 4, .least = 4, .most = 4, .squares = 16},
  };
  EXPECT_THAT(kernel_stats_csv(kernels), testing::EndsWith("\"often\",4,12,3.000000,75.00,1,6,2.16024690e+00\n"
                                                           "\"once\",1,4,4.000000,25.00,4,4,0.00000000e+00\n"));
}

TEST_F(Formats, AFolderIsNamedByItsDispatch) {
  std::set<std::string> names;
  for (const auto& [name, text] : folder(course_, {.agent = 2, .dispatch = 7}))
    names.insert(name);
  EXPECT_THAT(names, testing::IsSupersetOf({"stats_ui_output_agent_2_dispatch_7.csv", "kernel_stats.csv",
                                            "trace.pftrace", "ui_output_agent_2_dispatch_7/code.json"}));
}

TEST_F(Formats, TheViewersFolderAgreesWithItself) {
  std::map<std::string, Json> files;
  for (const auto& [name, text] : viewer_files(course_))
    files[name] = Json::parse(text);
  const Json& code = files.at("code.json")["code"];
  ASSERT_EQ(code.size(), 8u);
  std::map<int, Json> lines;
  for (const Json& line : code) {
    ASSERT_EQ(line.size(), 10u);
    EXPECT_TRUE(lines.emplace(line[2], line).second);
  }
  const Json& names = files.at("filenames.json");
  EXPECT_EQ(names["gfxv"], "vega");
  size_t waves = 0;
  std::map<int, uint64_t> hits;
  for (const auto& [se, simds] : names["wave_filenames"].items())
    for (const auto& [simd, slots] : simds.items())
      for (const auto& [slot, ids] : slots.items())
        for (const auto& [id, entry] : ids.items()) {
          ++waves;
          const Json& file = files.at(entry[0]);
          const Json& wave = file["wave"];
          EXPECT_EQ(wave["begin"], entry[1]);
          EXPECT_EQ(wave["end"], entry[2]);
          EXPECT_EQ(wave["simd"], std::stoi(simd));
          EXPECT_EQ(wave["slot"], std::stoi(slot));
          uint64_t time = wave["begin"], states = 0;
          for (const Json& i : wave["instructions"]) { // time, category, stall, duration, line
            EXPECT_GE(i[0], time);
            EXPECT_LE(i[2], i[3]);
            EXPECT_TRUE(lines.contains(i[4]));
            time = i[0].get<uint64_t>() + i[3].get<uint64_t>();
          }
          EXPECT_LE(time, wave["end"]);
          for (const Json& state : wave["timeline"]) {
            EXPECT_TRUE(state[0] >= 1 && state[0] <= 4);
            states += state[1].get<uint64_t>();
          }
          EXPECT_EQ(states, file["duration"]);
          // s_waitcnt lgkmcnt(0) waits for the scalar load, vmcnt(0) for the other one.
          EXPECT_EQ(wave["waitcnt"], Json::parse("[[4, [[2, 0]]], [5, [[3, 0]]]]"));
          std::vector<int> kinds;
          for (const Json& i : wave["instructions"])
            kinds.push_back(i[1]);
          EXPECT_THAT(kinds, testing::ElementsAre(1, 4, 9, 9, 6, 9, 9)); // GLOBAL is of the kind of FLAT
        }
  EXPECT_EQ(waves, course_.recording.detailed.size());
  EXPECT_EQ(files.size(), waves + 3);
  const Json& occupancy = files.at("occupancy.json");
  EXPECT_EQ(occupancy["dispatches"]["1"], "add(int*)");
  int there = 0;
  uint64_t last = 0;
  for (const Json& event : occupancy["0"]) { // time, unit, SIMD unit, slot, begins, kernel
    EXPECT_GE(event[0], last);
    last = event[0];
    there += event[4] == 1 ? 1 : -1;
    EXPECT_GE(there, 0);
  }
  EXPECT_EQ(there, 0);
}

// A reader of the wire format: fields of a message by number, numbers and bytes.
struct Field {
  uint64_t number = 0;
  std::string bytes;
};
std::multimap<unsigned, Field> fields_of(std::string_view text) {
  std::multimap<unsigned, Field> fields;
  size_t at = 0;
  const auto varint = [&] {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = uint8_t(text.at(at++));
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
  };
  while (at < text.size()) {
    const uint64_t key = varint();
    Field f;
    switch (key & 7) {
    case 0: f.number = varint(); break;
    case 1:
      for (unsigned i = 0; i < 8; ++i)
        f.number |= uint64_t(uint8_t(text.at(at++))) << 8 * i;
      break;
    case 2: {
      const size_t size = varint();
      f.bytes = text.substr(at, size);
      EXPECT_LE(at + size, text.size());
      at += size;
      break;
    }
    default: ADD_FAILURE() << "wire type " << (key & 7); return fields;
    }
    fields.emplace(unsigned(key >> 3), std::move(f));
  }
  return fields;
}

TEST_F(Formats, PerfettoHasEveryWaveOnATrackOfItsOwn) {
  std::map<uint64_t, std::string> tracks;
  std::map<uint64_t, bool> parents;
  std::map<uint64_t, int> open;
  std::map<std::string, double> sums;
  size_t slices = 0;
  uint64_t last = 0;
  for (const auto& [number, packet] : fields_of(perfetto(course_))) {
    EXPECT_EQ(number, 1u);
    const auto fields = fields_of(packet.bytes);
    EXPECT_EQ(fields.find(10)->second.number, 1u);
    if (const auto d = fields.find(60); d != fields.end()) {
      const auto track = fields_of(d->second.bytes);
      const uint64_t id = track.find(1)->second.number;
      EXPECT_FALSE(tracks.contains(id));
      if (const auto parent = track.find(5); parent != track.end())
        EXPECT_TRUE(tracks.contains(parent->second.number));
      tracks[id] = track.contains(2) ? track.find(2)->second.bytes : "process";
      continue;
    }
    const uint64_t time = fields.find(8)->second.number;
    const auto event = fields_of(fields.find(11)->second.bytes);
    const uint64_t track = event.find(11)->second.number;
    ASSERT_TRUE(tracks.contains(track));
    switch (event.find(9)->second.number) {
    case 1:
      EXPECT_EQ(open[track]++, 0);
      ++slices;
      EXPECT_THAT(tracks[track], testing::StartsWith("slot "));
      break;
    case 2: EXPECT_EQ(--open[track], 0); break;
    case 4: sums[tracks[track]] += std::bit_cast<double>(event.find(44)->second.number); break;
    default: ADD_FAILURE();
    }
    last = std::max(last, time);
  }
  EXPECT_EQ(slices, 400u);
  EXPECT_EQ(last, uint64_t(std::llround(double(course_.figures.cycles) * 1e3 / machine_.mhz)));
  const double bins = double(course_.figures.cycles) / double(course_.recording.bins.width());
  EXPECT_NEAR(sums["waves"] / bins, double(course_.figures.wave_cycles) / double(course_.figures.cycles), 1);
  EXPECT_GT(sums["memory read"], 0);
}

} // namespace
} // namespace crosslane::timing::formats
