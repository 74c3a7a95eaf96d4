// Owns which operations of a process, dispatches and copies, have ended before which others begin, as far as its
// program has seen to that: by signals, barrier packets and barrier bits, and not by when they ran here. What one
// thread of the host knows, all know, as nothing here hears how they tell each other. Source: HSA platform system
// architecture 1.2, 2.9 "User mode queueing" and 2.4 "Signaling".
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace crosslane::check {

// Of operations. They are numbered in chains, in each of which one ends before the next begins: of a chain, those up to
// one.
class Ended {
public:
  bool has(uint32_t chain, uint32_t number) const { return of(chain) >= number; }
  uint32_t of(uint32_t chain) const { return chain < last_.size() ? last_[chain] : 0; }
  void add(uint32_t chain, uint32_t number);
  void join(const Ended&);
  bool operator==(const Ended&) const = default;

private:
  std::vector<uint32_t> last_; // by chain, from 1 on; 0: none
};

struct Operation {
  uint32_t chain = 0, number = 0; // from 1 on
  Ended before;                   // what has ended when it begins
  uint64_t ticket = 0;
};

// Signals and queues are known by any addresses of theirs. Safe for threads.
class Order {
public:
  // Of the host's program.
  void sees(const void* signal);                // it has looked at the value
  void sees_all();                              // it must know that nothing runs, or has an error worse than a race
  void changes(const void* signal);             // before it does
  void shows(const void* signal);               // it looks at the value from now on, unheard
  void destroyed(const void* queue);            // nothing of it runs any more
  void rings(const void* queue, uint64_t last); // packets up to this one are there, or more to come

  // Of the packets of a queue, in their order. `barrier`: the bit in its header.
  Operation dispatch(const void* queue, uint64_t packet, bool barrier);
  void ended(const void* queue, const Operation&);
  // One that is done as soon as these signals let it.
  void barrier(const void* queue, uint64_t packet, bool barrier, std::span<const void* const> signals);
  // Before the last packet's completion signal changes.
  void completes(const void* queue, const void* signal);

  // The host asks for a copy, which waits for signals; its ticket.
  uint64_t ask_copy();
  Operation copy(uint64_t ticket, std::span<const void* const> signals);
  void copied(const Operation&, const void* signal); // null: the host waits for it

  // A kernel has looked at memory as atomics do. It may have waited there for what the host did, and what comes after
  // it then comes after all that the host knows.
  void looks(const Operation&);
  // Two have looked at one place: either may have waited for the other there.
  void meet(const Operation&, const Operation&);

  // What has ended before it, with all that is taken for that because of the last thousand looks.
  Ended before(const Operation&) const;
  bool is_after(const Operation& one, const Operation& other) const {
    return before(one).has(other.chain, other.number);
  }
  // All that is running, or that may yet begin, begins after its end.
  bool is_past(const Operation&) const;
  size_t queues() const; // that have had packets

private:
  struct Submitted {
    uint64_t last; // packet
    Ended known;   // to the host when it rang
  };
  struct Queue {
    Ended before; // of its next packet, without a barrier bit
    Ended ended;  // of its packets, and what had before them
    Ended last;   // what has ended with its last packet
    std::deque<Submitted> submitted;
  };
  mutable std::mutex mutex_;
  Ended host_;
  std::vector<uint32_t> chains_; // how many operations each has
  uint32_t oldest_ = 0;          // where there are as many as there may be
  std::unordered_map<const void*, Ended> signals_;
  std::unordered_set<const void*> shown_;
  std::unordered_map<const void*, Queue> queues_;
  struct Learned {
    uint32_t chain, number; // who comes after this one comes after those
    Ended those;
  };
  std::deque<Learned> learned_;
  void learn(const Operation&, const Ended&);
  std::map<uint64_t, Ended> open_; // by ticket, of what is not done: what has ended before it begins
  uint64_t tickets_ = 0;
  Queue& take(const void* queue, uint64_t packet, bool barrier);
  Operation begin(Ended before, uint64_t ticket);
  void complete(const void* signal, const Ended&);
};

} // namespace crosslane::check
