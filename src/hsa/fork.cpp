// Source: fork(2): the child has one thread, and of other threads' locks only the state; so nothing here takes one.
#include "hsa/fork.h"
#include "hsa/settings.h"
#include <atomic>
#include <cstdlib>
#include <pthread.h>

namespace crosslane::hsa {

namespace {

std::atomic<bool> forked{false}, said{false};
bool (*is_up)();
void (*tell)();

} // namespace

void watch_forks(bool (*up)(), void (*in_child)()) {
  if (is_up)
    return;
  is_up = up, tell = in_child;
  pthread_atfork(nullptr, nullptr, [] {
    if (is_up()) {
      forked = true;
      tell();
    }
  });
}

bool in_forked_child() { return forked.load(std::memory_order_relaxed); }

void say_forked() {
  if (!said.exchange(true))
    say("this process was forked from one that uses the GPU, and cannot use it itself; fork before the first use, or "
        "let the child "
        "execute a program (exec)");
}

void say_no_more() { said = true; }

void end_forked_child() {
  say_forked();
  std::abort();
}

} // namespace crosslane::hsa
