// Greedy: large cuts first (halves of blocks, then single statements), then compound statements by what they contain,
// then expressions by their arguments or constants, then the grid; again while something helps.
#include "tests/generated/reduce.h"
#include <algorithm>

namespace crosslane::generated {

namespace {

class Reducer {
public:
  Reducer(Kernel kernel, const std::function<bool(const Kernel&)>& fails, int budget)
      : best_(std::move(kernel)), fails_(fails), budget_(budget) {}

  Kernel run() {
    for (bool progress = true; progress && budget_ > 0;) {
      progress = false;
      progress |= groups();
      progress |= statements();
      progress |= expressions();
      progress |= block_size();
    }
    return std::move(best_);
  }

private:
  // Every block and every expression of a kernel, in an order that does not depend on addresses.
  static void walk(Block& b, std::vector<Block*>& blocks, std::vector<Expression*>& expressions) {
    blocks.push_back(&b);
    for (auto& s : b) {
      for (auto& e : s.arguments)
        walk(e, expressions);
      for (auto& inner : s.blocks)
        walk(inner, blocks, expressions);
    }
  }
  static void walk(Expression& e, std::vector<Expression*>& expressions) {
    expressions.push_back(&e);
    for (auto& a : e.arguments)
      walk(a, expressions);
  }
  struct Parts {
    std::vector<Block*> blocks;
    std::vector<Expression*> expressions;
  };
  static Parts parts(Kernel& k) {
    Parts p;
    walk(k.body, p.blocks, p.expressions);
    for (auto& f : k.functions) {
      walk(f.body, p.blocks, p.expressions);
      walk(f.result, p.expressions);
    }
    return p;
  }

  template <class Edit> bool attempt(Edit&& edit) {
    if (budget_ <= 0)
      return false;
    Kernel candidate = best_;
    if (!edit(candidate) || print(candidate) == print(best_))
      return false;
    --budget_;
    if (!fails_(candidate))
      return false;
    best_ = std::move(candidate);
    return true;
  }

  bool groups() {
    bool progress = false;
    for (size_t d = 0; d < 3; ++d) {
      progress |= best_.shape.groups[d] > 1 && attempt([&](Kernel& k) { return k.shape.groups[d] = 1, true; });
      progress |= best_.shape.offset[d] && attempt([&](Kernel& k) { return k.shape.offset[d] = 0, true; });
    }
    return progress;
  }

  bool block_size() {
    bool progress = false;
    for (size_t d = 0; d < 3; ++d)
      while (best_.shape.block[d] > 1 && attempt([&](Kernel& k) { return k.shape.block[d] /= 2, true; }))
        progress = true;
    return progress;
  }

  bool statements() {
    bool progress = false;
    for (size_t b = 0; b < parts(best_).blocks.size() && budget_ > 0; ++b) {
      for (size_t chunk = std::max<size_t>(parts(best_).blocks[b]->size(), 1); chunk >= 1; chunk /= 2)
        for (size_t at = 0; b < parts(best_).blocks.size() && at < parts(best_).blocks[b]->size();) {
          const bool cut = attempt([&](Kernel& k) {
            Block& block = *parts(k).blocks[b];
            block.erase(block.begin() + long(at), block.begin() + long(std::min(at + chunk, block.size())));
            return true;
          });
          progress |= cut;
          at += cut ? 0 : chunk;
        }
      if (b >= parts(best_).blocks.size())
        break;
      for (size_t at = 0; at < parts(best_).blocks[b]->size(); ++at)
        progress |= attempt([&](Kernel& k) { // a compound by its first block
          Block& block = *parts(k).blocks[b];
          if (block[at].blocks.empty())
            return false;
          Block inside = std::move(block[at].blocks[0]);
          block.erase(block.begin() + long(at));
          block.insert(block.begin() + long(at), inside.begin(), inside.end());
          return true;
        });
    }
    return progress;
  }

  bool expressions() {
    bool progress = false;
    for (size_t e = 0; e < parts(best_).expressions.size() && budget_ > 0; ++e) {
      const auto replace_by = [&](auto&& make) {
        const bool done = attempt([&](Kernel& k) {
          Expression& old = *parts(k).expressions[e];
          if (old.arguments.empty() && old.text.find('v') == std::string::npos &&
              old.text.find("in)") == std::string::npos)
            return false; // as small as it gets
          Expression fresh = make(old);
          old = std::move(fresh);
          return true;
        });
        progress |= done;
        return done;
      };
      if (replace_by([](const Expression& old) { return Expression{old.type, zero_of(old.type), {}}; }))
        continue;
      bool again = true;
      while (again && budget_ > 0) {
        again = false;
        const size_t arguments = parts(best_).expressions[e]->arguments.size();
        for (size_t a = 0; a < arguments && !again; ++a)
          again = replace_by([&](const Expression& old) {
            return old.arguments[a].type == old.type ? Expression(old.arguments[a]) : Expression(old);
          });
      }
      if (!parts(best_).expressions[e]->arguments.empty())
        replace_by([](const Expression& old) { return Expression{old.type, one_of(old.type), {}}; });
    }
    return progress;
  }

  Kernel best_;
  const std::function<bool(const Kernel&)>& fails_;
  int budget_;
};

} // namespace

Kernel reduce(Kernel kernel, const std::function<bool(const Kernel&)>& fails, int budget) {
  return Reducer(std::move(kernel), fails, budget).run();
}

} // namespace crosslane::generated
