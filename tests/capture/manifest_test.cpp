// A dispatch as text: comes back as it was, and is refused where its parts do not fit together.
#include "capture/dispatch.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "tests/capture/folder.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crosslane::capture {
namespace {

using Json = nlohmann::ordered_json;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Dispatch full_dispatch() {
  Dispatch d = small_dispatch();
  d.command = "./a \"b\"", d.crosslane = producer();
  d.packet.header = 3330, d.packet.setup = 3, d.packet.completion_signal = 0xfedcba9876543210;
  d.packet_address = 0x680000102040, d.queue_address = 0x680000102000, d.dispatch_id = UINT64_MAX;
  d.memory[0].before.list.fill(0xab), d.memory[1].writable = false;
  d.memory[0].after = Content{0x1000, {}};
  d.shared = SharedState{{65536, {}}, {{.number = 63, .counter = -5, .generation = 7, .head = 1, .tail = 2}}, {{3, 4}}};
  d.units.mask[0] = 3, d.lds_faults = true, d.poison = 12, d.workgroups = {{2, 5}};
  machine::Fault fault;
  fault.kind = machine::FaultKind::trap, fault.pc = 0x680000100080, fault.lane = -1, fault.wave = 2;
  d.outcome = Outcome{fault, 10, 11, 12, true};
  return d;
}

TEST(Manifest, ComesBackAsItWas) {
  for (const Dispatch& d : {small_dispatch(), full_dispatch()}) {
    const std::string text = text_of(d);
    auto again = parse_dispatch(text, "d.json");
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(text_of(*again), text);
  }
  const Dispatch d = llvm::cantFail(parse_dispatch(text_of(full_dispatch()), "d.json"));
  EXPECT_EQ(d.packet.completion_signal, 0xfedcba9876543210);
  EXPECT_EQ(d.dispatch_id, UINT64_MAX);
  EXPECT_EQ(d.memory[0].before.list[31], 0xab);
  EXPECT_EQ(d.memory[0].after, (Content{0x1000, {}}));
  EXPECT_EQ(d.outcome->fault->kind, machine::FaultKind::trap);
  EXPECT_EQ(d.outcome->fault->lane, -1);
  EXPECT_EQ(d.shared->resources[0].counter, -5);
  EXPECT_EQ(d.workgroup_count(), 16u);
}

TEST(Manifest, IsRefusedWhereItDoesNotFit) {
  const struct {
    const char *at, *value, *error;
  } rows[] = {
      {"/format", "2", "has format 2; this crosslane reads format 1"},
      {"/kernel", "7", "'kernel' is no text"},
      {"/target", "\"gfx1100\"", "it is for 'gfx1100', which crosslane does not run"},
      {"/packet/grid_size", "[1, 2]", "packet: 'grid_size' is no list of 3 numbers"},
      {"/packet/grid_size", "[0, 1, 1]", "its grid or its workgroups are empty"},
      {"/packet/workgroup_size", "[65536, 1, 1]", "'workgroup_size' is no list of 3 numbers that it can have"},
      {"/packet/kernel_object", "\"0x5\"", "the kernel is not in the code"},
      {"/packet/kernel_object", "5", "is no address such as"},
      {"/packet/private_segment_size", "4294967295", "bytes of scratch for each work-item"},
      {"/packet_address", "\"0x700000000000\"", "the packet is not in its memory"},
      {"/code/base", "\"0x680000101000\"", "the code is not in its memory"},
      {"/code/size", "18446744073709551615", "the code is not in its memory"},
      {"/memory/0/address", "\"0x1000\"", "is not in the window of device memory"},
      {"/memory/0/address", "\"0x680000100001\"", "is not in the window of device memory"},
      {"/memory/1/address", "\"0x680000100000\"", "not behind the memory before it"},
      {"/memory/1/before/bytes", "18446744073709547520", "is not in the window of device memory"},
      {"/memory/1/before/list", "\"../../etc/passwd\"", "is no hash of 64 hexadecimal digits"},
      {"/memory/0/after/bytes", "8192", "bytes before the dispatch and 8192 after it"},
      {"/memory", "{}", "'memory' is no list"},
      {"/allocations/0/size", "-1", "'size' is no number that it can have"},
      {"/allocations/1/address", "\"0x0\"", "allocation 'numbers' is not in the window"},
      {"/workgroups/first", "16", "are not within the 16 of its grid"},
      {"/workgroups/count", "18446744073709551615", "are not within the 16 of its grid"},
      {"/units/count", "0", "its card has no compute units"},
      {"/shared/resources/0/number", "64", "'number' is not below 64"},
      {"/shared/data/bytes", "3", "the global data share has 3 bytes"},
      {"/outcome/fault/kind", "\"boredom\"", "'kind' is none of those that crosslane knows"},
  };
  const Json sound = Json::parse(text_of(full_dispatch()));
  for (const auto& row : rows) {
    Json json = sound;
    json[Json::json_pointer(row.at)] = Json::parse(row.value);
    const std::string error = error_of(parse_dispatch(json.dump(), "d.json"));
    EXPECT_TRUE(has(error, row.error) && error.starts_with("d.json: ")) << row.at << ": " << error;
  }
  EXPECT_TRUE(has(error_of(parse_dispatch("{\"format\": 1,", "d.json")), "is no JSON, or not all of it"));
  EXPECT_TRUE(has(error_of(parse_dispatch("[]", "d.json")), "is no object"));
}

TEST(Writer, WritesWholeDispatchesAlone) {
  const Folder folder;
  const std::string path = folder / "captured";
  auto writer = llvm::cantFail(Writer::create(path, UINT64_MAX));
  Dispatch d = small_dispatch();
  d.memory[0].before = llvm::cantFail(writer->pack().put(random_bytes(0x1000)));
  EXPECT_TRUE(llvm::cantFail(Reader::open(path))->numbers().empty());
  EXPECT_EQ(error_of(writer->write(d)), "none");
  EXPECT_EQ(error_of(writer->write(d)), "none"); // again, in its place
  EXPECT_EQ(writer->bytes(), std::filesystem::file_size(path + "/memory.pack") +
                                 std::filesystem::file_size(path + "/dispatches/000003.json"));
  std::ofstream(path + "/dispatches/.000004.json.new") << "half";
  std::ofstream(path + "/dispatches/4.json") << "other";
  const auto reader = llvm::cantFail(Reader::open(path));
  EXPECT_EQ(reader->numbers(), std::vector<uint64_t>{3});
  EXPECT_EQ(text_of(llvm::cantFail(reader->dispatch(3))), text_of(d));
  EXPECT_EQ(llvm::cantFail(reader->pack().read(d.memory[0].before, 0x1000)), random_bytes(0x1000));
  EXPECT_TRUE(has(error_of(reader->dispatch(4)), "has no dispatch 4"));
}

TEST(Writer, TakesNoFolderTwiceAndHoldsItsLimit) {
  const Folder folder;
  const std::string path = folder / "captured";
  auto writer = llvm::cantFail(Writer::create(path, 1000));
  bool taken = false;
  EXPECT_TRUE(has(error_of(Writer::create(path, 1000, &taken)), "is a capture already"));
  EXPECT_TRUE(taken);
  EXPECT_EQ(error_of(writer->write(small_dispatch())), "it would be larger than its limit");
  EXPECT_TRUE(llvm::cantFail(Reader::open(path))->numbers().empty());
  EXPECT_TRUE(has(error_of(Writer::create(folder / "no/such", 1000, &taken)), "No such file or directory"));
  EXPECT_FALSE(taken);
}

TEST(Reader, SaysWhatIsNoCapture) {
  const Folder folder;
  EXPECT_TRUE(has(error_of(Reader::open(folder / "nothing")), "is no capture"));
  const std::string path = folder / "captured";
  auto writer = llvm::cantFail(Writer::create(path, UINT64_MAX));
  EXPECT_EQ(error_of(writer->write(small_dispatch())), "none");
  std::filesystem::rename(path + "/dispatches/000003.json", path + "/dispatches/000005.json");
  EXPECT_TRUE(has(error_of(llvm::cantFail(Reader::open(path))->dispatch(5)), "says that it is dispatch 3"));
  std::ofstream(path + "/capture.json") << "{\"crosslane capture\": 9}";
  EXPECT_TRUE(has(error_of(Reader::open(path)), "is a capture of format 9"));
  std::filesystem::remove(path + "/capture.json");
  std::filesystem::create_symlink("/etc/passwd", path + "/capture.json");
  EXPECT_TRUE(has(error_of(Reader::open(path)), "is no capture"));
}

} // namespace
} // namespace crosslane::capture
