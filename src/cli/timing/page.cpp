// A column is left out where no instruction has anything in it, and one of most cycles where all costs are exact.
#include "cli/timing/page.h"
#include "findings/text.h"
#include "profile/process.h"
#include "report/html.h"
#include "views/locate.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

using findings::Figures;
using findings::ProfiledInstruction;

double most_of(const timing::Row& row) { return std::max(row.cost.wave.most, row.cost.taken); }

class Kernel {
public:
  Kernel(const TimingKernel& k, profile::Sources& sources) : k_(k), sources_(sources) {}

  findings::KernelProfile profile() {
    const codeobject::Kernel& code = *k_.estimate.kernel;
    out_.name = code.name;
    out_.target = isa::info(k_.machine.target).name;
    out_.card = k_.machine.name;
    out_.block[0] = k_.options.workgroup_items;
    out_.vgprs = code.allocated_vgpr_count, out_.agprs = code.agpr_count, out_.sgprs = code.allocated_sgpr_count;
    out_.lds_bytes = code.descriptor.group_segment_fixed_size;
    out_.scratch_bytes = code.descriptor.private_segment_fixed_size;
    out_.occupancy = k_.estimate.occupancy;
    add_instructions();
    if (k_.run)
      add_run();
    out_.figures.push_back(costs());
    if (!k_.estimate.loops.empty())
      out_.figures.push_back(loops());
    return std::move(out_);
  }

private:
  uint64_t address_of(uint64_t pc) const { return pc - k_.in.image.bias; }

  void add_instructions() {
    const auto functions = k_.in.object.functions();
    for (const timing::Row& row : k_.estimate.rows) {
      ProfiledInstruction& entry = out_.instructions.emplace_back();
      entry.address = entry.offset = address_of(row.pc);
      entry.instruction = row.instruction;
      const auto bytes = k_.in.object.bytes_at(entry.address, row.instruction.size);
      std::memcpy(entry.words.data(), bytes.data(), std::min(bytes.size(), sizeof entry.words));
      entry.kind = findings::class_of(row.instruction);
      entry.text = findings::plain(instruction_text(k_, entry.address, row.instruction, functions));
      if (const auto line = k_.source(entry.address))
        entry.source = sources_.place(*line);
      for (const codeobject::Function& f : functions)
        if (entry.address >= f.begin && entry.address < f.end)
          entry.function = f.name, entry.offset = entry.address - f.begin;
      index_[row.pc] = int(out_.instructions.size()) - 1;
    }
    for (ProfiledInstruction& entry : out_.instructions)
      if (const auto target = views::branch_target(entry.instruction, entry.address))
        if (const auto found = index_.find(*target + k_.in.image.bias); found != index_.end())
          entry.target = found->second;
  }

  void add_run() {
    const TimingKernel::Run& run = *k_.run;
    const double launches = run.launches;
    out_.launches = uint64_t(launches);
    out_.workgroups = uint64_t(std::llround(run.launch.workgroups * launches));
    out_.waves = uint64_t(std::llround(run.launch.waves * launches));
    for (size_t i = 0; i < out_.instructions.size(); ++i) {
      const auto counted = run.counts.find(out_.instructions[i].address);
      if (counted == run.counts.end())
        continue;
      out_.instructions[i].executions = uint64_t(std::llround(counted->second.executions * launches));
      out_.wave_instructions += out_.instructions[i].executions;
    }
  }

  struct Column {
    Figures::Column head;
    std::function<double(size_t)> of; // row
    bool optional = true;             // left out where it is 0 everywhere
  };

  static Figures figures_of(std::string view, const std::vector<Column>& columns,
                            const std::vector<int>& instructions) {
    Figures out;
    out.view = std::move(view);
    for (const int instruction : instructions)
      out.rows.push_back({instruction, {}});
    for (const Column& column : columns) {
      std::vector<double> values;
      for (size_t i = 0; i < instructions.size(); ++i)
        values.push_back(column.of(i));
      if (column.optional && std::ranges::all_of(values, [](double v) { return v == 0; }))
        continue;
      out.columns.push_back(column.head);
      for (size_t i = 0; i < instructions.size(); ++i)
        out.rows[i].values.push_back(values[i]);
    }
    return out;
  }

  Figures costs() const {
    const auto& rows = k_.estimate.rows;
    const bool ranges = std::ranges::any_of(rows, [](const auto& r) { return most_of(r) != r.cost.wave.least; });
    const bool unit_ranges = std::ranges::any_of(rows, [](const auto& r) { return !r.cost.unit.exact(); });
    const auto head = [&](const char* name, const char* about, bool quiet = false) {
      return Figures::Column{name, "cycles", fmt::format("Estimated for {}: {}", k_.machine.name, about), quiet};
    };
    std::vector<Column> columns;
    if (k_.run)
      columns.push_back({head("all", "cycles of its unit, of all waves of a launch"), [&](size_t i) {
                           return out_.instructions[i].executions / k_.run->launches * rows[i].cost.unit.least;
                         }});
    columns.push_back({head("cycles", ranges ? "of a wave, at least" : "of a wave"),
                       [&](size_t i) { return rows[i].cost.wave.least; }, false});
    if (ranges)
      columns.push_back({head("most", "of a wave, at most: what addresses and branches decide"),
                         [&](size_t i) { return most_of(rows[i]); }});
    columns.push_back(
        {head("unit", "that its unit is kept by it", true), [&](size_t i) { return rows[i].cost.unit.least; }});
    if (unit_ranges)
      columns.push_back({head("unit most", "that its unit is kept by it, at most", true),
                         [&](size_t i) { return rows[i].cost.unit.most; }});
    columns.push_back(
        {head("lone", "that a wave alone on its SIMD loses before it: its place in memory, and the unit before"),
         [&](size_t i) { return rows[i].fetch + rows[i].delay; }});
    columns.push_back({{"missing", "wait states", "Wait states that are missing before it: the hardware does not wait"},
                       [&](size_t i) { return double(rows[i].missing_wait_states); }});
    std::vector<int> all(rows.size());
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = int(i);
    Figures figures = figures_of("estimate", columns, all);
    figures.beside_code = true;
    return figures;
  }

  Figures loops() const {
    const auto& all = k_.estimate.loops;
    std::vector<int> headers;
    for (const timing::LoopEstimate& l : all)
      headers.push_back(index_.at(l.header));
    const auto column = [](const char* name, const char* unit, std::string about, std::function<double(size_t)> of) {
      return Column{{name, unit, std::move(about)}, std::move(of), false};
    };
    const uint32_t waves = k_.estimate.waves;
    return figures_of(
        "loops, an iteration each",
        {column("instructions", "", "Of the longest way; inner loops once",
                [&](size_t i) { return all[i].sums.instructions; }),
         column("wave alone", "cycles", "Of a wave that is alone on its SIMD, at least",
                [&](size_t i) { return all[i].alone.least.cycles; }),
         column("alone, most", "cycles", "The same, at most", [&](size_t i) { return all[i].alone.most.cycles; }),
         column("for memory", "cycles", "Of the wave alone: waiting for vector memory (vmcnt)",
                [&](size_t i) { return all[i].alone.least.vm; }),
         column("all waves", "cycles", fmt::format("Of {} waves on each SIMD, what the busiest unit allows", waves),
                [&](size_t i) { return all[i].bound.cycles.least; }),
         column("waves, most", "cycles", "The same, at most", [&](size_t i) { return all[i].bound.cycles.most; }),
         column("to hide", "waves", "On each SIMD, from which on latencies are hidden; 0: more than fit",
                [&](size_t i) { return double(all[i].waves_to_hide); })},
        headers);
  }

  const TimingKernel& k_;
  profile::Sources& sources_;
  findings::KernelProfile out_;
  std::map<uint64_t, int> index_; // of the instruction, by its address in loaded code
};

} // namespace

TimingPage::TimingPage() : sources_(profile::current_folder()) {
  profile_.producer = "crosslane " CROSSLANE_VERSION;
  profile_.command = profile::command_line();
}

void TimingPage::add(const TimingKernel& k) {
  profile_.kernels.push_back(Kernel(k, sources_).profile());
  about_ = fmt::format("Estimated for {} from code{}; vector memory answers after {:g} cycles ({}).", k.machine.name,
                       k.run ? " and the counts of " + k.run->file : " alone: nothing ran", k.options.vmem_latency,
                       k.latency_from);
}

std::string TimingPage::html() {
  profile_.sources = sources_.take();
  for (findings::KernelProfile& kernel : profile_.kernels)
    findings::derive(kernel, profile_.sources, {});
  return report::html(profile_, "\"estimated\":" + nlohmann::json(about_).dump());
}

} // namespace crosslane::cli
