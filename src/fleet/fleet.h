// Owns work that is spread over ranks: items by number, handed out by demand, results in the order of the items whoever
// made them. Rank 0 hands out and works too. A rank that is gone is not missed: what it had is given to another one
// when nothing else is left, and the first result counts.
#pragma once
#include "fleet/journal.h"
#include "fleet/transport.h"
#include <functional>
#include <string>
#include <vector>

namespace crosslane::fleet {

struct Work {
  uint64_t items = 0;
  // The result of one. The same whoever makes it, and where: nothing of the host's in it. Called by a thread of its
  // own, one item at a time.
  std::function<std::string(uint64_t item)> run;
};

struct Progress {
  uint64_t done = 0, items = 0, resumed = 0; // done: those of the journal too
  int ranks = 1, heard = 1;                  // that there are; that have asked for work
  double seconds = 0;
};

struct Outcome {
  bool leader = true;               // rank 0; else nothing is known here
  std::vector<std::string> results; // by item
  uint64_t resumed = 0;             // that the journal had
  std::vector<uint64_t> by_rank;    // results that each rank made
  std::vector<int> silent;          // ranks that did not say that they end
};

struct Settings {
  Transport* transport = nullptr;                          // null: this process alone
  Journal* journal = nullptr;                              // of rank 0; null: none is kept
  std::function<void(const Progress&)> progress = nullptr; // about four times a second
  double patience = 5;                                     // seconds that rank 0 waits for others to end
  double second_try = 1; // seconds that an item may take before a rank without work tries it too; then four times that
};

// Blocks until all items are done; on other ranks, until rank 0 says so. These may still have a thread at work then:
// they end by Transport::end() and _exit(), and until then the work stays.
llvm::Expected<Outcome> run(const Work&, const Settings&);

// Rank 0 cannot run() anything: the others, who wait for it, are told to end. Of other ranks, nothing.
void dismiss(Transport&);

} // namespace crosslane::fleet
