// Memory events: a listener hears of what is there, and then of what comes and goes.
#include "events/memory.h"
#include "events/several.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

namespace crosslane {
namespace {

class Log : public events::Listener {
public:
  explicit Log(bool wants = true) : wants_(wants) {}
  bool wants_memory() const override { return wants_; }
  void allocated(const machine::Allocation& a) override {
    EXPECT_TRUE(live.emplace(a.address, a.size).second) << "nobody has the address before";
    lines.push_back("+" + a.name + " " + std::to_string(a.size));
  }
  void freed(const machine::Allocation& a) override {
    EXPECT_EQ(live.erase(a.address), 1u) << "it was told of";
    lines.push_back("-" + a.name + " " + std::to_string(a.size));
  }
  std::map<uint64_t, uint64_t> live;
  std::vector<std::string> lines;

private:
  const bool wants_;
};

using Lines = std::vector<std::string>;

TEST(MemoryEvents, TellOfWhatIsThereAndThenOfAll) {
  machine::Memory memory;
  void* const early = memory.allocate(100, "early");
  memory.free(memory.allocate(100, "gone"));
  alignas(256) static char own[64];
  const auto own_address = reinterpret_cast<uint64_t>(own);
  Log log;
  {
    const events::MemoryEvents attached(memory, log);
    EXPECT_EQ(log.lines, (Lines{"+early 100"}));
    EXPECT_EQ(log.live, (std::map<uint64_t, uint64_t>{{reinterpret_cast<uint64_t>(early), 100}}));
    void* const a = memory.allocate(3000000, "a");
    memory.note(own_address, 64, "own");
    memory.note(own_address, 32, "own again");
    memory.free(early);
    memory.free(early); // of no effect
    memory.free(own);   // not the memory's to free
    memory.forget(own_address);
    memory.forget(own_address);
    memory.forget(reinterpret_cast<uint64_t>(a)); // is no note
    memory.free(a);
    void* const empty = memory.allocate(0, "empty");
    memory.free(empty);
  }
  memory.free(memory.allocate(100, "late"));
  EXPECT_EQ(log.lines, (Lines{"+early 100", "+a 3000000", "+own 64", "-own 64", "+own again 32", "-early 100",
                              "-own again 32", "-a 3000000", "+empty 0", "-empty 0"}));
}

TEST(MemoryEvents, OnlyWhoWantsThem) {
  machine::Memory memory;
  Log deaf(false), first, second;
  events::Several several;
  several.add(deaf);
  EXPECT_FALSE(several.wants_memory());
  const events::MemoryEvents none(memory, several);
  memory.free(memory.allocate(1, "unheard"));
  EXPECT_EQ(deaf.lines, Lines());
  events::Several both;
  both.add(first);
  both.add(second);
  const events::MemoryEvents attached(memory, both);
  memory.free(memory.allocate(1, "heard"));
  EXPECT_EQ(first.lines, (Lines{"+heard 1", "-heard 1"}));
  EXPECT_EQ(second.lines, first.lines);
}

// One call at a time, and never an address that is handed out before it has been freed.
TEST(MemoryEvents, AreInOrderOnAllThreads) {
  machine::Memory memory;
  Log log;
  const events::MemoryEvents attached(memory, log);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (uint64_t i = 1; i <= 500; ++i)
        memory.free(memory.allocate(i * 64, "a"));
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(log.lines.size(), 4u * 500 * 2);
  EXPECT_TRUE(log.live.empty());
}

} // namespace
} // namespace crosslane
