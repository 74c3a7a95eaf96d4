// Patterns that cost much to plan, planned when this is compiled. check_package.py bounds the steps of a constant
// expression that each may take, as -fconstexpr-steps counts them: time would depend on the machine.
#include "lanes/plan/planner.h"

namespace crosslane::lanes::planner {
namespace {

constexpr int wide = widest_register(compiled_isa);

// Scattered elements of one source or two; every third is zero, or none is.
template <int Element, int Sources, int K>
constexpr Plan scattered =
    plan_register(make_pattern(Element, wide / Element, Sources, wide / Element,
                               [](int i) {
                                 const int all = wide / Element * Sources;
                                 return K % 2 && i % 3 == 0 ? zero : (i * (2 * K + 7) + i / 4) % all;
                               }),
                  0, compiled_isa, compiled_cpu);
template <int K>
constexpr bool found =
    scattered<1, 1, K>.found && scattered<1, 2, K>.found && scattered<2, 1, K>.found && scattered<2, 2, K>.found &&
    scattered<4, 1, K>.found && scattered<4, 2, K>.found && scattered<8, 1, K>.found && scattered<8, 2, K>.found;
static_assert(found<0> && found<1> && found<2> && found<3>);

} // namespace
} // namespace crosslane::lanes::planner
