// One thread of each rank works, the other one speaks: MPI is called by one thread, and a rank that works can be told
// to end. Messages to rank 0: "r" I am there; "d", item, result: done, behind "p", item, piece where the result is too
// long for one message; "b": I end. From it: "w", item: do that; "e": it is over.
#include "fleet/fleet.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <queue>
#include <thread>

namespace crosslane::fleet {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
// Between two looks at what has arrived, as MPI has no way to wait that costs nothing: a look takes some 20 us of a
// core that has other things to do. The longer nothing comes, the rarer; ranks have their next item already.
class Pause {
public:
  void news() { length_ = shortest; }
  std::chrono::microseconds next() { return std::exchange(length_, std::min(length_ * 3 / 2, longest)); }

private:
  static constexpr std::chrono::microseconds shortest{100}, longest{5000};
  std::chrono::microseconds length_ = shortest;
};

constexpr size_t head = 1 + sizeof(uint64_t); // of messages about an item
std::string message(char kind, uint64_t item, std::string_view bytes = {}) {
  std::string text(head, kind);
  std::memcpy(text.data() + 1, &item, sizeof(item));
  return text += bytes;
}
uint64_t item_of(std::string_view text) {
  uint64_t item = 0;
  std::memcpy(&item, text.data() + 1, sizeof(item));
  return item;
}

// The thread that works, an item at a time, in the order that it got them.
class Worker {
public:
  explicit Worker(const Work& work) : work_(work), thread_([this] { loop(); }) {}
  // Ends behind the item that it is at.
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void add(uint64_t item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(item);
    }
    changed_.notify_all();
  }
  // For a result, or so long.
  void wait(std::chrono::microseconds most) {
    std::unique_lock lock(mutex_);
    made_.wait_for(lock, most, [&] { return !results_.empty(); });
  }
  std::optional<std::pair<uint64_t, std::string>> take() {
    const std::lock_guard lock(mutex_);
    if (results_.empty())
      return {};
    auto result = std::move(results_.front());
    results_.pop_front();
    return result;
  }

private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return over_ || !items_.empty(); });
      if (over_)
        return;
      const uint64_t item = items_.front();
      items_.pop_front();
      lock.unlock();
      std::string result = work_.run(item);
      lock.lock();
      results_.emplace_back(item, std::move(result));
      made_.notify_all();
    }
  }
  const Work& work_;
  std::mutex mutex_;
  std::condition_variable changed_, made_;
  bool over_ = false;
  std::deque<uint64_t> items_;
  std::deque<std::pair<uint64_t, std::string>> results_;
  std::thread thread_; // last
};

class Leader {
public:
  Leader(const Work& work, const Settings& settings) : work_(work), settings_(settings) {
    outcome_.results.resize(work.items);
    done_.resize(work.items);
    const int ranks = settings.transport ? settings.transport->size() : 1;
    ranks_.resize(static_cast<size_t>(ranks));
    outcome_.by_rank.resize(static_cast<size_t>(ranks));
  }

  llvm::Expected<Outcome> run() {
    if (settings_.journal)
      for (auto& [item, result] : settings_.journal->take_finished())
        if (item < work_.items)
          keep(item, std::move(result)), ++outcome_.resumed;
    worker_ = std::make_unique<Worker>(work_);
    hear(0);
    Pause pause;
    while (left_ && !error_) {
      bool heard = false;
      for (std::optional<std::pair<uint64_t, std::string>> r; (r = worker_->take()); heard = true)
        finish(0, r->first, std::move(r->second));
      for (std::optional<Transport::Message> m; settings_.transport && (m = settings_.transport->receive());
           heard = true)
        listen(*m);
      try_again();
      tell();
      if (heard)
        pause.news();
      else
        worker_->wait(pause.next());
    }
    dismiss();
    worker_.reset(); // it may be busy with what another rank did first
    if (error_)
      return std::move(error_);
    return std::move(outcome_);
  }

private:
  struct Rank {
    bool heard = false, ended = false, idle = false;
    std::vector<uint64_t> given; // and not done; two at most
    std::string pieces;          // of the result that it is telling
  };
  // An item that somebody has, and when another rank tries it too: who has it may be gone.
  struct Try {
    double when;
    uint64_t item;
    double patience; // seconds, until the one after that
    bool operator>(const Try& other) const { return std::pair(when, item) > std::pair(other.when, other.item); }
  };

  void keep(uint64_t item, std::string result) {
    done_[item] = true, --left_;
    outcome_.results[item] = std::move(result);
  }
  void finish(int rank, uint64_t item, std::string result) {
    std::erase(ranks_[static_cast<size_t>(rank)].given, item);
    if (item < work_.items && !done_[item]) {
      ++outcome_.by_rank[static_cast<size_t>(rank)];
      if (settings_.journal)
        error_ = llvm::joinErrors(std::move(error_), settings_.journal->add(item, result));
      keep(item, std::move(result));
    }
    fill(rank);
  }
  void hear(int rank) {
    Rank& r = ranks_[static_cast<size_t>(rank)];
    if (!std::exchange(r.heard, true))
      ++heard_, fill(rank);
  }
  // Items that nobody has: one ahead of the one that the rank is at, but for the last ones. A rank needs to be looked
  // at when it is heard of first and when it has done one, and never between: there is room for no more later on.
  void fill(int rank) {
    Rank& mine = ranks_[static_cast<size_t>(rank)];
    for (;;) {
      while (first_ < work_.items && done_[first_])
        ++first_;
      if (first_ == work_.items || mine.given.size() >= (work_.items - first_ > 2 * ranks_.size() ? 2u : 1u))
        break;
      give(rank, first_++, settings_.second_try);
    }
    if (mine.given.empty() && !std::exchange(mine.idle, true))
      idle_.push_back(rank);
  }
  // When nothing else is left: to ranks without work, what others have had for longest.
  void try_again() {
    while (!idle_.empty() && !tries_.empty()) {
      const Try next = tries_.top();
      if (!done_[next.item] && next.when > now())
        return;
      tries_.pop();
      if (done_[next.item])
        continue;
      const int rank = idle_.front();
      idle_.pop_front();
      ranks_[static_cast<size_t>(rank)].idle = false;
      give(rank, next.item, next.patience * 4); // two may be gone; what is merely slow is not tried by all
    }
  }
  void give(int rank, uint64_t item, double patience) {
    ranks_[static_cast<size_t>(rank)].given.push_back(item);
    tries_.push({now() + patience, item, patience});
    if (rank)
      settings_.transport->send(rank, message('w', item));
    else
      worker_->add(item);
  }
  void listen(const Transport::Message& m) {
    if (m.from < 1 || static_cast<size_t>(m.from) >= ranks_.size() || m.bytes.empty())
      return;
    Rank& r = ranks_[static_cast<size_t>(m.from)];
    if (m.bytes[0] == 'b' && !std::exchange(r.ended, true))
      ++ended_;
    if (left_ && m.bytes[0] != 'b')
      hear(m.from);
    if (m.bytes.size() < head)
      return;
    if (m.bytes[0] == 'p' || m.bytes[0] == 'd')
      r.pieces.append(m.bytes, head);
    if (m.bytes[0] == 'd')
      finish(m.from, item_of(m.bytes), std::exchange(r.pieces, {}));
  }
  // All are told, and those that answer are waited for.
  void dismiss() {
    if (settings_.transport)
      fleet::dismiss(*settings_.transport);
    const double until = now() + settings_.patience;
    Pause pause;
    while (ended_ + 1 < ranks_.size() && now() < until)
      if (const auto m = settings_.transport->receive())
        listen(*m);
      else
        std::this_thread::sleep_for(pause.next());
    for (size_t r = 1; r < ranks_.size(); ++r)
      if (!ranks_[r].ended)
        outcome_.silent.push_back(static_cast<int>(r));
  }
  void tell() {
    if (!settings_.progress || now() - told_ < 0.25)
      return;
    told_ = now();
    settings_.progress({.done = work_.items - left_,
                        .items = work_.items,
                        .resumed = outcome_.resumed,
                        .ranks = static_cast<int>(ranks_.size()),
                        .heard = static_cast<int>(heard_),
                        .seconds = told_ - began_});
  }

  const Work& work_;
  const Settings& settings_;
  std::vector<Rank> ranks_;
  size_t heard_ = 0, ended_ = 0;
  std::deque<int> idle_; // heard, and without anything to do
  std::priority_queue<Try, std::vector<Try>, std::greater<>> tries_;
  std::vector<bool> done_;
  uint64_t left_ = work_.items, first_ = 0;
  const double began_ = now();
  double told_ = began_;
  llvm::Error error_ = llvm::Error::success();
  Outcome outcome_;
  std::unique_ptr<Worker> worker_; // of rank 0
};

void send_result(Transport& transport, uint64_t item, std::string_view result) {
  for (const size_t most = transport.longest() - head; result.size() > most; result.remove_prefix(most))
    transport.send(0, message('p', item, result.substr(0, most)));
  transport.send(0, message('d', item, result));
}

Outcome follow(const Work& work, Transport& transport) {
  // Not destroyed: it may be busy with what another rank did first, and the process ends.
  auto* const worker = new Worker(work);
  transport.send(0, "r");
  Pause pause;
  for (;;) {
    bool heard = false;
    if (const auto m = transport.receive()) {
      heard = true;
      if (m->bytes.starts_with('e'))
        break;
      if (m->bytes.starts_with('w') && m->bytes.size() >= head)
        worker->add(item_of(m->bytes));
    }
    while (const auto result = worker->take())
      send_result(transport, result->first, result->second), heard = true;
    if (heard)
      pause.news();
    else
      worker->wait(pause.next());
  }
  transport.send(0, "b");
  Outcome outcome;
  outcome.leader = false;
  return outcome;
}

} // namespace

llvm::Expected<Outcome> run(const Work& work, const Settings& settings) {
  if (settings.transport && settings.transport->rank() != 0)
    return follow(work, *settings.transport);
  return Leader(work, settings).run();
}

void dismiss(Transport& transport) {
  for (int r = 1; transport.rank() == 0 && r < transport.size(); ++r)
    transport.send(r, "e");
}

} // namespace crosslane::fleet
