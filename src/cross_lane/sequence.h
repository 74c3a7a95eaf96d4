// Owns the instructions that carry out a pattern while they are put together: lines of assembly, the wait states that
// DPP needs between them, and what they cost, counted from the text itself by the assembler in isa/.
//
// Registers: the destination is v0 (and v1 if an element has two dwords), the source follows it, temporaries follow
// that. SGPRs are taken from s0 up. EXEC is all ones before and after.
#pragma once
#include "cross_lane/pattern.h"
#include <string>
#include <vector>

namespace crosslane::cross_lane {

// What is known of the code before the pattern, and the size of an element.
struct Situation {
  bool source_just_written = true; // a VALU instruction may have written the source just before
  bool exec_just_written = false;  // a VALU instruction (v_cmpx) may have written EXEC just before
  int dwords = 1;                  // of an element: 1, or 2 for 64 bits
};

struct Line {
  std::string text;
  bool once = false; // makes an address or a mask: a loop does it once, before it
};

struct Cost {
  int cycles = 0;       // one wavefront alone, until the result can be used (cross_lane/timing.h)
  int repeated = 0;     // the same without what is done once
  int instructions = 0; // all of them, s_nop and s_waitcnt too
  int bytes = 0;
  int wait_states = 0; // spent in s_nop
  int waits = 0;       // s_waitcnt
  int vgprs = 0;       // besides destination and source
  int sgprs = 0;
  bool vcc = false;   // overwrites VCC
  int lds_bytes = 0;  // of the workgroup's LDS, per wavefront
  int data_bytes = 0; // of constant memory
};

class Sequence {
public:
  Sequence(isa::Target target, const Situation& situation) : target_(target), situation_(situation) {}

  isa::Target target() const { return target_; }
  isa::Generation generation() const { return isa::info(target_).generation; }
  int dwords() const { return situation_.dwords; }
  int dst(int dword = 0) const { return dword; }
  int src(int dword = 0) const { return situation_.dwords + dword; }
  int vgpr_temporary() { return 2 * situation_.dwords + vgprs_++; }
  int sgpr_temporary() { return sgprs_++; }

  void scalar(std::string text, bool once = false);              // SALU, and whatever writes no VGPR
  void vector(int written, std::string text, bool once = false); // VALU that writes a VGPR
  void memory(std::string text, bool once = false) { scalar(std::move(text), once); }
  // v_mov_b32 with DPP, behind the s_nop that it needs.
  void dpp(int dst, int src, uint32_t ctrl, uint32_t row_mask = 15, uint32_t bank_mask = 15, bool bound_ctrl = false);
  // Destination = source, every dword.
  void move_all();
  void zero_all();
  // Into VCC or EXEC ("vcc", "exec"), as SALU instructions.
  void set_mask(const std::string& pair, uint64_t mask, bool once = false);
  // Zero in `lanes` of the destination; nothing if there are none.
  void clear(uint64_t lanes);
  // A register that holds 4 * lane and is never changed, or -1: made once, used by all.
  int lane_times_4 = -1;

  void uses_lds(int bytes) { lds_bytes_ = bytes; }
  void uses_data(int bytes) { data_bytes_ = bytes; }

  const std::vector<Line>& lines() const { return lines_; }
  // Counts the lines. Each must assemble for the target: that they do is this folder's own promise.
  Cost cost() const;

private:
  void put(std::string text, bool once, int states);

  isa::Target target_;
  Situation situation_;
  std::vector<Line> lines_;
  int vgprs_ = 0, sgprs_ = 0, lds_bytes_ = 0, data_bytes_ = 0;
  int now_ = 0;                              // wait states passed so far
  std::vector<std::pair<int, int>> written_; // VGPR, and `now_` after its last VALU write
};

std::string hex(uint64_t value);
std::string vgpr(int n, int count = 1); // "v3", "v[4:5]"

// "quad_perm:[1,0,3,2]", "row_mirror", ...
std::string dpp_text(uint32_t dpp_ctrl);
std::string dpp_mask_text(uint32_t row_or_bank_mask); // "0xf"

} // namespace crosslane::cross_lane
