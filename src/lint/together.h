// Owns going over the code once for several topics: each has its own state and reports for itself, but the code is
// decoded for all of them together. A topic is a problem as in lint/forward.h; what it does not care for it takes from
// Topic.
#pragma once
#include "lint/forward.h"
#include <tuple>
#include <utility>

namespace crosslane::lint {

struct Nothing {};

template <class S> struct Topic {
  using State = S;
  State enter(const analysis::Function&) { return {}; }
  bool step(State&, const Step&) { return false; }
  bool join(State&, const State&) { return false; }
  State call(const State&, const Step&) { return {}; }
  State back(const State&, const State*, const Step&) { return {}; }
  bool edge(State&, const Step&, const analysis::Edge&) { return true; }
  void part(const Steps&, bool) {}
  void look(const Step&) {}
  void report(const State&, const Step&) {}
};

template <class... P> class Together {
public:
  using State = std::tuple<typename P::State...>;
  explicit Together(P&... topics) : p_(topics...) {}

  State enter(const analysis::Function& f) {
    return make([&](auto i) { return at<i>().enter(f); });
  }
  bool step(State& s, const Step& step) {
    bool found = false;
    each([&](auto i) { found |= at<i>().step(std::get<i>(s), step); });
    return found;
  }
  bool join(State& into, const State& from) {
    bool changed = false;
    each([&](auto i) { changed |= at<i>().join(std::get<i>(into), std::get<i>(from)); });
    return changed;
  }
  State call(const State& s, const Step& call) {
    return make([&](auto i) { return at<i>().call(std::get<i>(s), call); });
  }
  State back(const State& s, const State* out, const Step& call) {
    return make([&](auto i) { return at<i>().back(std::get<i>(s), out ? &std::get<i>(*out) : nullptr, call); });
  }
  bool edge(State& s, const Step& last, const analysis::Edge& e) {
    bool taken = true;
    each([&](auto i) { taken &= at<i>().edge(std::get<i>(s), last, e); });
    return taken;
  }
  void part(const Steps& steps, bool alone) {
    each([&](auto i) { at<i>().part(steps, alone); });
  }
  void look(const Step& step) {
    each([&](auto i) { at<i>().look(step); });
  }
  void report(const State& s, const Step& step) {
    each([&](auto i) { at<i>().report(std::get<i>(s), step); });
  }

private:
  std::tuple<P&...> p_;
  template <size_t I> auto& at() { return std::get<I>(p_); }
  template <class F> void each(F f) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      (f(std::integral_constant<size_t, I>{}), ...);
    }(std::index_sequence_for<P...>{});
  }
  template <class F> State make(F f) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return State{f(std::integral_constant<size_t, I>{})...};
    }(std::index_sequence_for<P...>{});
  }
};

} // namespace crosslane::lint
