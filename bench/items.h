// What `make bench` measures: each item in full size, in the small size that Oclgrind can bear, and as plain C++.
#pragma once
#include "tests/kernels/workload.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::bench {

struct Pointers {
  std::vector<std::byte*> buffers;
  template <class T> T* at(size_t i) const { return reinterpret_cast<T*>(buffers[i]); }
};

enum class Kind : uint8_t {
  stream, // bound by memory: never more than 3 times PoCL's time
  loop,   // bound by arithmetic: faster than PoCL
  other,
  instructions // only crosslane can run it: counted in wave-instructions per second
};

struct Item {
  std::string name;
  Kind kind;
  std::function<workload::Workload()> full;
  std::function<workload::Workload()> small;   // may be empty: Oclgrind does not run it
  std::function<void(const Pointers&)> native; // may be empty
  std::optional<double> target_ms;             // one core
  std::optional<double> target_rate;           // million wave-instructions per second, one core
  double inner = 1;                            // loop length per work-item, full over small
};

std::vector<Item> items();

// Work-items over all launches: the measure by which the small size is scaled up.
double work_items(const workload::Workload&);

} // namespace crosslane::bench
