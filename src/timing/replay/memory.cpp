// Each channel is a row of requests: one begins when the one before has gone through.
#include "timing/replay/memory.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace crosslane::timing::replay {

L2::L2(const Machine& machine)
    : machine_(machine), shift_(uint32_t(std::countr_zero(machine.l2_line_bytes / 64))),
      behind_(machine.memory_latency - machine.l2_latency), per_byte_(machine.channels / machine.memory_bytes) {
  const Tags tags(machine.l2_lines / machine.channels, machine.l2_ways);
  channels_.assign(machine.channels, {.tags = tags, .behind = Tags(machine.l2_ways, machine.l2_ways), .figures = {}});
}

// assumed: higher bits are mixed in, so that no power of two of a stride meets one channel only.
uint32_t L2::channel(uint64_t line) const {
  uint64_t n = line / (machine_.interleave / 64);
  n ^= n >> 4 ^ n >> 9 ^ n >> 15;
  return uint32_t(n % channels_.size());
}

uint64_t L2::transfer(Channel& channel, uint64_t from, uint32_t bytes) {
  channel.memory = std::max(channel.memory, double(from)) + bytes * per_byte_;
  return uint64_t(std::ceil(channel.memory));
}

namespace {

void hold(Tags::Line& line, uint16_t parts, Kind kind) {
  line.there |= parts;
  if (kind != Kind::load)
    line.dirty |= parts;
}

} // namespace

// One to one. That sets are hashed is measured: loads of a MI210 that go round a buffer begin to miss when it is half
// as large as L2, and go on to hit some lines until it is half as large again, as lines do that fall into sets of 16 at
// random (gpu-benches' pointer chase; docs/timing-validation.md).
uint64_t L2::number(uint64_t line) const {
  const uint64_t n = (line >> shift_) * 0x9e3779b97f4a7c15;
  return n ^ n >> 32;
}

// Memory is asked for as little as a request of it has.
uint16_t L2::parts(uint64_t line, uint32_t lines) const {
  const uint32_t all = 1u << shift_;
  if (machine_.memory_request >= machine_.l2_line_bytes)
    return uint16_t((1u << all) - 1);
  return uint16_t(((1u << lines) - 1) << (line & (all - 1)));
}

void L2::write_back(Channel& channel, Tags::Line& line, uint64_t from) {
  const uint32_t bytes = 64 * uint32_t(std::popcount(line.dirty));
  transfer(channel, from, bytes);
  channel.figures.written += bytes;
  line.dirty = 0;
}

// Of the line that has to go for it, which is written if it has to be.
Tags::Line& L2::take_place(Channel& channel, Tags& tags, uint64_t number, uint64_t from, bool writes) {
  Tags::Line& line = tags.victim(number);
  if (line.dirty && writes)
    write_back(channel, line, from);
  tags.fill(line, number);
  return line;
}

void L2::serve(uint32_t which, Request& request) {
  Channel& channel = channels_[which];
  MemoryFigures& figures = channel.figures;
  const uint64_t number = this->number(request.line);
  const uint16_t wanted = parts(request.line, request.lines);
  const double begin = std::max(double(request.time), channel.free);
  const double operations = double(request.operations) / machine_.atomics_per_clock;
  channel.free = begin + std::max(64.0 * request.lines / machine_.channel_bytes, operations);
  request.done = uint64_t(std::ceil(channel.free));
  ++(request.kind == Kind::load    ? figures.loads
     : request.kind == Kind::store ? figures.stores
                                   : figures.atomic_requests);
  Tags& tags = request.passing ? channel.behind : channel.tags;
  Tags::Line* line = tags.find(number);
  const uint16_t missing = line ? wanted & ~line->there : wanted;
  ++(missing && !(line && request.kind == Kind::store) ? figures.misses : figures.hits);
  if (!line)
    line = &take_place(channel, tags, number, uint64_t(begin), !request.stands);
  if (request.kind != Kind::store) { // a store leaves its bytes there, and asks memory for none
    if (missing) {
      const uint32_t bytes = 64 * uint32_t(std::popcount(missing));
      line->ready = std::max(line->ready, transfer(channel, uint64_t(begin), bytes) + behind_);
      figures.read += bytes;
    }
    request.done = std::max(request.done, line->ready);
  }
  hold(*line, wanted, request.kind);
  if (request.stands) {
    Channel& others = channel_of(request.other_line);
    const uint64_t other = this->number(request.other_line);
    Tags::Line* known = others.tags.find(other);
    if (!known)
      known = &take_place(others, others.tags, other, uint64_t(begin), true);
    hold(*known, parts(request.other_line, request.other_lines), request.other_kind);
  }
  channel.free = std::max(channel.free, channel.memory - machine_.write_queue * machine_.l2_line_bytes * per_byte_);
  request.done = std::max(request.done, uint64_t(channel.free));
}

void L2::leave_behind() {
  for (Channel& channel : channels_)
    channel.behind = channel.tags;
}

void L2::warm(uint64_t line, uint32_t lines, Kind kind) {
  Channel& channel = channel_of(line);
  const uint64_t number = this->number(line);
  Tags::Line* known = channel.tags.find(number);
  if (!known) {
    known = &channel.tags.victim(number);
    channel.tags.fill(*known, number);
  }
  hold(*known, parts(line, lines), kind);
}

void MemoryFigures::add(const MemoryFigures& more) {
  hits += more.hits, misses += more.misses, read += more.read, written += more.written;
  loads += more.loads, stores += more.stores, atomic_requests += more.atomic_requests;
}

MemoryFigures L2::figures() const {
  MemoryFigures all;
  for (const Channel& channel : channels_)
    all.add(channel.figures);
  return all;
}

uint64_t L2::flush(uint64_t now) {
  uint64_t end = now;
  for (Channel& channel : channels_)
    channel.tags.for_each([&](Tags::Line& line) {
      if (!line.dirty)
        return;
      write_back(channel, line, now);
      end = std::max(end, uint64_t(std::ceil(channel.memory)));
    });
  return end;
}

} // namespace crosslane::timing::replay
