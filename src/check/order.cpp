// One lock: there are as many calls as packets, and a host that spins pays for its own looks.
#include "check/order.h"
#include <algorithm>
#include <utility>

namespace crosslane::check {

namespace {

constexpr size_t most_chains = 64, most_submitted = 1024, most_learned = 1024;

} // namespace

void Ended::add(uint32_t chain, uint32_t number) {
  if (last_.size() <= chain)
    last_.resize(chain + 1);
  last_[chain] = std::max(last_[chain], number);
}

void Ended::join(const Ended& other) {
  if (last_.size() < other.last_.size())
    last_.resize(other.last_.size());
  for (size_t n = 0; n < other.last_.size(); ++n)
    last_[n] = std::max(last_[n], other.last_[n]);
}

void Order::sees(const void* signal) {
  const std::lock_guard lock(mutex_);
  if (const auto found = signals_.find(signal); found != signals_.end())
    host_.join(found->second);
}

void Order::sees_all() {
  const std::lock_guard lock(mutex_);
  for (uint32_t chain = 0; chain < chains_.size(); ++chain)
    host_.add(chain, chains_[chain]);
}

void Order::changes(const void* signal) {
  const std::lock_guard lock(mutex_);
  signals_[signal].join(host_);
}

void Order::shows(const void* signal) {
  const std::lock_guard lock(mutex_);
  shown_.insert(signal);
  host_.join(signals_[signal]);
}

void Order::complete(const void* signal, const Ended& with) {
  signals_[signal].join(with);
  if (shown_.contains(signal))
    host_.join(with);
}

void Order::destroyed(const void* queue) {
  const std::lock_guard lock(mutex_);
  host_.join(queues_[queue].ended);
  queues_.erase(queue);
}

void Order::rings(const void* queue, uint64_t last) {
  const std::lock_guard lock(mutex_);
  auto& submitted = queues_[queue].submitted;
  if (!submitted.empty() && submitted.back().known == host_) {
    submitted.back().last = std::max(submitted.back().last, last);
    return;
  }
  if (submitted.size() == most_submitted) // those of a queue that nobody processes
    submitted.pop_front();
  submitted.push_back({last, host_});
}

// What the host knew when it rang; or knows now, if it has not yet.
Order::Queue& Order::take(const void* queue, uint64_t packet, bool barrier) {
  Queue& q = queues_[queue];
  while (!q.submitted.empty() && q.submitted.front().last < packet)
    q.submitted.pop_front();
  q.before.join(q.submitted.empty() ? host_ : q.submitted.front().known);
  if (!q.submitted.empty() && q.submitted.front().last == packet)
    q.submitted.pop_front();
  if (barrier)
    q.before.join(q.ended);
  return q;
}

// Where no chain's last one has ended before it, in a new one. When there are many, in one of which more is taken for
// ordered than is.
Operation Order::begin(Ended before, uint64_t ticket) {
  uint32_t chain = 0;
  while (chain < chains_.size() && before.of(chain) != chains_[chain])
    ++chain;
  if (chain == most_chains)
    chain = oldest_++ % most_chains;
  if (chain == chains_.size())
    chains_.push_back(0);
  open_[ticket] = before;
  return {chain, ++chains_[chain], std::move(before), ticket};
}

Operation Order::dispatch(const void* queue, uint64_t packet, bool barrier) {
  const std::lock_guard lock(mutex_);
  return begin(take(queue, packet, barrier).before, ++tickets_);
}

void Order::ended(const void* queue, const Operation& operation) {
  const std::lock_guard lock(mutex_);
  Queue& q = queues_[queue];
  q.last = operation.before;
  q.last.add(operation.chain, operation.number);
  q.ended.join(q.last);
  open_.erase(operation.ticket);
}

void Order::barrier(const void* queue, uint64_t packet, bool barrier, std::span<const void* const> signals) {
  const std::lock_guard lock(mutex_);
  Queue& q = take(queue, packet, barrier);
  for (const void* signal : signals)
    if (const auto found = signals_.find(signal); found != signals_.end())
      q.before.join(found->second);
  q.last = q.before;
}

void Order::completes(const void* queue, const void* signal) {
  const std::lock_guard lock(mutex_);
  complete(signal, queues_[queue].last);
}

uint64_t Order::ask_copy() {
  const std::lock_guard lock(mutex_);
  open_[++tickets_] = host_;
  return tickets_;
}

Operation Order::copy(uint64_t ticket, std::span<const void* const> signals) {
  const std::lock_guard lock(mutex_);
  Ended before = open_[ticket];
  for (const void* signal : signals)
    if (const auto found = signals_.find(signal); found != signals_.end())
      before.join(found->second);
  return begin(std::move(before), ticket);
}

void Order::copied(const Operation& operation, const void* signal) {
  const std::lock_guard lock(mutex_);
  Ended ended = operation.before;
  ended.add(operation.chain, operation.number);
  if (signal)
    complete(signal, ended);
  else
    host_.join(ended);
  open_.erase(operation.ticket);
}

void Order::learn(const Operation& operation, const Ended& those) {
  if (learned_.size() == most_learned)
    learned_.pop_front();
  learned_.push_back({operation.chain, operation.number, those});
}

void Order::looks(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  learn(operation, host_);
}

void Order::meet(const Operation& one, const Operation& other) {
  const std::lock_guard lock(mutex_);
  for (const auto& [a, b] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    Ended those = b->before;
    those.add(b->chain, b->number);
    learn(*a, those);
  }
}

Ended Order::before(const Operation& operation) const {
  const std::lock_guard lock(mutex_);
  Ended all = operation.before, known;
  do {
    known = all;
    for (const Learned& l : learned_)
      if (all.has(l.chain, l.number))
        all.join(l.those);
  } while (all != known);
  return all;
}

bool Order::is_past(const Operation& operation) const {
  const std::lock_guard lock(mutex_);
  const auto has = [&](const Ended& e) { return e.has(operation.chain, operation.number); };
  return has(host_) && std::ranges::all_of(open_, [&](const auto& open) { return has(open.second); }) &&
         std::ranges::all_of(queues_, [&](const auto& queue) {
           return std::ranges::all_of(queue.second.submitted, [&](const Submitted& s) { return has(s.known); });
         });
}

size_t Order::queues() const {
  const std::lock_guard lock(mutex_);
  return queues_.size();
}

} // namespace crosslane::check
