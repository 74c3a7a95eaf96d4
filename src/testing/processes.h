// Owns running tests, several at once, each in a process of its own: a kernel that ends its process, or never ends,
// takes no other test with it, nor the one that tells what came out.
#pragma once
#include "testing/outcome.h"
#include "testing/suite.h"
#include <functional>
#include <span>

namespace crosslane::testing {

struct Running {
  unsigned at_once = 1;
  double timeout = 0; // seconds of a test, from its start; 0: none
};

// Of one test, in this process.
Outcome run_here(const launch::Job&, const Running&);

// `ended` hears of each test, by its place in the list, when it has ended; of those that are no launch descriptions,
// too. Returns the signal (SIGINT, SIGTERM, SIGHUP, SIGQUIT) that stopped all, or 0. While this process has one thread.
int run(std::span<const Case>, const Running&, const std::function<void(size_t, const Outcome&)>& ended);

} // namespace crosslane::testing
