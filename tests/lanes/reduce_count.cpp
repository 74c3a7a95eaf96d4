// The reduction of eight groups of eight 64-bit elements, for scripts/count-permutes.py to count the instructions of.
#include "lanes/reduce.h"

namespace lanes = crosslane::lanes;
using Rows = std::array<lanes::Vec<uint64_t, 8>, 8>;

static inline Rows rows(const uint64_t* in) { return lanes::detail::load_rows<uint64_t, 8, 8>(in, 8); }

// Way 2: three stages of eight permutes.
extern "C" void reduce_by_transpose(const uint64_t* in, uint64_t* out) {
  store(out, lanes::add_rows(lanes::transpose(rows(in)), lanes::Sum{}));
}
extern "C" void reduce_by_transpose_from_big(const uint64_t* in, uint64_t* out) {
  store(out, lanes::add_rows(lanes::transpose<lanes::Order::big_to_small>(rows(in)), lanes::Sum{}));
}
// Way 3: eight, four and two permutes.
extern "C" void reduce_integrated(const uint64_t* in, uint64_t* out) {
  store(out, lanes::merge_rows<false>(rows(in), lanes::Sum{}));
}
// Way 3 with the order within a sum exchanged: one of the two permutes of each of the seven sums is a blend.
extern "C" void reduce_integrated_commuted(const uint64_t* in, uint64_t* out) {
  store(out, lanes::merge_rows<true>(rows(in), lanes::Sum{}));
}
