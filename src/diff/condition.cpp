// Read from the end: kernels' names may have anything in them, numbers have not.
#include "diff/condition.h"
#include "files/error.h"
#include "isa/pattern.h"
#include "isa/suggest.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace crosslane::diff {

namespace {

using Op = Condition::Op;
using Of = Condition::Of;

std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

struct Operator {
  std::string_view text;
  Op op;
};
constexpr Operator operators[] = {{">=", Op::greater_equal}, {"<=", Op::less_equal}, {"==", Op::equal},
                                  {"!=", Op::not_equal},     {">", Op::greater},     {"<", Op::less}};

// Names of kernels have "::" in them, those of counters no colon.
size_t separator(std::string_view name) {
  for (size_t at = name.size(); at-- > 0;)
    if (name[at] == ':') {
      if (at > 0 && name[at - 1] == ':')
        --at;
      else
        return at;
    }
  return std::string_view::npos;
}

bool holds(Op op, double value, double limit) {
  switch (op) {
  case Op::greater: return value > limit;
  case Op::less: return value < limit;
  case Op::greater_equal: return value >= limit;
  case Op::less_equal: return value <= limit;
  case Op::equal: return value == limit;
  case Op::not_equal: return value != limit;
  }
  return false;
}

std::optional<double> asked(Of of, const Row& row) {
  return of == Of::value ? row.after : of == Of::change ? row.change() : row.percent();
}

// The numbers, and those of findings, which have no kernel.
std::vector<KernelDifference> all_of(const Difference& d) {
  std::vector<KernelDifference> all = d.kernels;
  if (d.has_findings)
    all.push_back(
        {.rows = {{"new_findings", "", 0, double(d.came.size())}, {"gone_findings", "", 0, double(d.went.size())}}});
  return all;
}

class Judging {
public:
  explicit Judging(const Difference& d) : all_(all_of(d)) {}

  llvm::Error add(const Condition& c) {
    bool kernel_seen = false, name_seen = false, judged = false;
    for (const KernelDifference& k : all_) {
      if (!c.kernel.empty() && !isa::matches(c.kernel, k.name) && !isa::matches(c.kernel, k.shown))
        continue;
      kernel_seen = true;
      for (const Row& row : k.rows)
        if (isa::matches(c.name, row.name)) {
          name_seen = true;
          judged |= judge(c, k, row);
        }
    }
    if (!kernel_seen)
      return fail("--fail-if {}: there is no kernel '{}'{}", c.text, c.kernel, near(c.kernel, kernels()));
    if (!name_seen)
      return fail("--fail-if {}: nothing is called '{}'{}\nTo see all names: --all", c.text, c.name,
                  near(c.name, names()));
    if (!judged)
      return fail("--fail-if {}: cannot be judged: {}", c.text, verdict.notes.back());
    return llvm::Error::success();
  }

  Verdict verdict;

private:
  bool judge(const Condition& c, const KernelDifference& k, const Row& row) {
    const auto value = asked(c.of, row);
    const std::string name = k.shown.empty() ? row.name : fmt::format("{} of {}", row.name, k.shown);
    if (!value) {
      verdict.notes.push_back(fmt::format("{} has no value {}", name, row.after ? "before" : "after"));
      return false;
    }
    if (holds(c.op, *value, c.limit))
      verdict.hits.push_back({c.text, k.shown, row});
    return true;
  }

  std::vector<std::string> kernels() const {
    std::vector<std::string> all;
    for (const KernelDifference& k : all_)
      if (!k.shown.empty())
        all.push_back(k.shown);
    return all;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const KernelDifference& k : all_)
      for (const Row& row : k.rows)
        all.push_back(row.name);
    return all;
  }
  static std::string near(const std::string& name, const std::vector<std::string>& all) {
    return isa::did_you_mean(name, std::vector<std::string_view>(all.begin(), all.end()));
  }

  const std::vector<KernelDifference> all_;
};

} // namespace

llvm::Expected<Condition> parse_condition(const std::string& text) {
  const auto wrong = [&] {
    return fail("--fail-if {}: must be [KERNEL:]NAME, one of > < >= <= == !=, and a number: 'lds_conflicts>+5%' of the "
                "change in percent, 'waves>+100' of the change, 'vgprs>64' of what is there now",
                text);
  };
  const size_t last = text.find_last_of("<>=!");
  if (last == std::string::npos)
    return wrong();
  const size_t first =
      last > 0 && std::string_view("<>=!").find(text[last - 1]) != std::string_view::npos ? last - 1 : last;
  const auto op = std::ranges::find(operators, std::string_view(text).substr(first, last + 1 - first), &Operator::text);
  if (op == std::end(operators))
    return wrong();
  Condition c{.text = text, .kernel = "", .name = trimmed(std::string_view(text).substr(0, first)), .op = op->op};
  if (const size_t colon = separator(c.name); colon != std::string_view::npos)
    c.kernel = trimmed(std::string_view(c.name).substr(0, colon)),
    c.name = trimmed(std::string_view(c.name).substr(colon + 1));
  std::string number = trimmed(std::string_view(text).substr(last + 1));
  if (number.starts_with('+') || number.starts_with('-'))
    c.of = Of::change;
  if (number.ends_with('%'))
    c.of = Of::percent, number = trimmed(std::string_view(number).substr(0, number.size() - 1));
  if (number.starts_with('+')) // std::from_chars takes none
    number = number.size() > 1 && std::isdigit(static_cast<unsigned char>(number[1])) ? number.substr(1) : "";
  const auto result = std::from_chars(number.data(), number.data() + number.size(), c.limit);
  if (c.name.empty() || result.ec != std::errc() || result.ptr != number.data() + number.size() ||
      !std::isfinite(c.limit))
    return wrong();
  return c;
}

llvm::Expected<Verdict> judge(const Difference& difference, const std::vector<Condition>& conditions) {
  Judging judging(difference);
  for (const Condition& c : conditions)
    if (auto error = judging.add(c))
      return std::move(error);
  return std::move(judging.verdict);
}

} // namespace crosslane::diff
