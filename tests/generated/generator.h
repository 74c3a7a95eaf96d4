// Owns the state from which a kernel grows: what it has declared so far, and the random numbers. A value is uniform
// when all lanes of the workgroup agree on it: only such values decide about barriers and where lanes look at each
// other, and they are what the scalar unit computes.
#pragma once
#include "tests/generated/generate.h"
#include "tests/kernels/workload.h"
#include <fmt/format.h>

namespace crosslane::generated {

struct Variable {
  std::string name;
  Type type;
  bool uniform = false, writable = true;
};

class Generator {
  using enum Base;

public:
  Generator(uint64_t seed, const std::string& name) : random_(seed * 0x9e3779b97f4a7c15 + 0x1234567) {
    kernel_.name = name;
    kernel_.input_seed = random_.next();
  }
  Kernel run();
  Kernel operations(uint64_t index); // see operations_kernel()

private:
  struct Flow {
    bool uniform = true; // all lanes of the workgroup are here together
    // ... and may meet. Not in an `if`: PoCL 3.1 runs what comes before it twice for the first work-item.
    bool barriers = true;
    bool loop = false; // break and continue are possible
    bool in_function = false;
    int depth = 0;
  };

  uint32_t below(uint32_t n) { return random_.below(n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  template <size_t N> const char* one_of_texts(const char* const (&list)[N]) { return list[below(N)]; }

  Type any_type(bool uniform);
  Expression leaf(Type, bool uniform);
  Expression constant(Type);
  Expression expression(Type, int depth, bool uniform = false);
  Expression index(uint32_t power_of_two) {
    return {{u32, 1}, fmt::format("($0 & {})", power_of_two - 1), {expression({u32, 1}, 1)}};
  }
  Expression condition(bool uniform) { return expression({i32, 1}, 2, uniform); }
  std::string load(Type, const std::string& where);

  void shape();
  void variables(std::vector<Declaration>& out, int count, bool in_function);
  void function();
  void arrays();
  Block block(Flow, int statements);
  Statement statement(Flow);
  Statement assignment(Flow);
  Statement branch(Flow);
  Statement loop(Flow);
  Statement choice(Flow);
  Statement through_lds(Flow);
  Statement histogram(Flow);
  Statement lanes(Flow);
  Statement atomic(Flow);
  Statement array_access(Flow);
  Statement generic_pointer(Flow);
  Statement group_collective(Flow);
  void results(bool early);
  static Statement store(size_t slot, Expression value);
  const Variable* pick(Type, bool uniform, bool writable);
  const Variable* pick_target(Flow);

  workload::Random random_;
  Kernel kernel_;
  std::vector<Variable> variables_;
  struct Array {
    std::string name;
    Type type;
    uint32_t size;
  };
  std::vector<Array> private_, local_;
  struct Callable {
    std::string call;
    Type result;
    std::vector<Type> parameters;
  };
  std::vector<Callable> functions_;
  int names_ = 0;
  bool in_function_ = false;
};

} // namespace crosslane::generated
