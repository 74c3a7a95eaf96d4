// Owns the census of a dispatch that was stopped before its end (cancelled, or deadlocked): where its waves were, which
// is what a kernel that hangs is told by. It is taken when the threads have left the waves; a dispatch that ends never
// hears of it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace crosslane::machine {
struct Wave;
}

namespace crosslane::engine {

// Waves that were at one place.
struct WavePlace {
  enum class State : uint8_t {
    running, // stopped at a backward branch or computed jump, behind a sleep or barrier, or before its first
             // instruction
    barrier, // others of its workgroup have not arrived
    waiting, // in the global wave sync, or for its turn to count in order
  };
  State state = State::running;
  uint64_t pc = 0;         // running: of the next instruction; else of the one that waits
  std::string instruction; // disassembly; empty where there is none
  uint64_t waves = 0;
  std::map<uint64_t, uint64_t> exec; // EXEC: how many of them have it
  uint32_t workgroup[3] = {0, 0, 0}; // of one of them
  uint32_t wave = 0;                 // within it
};

struct Census {
  uint64_t workgroups = 0, ended = 0, resident = 0; // resident: begun and not ended
  std::vector<WavePlace> places;                    // most waves first, then by pc
};

// Adds a wave that nobody runs, unless it has ended.
void count(Census&, const machine::Wave&);
void sort(Census&);

} // namespace crosslane::engine
