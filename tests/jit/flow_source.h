// Owns FlowSource: random kernels of branches, loops and calls, as text. Which values meet in a register, which lanes
// are left and what is read later is chosen so that a compiler has something to know; that each ends, and that no
// access leaves the wave's buffers, is by construction.
#pragma once
#include "tests/jit/block_source.h"
#include <string>
#include <vector>

namespace crosslane::test {

// A statement: `text`, then what is inside. Frames belong to the statement that they are inside of; others may be left
// out, and a kernel is still one.
struct FlowPart {
  std::string text;
  bool frame = false;
  std::vector<FlowPart> inside = {};
};

// What a wave finds in memory, and writes there. The kernel's arguments are a pointer to the tables of all waves.
namespace flow_table {
inline constexpr uint32_t pointers = 0;  // 64-bit: of the buffer, of what it leaves; 4 dwords: a resource of the buffer
inline constexpr uint32_t scalars = 64;  // s0 to s47
inline constexpr uint32_t vectors = 256; // as many rows of 64 dwords
inline constexpr uint32_t vector_count = 8;
inline constexpr uint32_t bytes = 256 + vector_count * 256;
inline constexpr uint32_t buffer_bytes = 16384;
inline constexpr uint32_t left_rows = 24; // of 64 dwords
inline constexpr uint32_t lds_bytes = 8192;
} // namespace flow_table

struct FlowKernel {
  uint32_t group[3] = {64, 1, 1};
  bool several_waves = false;
  bool partial = false; // waves may have fewer than 64 work-items,
  bool narrow = false;  // of which the other lanes stay out of it, with what a launch puts there (Options::poison)
  bool lds = false;
  std::vector<FlowPart> parts;
  std::string text() const;
  uint32_t waves() const { return (group[0] * group[1] + 63) / 64; } // of a workgroup
  size_t size() const;                                               // parts that are no frames
  // Without that one of them; or with what it has inside in its place.
  FlowKernel without(size_t n, bool keep_inside) const;
};

class FlowSource {
public:
  FlowSource(isa::Target, std::mt19937_64&);
  FlowKernel kernel();
  BlockSource& blocks() { return source_; }

private:
  struct Around { // of a statement
    int depth = 0;
    bool alike = true; // all waves of the workgroup come here, equally often
  };
  uint32_t number(uint32_t below) { return source_.random().number(below); }
  bool chance(uint32_t percent) { return number(100) < percent; }
  template <class T, size_t N> const T& one_of(const T (&of)[N]) { return of[number(N)]; }
  std::string begin(FlowKernel&);
  std::string end(const FlowKernel&);
  std::vector<FlowPart> statements(const Around&, uint32_t most);
  FlowPart statement(const Around&);
  FlowPart straight();
  FlowPart access();
  FlowPart lds_access();
  FlowPart scalar_load();
  FlowPart if_scalar(const Around&);
  FlowPart if_vcc(const Around&);
  FlowPart if_exec(const Around&);
  FlowPart loop(const Around&);
  FlowPart loop_of_lanes(const Around&);
  FlowPart exchange();
  FlowPart call(int function);
  FlowPart function(int which);
  FlowPart mode();
  std::string compare();
  std::string compare_scalars();
  std::string offset(uint32_t most, uint32_t bytes);
  std::string add(const std::string& dst, const std::string& a, const std::string& b) const;
  std::string vgpr(uint32_t dwords = 1);
  std::string sgpr() { return "s" + std::to_string(number(40)); }
  bool is_usable(const isa::Instruction&) const;

  isa::Target target_;
  isa::Generation generation_;
  BlockSource source_;
  int labels_ = 0;
  int first_function_ = 0, function_count_ = 0; // from the one on, those may be called by the statements at hand
  bool usual_ = false, wild_ = false, lds_ = false, narrow_ = false;
};

} // namespace crosslane::test
