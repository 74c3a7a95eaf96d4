// Fields by their numbers in Perfetto's protos/perfetto/trace; the wire format is that of protocol buffers.
#include "timing/formats/perfetto.h"
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace crosslane::timing::formats {

namespace {

using replay::Series;
using replay::Spent;

class Message {
public:
  Message& number(unsigned field, uint64_t value) {
    varint(field << 3), varint(value);
    return *this;
  }
  Message& real(unsigned field, double value) {
    varint(field << 3 | 1);
    for (uint64_t bits = std::bit_cast<uint64_t>(value), i = 0; i < 8; ++i, bits >>= 8)
      bytes_ += char(bits & 0xff);
    return *this;
  }
  Message& text(unsigned field, std::string_view value) {
    varint(field << 3 | 2), varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(unsigned field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_ += char(value | 0x80);
    bytes_ += char(value);
  }
  std::string bytes_;
};

class Trace {
public:
  explicit Trace(const Course& course) : course_(course), per_cycle_(1e3 / course.machine.mhz) {
    const Message process = Message().number(1, 1).text(6, fmt::format("{} on {}", course.readable, course.card));
    const Message descriptor = Message().number(1, root).message(3, process);
    add(Message().number(13, 1).message(60, descriptor)); // no state from before
  }

  void waves() {
    std::map<uint64_t, bool> known;
    for (const replay::WaveRecord& w : course_.recording.waves) {
      const uint64_t unit = 1 << 24 | uint64_t(w.engine) << 16 | w.unit, simd = uint64_t(2) << 32 | unit << 4 | w.simd,
                     slot = uint64_t(3) << 40 | simd << 8 | w.slot;
      if (!std::exchange(known[unit], true))
        track(unit, root, fmt::format("SE {} CU {}", w.engine, w.unit));
      if (!std::exchange(known[simd], true))
        track(simd, unit, fmt::format("SIMD {}", w.simd));
      if (!std::exchange(known[slot], true))
        track(slot, simd, fmt::format("slot {}", w.slot));
      event(w.begin, Message()
                         .message(4, Message().number(3, w.workgroup).text(10, "workgroup"))
                         .message(4, Message().number(3, w.wave).text(10, "wave"))
                         .message(4, Message().number(3, w.end - w.begin).text(10, "cycles"))
                         .number(9, 1)
                         .number(11, slot)
                         .text(22, "wave")
                         .text(23, fmt::format("workgroup {} wave {}", w.workgroup, w.wave)));
      event(w.end, Message().number(9, 2).number(11, slot));
    }
  }

  // A value for each bin; `of`: the bin's number to its value.
  template <class F> void counter(const std::string& name, const char* unit, F of) {
    const uint64_t id = ++counters_;
    add(Message().message(60,
                          Message().number(1, id).text(2, name).number(5, root).message(8, Message().text(6, unit))));
    const replay::Bins& bins = course_.recording.bins;
    const auto end = uint32_t((course_.figures.cycles + bins.width() - 1) / bins.width());
    for (uint32_t i = 0; i < std::min(end, bins.count()); ++i)
      event(i * bins.width(), Message().number(9, 4).number(11, id).real(44, of(i)));
    event(course_.figures.cycles, Message().number(9, 4).number(11, id).real(44, 0));
  }

  std::string take() { return std::move(bytes_); }

private:
  static constexpr uint64_t root = 1;

  void add(const Message& packet) {
    Message m;
    Message whole = packet;
    whole.number(10, 1); // of one sequence
    m.message(1, whole);
    bytes_ += m.bytes();
  }
  void track(uint64_t id, uint64_t parent, const std::string& name) {
    add(Message().message(60, Message().number(1, id).text(2, name).number(5, parent)));
  }
  void event(uint64_t cycle, const Message& event) {
    add(Message().number(8, uint64_t(std::llround(double(cycle) * per_cycle_))).message(11, event));
  }
  const Course& course_;
  double per_cycle_; // nanoseconds
  uint64_t counters_ = 1 << 8;
  std::string bytes_;
};

} // namespace

std::string perfetto(const Course& course) {
  Trace trace(course);
  const replay::Recording& r = course.recording;
  const replay::Machine& m = course.machine;
  // The last bin may end behind the kernel.
  const auto cycles = [&](uint32_t bin) {
    const uint64_t begin = bin * r.bins.width(), end = std::min(begin + r.bins.width(), course.figures.cycles);
    return double(std::max<uint64_t>(end - begin, 1));
  };
  const auto each_cycle = [&](const std::vector<double>& of, double scale) {
    return [&, scale](uint32_t bin) { return of[bin] * scale / cycles(bin); };
  };
  const double units = m.units, simds = units * m.simds, gigabytes = m.mhz * 1e-3;
  trace.counter("waves", "waves", each_cycle(r.of(Series::waves), 1));
  trace.counter("instructions a cycle and compute unit", "", each_cycle(r.of(Series::instructions), 1 / units));
  trace.counter("VALU busy", "%", each_cycle(r.of(Series::valu), 100 / simds));
  trace.counter("matrix busy", "%", each_cycle(r.of(Series::matrix), 100 / simds));
  trace.counter("SALU busy", "%", each_cycle(r.of(Series::salu), 100 / simds));
  trace.counter("vector memory busy", "%", each_cycle(r.of(Series::addresses), 100 / units));
  trace.counter("LDS busy", "%", each_cycle(r.of(Series::lds), 100 / units));
  trace.counter("memory read", "GB/s", each_cycle(r.of(Series::bytes_read), gigabytes));
  trace.counter("memory written", "GB/s", each_cycle(r.of(Series::bytes_written), gigabytes));
  trace.counter("L2", "GB/s", [&](uint32_t bin) {
    return (r.of(Series::l2_hits)[bin] + r.of(Series::l2_misses)[bin]) * 64 * gigabytes / cycles(bin);
  });
  for (size_t i = 0; i < replay::spent_count; ++i)
    trace.counter(fmt::format("waves: {}", name_of(Spent(i))), "waves", each_cycle(r.of(Spent(i)), 1));
  trace.waves();
  return trace.take();
}

} // namespace crosslane::timing::formats
