// Owns how many clocks L1 of gfx90a takes to serve the lanes of a load, all of which hit.
// Four lanes are served a clock: of loads of up to a dword, of each sixteen in turn lanes 0, 4, 8 and 12, then 1, 5, 9
// and 13 ...; of wider ones the next four. Lines of 64 bytes have 16 banks of a dword, which give one line's dword
// each, and four banks of tags, by the lowest bits of the line's number, which look up one line each. Who wants another
// line of the same bank, of either kind, waits for a clock more.
// Found by gpu-benches' strides of an MI210 (te42kyfo), which it gives to a clock: loads of 4 and of 8 bytes, whatever
// is apart. assumed: wider loads are like those of 8 bytes. How sixteens that coalesce pass by this is their caller's.
#pragma once
#include <cstdint>

namespace crosslane::timing {

// Of sixteen lanes in a row, of which `lanes` take part: lane `i` loads `bytes` from address[i] on.
uint32_t l1_bank_clocks(const uint64_t* address, uint16_t lanes, uint32_t bytes);

} // namespace crosslane::timing
