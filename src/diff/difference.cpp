// Kernels are matched by their symbols, in their order where several have one; findings as baselines match them.
#include "diff/difference.h"
#include "files/error.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>

namespace crosslane::diff {

namespace {

std::set<std::string> parts_of(std::string_view text) {
  std::set<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(", "), text.size());
    parts.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return parts;
}

// What only one of them has.
std::string only(const std::set<std::string>& one, const std::set<std::string>& other) {
  std::vector<std::string> all;
  std::ranges::set_difference(one, other, std::back_inserter(all));
  return all.empty() ? "nothing else" : fmt::format("{}", fmt::join(all, ", "));
}

class Comparing {
public:
  Comparing(const Document& before, const Document& after) : a_(before), b_(after) {}

  Difference compare() {
    out_.kind = a_.kind, out_.before = a_.file, out_.after = b_.file;
    out_.before_producer = a_.producer, out_.after_producer = b_.producer;
    notes();
    kernels();
    out_.has_findings = a_.has_findings || b_.has_findings;
    findings();
    return std::move(out_);
  }

private:
  void notes() {
    for (const Document* d : {&a_, &b_})
      for (const std::string& note : d->notes)
        out_.notes.push_back(fmt::format("{} {}", d->file, note));
    if (a_.producer != b_.producer)
      out_.notes.push_back(fmt::format("written by {} and by {}: what they count may differ",
                                       a_.producer.empty() ? "an unknown version" : a_.producer,
                                       b_.producer.empty() ? "an unknown version" : b_.producer));
    if (const auto one = parts_of(a_.made), other = parts_of(b_.made); one != other)
      out_.notes.push_back(
          fmt::format("made in different ways: before {}; after {}", only(one, other), only(other, one)));
  }

  void kernels() {
    std::map<std::string, std::vector<const Kernel*>> left; // by name, the last one first
    for (auto k = a_.kernels.rbegin(); k != a_.kernels.rend(); ++k)
      left[k->name].push_back(&*k);
    // Variants of one kernel are what one wants to compare, too.
    if (a_.kernels.size() == 1 && b_.kernels.size() == 1 && a_.kernels[0].name != b_.kernels[0].name) {
      out_.notes.push_back(fmt::format("{} is compared with {}: each document has one kernel, of different names",
                                       b_.kernels[0].shown, a_.kernels[0].shown));
      return add(&a_.kernels[0], &b_.kernels[0]);
    }
    for (const Kernel& k : b_.kernels) {
      auto& same = left[k.name];
      add(same.empty() ? nullptr : same.back(), &k);
      if (!same.empty())
        same.pop_back();
    }
    for (const Kernel& k : a_.kernels)
      if (const auto& lost = left[k.name]; std::ranges::count(lost, &k))
        add(&k, nullptr);
  }

  void add(const Kernel* before, const Kernel* after) {
    const Kernel& k = after ? *after : *before;
    KernelDifference& out = out_.kernels.emplace_back(
        KernelDifference{.name = k.name, .shown = k.shown, .before = before != nullptr, .after = after != nullptr});
    static const std::vector<Value> none;
    out.rows = rows_of(before ? before->values : none, after ? after->values : none);
    if (!before || !after)
      return;
    parts(*before, *after, out.parts);
    const auto differs = [&](const char* what, std::string Kernel::* part, const char* none) {
      if (before->*part != after->*part)
        out.notes.push_back(fmt::format("{} before: {}; after: {}", what,
                                        (before->*part).empty() ? none : before->*part,
                                        (after->*part).empty() ? none : after->*part));
    };
    differs("target", &Kernel::target, "not said");
    differs("size", &Kernel::shape, "not said");
    differs("sums over different parts of it, so that only ratios can be compared:", &Kernel::counted,
            "all workgroups");
  }

  static std::vector<Row> rows_of(const std::vector<Value>& before, const std::vector<Value>& after) {
    std::vector<Row> rows;
    std::map<std::string_view, size_t> places;
    const auto take = [&](const std::vector<Value>& values, std::optional<double> Row::* side) {
      for (const Value& v : values) {
        const auto [at, added] = places.emplace(v.name, rows.size());
        if (added)
          rows.push_back({v.name, v.unit, {}, {}, v.of_host});
        rows[at->second].*side = v.value;
      }
    };
    take(before, &Row::before), take(after, &Row::after);
    return rows;
  }

  // Of several that are alike, the first with the first.
  static void parts(const Kernel& before, const Kernel& after, std::vector<PartDifference>& out) {
    std::map<std::pair<bool, std::string_view>, std::deque<const Part*>> left;
    for (const Part& p : before.parts)
      left[{p.branch, p.key}].push_back(&p);
    for (const Part& p : after.parts) {
      auto& same = left[{p.branch, p.key}];
      const Part* was = same.empty() ? nullptr : same.front();
      out.push_back({p.branch, p.shown, was && was->shown != p.shown ? was->shown : "",
                     rows_of(was ? was->values : std::vector<Value>(), p.values)});
      if (was)
        same.pop_front();
    }
    for (const Part& p : before.parts)
      if (const auto& lost = left[{p.branch, p.key}]; std::ranges::count(lost, &p))
        out.push_back({p.branch, p.shown, "", rows_of(p.values, {})});
  }

  void findings() {
    std::vector<lint::Match> before, after;
    for (const Finding& f : a_.findings)
      before.push_back(f.match);
    for (const Finding& f : b_.findings)
      after.push_back(f.match);
    const auto found = lint::match(before, after);
    std::vector<bool> kept(before.size());
    for (size_t i = 0; i < after.size(); ++i)
      if (found[i])
        kept[*found[i]] = true, out_.same.emplace_back(a_.findings[*found[i]], b_.findings[i]);
      else
        out_.came.push_back(b_.findings[i]);
    for (size_t i = 0; i < before.size(); ++i)
      if (!kept[i])
        out_.went.push_back(a_.findings[i]);
  }

  const Document& a_;
  const Document& b_;
  Difference out_;
};

} // namespace

std::optional<double> Row::change() const { return before && after ? std::optional(*after - *before) : std::nullopt; }

std::optional<double> Row::percent() const {
  const auto c = change();
  if (!c || *c == 0)
    return c;
  return *before != 0 ? 100 * *c / std::abs(*before) : std::copysign(std::numeric_limits<double>::infinity(), *c);
}

llvm::Expected<Difference> compare(const Document& before, const Document& after) {
  if (before.kind != after.kind)
    return fail("{} is {}, {} {}: only documents of one kind can be compared", before.file, name_of(before.kind),
                after.file, after.kind == Kind::profile ? "is a profile" : fmt::format("is {}", name_of(after.kind)));
  return Comparing(before, after).compare();
}

} // namespace crosslane::diff
