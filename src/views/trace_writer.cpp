// Blocks as they come, accesses by what memory and LDS make of their addresses.
#include "views/trace_writer.h"
#include "isa/op.h"
#include "timing/lds_cycles.h"
#include "views/lds_banks.h"
#include "views/memory_request.h"
#include <algorithm>
#include <bit>

namespace crosslane::views {

namespace {

namespace replay = timing::replay;

// What an instruction's accesses looked like last time. Few of a program's instructions are in each other's way.
template <class Known> class LastSeen {
public:
  const Known*& of(uint64_t pc) {
    Entry& e = entries_[pc / 4 % entries_.size()];
    if (e.pc != pc)
      e = {pc, nullptr};
    return e.known;
  }

private:
  struct Entry {
    uint64_t pc = 0;
    const Known* known = nullptr;
  };
  std::array<Entry, 1024> entries_{};
};

// The lines that a request touches, in the order of lanes.
class LineList {
public:
  void clear() {
    lines_.clear();
    ++stamp_;
  }
  void add(uint64_t address, uint32_t bytes) {
    for (uint64_t line = address / 64; line <= (address + bytes - 1) / 64; ++line)
      if (lines_.empty() || lines_.back() != line)
        insert(line);
  }
  const std::vector<uint64_t>& lines() const { return lines_; }

private:
  void insert(uint64_t line) {
    constexpr size_t mask = size - 1;
    for (size_t i = line * 0x9e3779b97f4a7c15u >> 50 & mask;; i = (i + 1) & mask) {
      if (table_[i].stamp != stamp_) {
        table_[i] = {line, stamp_};
        break;
      }
      if (table_[i].line == line)
        return;
    }
    lines_.push_back(line);
  }
  static constexpr size_t size = 4096; // 64 lanes touch no more than 1,088, of images 64 times 16
  struct Entry {
    uint64_t line, stamp = 0;
  };
  std::array<Entry, size> table_{};
  uint64_t stamp_ = 0;
  std::vector<uint64_t> lines_;
};

replay::Kind kind_of(events::AccessKind kind) {
  switch (kind) {
  case events::AccessKind::load: return replay::Kind::load;
  case events::AccessKind::store: return replay::Kind::store;
  case events::AccessKind::atomic: return replay::Kind::atomic;
  }
  return replay::Kind::load;
}

// Lanes are not next to each other.
bool lanes_apart(const MemoryRequest& r) { return r.pattern >= Pattern::strided && r.pattern != Pattern::single; }

// perftest's loads are of all these kinds (gpu/machine_rows.inc). Filtered samples have their clocks from the texels.
replay::Shape shape_of(const events::Access& e, const MemoryRequest& r) {
  using enum replay::Shape;
  const isa::Instruction& i = *e.site.instruction;
  const isa::Row& row = isa::row(i.op);
  const bool image = row.encoding == isa::Encoding::MIMG;
  const int registers = image ? std::popcount(i.dmask) : isa::dwords(row.memory);
  if (e.filtered || e.kind != events::AccessKind::load)
    return narrow;
  if (image && e.bytes > 4 && r.pattern != Pattern::broadcast)
    return e.bytes > 8 ? texel16 : registers == 2 ? texel8_x2 : texel8;
  if (registers == 2)
    return x2;
  if (e.bytes == 12)
    return x3;
  if (e.bytes < 16 || image)
    return narrow;
  return r.counts.split_lanes * 8 >= r.counts.lanes ? x4_split : x4;
}

} // namespace

struct TraceWriter::Impl {
  LdsServer lds;
  MemoryReader reader;
  LineList list;
  LastSeen<LdsServer::Known> lds_seen;
  LastSeen<MemoryReader::Known> memory_seen;
  std::vector<uint32_t> apart;

  void lines(const events::Access& e, replay::Access& a, replay::Words& words) {
    if (e.space == events::Space::scalar) {
      a.space = replay::Space::scalar;
      const uint64_t first = e.address[0] / 64, last_line = (e.address[0] + e.bytes - 1) / 64;
      return words.access(a, first, uint32_t(last_line - first + 1));
    }
    const auto read = reader.read(e, l1_path(*e.site.instruction, e.space), memory_seen.of(e.site.pc));
    const MemoryCounts& c = read.request.counts;
    a.space = replay::Space::vector;
    a.clocks = uint32_t(c.clocks);
    a.conflicted = std::max(read.request.bank_clocks, 1u);
    a.dwords = std::min((e.bytes + 3) / 4, 4u);
    a.shape = shape_of(e, read.request);
    a.scattered = a.shape >= replay::Shape::texel8_x2 ? read.request.quads_apart : lanes_apart(read.request);
    a.operations = e.kind == events::AccessKind::atomic ? uint32_t(c.l2_operations) : 0;
    a.whole = c.lines == c.ideal_lines && c.bytes_asked >= c.bytes_moved;
    const uint64_t highest = read.lowest + (read.request.highest - read.request.lowest);
    const uint64_t first = read.lowest / 64, all = (highest + e.bytes - 1) / 64 - first + 1;
    if (e.more.empty() && e.space == events::Space::global && all == c.lines)
      return words.access(a, first, uint32_t(all));
    list.clear();
    for (uint64_t left = e.lanes; left; left &= left - 1) {
      const uint64_t address = e.address[std::countr_zero(left)];
      if (e.space == events::Space::scratch) // a lane's dwords are 256 bytes apart
        for (uint32_t done = 0; done < e.bytes; done += 4)
          list.add(address + uint64_t(done) * 64, std::min(4u, e.bytes - done));
      else
        list.add(address, e.bytes);
    }
    for (const events::Places& more : e.more)
      for (uint64_t left = more.lanes; left; left &= left - 1)
        list.add(more.address[std::countr_zero(left)], e.bytes);
    apart.clear();
    const auto& found = list.lines();
    for (size_t i = 1; i < found.size(); ++i)
      apart.push_back(uint32_t(int32_t(int64_t(found[i] - found[0]))));
    a.scratch = e.space == events::Space::scratch;
    words.access(a, found[0] - (a.scratch ? reinterpret_cast<uint64_t>(e.wave->scratch) / 64 : 0), apart);
  }
};

TraceWriter::TraceWriter() : impl_(std::make_unique<Impl>()) {}
TraceWriter::~TraceWriter() = default;

TraceWriter::Group& TraceWriter::of(const machine::Workgroup* group) {
  if (!last_ || last_->group != group)
    last_ = &groups_.find(group)->second;
  return *last_;
}

void TraceWriter::began(const events::Began& e) {
  groups_[e.group] = {.group = e.group, .waves = std::vector<Wave>(e.waves.size())};
}

void TraceWriter::issued(const events::Issued& e) {
  Wave& w = of(*e.wave);
  w.block = e.block;
  w.at = 0;
  w.words.block(e.block->id, e.exec == 0);
}

namespace {

uint32_t instruction_at(TraceWriter::Wave& w, uint64_t pc) {
  while (w.at < w.block->sites.size() && w.block->sites[w.at].pc != pc)
    ++w.at;
  return w.at;
}

} // namespace

void TraceWriter::access(const events::Access& e) {
  Wave& w = of(*e.wave);
  replay::Access a{.instruction = instruction_at(w, e.site.pc), .kind = kind_of(e.kind)};
  if (e.space != events::Space::lds)
    return impl_->lines(e, a, w.words);
  a.space = replay::Space::lds;
  a.clocks = timing::lds_cycles(e) + uint32_t(impl_->lds.serve(e, impl_->lds_seen.of(e.site.pc)).counts.cycles);
  w.words.access(a, 0, 0);
}

void TraceWriter::pause(const machine::Wave& wave, uint64_t pc) {
  Wave& w = of(wave);
  w.words.pause(instruction_at(w, pc));
}

void TraceWriter::ended(const machine::Workgroup* group) {
  last_ = nullptr;
  groups_.erase(group);
}

} // namespace crosslane::views
