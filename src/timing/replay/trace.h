// Owns what a wave did, as the cycle model replays it: which blocks of straight-line code it went through, and for each
// access of memory the lines of 64 bytes that it asked for and how long its addresses take. No values, no registers.
//
// A trace is a row of 64-bit words. A block is one word; behind it stand the accesses of its instructions, in their
// order, two words each and more where the lines are not next to each other:
//
//   block    bits 0..31 number, 32: no lane is active                                   63: 0
//   access   bits 0..15 instruction in the block, 16..27 clocks, 28..39 lines, 40..41 space, 42..43 kind, 44: list,
//            45: whole lines are written, 46..52 operations of an atomic in L2, 53..55 a load's shape, else dwords
//            of a lane, 56: not next to each other, 57..62 clocks with conflicts of L1's banks, less 1     63: 1
//            then bits 0..62 the number of the first line (address / 64), 63: counted from the wave's own scratch
//            list: then, two to a word, how far the other lines are from it
//
// Waves that live in the time of the model leave a pause in front of an instruction that depends on it: an access of
// the space `pause`. What comes behind it in the block follows when the model has come there.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace crosslane::timing::replay {

enum class Space : uint8_t { vector, scalar, lds, pause }; // of memory: by lanes, by SMEM
enum class Kind : uint8_t { load, store, atomic };

// Of a load of vector memory, what makes L1 take longer than its addresses: how much it brings a lane, from where.
enum class Shape : uint8_t {
  narrow,    // nothing does: a register, or texels and typed elements of several channels in few bytes
  x2,        // two registers
  x3,        // three dwords
  x4,        // four dwords
  x4_split,  // ... many of them in two lines
  texel8_x2, // texels of 8 bytes, of two channels
  texel8,    // ... of others
  texel16,   // texels of 16 bytes
};
inline constexpr int shapes = 8;

struct Access {
  uint32_t instruction = 0; // in its block
  uint32_t clocks = 0;      // vector: of address coalescing; LDS: that its banks are busy
  Space space{};
  Kind kind{};
  bool whole = false;      // stores: every line is written as a whole
  uint32_t operations = 0; // atomics: lanes
  uint32_t dwords = 1;     // stores, atomics: of a lane, at most 4; 1 also for less
  Shape shape{};           // loads
  bool scattered = false;  // vector: lanes are not next to each other
  bool scratch = false;    // vector: lines are numbered from the beginning of the wave's scratch
  uint32_t conflicted = 1; // vector: clocks where L1 has banks (timing/l1_banks.h)
};

// Lines of an access are numbered from the first one on.
struct Lines {
  uint64_t first = 0;
  uint32_t count = 0;
  const uint32_t* apart = nullptr; // signed distances of line 1, 2 ...; null: they are next to each other
  uint64_t line(uint32_t i) const {
    return i == 0 ? first : first + (apart ? uint64_t(int64_t(int32_t(apart[i - 1]))) : i);
  }
};

class Words { // of one wave, as they are written
public:
  void block(uint32_t number, bool idle) { words_.push_back(uint64_t(number) | uint64_t(idle) << 32); }
  void access(const Access& a, uint64_t first, uint32_t lines) { header(a, first, lines, false); }
  void pause(uint32_t instruction) { access({.instruction = instruction, .space = Space::pause}, 0, 0); }
  // The distances from the first line, of which there are `lines` - 1.
  void access(const Access& a, uint64_t first, std::span<const uint32_t> apart) {
    header(a, first, uint32_t(apart.size()) + 1, true);
    for (size_t i = 0; i < apart.size(); i += 2)
      words_.push_back(apart[i] | (i + 1 < apart.size() ? uint64_t(apart[i + 1]) << 32 : 0));
  }
  std::vector<uint64_t> take() { return std::move(words_); }
  size_t size() const { return words_.size(); }

private:
  void header(const Access& a, uint64_t first, uint32_t lines, bool list) {
    const auto at_most = [](uint32_t n, uint32_t bits) { return uint64_t(n < (1u << bits) ? n : (1u << bits) - 1); };
    words_.push_back(uint64_t(a.instruction & 0xffff) | at_most(a.clocks, 12) << 16 | at_most(lines, 12) << 28 |
                     uint64_t(a.space) << 40 | uint64_t(a.kind) << 42 | uint64_t(list) << 44 | uint64_t(a.whole) << 45 |
                     at_most(a.operations, 7) << 46 |
                     at_most(a.kind == Kind::load ? uint32_t(a.shape) : a.dwords, 3) << 53 |
                     uint64_t(a.scattered) << 56 | at_most(a.conflicted - 1, 6) << 57 | uint64_t(1) << 63);
    words_.push_back(first | uint64_t(a.scratch) << 63);
  }
  std::vector<uint64_t> words_;
};

class Cursor { // over the words of one wave
public:
  Cursor() = default;
  explicit Cursor(std::span<const uint64_t> words) : at_(words.data()), end_(words.data() + words.size()) {}
  bool done() const { return at_ == end_; }
  bool idle() const { return *at_ >> 32 & 1; } // of the block that begins here
  uint32_t block() { return uint32_t(*at_++); }
  bool at_access() const { return at_ != end_ && *at_ >> 63; }
  // Whether an access of this instruction comes next.
  bool at_access_of(uint32_t instruction) const {
    return at_ != end_ && *at_ >> 63 && (*at_ & 0xffff) == (instruction & 0xffff);
  }
  bool at_pause_of(uint32_t instruction) const {
    return at_access_of(instruction) && Space(*at_ >> 40 & 3) == Space::pause;
  }
  std::span<const uint64_t> left() const { return {at_, end_}; }
  Access access(Lines& lines) {
    const uint64_t word = *at_++, first = *at_++;
    lines = {first & ~uint64_t(0) >> 1, uint32_t(word >> 28 & 0xfff), nullptr};
    if (word >> 44 & 1) {
      lines.apart = reinterpret_cast<const uint32_t*>(at_);
      at_ += lines.count / 2; // two of the others to a word
    }
    const Kind kind = Kind(word >> 42 & 3);
    const uint32_t width = word >> 53 & 7;
    return {.instruction = uint32_t(word & 0xffff),
            .clocks = uint32_t(word >> 16 & 0xfff),
            .space = Space(word >> 40 & 3),
            .kind = kind,
            .whole = bool(word >> 45 & 1),
            .operations = uint32_t(word >> 46 & 0x7f),
            .dwords = kind == Kind::load ? 1 : width,
            .shape = kind == Kind::load ? Shape(width) : Shape::narrow,
            .scattered = bool(word >> 56 & 1),
            .scratch = bool(first >> 63),
            .conflicted = uint32_t(word >> 57 & 0x3f) + 1};
  }

private:
  const uint64_t* at_ = nullptr;
  const uint64_t* end_ = nullptr;
};

// What becomes of a workgroup where not all of a grid are replayed (sampler.h).
enum class Fate : uint8_t {
  replayed,
  warms,   // no more than its lines go to L2
  skipped, // it leaves no trace
};

// A workgroup: its waves by number.
struct GroupTrace {
  uint64_t number = 0; // in the order of launch
  std::vector<std::vector<uint64_t>> waves;
  bool open = false; // more words of its waves may follow
  Fate fate{};       // never skipped
};

// Where the model gets workgroups from, in the order of launch: 0, 1, 2 ...
class Source {
public:
  virtual ~Source() = default;
  enum class Next : uint8_t {
    group,
    later, // there may be one when the model has been asked to go on again
    none,  // there are no more
  };
  virtual Next next(GroupTrace&) = 0;
  // Of a source of which not all are wanted: what becomes of workgroups up to `end`, behind those planned before. None
  // is asked for before that.
  virtual void plan(uint64_t /*end*/, Fate) {}
};

} // namespace crosslane::timing::replay
