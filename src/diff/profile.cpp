// Counters as they stand, and sums over instructions of what has no counter.
#include "diff/kinds.h"
#include "files/error.h"
#include <algorithm>

namespace crosslane::diff {

namespace {

constexpr int version = 1; // of docs/profile-format.md

std::string size_text(const Json& sizes) {
  std::string out;
  for (const Json& n : sizes)
    if (const auto size = number(n))
      out += fmt::format("{}{}", out.empty() ? "" : "x", *size);
  return out;
}

class Reading {
public:
  Reading(const Json& document, const Json& kernel) : document_(document), k_(kernel) {}

  llvm::Expected<Kernel> read() {
    out_.name = text(k_, "name");
    if (out_.name.empty())
      return fail("a kernel without a name");
    out_.shown = text(k_, "short").empty() ? out_.name : text(k_, "short");
    out_.target = text(k_, "target");
    if (const std::string grid = size_text(list(k_, "grid")); !grid.empty())
      out_.shape = fmt::format("grid {}, block {}", grid, size_text(list(k_, "block")));
    if (const Json& s = member(k_, "sampled"); s.is_object())
      out_.counted =
          fmt::format("{} of {} workgroups", number(s, "workgroups").value_or(0), number(s, "of").value_or(0));
    add_sizes();
    add_counters();
    add_sums();
    read_parts(document_, k_, out_.parts);
    return std::move(out_);
  }

  void findings(std::vector<Finding>& out) const {
    for (const Json& f : list(k_, "findings")) {
      const Json& at = member(f, "instruction");
      const Json& i = element(member(k_, "instructions"), at.is_number_unsigned() ? at.get<size_t>() : SIZE_MAX);
      const std::string function = text(i, "function").empty() ? text(k_, "name") : text(i, "function");
      out.push_back({.match = {text(f, "kind"), function, text(i, "text"), offset(i, "offset")},
                     .place = place(member(f, "source"), function, offset(i, "offset")),
                     .message = text(f, "title"),
                     .cost = number(f, "cost"),
                     .unit = text(f, "unit")});
    }
  }

private:
  void add(std::string name, std::string unit, std::optional<double> value, bool of_host = false) {
    if (value)
      out_.values.push_back({std::move(name), std::move(unit), *value, of_host});
  }

  void add_sizes() {
    add("launches", "", number(k_, "launches"));
    add("workgroups", "", number(k_, "workgroups"));
    add("waves", "", number(k_, "waves"));
    add("wave_instructions", "", number(k_, "wave_instructions"));
    for (const char* name : {"vgprs", "agprs", "sgprs"})
      add(name, "registers", number(k_, name));
    for (const char* name : {"lds_bytes", "scratch_bytes"})
      add(name, "bytes", number(k_, name));
    add("waves_per_simd", "waves", number(member(k_, "occupancy"), "waves_per_simd"));
    add("seconds", "s of the host", number(k_, "seconds"), true);
  }

  void add_counters() {
    for (const Json& c : list(k_, "counters"))
      if (const std::string name = text(c, "name"); !name.empty())
        add(name, text(c, "unit"), number(c, "value"));
    for (const Json& m : list(k_, "mix"))
      if (const std::string name = text(m, "class"); !name.empty())
        add("mix." + name, "wave-instructions", number(m, "wave_instructions"));
  }

  bool has_view(const char* name) const { return std::ranges::count(list(document_, "views"), Json(name)) > 0; }

  void add_sums() {
    double divergences = 0, lost = 0, partial = 0, lines = 0, excess = 0, moved = 0, l2 = 0, cycles = 0, conflicts = 0;
    const auto sum = [](double& to, const Json& from, const char* key) { to += number(from, key).value_or(0); };
    for (const Json& i : list(k_, "instructions")) {
      sum(lost, i, "lost_lane_cycles"), sum(partial, i, "lost_to_partial_waves");
      if (member(member(i, "branch"), "per_lane") == true)
        sum(divergences, member(i, "branch"), "divergences");
      for (const Json& m : list(i, "memory"))
        if (text(m, "space") != "scalar")
          sum(lines, m, "lines"), sum(excess, m, "excess_lines"), sum(moved, m, "bytes_moved"),
              sum(l2, m, "l2_operations");
      sum(cycles, member(i, "lds"), "cycles"), sum(conflicts, member(i, "lds"), "conflict_cycles");
    }
    if (has_view("branches"))
      add("divergences", "executions of branches", divergences);
    if (has_view("divergence"))
      add("lost_lane_cycles", "lane-cycles", lost), add("lost_to_partial_waves", "lane-cycles", partial);
    if (has_view("memory"))
      add("memory_lines", "cache lines", lines), add("memory_excess_lines", "cache lines", excess),
          add("memory_bytes_moved", "bytes", moved), add("l2_operations", "L2 operations", l2);
    if (has_view("lds"))
      add("lds_cycles", "LDS cycles", cycles), add("lds_conflicts", "LDS cycles", conflicts);
  }

  std::string place(const Json& source, const std::string& function, uint64_t at) const {
    const auto line = number(element(source, 1));
    const Json& file = element(source, 0);
    const std::string path =
        file.is_number_unsigned() ? text(element(member(document_, "sources"), file.get<size_t>()), "path") : "";
    if (!path.empty() && line)
      return fmt::format("{}:{}", path, *line);
    return at ? fmt::format("{}+{:#x}", function, at) : function;
  }

  const Json& document_;
  const Json& k_;
  Kernel out_;
};

} // namespace

llvm::Error read_profile(const Json& j, Document& out) {
  if (member(j, "version") != version)
    return fail("is a profile of version {}; this crosslane knows {}", member(j, "version").dump(), version);
  out.producer = text(j, "producer"), out.has_findings = true;
  for (const Json& view : list(j, "views"))
    out.made += (out.made.empty() ? "views " : ", ") + text(view);
  if (member(j, "complete") == false)
    out.notes.push_back(fmt::format("is not complete: {}", text(j, "interrupted")));
  for (const Json& k : list(j, "kernels")) {
    Reading reading(j, k);
    auto kernel = reading.read();
    if (!kernel)
      return kernel.takeError();
    reading.findings(out.findings);
    out.kernels.push_back(std::move(*kernel));
  }
  if (out.kernels.empty())
    return fail("has no kernels");
  if (out.kernels.size() == 1)
    add_times(member(j, "timing"), out.kernels.front());
  return llvm::Error::success();
}

} // namespace crosslane::diff
