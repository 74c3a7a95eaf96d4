// Work over ranks that are threads of this process: handed out by demand, in order whoever makes it, and not lost with
// a rank that dies, is slow, or never comes.
#include "fleet/fleet.h"
#include <atomic>
#include <cstring>
#include <deque>
#include <filesystem>
#include <gmock/gmock.h>
#include <mutex>
#include <set>
#include <thread>

namespace crosslane::fleet {
namespace {

using testing::ElementsAre;

// What the ranks say, and who is dead: what these say is not heard any more.
struct Wire {
  explicit Wire(int size) : boxes(size) {}
  std::mutex mutex;
  std::vector<std::deque<Transport::Message>> boxes;
  std::set<int> dead;
};

class Rank final : public Transport {
public:
  Rank(Wire& wire, int rank) : wire_(wire), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(wire_.boxes.size()); }
  int neighbours() const override { return size(); }
  size_t longest() const override { return 16; }
  void send(int to, std::string_view bytes) override {
    EXPECT_LE(bytes.size(), longest());
    const std::lock_guard lock(wire_.mutex);
    if (!wire_.dead.contains(rank_))
      wire_.boxes[static_cast<size_t>(to)].push_back({rank_, std::string(bytes)});
  }
  std::optional<Message> receive() override {
    const std::lock_guard lock(wire_.mutex);
    auto& box = wire_.boxes[static_cast<size_t>(rank_)];
    // Of a dead rank nothing goes on but its thread, which has to end some day.
    if (wire_.dead.contains(rank_))
      return box.empty() || box.back().bytes != "e" ? std::nullopt : std::optional(box.back());
    if (box.empty())
      return {};
    Message m = std::move(box.front());
    box.pop_front();
    return m;
  }
  void end(bool, int) override {}

private:
  Wire& wire_;
  const int rank_;
};

std::string square(uint64_t item) { return std::to_string(item * item); }

// All ranks to their end; `work` is given the rank. The outcome is rank 0's.
Outcome run_ranks(int ranks, uint64_t items, Wire& wire, const std::function<std::string(int, uint64_t)>& work,
                  Journal* journal = nullptr, double patience = 5, double second_try = 1) {
  static std::deque<Work> kept; // ranks may be at work when they end
  std::vector<std::thread> threads;
  Outcome outcome;
  for (int r = 0; r < ranks; ++r) {
    kept.push_back({items, [r, work](uint64_t item) { return work(r, item); }});
    threads.emplace_back([&, r, mine = &kept.back()] {
      Rank rank(wire, r);
      auto result =
          run(*mine,
              {.transport = &rank, .journal = r ? nullptr : journal, .patience = patience, .second_try = second_try});
      if (r == 0)
        outcome = llvm::cantFail(std::move(result));
      else
        EXPECT_FALSE(llvm::cantFail(std::move(result)).leader);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  return outcome;
}

std::vector<std::string> squares(uint64_t items) {
  std::vector<std::string> all;
  for (uint64_t i = 0; i < items; ++i)
    all.push_back(square(i));
  return all;
}

TEST(Fleet, AloneAndWithNothingToDo) {
  EXPECT_EQ(llvm::cantFail(run({5, square}, {})).results, squares(5));
  EXPECT_TRUE(llvm::cantFail(run({0, square}, {})).results.empty());
}

TEST(Fleet, ResultsAreTheSameForAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 8}) {
    Wire wire(ranks);
    const Outcome outcome = run_ranks(ranks, 100, wire, [](int, uint64_t item) { return square(item); });
    EXPECT_EQ(outcome.results, squares(100)) << ranks;
    EXPECT_TRUE(outcome.silent.empty());
  }
}

// Of any length, none too. Rank 0, which sends itself nothing, works when the others have done most.
TEST(Fleet, ResultsLongerThanAMessage) {
  const auto result = [](uint64_t item) { return std::string(item, static_cast<char>('a' + item % 26)); };
  std::atomic<int> by_others = 0;
  Wire wire(3);
  const Outcome outcome = run_ranks(3, 60, wire, [&](int rank, uint64_t item) {
    for (by_others += rank != 0; rank == 0 && by_others < 40;)
      std::this_thread::yield();
    return result(item);
  });
  for (uint64_t item = 0; item < 60; ++item)
    EXPECT_EQ(outcome.results[item], result(item));
  EXPECT_LT(outcome.by_rank[0], 60u);
}

TEST(Fleet, MoreRanksThanItems) {
  Wire wire(6);
  EXPECT_EQ(run_ranks(6, 2, wire, [](int, uint64_t item) { return square(item); }).results, squares(2));
}

// By demand: who is slow has little. One is at its first item until the others have done most; in equal shares they
// could not.
TEST(Fleet, SlowRanksDoLess) {
  std::atomic<int> by_others = 0;
  Wire wire(3);
  const Outcome outcome = run_ranks(
      3, 60, wire,
      [&](int rank, uint64_t item) {
        for (by_others += rank != 2; rank == 2 && by_others < 50;)
          std::this_thread::yield();
        return square(item);
      },
      nullptr, 5, 1000);
  EXPECT_EQ(outcome.results, squares(60));
  EXPECT_LE(outcome.by_rank[2], 10u);
}

TEST(Fleet, WhatADeadRankHadIsDoneByOthers) {
  Wire wire(3);
  const Outcome outcome = run_ranks(
      3, 40, wire,
      [&](int rank, uint64_t item) {
        if (rank == 1) { // dies with its first item in its hands
          const std::lock_guard lock(wire.mutex);
          wire.dead.insert(1);
        }
        const auto all_live = [&] { // nobody is done before that
          const std::lock_guard lock(wire.mutex);
          return wire.dead.empty();
        };
        while (all_live())
          std::this_thread::yield();
        return square(item);
      },
      nullptr, 1);
  EXPECT_EQ(outcome.results, squares(40));
  EXPECT_THAT(outcome.silent, testing::Contains(1)); // others may be slow to say that they end
}

// Rank 0 has the other item until then, so two of three ranks die of one.
TEST(Fleet, WhatTwoDeadRanksHadIsDoneByAThird) {
  Wire wire(4);
  std::atomic<int> tried = 0;
  const Outcome outcome = run_ranks(
      4, 2, wire,
      [&](int rank, uint64_t item) {
        if (rank == 0) {
          while (tried < 3)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } else if (item == 1 && ++tried < 3) {
          const std::lock_guard lock(wire.mutex);
          wire.dead.insert(rank);
        }
        return square(item);
      },
      nullptr, 0.2, 0.05);
  EXPECT_EQ(outcome.results, squares(2));
  EXPECT_EQ(outcome.silent.size(), 2u);
}

// More of them than a test has threads: they answer when rank 0 looks, but for those that keep what they are given.
class ManyRanks final : public Transport {
public:
  ManyRanks(int size, int dead) : size_(size), first_dead_(size - dead) {
    for (int r = 1; r < size; ++r)
      answers_.push_back({r, "r"});
  }
  int rank() const override { return 0; }
  int size() const override { return size_; }
  int neighbours() const override { return 1; }
  size_t longest() const override { return SIZE_MAX; }
  void send(int to, std::string_view bytes) override {
    if (bytes.starts_with('w')) {
      uint64_t item = 0;
      std::memcpy(&item, bytes.data() + 1, sizeof(item));
      EXPECT_TRUE(given_.insert({to, item}).second) << "twice to one rank";
      if (to < first_dead_)
        answers_.push_back({to, "d" + std::string(bytes.substr(1)) + square(item)});
    } else if (to < first_dead_) {
      answers_.push_back({to, "b"});
    }
  }
  std::optional<Message> receive() override {
    if (answers_.empty())
      return {};
    Message m = std::move(answers_.front());
    answers_.pop_front();
    return m;
  }
  void end(bool, int) override {}
  size_t given() const { return given_.size(); }

private:
  const int size_, first_dead_;
  std::deque<Message> answers_;
  std::set<std::pair<int, uint64_t>> given_;
};

TEST(Fleet, ThousandsOfRanks) {
  constexpr int ranks = 3000, dead = 500;
  ManyRanks transport(ranks, dead);
  const Work work{20000, square};
  const Outcome outcome = llvm::cantFail(run(work, {.transport = &transport, .patience = 0.1, .second_try = 0.2}));
  EXPECT_EQ(outcome.results, squares(20000));
  EXPECT_EQ(outcome.silent.size(), size_t(dead));
  // Two at most of each that died are tried again, once each: nobody dies of them any more.
  EXPECT_LE(transport.given(), 20000u + 2 * dead);
}

TEST(Fleet, RanksThatNeverCome) {
  Wire wire(3);
  wire.dead = {1, 2};
  const Outcome outcome = run_ranks(3, 10, wire, [](int, uint64_t item) { return square(item); }, nullptr, 0.1);
  EXPECT_EQ(outcome.results, squares(10));
  EXPECT_THAT(outcome.silent, ElementsAre(1, 2));
}

TEST(Fleet, JournalsAreNotDoneAgain) {
  const std::string file = testing::TempDir() + "fleet.journal";
  std::filesystem::remove(file);
  {
    auto journal = llvm::cantFail(Journal::open(file, "squares", false));
    for (const uint64_t item : {0, 3, 4})
      llvm::cantFail(journal->add(item, "from the journal"));
  }
  auto journal = llvm::cantFail(Journal::open(file, "squares", true));
  Wire wire(2);
  std::atomic<uint64_t> done = 0;
  const Outcome outcome =
      run_ranks(2, 6, wire, [&](int, uint64_t item) { return ++done, square(item); }, journal.get());
  EXPECT_THAT(outcome.results, ElementsAre("from the journal", "1", "4", "from the journal", "from the journal", "25"));
  EXPECT_EQ(outcome.resumed, 3u);
  EXPECT_EQ(done, 3u);
  journal.reset();
  auto again = llvm::cantFail(Journal::open(file, "squares", true));
  EXPECT_EQ(again->take_finished().size(), 6u);
}

} // namespace
} // namespace crosslane::fleet
