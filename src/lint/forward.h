// Owns the walk that checks share: forward over the code of a whole subject, from the entries of kernels, along what
// edges really execute, into the functions that are called and back, until nothing changes; then once more to report,
// in those blocks alone where there is something. A problem P has
//
//   using State = ...;                                  copied at the ends of blocks; what a wave has done so far
//   State enter(const Function&)                        of a kernel, or of a function that somebody unknown may call
//   bool step(State&, const Step&)                      what an instruction does; and whether report() may have
//                                                       anything to say about it
//   bool join(State& into, const State& from)           whether `into` changed; must reach an end
//   State call(const State&, const Step& call)          what a callee starts with
//   State back(const State&, const State* out, const Step& call)  behind the call; `out` is what the callees' returns
//                                                       leave, null where a callee is unknown
//   void report(const State& before, const Step&)       on the last visit only
// and may have
//   void look(const Step&)                              of each instruction that is reached, once: what needs no state
//   bool edge(State&, const Step& last, const Edge&)    what is known on this edge alone; false: it is never taken
//   void part(const Steps&, bool alone)                 before a part is walked; alone: it calls nothing, nor is called
#pragma once
#include "lint/finding.h"
#include "lint/walk.h"
#include <algorithm>
#include <optional>

namespace crosslane::lint {

template <class P> class Forward final : public Walk {
public:
  Forward(const Subject& subject, P& problem)
      : graph_(subject.graph), p_(problem), functions_(graph_.functions.size()), parts_(graph_.parts.size()),
        place_(graph_.blocks.size()) {
    for (uint32_t n = 0; n < graph_.parts.size(); ++n) {
      const auto blocks = graph_.blocks_of(graph_.parts[n]);
      for (uint32_t i = 0; i < blocks.size(); ++i)
        place_[blocks[i]] = i;
    }
    for (uint32_t f = 0; f < graph_.functions.size(); ++f) {
      const analysis::Function& function = graph_.functions[f];
      if (function.block == analysis::none)
        continue;
      parts_[graph_.blocks[function.block].part].functions.push_back(f);
      if (function.kernel || function.given || function.address_taken)
        functions_[f].in = p_.enter(function);
    }
    for (const analysis::Call& call : graph_.calls)
      parts_[graph_.blocks[call.block].part].calls = true;
  }

  // A part whose beginning and calls cannot change is reported at once, so that most code is decoded once.
  void part(uint32_t n, PartReader& reader) override {
    const bool settled = !parts_[n].calls && std::ranges::none_of(parts_[n].functions, [&](uint32_t f) {
      return std::ranges::binary_search(called(), f);
    });
    parts_[n].settled = settled;
    if (settled)
      solve(n, reader), report(n);
    else
      later_.push_back(n), parts_[n].waiting = true;
  }

  void rest(PartReader& reader) override {
    for (bool again = true; again;) {
      again = false;
      for (const uint32_t n : later_)
        if (parts_[n].waiting)
          parts_[n].waiting = false, solve(n, reader), again = true;
    }
    for (const uint32_t n : later_)
      solve(n, reader), report(n);
  }

private:
  using State = typename P::State;
  struct OfFunction {
    std::optional<State> in;
  };
  struct OfPart {
    std::vector<uint32_t> functions, callers; // of functions of this part: the parts that call them
    std::optional<State> out;                 // at its returns
    bool calls = false, waiting = false;
    bool settled = false; // its beginning and calls cannot change
  };

  const analysis::Graph& graph_;
  P& p_;
  std::vector<OfFunction> functions_;
  std::vector<OfPart> parts_;
  std::vector<uint32_t> place_; // of each block, in its part
  std::vector<uint32_t> called_;
  std::vector<uint32_t> later_;
  const Steps* steps_ = nullptr; // of the part under way
  // Of each of its blocks. States keep the memory that they have from part to part.
  std::vector<State> begin_;
  std::vector<uint8_t> reached_, pending_, found_; // found: there is something to report
  State way_;                                      // in the block under way

  const std::vector<uint32_t>& called() {
    if (called_.empty() && !graph_.callees.empty()) {
      called_ = graph_.callees;
      std::ranges::sort(called_);
    }
    return called_;
  }

  void solve(uint32_t n, PartReader& reader) {
    const analysis::Part& part = graph_.parts[n];
    steps_ = &reader.read(n);
    if constexpr (requires { p_.part(*steps_, true); })
      p_.part(*steps_, parts_[n].settled);
    if (begin_.size() < part.count)
      begin_.resize(part.count);
    reached_.assign(part.count, false), pending_.assign(part.count, false), found_.assign(part.count, false);
    for (const uint32_t f : parts_[n].functions)
      if (functions_[f].in)
        flow_into(graph_.functions[f].block, *functions_[f].in);
    for (bool again = true; again;) {
      again = false;
      for (uint32_t i = 0; i < part.count; ++i) // in reverse postorder
        if (pending_[i])
          pending_[i] = false, again = true, pass(n, i);
    }
  }

  void report(uint32_t n) {
    for (uint32_t i = 0; i < graph_.parts[n].count; ++i) {
      if (!reached_[i])
        continue;
      if (found_[i])
        way_ = begin_[i];
      for (const Step& step : steps_->of(i)) {
        if constexpr (requires { p_.look(step); })
          p_.look(step);
        if (found_[i])
          p_.report(way_, step), p_.step(way_, step);
      }
    }
  }

  void flow_into(analysis::BlockId to, const State& s) {
    const uint32_t i = place_[to];
    if (!reached_[i])
      begin_[i] = s, reached_[i] = pending_[i] = true;
    else if (p_.join(begin_[i], s))
      pending_[i] = true;
  }

  // One block, and what comes behind it.
  void pass(uint32_t n, uint32_t i) {
    const std::span<const Step> steps = steps_->of(i);
    if (steps.empty())
      return;
    State& s = way_;
    s = begin_[i];
    bool found = false;
    for (const Step& step : steps)
      found |= p_.step(s, step);
    found_[i] = found;
    const analysis::BlockId b = graph_.order[graph_.parts[n].first + i];
    const Step& last = steps.back();
    const analysis::Call* call = graph_.call_of(b);
    const std::optional<State> after = call ? through(n, *call, s, last) : std::nullopt;
    if (graph_.blocks[b].exit == analysis::Exit::returns)
      returned(n, s);
    if (call && !after)
      return;
    for (const analysis::Edge& e : graph_.successors(b)) {
      const State& from = call && e.kind == analysis::EdgeKind::after_call ? *after : s;
      if constexpr (requires(State& t) { p_.edge(t, last, e); }) {
        State t = from;
        if (p_.edge(t, last, e))
          flow_into(e.to, t);
      } else {
        flow_into(e.to, from);
      }
    }
  }

  // Nothing: no callee has come back yet.
  std::optional<State> through(uint32_t n, const analysis::Call& call, const State& s, const Step& last) {
    enter_callees(n, call, s, last); // of an unknown call, too: those that are known may be among them
    if (call.unknown || call.count == 0)
      return p_.back(s, nullptr, last);
    std::optional<State> out;
    for (const uint32_t f : graph_.callees_of(call)) {
      const analysis::BlockId entry = graph_.functions[f].block;
      if (entry == analysis::none)
        return p_.back(s, nullptr, last);
      const auto& left = parts_[graph_.blocks[entry].part].out;
      if (!left)
        continue;
      if (!out)
        out = left;
      else
        p_.join(*out, *left);
    }
    return out ? std::optional(p_.back(s, &*out, last)) : std::nullopt;
  }

  void enter_callees(uint32_t n, const analysis::Call& call, const State& s, const Step& last) {
    for (const uint32_t f : graph_.callees_of(call)) {
      const analysis::BlockId entry = graph_.functions[f].block;
      if (entry == analysis::none)
        continue;
      OfPart& callee = parts_[graph_.blocks[entry].part];
      if (std::ranges::find(callee.callers, n) == callee.callers.end())
        callee.callers.push_back(n);
      const State in = p_.call(s, last);
      if (!functions_[f].in)
        functions_[f].in = in, callee.waiting = true;
      else if (p_.join(*functions_[f].in, in))
        callee.waiting = true;
    }
  }

  void returned(uint32_t n, const State& s) {
    bool changed = !parts_[n].out;
    if (changed)
      parts_[n].out = s;
    else
      changed = p_.join(*parts_[n].out, s);
    if (changed)
      for (const uint32_t caller : parts_[n].callers)
        parts_[caller].waiting = true;
  }
};

// A problem, made of a subject and a report, and its walk.
template <class P> class WalkOf final : public Walk {
public:
  WalkOf(const Subject& subject, Report& report) : problem_(subject, report), forward_(subject, problem_) {}
  void part(uint32_t number, PartReader& reader) override { forward_.part(number, reader); }
  void rest(PartReader& reader) override {
    forward_.rest(reader);
    if constexpr (requires { problem_.finish(); }) // what can be told once all is known
      problem_.finish();
  }

private:
  P problem_;
  Forward<P> forward_;
};

} // namespace crosslane::lint
