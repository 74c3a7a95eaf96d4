// What is tried is a launch like any other, with some workgroups and some zeros.
#include "launch/shrink.h"
#include "capture/writer.h"
#include "files/error.h"
#include "files/folder.h"
#include "launch/launch.h"
#include <algorithm>
#include <cstring>

namespace crosslane::launch {

namespace {

using capture::piece_bytes;

constexpr unsigned most_runs = 2000;
constexpr uint64_t steps[] = {piece_bytes, 4096, 256, 16}; // bytes that are zeros or stay, at a time

// What a run shows.
struct Symptom {
  std::optional<machine::Fault> fault;
  std::vector<std::string> findings;

  bool any() const { return fault || !findings.empty(); }
  // The same mistake, whichever workgroup makes it.
  bool like(const Symptom& other) const {
    if (fault || other.fault)
      return fault && other.fault && fault->kind == other.fault->kind && fault->pc == other.fault->pc;
    return !other.findings.empty() && std::ranges::find(findings, other.findings.front()) != findings.end();
  }
  // ... made by the same lane with the same address.
  bool same(const Symptom& other) const {
    return like(other) && (!fault || (std::ranges::equal(fault->workgroup, other.fault->workgroup) &&
                                      fault->wave == other.fault->wave && fault->lane == other.fault->lane &&
                                      fault->address == other.fault->address));
  }
  std::string text() const {
    return fault ? fmt::format("{} at pc {:#x}", machine::name(fault->kind), fault->pc) : findings.front();
  }
};

Symptom symptom_of(const Result& result) {
  Symptom symptom;
  symptom.fault = result.outcome.fault;
  if (result.judged)
    for (const lint::PlacedFinding& f : result.judged->findings)
      symptom.findings.push_back(fmt::format("{} at {}+{:#x}", lint::id_of(f.rule), f.place.function, f.place.offset));
  return symptom;
}

class Shrinker {
public:
  Shrinker(const Job& job, const Observer& observer) : job_(job) {
    // Whose turn it is decides which of several faults is the first.
    job_.threads = job_.threads ? job_.threads : 1;
    job_.expect_captured = false;
    observer_.runs_begin = observer.runs_begin, observer_.runs_end = observer.runs_end;
  }

  llvm::Expected<Shrunk> run(const std::string& folder) {
    if (job_.profile != profile::Texts() || job_.time || job_.fidelity || job_.stats || job_.overhead || job_.sandbox ||
        job_.runs > 1 || !job_.checked.file.empty())
      return fail("--shrink takes --check, --late, --poison and what a run may do: profiles, times, findings and a "
                  "sandbox are for the capture that it writes");
    if (auto error = files::check_new_folder(folder))
      return fail("--shrink {}", llvm::toString(std::move(error)));
    if (auto error = begin())
      return std::move(error);
    if (auto error = shrink_workgroups())
      return std::move(error);
    if (auto error = shrink_memory())
      return std::move(error);
    if (auto error = write(folder))
      return std::move(error);
    return shrunk_;
  }

private:
  // As it was captured; and how long a run may take that is none any more.
  llvm::Error begin() {
    auto captured = Captured::open(job_.capture, job_.dispatch);
    if (!captured)
      return captured.takeError();
    captured_ = std::move(*captured);
    const capture::Dispatch& d = captured_->dispatch();
    shrunk_.of_workgroups = d.workgroup_count();
    range_ = d.workgroups.value_or(capture::Workgroups{0, shrunk_.of_workgroups});
    if (!job_.workgroups.empty()) {
      auto chosen = parse_workgroups(job_.workgroups, job_.wording);
      if (!chosen)
        return chosen.takeError();
      range_ = *chosen;
    }
    auto whole = try_out(range_, {});
    if (!whole)
      return whole.takeError();
    goal_ = *whole;
    if (!goal_.any())
      return fail("--shrink: dispatch {} shows nothing to shrink to: no fault{}", d.number,
                  job_.check.empty() ? "; with --check it may have findings" : ", and no finding");
    job_.timeout = job_.timeout > 0 ? job_.timeout : 2 + 10 * last_seconds_;
    return llvm::Error::success();
  }

  llvm::Expected<Symptom> try_out(capture::Workgroups range, const std::vector<Zeroed>& zeroed) {
    ++shrunk_.runs;
    job_.workgroups = fmt::format("{}..{}", range.first, range.first + range.count - 1);
    job_.zeroed = zeroed;
    auto result = launch(job_, observer_);
    if (!result)
      return result.takeError();
    if (result->end == End::stopped)
      return fail("--shrink: stopped");
    last_seconds_ = result->outcome.stats.seconds;
    last_ = result->outcome;
    return result->end == End::timeout ? Symptom() : symptom_of(*result);
  }

  // From either end, by halves, quarters and so on.
  llvm::Error shrink_workgroups() {
    for (uint64_t step = range_.count / 2; step; step /= 2)
      for (bool shorter = true; shorter && range_.count > step;) {
        shorter = false;
        for (const capture::Workgroups& part : {capture::Workgroups{range_.first, range_.count - step},
                                                capture::Workgroups{range_.first + step, range_.count - step}}) {
          auto symptom = try_out(part, {});
          if (!symptom)
            return symptom.takeError();
          if (symptom->like(goal_)) {
            range_ = part, shorter = true;
            break;
          }
        }
      }
    auto symptom = try_out(range_, {});
    if (!symptom)
      return symptom.takeError();
    goal_ = *symptom;
    shrunk_.workgroups = range_.count;
    return llvm::Error::success();
  }

  // Of what is not zero, larger units first, then their parts.
  llvm::Error shrink_memory() {
    std::vector<Zeroed> units;
    const capture::Dispatch& d = captured_->dispatch();
    for (const capture::Range& range : d.memory)
      if (d.code.base < range.address || d.code.base >= range.end()) // the code stays what its file says
        units.push_back({range.address, range.size});
    for (const uint64_t step : steps) {
      auto parts = parts_of(units, step);
      if (!parts)
        return parts.takeError();
      units = std::move(*parts);
      if (step == steps[0])
        shrunk_.of_bytes = bytes_of(units);
      if (auto error = keep_needed(units))
        return error;
    }
    shrunk_.bytes = bytes_of(units);
    return llvm::Error::success();
  }

  static uint64_t bytes_of(const std::vector<Zeroed>& units) {
    uint64_t sum = 0;
    for (const Zeroed& unit : units)
      sum += unit.size;
    return sum;
  }

  // Those that are not zero.
  llvm::Expected<std::vector<Zeroed>> parts_of(const std::vector<Zeroed>& units, uint64_t step) {
    std::vector<Zeroed> parts;
    for (const Zeroed& unit : units)
      for (uint64_t at = unit.address; at < unit.address + unit.size; at += step) {
        const uint64_t size = std::min(step, unit.address + unit.size - at);
        auto bytes = captured_bytes(at, size);
        if (!bytes)
          return bytes.takeError();
        if (std::ranges::any_of(*bytes, [](uint8_t byte) { return byte != 0; }))
          parts.push_back({at, size});
      }
    return parts;
  }

  // As captured; `size` within one piece of a range.
  llvm::Expected<std::span<const uint8_t>> captured_bytes(uint64_t address, uint64_t size) {
    static constexpr uint8_t zeros[piece_bytes] = {};
    const auto& memory = captured_->dispatch().memory;
    const auto above = std::ranges::upper_bound(memory, address, {}, &capture::Range::address);
    const capture::Range& range = *std::prev(above);
    const uint64_t number = (address - range.address) / piece_bytes, in = (address - range.address) % piece_bytes;
    if (range.before.zeros())
      return std::span(zeros, size);
    if (range.address != pieces_of_) {
      auto pieces = captured_->reader().pack().pieces(range.before);
      if (!pieces)
        return pieces.takeError();
      pieces_ = std::move(*pieces), pieces_of_ = range.address, piece_at_ = 0;
    }
    if (pieces_[number] == capture::all_zeros)
      return std::span(zeros, size);
    if (const uint64_t begin = range.address + number * piece_bytes; begin != piece_at_) {
      auto piece =
          captured_->reader().pack().piece(pieces_[number], capture::size_of_piece(range.size, size_t(number)));
      if (!piece)
        return piece.takeError();
      piece_ = std::move(*piece), piece_at_ = begin;
    }
    return std::span<const uint8_t>(piece_).subspan(in, size);
  }

  // Zeros instead of some of them, as many as can be: halves, quarters, ... single ones.
  llvm::Error keep_needed(std::vector<Zeroed>& units) {
    for (size_t group = units.size(); group; group /= 2)
      for (size_t i = 0; i < units.size();) {
        if (shrunk_.runs >= most_runs)
          return llvm::Error::success();
        const auto begin = units.begin() + ptrdiff_t(i),
                   end = units.begin() + ptrdiff_t(std::min(i + group, units.size()));
        std::vector<Zeroed> zeroed = zeroed_;
        zeroed.insert(zeroed.end(), begin, end);
        auto symptom = try_out(range_, zeroed);
        if (!symptom)
          return symptom.takeError();
        if (symptom->same(goal_)) {
          zeroed_ = std::move(zeroed);
          units.erase(begin, end);
        } else {
          i += group;
        }
      }
    return llvm::Error::success();
  }

  llvm::Error write(const std::string& folder) {
    auto last = try_out(range_, zeroed_); // for what the capture tells of its end
    if (!last)
      return last.takeError();
    auto writer = capture::Writer::create(folder, UINT64_MAX);
    if (!writer)
      return writer.takeError();
    const capture::PackReader& pack = captured_->reader().pack();
    capture::PackWriter& to = (*writer)->pack();
    capture::Dispatch d = captured_->dispatch();
    d.workgroups = range_;
    for (capture::Range& range : d.memory) {
      std::vector<uint8_t> bytes(range.before.zeros() ? 0 : range.size);
      if (!bytes.empty())
        if (auto error = pack.read(range.before, bytes))
          return error;
      for (const Zeroed& z : zeroed_)
        if (z.address >= range.address && z.address < range.end() && !bytes.empty())
          std::memset(&bytes[z.address - range.address], 0, z.size);
      auto content = to.put(bytes);
      if (!content)
        return content.takeError();
      range.before = {range.size, content->list};
      range.after.reset();
    }
    for (capture::Content* content : {&d.code.bytes, d.shared ? &d.shared->data : nullptr})
      if (content) {
        auto bytes = pack.read(*content, content->bytes);
        if (!bytes)
          return bytes.takeError();
        auto put = to.put(*bytes);
        if (!put)
          return put.takeError();
        *content = *put;
      }
    d.outcome = capture::Outcome{last_.fault, last_.stats.instructions, last_.stats.waves, last_.stats.workgroups,
                                 /*memory=*/false};
    shrunk_.symptom = last->text();
    return (*writer)->write(d);
  }

  Job job_;
  Observer observer_;
  std::shared_ptr<Captured> captured_;
  Symptom goal_;
  capture::Workgroups range_;
  std::vector<Zeroed> zeroed_;
  engine::Outcome last_;
  double last_seconds_ = 0;
  Shrunk shrunk_;
  // What captured_bytes() has at hand.
  std::vector<capture::Hash> pieces_;
  std::vector<uint8_t> piece_;
  uint64_t pieces_of_ = 0, piece_at_ = 0; // addresses
};

} // namespace

llvm::Expected<Shrunk> shrink(const Job& job, const std::string& folder, const Observer& observer) {
  return Shrinker(job, observer).run(folder);
}

} // namespace crosslane::launch
