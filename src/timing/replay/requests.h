// Owns what a cluster has asked L2 for since it was answered last, and who waits for it.
#pragma once
#include "timing/replay/memory.h"
#include <vector>

namespace crosslane::timing::replay {

enum class Asked : uint8_t { vector, scalar, code };

struct Requests {
  static constexpr uint32_t none = ~0u;
  struct Pending { // beside each Request
    uint32_t unit = 0;
    Asked asked{};
    uint32_t waiters = none;
  };
  struct Waiter {
    uint32_t unit = 0, op = none, next = none; // next: of the same request
  };

  explicit Requests(const Machine& m) : lines_of_l2(m.l2_line_bytes / 64) {}

  const uint32_t lines_of_l2; // of 64 bytes, in one of its own
  std::vector<Request> all;
  std::vector<Pending> pending; // of each
  std::vector<Waiter> waiters;
  bool passes = false; // some of them do
  uint64_t lines = 0;  // asked for so far

  uint32_t ask(uint32_t unit, Asked asked, uint64_t time, uint64_t line, Kind kind, bool whole, uint32_t operations,
               bool passing = false) {
    const bool of_l2 = asked != Asked::vector && kind == Kind::load; // assumed: that these bring all of L2's line
    all.push_back({.time = time,
                   .line = of_l2 ? line - line % lines_of_l2 : line,
                   .lines = uint8_t(of_l2 ? lines_of_l2 : 1),
                   .kind = kind,
                   .whole = whole,
                   .operations = uint8_t(operations),
                   .passing = passing});
    passes |= passing;
    pending.push_back({.unit = unit, .asked = asked});
    ++lines;
    return uint32_t(all.size() - 1);
  }
  // Has it bring the next 64 bytes too, if they are of the same line of L2.
  bool extend(uint32_t request, uint64_t line) {
    Request& r = all[request];
    if (line != r.line + r.lines || line / lines_of_l2 != r.line / lines_of_l2)
      return false;
    ++r.lines, ++lines;
    return true;
  }
  void add_waiter(uint32_t request, uint32_t unit, uint32_t op) {
    waiters.push_back({unit, op, pending[request].waiters});
    pending[request].waiters = uint32_t(waiters.size() - 1);
  }
  void clear() {
    all.clear(), pending.clear(), waiters.clear();
    passes = false;
  }
};

} // namespace crosslane::timing::replay
